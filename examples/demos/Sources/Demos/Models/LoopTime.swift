// The time of a loop, split into what the cores did, and the note of it in the log.

internal import Glibc

enum LoopForm: Equatable {
  /// On the caller's thread alone.
  case plain
  /// dispatch_apply, with so many rows a block.
  case apply(stride: Int)
  /// weir_apply, which chooses the stride by the time of the rows.
  case automatic

  var isStride: Bool { if case .apply = self { true } else { false } }
}

/// The time of a form in nanoseconds. The parts are those of an average core; their sum is the time.
struct LoopTime {
  let form: LoopForm
  let time: Int
  let work: Int
  /// The threads are between two blocks.
  let handing: Int
  /// A core has no thread of the loop: its first block has not begun, or its last one has ended.
  let idle: Int

  init(_ form: LoopForm, time: Int, work: Int, idle: Int) {
    (self.form, self.time) = (form, time)
    // The parts are measured in another round than the time, and may be longer.
    let share = min(1, Double(time) / Double(max(1, work + idle)))
    self.work = Int(Double(work) * share)
    self.idle = Int(Double(idle) * share)
    handing = time - self.work - self.idle
  }

  /// The same parts, for the time of other rounds.
  func with(time: Int) -> LoopTime { LoopTime(form, time: time, work: work, idle: idle) }

  // MARK: - The note

  /// The text and the number of the note; its value is the time.
  var note: (label: String, number: Int) {
    let (name, number) =
      switch form {
      case .plain: ("plain", 0)
      case .apply(let stride): ("apply", stride)
      case .automatic: ("automatic", 0)
      }
    return ("TIME \(name) | work \(work) | handing out \(handing) | idle \(idle)", number)
  }

  /// Reads a note; nil for another event.
  init?(_ event: TraceLog.Event) {
    let words = event.label.split(separator: " ")
    guard event.kind == .note, words.count == 12, words[0] == "TIME", let work = Int(words[4]),
      let idle = Int(words[11])
    else { return nil }
    let form: LoopForm =
      switch words[1] {
      case "plain": .plain
      case "apply": .apply(stride: event.task ?? 1)
      default: .automatic
      }
    self.init(form, time: event.value, work: work, idle: idle)
  }
}

/// The blocks of a run, each with its thread and its times.
/// @unchecked: each span is written by the block that begins with this row.
final class BlockSpans: @unchecked Sendable {
  private struct Span {
    var begin: UInt64 = 0
    var end: UInt64 = 0
    var thread = pthread_t()
  }

  private let machine: any Machine
  private let spans: UnsafeMutableBufferPointer<Span>

  init(rows: Int, on machine: any Machine) {
    self.machine = machine
    spans = .allocate(capacity: rows)
    spans.initialize(repeating: Span())
  }

  deinit { spans.deallocate() }

  /// Runs a block, and keeps its span.
  func record(_ rows: Range<Int>, _ block: (Range<Int>) -> Void) {
    let begin = machine.now
    block(rows)
    spans[rows.lowerBound] = Span(begin: begin, end: machine.now, thread: pthread_self())
  }

  /// Returns the time of the run, whose blocks are these. Each has a reading of the clock, which
  /// takes `reading` nanoseconds.
  func time(_ form: LoopForm, from begin: UInt64, to end: UInt64, reading: Int) -> LoopTime {
    var threads: [pthread_t: (first: UInt64, last: UInt64)] = [:]
    var work = 0
    for span in spans where span.end > 0 {
      work += max(0, Int(span.end - span.begin) - reading)
      let known = threads[span.thread] ?? (span.begin, span.end)
      threads[span.thread] = (min(known.first, span.begin), max(known.last, span.end))
    }
    let (time, cores) = (Int(end - begin), machine.cores)
    let present = threads.values.reduce(0) { $0 + Int($1.last - $1.first) }
    return LoopTime(
      form, time: time, work: work / cores, idle: max(0, cores * time - present) / cores)
  }
}

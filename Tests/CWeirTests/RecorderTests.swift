// The recorder of weir/trace.h: the events that it keeps, the formats that it writes, and its stop
// and release while other threads record. Recording affects the whole process, so each test has a
// process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct RecorderTests {
    @Test func jsonLinesAreAsDocumented() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder.ofTheStory()
        let text = recorder.text(WEIR_TRACE_JSON_LINES)
        #expect(difference(text.split(separator: "\n"), storyAsLines.split(separator: "\n")) == nil)
        #expect(text == recorder.text(WEIR_TRACE_JSON_LINES))
      }
    }

    @Test func traceEventsAreAsDocumented() async {
      await #expect(processExitsWith: .success) {
        let text = Recorder.ofTheStory().text(WEIR_TRACE_EVENT_JSON)
        #expect(
          difference(text.split(separator: "\n"), storyAsEvents.split(separator: "\n")) == nil)
      }
    }

    /// A strict reader gets any bytes of a label, or U+FFFD.
    @Test func stringsAreEscaped() async {
      await #expect(processExitsWith: .success) {
        let labels: [[UInt8]] = [
          Array("plain".utf8), [], Array(1...0x40), Array(0x41...0x7F),
          Array("é€😀\u{7F}\u{2028}".utf8),
          [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE2, 0x82], [0xE0, 0x80, 0x80],
          [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFF, 0xFE, 0x41],
          [0xF8, 0x88, 0x80, 0x80, 0x80], [UInt8](repeating: 0x78, count: 79),
        ]
        var random = Random("stringsAreEscaped")
        let others = (0..<200).map { _ in
          random.bytes(random.below(12)).map { $0 == 0 ? UInt8(1) : $0 }
        }
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for label in labels + others { note(label) }
        recorder.stop()
        /* A longer label is cut after a character. */
        let cut = Recorder(), long = Array(String(repeating: "é", count: 200).utf8)
        #expect(cut.start() == 0)
        note(long)
        cut.stop()
        #expect(cut.lines.map { $0["q"]?.string } == [replacing(Array(long.prefix(78)))])
        for (line, label) in zip(recorder.lines, labels + others) {
          #expect(line["q"]?.string == replacing(label))
        }
        #expect(recorder.lines.count == labels.count + others.count)
        let marks = recorder.events.filter { $0["ph"]?.string == "i" }
        #expect(marks.map { $0["name"]?.string } == (labels + others).map(replacing))
      }
    }

    /// An event of the program's own keeps its time, or gets the present one.
    @Test func anEmittedEventKeepsItsTime() async {
      await #expect(processExitsWith: .success) {
        let serial = weir_trace_serial()
        #expect(serial != weir_trace_serial())
        let recorder = Recorder()
        emit(WEIR_TRACE_NOTE, serial, 1)
        #expect(recorder.start() == 0)
        for time in [1000, 3500, 2000] { emit(WEIR_TRACE_SIGNAL, serial, UInt64(time)) }
        recorder.stop()
        #expect(recorder.lines.map { $0["t"]?.integer } == [0, 1000, 2500])
        #expect(recorder.start() == 0)
        weir_trace_note("before", 0, 0)
        emit(WEIR_TRACE_SIGNAL, serial, 0)
        weir_trace_note("after", 0, 0)
        recorder.stop()
        #expect(recorder.lines.map { $0["q"]?.string } == ["before", "own", "after"])
      }
    }

    /// The oldest events are dropped and counted.
    @Test(arguments: [1, 2, 63, 64, 65, 1000, 5000])
    func theOldestAreDropped(capacity: Int) async {
      await #expect(processExitsWith: .success) { [capacity] in
        for written in [capacity - 1, capacity, capacity + 1, 2 * capacity, 3 * capacity + 7] {
          let recorder = Recorder(capacity)
          #expect(recorder.start() == 0)
          for number in 0..<written { weir_trace_note("label \(number)", UInt64(number), 0) }
          recorder.stop()
          let kept = min(written, capacity), stats = recorder.stats
          #expect(stats.events == kept && Int(stats.dropped) == written - kept)
          #expect(stats.threads == (written == 0 ? 0 : 1))
          let labels = recorder.lines.map { $0["q"]?.string }
          #expect(labels == (written - kept..<written).map { "label \($0)" })
        }
      }
    }

    @Test func threadsThatEndLeaveTheirEvents() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        weir_trace_note("main", 0, 0)
        for number in 1...50 { inAThread { weir_trace_note("of \(number)", 0, 0) } }
        recorder.stop()
        #expect(recorder.stats.threads == 51 && recorder.stats.events == 51)
        #expect(recorder.lines.map { $0["thr"]?.integer } == (1...51).map { $0 })
        let names = recorder.events.filter { $0["name"]?.string == "thread_name" }
        #expect(names.map { $0["tid"]?.integer } == (1...51).map { $0 })
      }
    }

    @Test func onlyOneRecords() async {
      await #expect(processExitsWith: .success) {
        let first = Recorder(), second = Recorder()
        #expect(second.start() == 0)
        weir_trace_note("kept", 0, 0)
        second.stop()
        #expect(first.start() == 0 && first.start() == EBUSY && second.start() == EBUSY)
        #expect(second.lines.count == 1)
        #expect(first.write(WEIR_TRACE_JSON_LINES, to: 1) == EBUSY)
        first.stop()
        first.stop()
        #expect(second.start() == 0)
        second.stop()
        #expect(second.lines.isEmpty)
        #expect(first.start() == 0)
      }
    }

    /// Both get the events, in whatever order they come and go.
    @Test func anObserverAndARecorderAreIndependent() async {
      await #expect(processExitsWith: .success) {
        let seen = Meter(), recorder = Recorder()
        let observer = observer(counting: seen)
        for isFirst in [true, false] {
          let before = seen.ever
          if isFirst { #expect(weir_trace_set_observer(observer) == nil) }
          #expect(recorder.start() == 0)
          if !isFirst { #expect(weir_trace_set_observer(observer) == nil) }
          weir_trace_note("both", 0, 0)
          if isFirst { recorder.stop() }
          #expect(weir_trace_set_observer(nil) == observer)
          weir_trace_note("one or none", 0, 0)
          recorder.stop()
          #expect(recorder.lines.count == (isFirst ? 1 : 2) && seen.ever == before + 1)
        }
        /* What was there before can be put back, also when the recorder is gone. */
        let raw: weir_trace_recorder_t = weir_trace_recorder_create(0)!
        #expect(weir_trace_recorder_start(raw) == 0)
        let former = weir_trace_set_observer(observer)
        weir_trace_recorder_release(raw)
        #expect(former == nil && weir_trace_set_observer(former) == observer)
        weir_trace_note("nobody", 0, 0)
        #expect(seen.ever == 2)
      }
    }

    /// A slow output delays only a start.
    @Test func whileItIsWritten() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder(), ended = Latch(1)
        #expect(recorder.start() == 0)
        for _ in 0..<5000 { weir_trace_note("mark", 0, 0) }
        recorder.stop()
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        let (reading, writing) = (ends[0], ends[1])
        startThread {
          #expect(recorder.write(WEIR_TRACE_JSON_LINES, to: writing) == 0)
          close(writing)
          ended.arrive()
        }
        var first: UInt8 = 0
        #expect(read(reading, &first, 1) == 1)  // the pipe holds less than there is
        let asked = Crew(1) { _ in
          #expect(recorder.stats.events == 5000 && recorder.start() == EBUSY)
          recorder.stop()
          #expect(recorder.lines.count == 5000)
        }
        #expect(asked.wait() && !ended.isOpen)
        var piece = [UInt8](repeating: 0, count: 65536)
        while read(reading, &piece, piece.count) > 0 {}
        #expect(ended.wait() && recorder.start() == 0)
      }
    }

    @Test func aFailedWriteReturnsItsError() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_IGN)
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for _ in 0..<5000 { weir_trace_note("mark", 0, 0) }
        recorder.stop()
        let full = open("/dev/full", O_WRONLY), unwritable = open("/dev/null", O_RDONLY)
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        close(ends[0])
        for format in [WEIR_TRACE_JSON_LINES, WEIR_TRACE_EVENT_JSON] {
          #expect(recorder.write(format, to: full) == ENOSPC)
          #expect(recorder.write(format, to: ends[1]) == EPIPE)
          #expect(recorder.write(format, to: unwritable) == EBADF)
          #expect(recorder.write(format, to: -1) == EBADF)
        }
        #expect(recorder.write(weir_trace_format_t(3), to: 1) == EINVAL)
        #expect(recorder.write(weir_trace_format_t(0), to: -1) == EINVAL)
        #expect(recorder.lines.count == 5000)
      }
    }

    /// As a Swift task may: on another thread, or after a job that began earlier. Such a job is no
    /// slice of its thread, but its row ends.
    @Test func aJobThatEndsElsewhereEndsItsRow() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        tell(Telling(1, WEIR_TRACE_START, 1, "tasks", 1, 1))
        tell(Telling(2, WEIR_TRACE_START, 1, "tasks", 2, 1))
        tell(Telling(3, WEIR_TRACE_END, 1, "tasks", 1, 1))
        tell(Telling(4, WEIR_TRACE_END, 1, "tasks", 2, 1))
        tell(Telling(5, WEIR_TRACE_START, 1, "tasks", 3, 1))
        inAThread { tell(Telling(6, WEIR_TRACE_END, 1, "tasks", 3, 1)) }
        recorder.stop()
        expectEventsHold(recorder.events)
        let slices = recorder.events.filter { $0["cat"]?.string == "job" }
        #expect(slices.map { $0["name"]?.string } == ["tasks 1"])
        let ends = recorder.events.filter { $0["ph"]?.string == "e" }
        #expect(
          ends.map { $0["name"]?.string }
            == ["running", "tasks 1", "running", "tasks 2", "running", "tasks 3"])
      }
    }

    /// Lanes, gates and groups at work, and the properties of their events. With buffers that wrap
    /// round, counterparts are missing.
    @Test(arguments: [(1, 0), (3, 0), (2, 3), (2, 17), (2, 100)])
    func aRealRecordingIsConsistent(width: Int, capacity: Int) async {
      await #expect(processExitsWith: .success) {
        [width = width as Int, capacity = capacity as Int] in
        let recorder = Recorder(capacity)
        #expect(recorder.start() == 0)
        work(width: UInt(width))
        recorder.stop()
        let lines = recorder.lines
        #expect((recorder.stats.dropped > 0) == (capacity > 0))
        #expect(lines.count == Int(recorder.stats.events))
        expectEventsHold(recorder.events)
        if capacity > 0 { return }
        expectLinesHold(lines)
        for (kind, count) in [("submit", 200), ("start", 200), ("end", 200)] {
          #expect(lines.count { $0["ev"]?.string == kind } == count)
        }
        let flows = recorder.events.count { $0["flow_in"] != nil }
        #expect(flows >= 200)
      }
    }

    /// The first half of a busy thread's events is lost, and a quiet thread has few: the counts are
    /// right from the time on from which all events are kept.
    @Test func countsAreRightIfABufferWrappedRound() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder(20)
        #expect(recorder.start() == 0)
        inAThread {
          for job in 1...18 {
            tell(Telling(UInt64(job), WEIR_TRACE_SUBMIT, 1, "lanes", UInt64(job), 1))
          }
          tell(Telling(900, WEIR_TRACE_SUBMIT, 1, "lanes", 19, 1))
        }
        inAThread {
          for job in UInt64(1)...18 {
            for (late, kind) in [WEIR_TRACE_START, WEIR_TRACE_END].enumerated() {
              tell(Telling(job * 10 + 100 + UInt64(late), kind, 1, "lanes", job, 1))
            }
          }
          for gives in 0..<2 {
            tell(Telling(300 + UInt64(gives), WEIR_TRACE_SIGNAL, 2, "gate", 0, 1))
          }
          tell(Telling(910, WEIR_TRACE_START, 1, "lanes", 19, 1))
          tell(Telling(920, WEIR_TRACE_END, 1, "lanes", 19, 1))
          tell(Telling(930, WEIR_TRACE_ACQUIRED, 2, "gate", 0, 1))
        }
        recorder.stop()
        let lines = recorder.lines
        #expect(recorder.stats.dropped == 21)
        let queued = lines.compactMap { $0["jobs"]?["queued"]?.integer }
        let running = lines.compactMap { $0["jobs"]?["running"]?.integer }
        #expect(queued.allSatisfy { 0...9 ~= $0 } && running.allSatisfy { 0...1 ~= $0 })
        #expect(queued.suffix(4) == [0, 1, 0, 0] && running.suffix(4) == [0, 0, 1, 0])
        #expect(lines.compactMap { $0["sem"]?["free"]?.integer } == [1, 2, 1])
      }
    }

    /// Objects made at the address of a freed one are different objects with different numbers,
    /// even very many with as many labels.
    @Test func everyObjectHasANumberOfItsOwn() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for number in 0..<500 {
          let gate = Gate(number < 250 ? 10 : 1, number % 2 == 0 ? "even" : "odd")
          #expect(gate.attempt(number < 250 ? 10 : 1) == 0)
          gate.signal(number < 250 ? 10 : 1)
          gate.release()
        }
        recorder.stop()
        let lines = recorder.lines
        #expect(Set(lines.map { $0["obj"]?.integer }).count == 500)
        for line in lines {
          let isSignal = line["ev"]?.string == "signal"
          #expect(line["sem"]?["free"]?.integer == (isSignal ? line["v"]?.integer : 0), "\(line)")
        }
        let names = Set(
          recorder.events.compactMap { $0["ph"]?.string == "C" ? $0["name"]?.string : nil })
        let numbered: [String] = (2...250).flatMap { (number: Int) -> [String] in
          ["even #\(number)", "odd #\(number)"]
        }
        #expect(names == Set(["even", "odd"] + numbered))
      }
    }

    /// The result does not depend on the order in which threads report.
    @Test func theOutstandingCountChangesByOne() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        let counts: [(weir_trace_kind_t, Int)] = [
          (WEIR_TRACE_ENTER, 5), (WEIR_TRACE_ENTER, 4), (WEIR_TRACE_LEAVE, 3),
          (WEIR_TRACE_LEAVE, 4),
          (WEIR_TRACE_ENTER, 4),
        ]
        for (time, event) in counts.enumerated() {
          tell(Telling(UInt64(time + 1), event.0, 1, "group", 0, event.1))
        }
        recorder.stop()
        let counters = recorder.events.filter { $0["ph"]?.string == "C" }
        #expect(counters.map { $0["args"]?["outstanding"]?.integer } == [4, 5, 4, 3, 4])
      }
    }

    /// Starting, stopping, reading and freeing while other threads record.
    @Test func startAndStopDuringRecording() async {
      await #expect(processExitsWith: .success) {
        let over = Locked(false)
        let crew = Crew(3) { number in
          var count = 0
          while !over.now {
            weir_trace_note("note \(number) \(count % 50)", UInt64(count), 0)
            count += 1
          }
        }
        let nowhere = open("/dev/null", O_WRONLY)
        for round in 0..<20 {
          let recorder = Recorder(round % 3 == 0 ? 100 : 2000)
          for _ in 0..<3 {
            #expect(recorder.start() == 0)
            _ = eventually { recorder.stats.events > 0 }
            recorder.stop()
            #expect(recorder.write(WEIR_TRACE_JSON_LINES, to: nowhere) == 0)
            #expect(recorder.write(WEIR_TRACE_EVENT_JSON, to: nowhere) == 0)
          }
          if round % 2 == 0 { #expect(recorder.start() == 0) /* stopped by its release */ }
        }
        over.with { $0 = true }
        #expect(crew.wait())
      }
    }
  }
}

/// Some of everything: jobs on lanes of that width with a backlog, permits that threads and
/// requests wait for, and a group.
private func work(width: UInt) {
  let lanes = LaneSet(width: width, backlog: 8, label: "lanes")!
  let gate = Gate(2, "gate")
  let group = Passed<weir_group_t>(weir_group_create("group")!)
  let crew = Crew(3) { number in
    for _ in 0..<30 where gate.wait(number == 0 ? 2 : 1) == 0 { gate.signal(number == 0 ? 2 : 1) }
    _ = gate.wait(1, atOnce) == 0 ? gate.signal(1) : 0
  }
  for number in 0..<200 {
    weir_group_enter(group.it)
    lanes.async {
      if number % 10 == 0, gate.wait(1) == 0 { gate.signal(1) }
      weir_trace_note("in a job", UInt64(number), 0)
      weir_group_leave(group.it)
    }
  }
  for _ in 0..<20 {
    weir_group_enter(group.it)
    _ = weir_gate_async(gate.raw, 1, globalQueue()) { weir_group_leave(group.it) }
  }
  #expect(weir_group_wait(group.it, forever) == 0 && crew.wait())
  #expect(lanes.wait() == 0)
  lanes.release()
  #expect(eventually { gate.stats.in_use == 0 })
  gate.release()
  weir_group_release(group.it)
}

// ---- properties of JSON lines -----------------------------------------------

private func expectLinesHold(_ lines: [Json]) {
  var last = 0, states: [String: String] = [:]
  for line in lines {
    let time = line["t"]?.integer ?? -1
    #expect(time >= last, "\(line)")
    last = time
    for counts in [line["sem"], line["jobs"]] {
      for name in counts?.names ?? [] { #expect((counts?[name]?.integer ?? -1) >= 0, "\(line)") }
    }
    guard let kind = line["ev"]?.string, ["submit", "start", "end"].contains(kind) else { continue }
    let job = "\(line["obj"]?.integer ?? 0)/\(line["task"]?.integer ?? 0)"
    #expect(states[job] == ["start": "submit", "end": "start"][kind], "\(line)")
    states[job] = kind
  }
  #expect(states.values.allSatisfy { $0 == "end" })
  #expect(lines.first?["t"]?.integer == 0)
}

// ---- properties of Trace Event JSON -----------------------------------------

private func expectEventsHold(_ events: [Json]) {
  for event in events {
    #expect(["M", "X", "B", "C", "i", "b", "n", "e"].contains(event["ph"]?.string), "\(event)")
    #expect(event["pid"]?.integer == 1 && (event["tid"]?.integer ?? -1) >= 0, "\(event)")
    #expect(event["name"]?.string != nil)
    if event["ph"]?.string != "M" { #expect((event["ts"]?.number ?? -1) >= 0, "\(event)") }
    #expect((event["dur"] != nil) == (event["ph"]?.string == "X"), "\(event)")
    if event["ph"]?.string == "C" {
      for name in event["args"]?.names ?? [] {
        #expect((event["args"]?[name]?.number ?? -1) >= 0, "\(event)")
      }
    }
  }
  expectSlicesNest(events)
  expectFlowsMeet(events)
  expectRowsMatch(events)
}

/// In nanoseconds: microseconds with three digits.
private func nanoseconds(_ number: Double?) -> Int { Int(((number ?? 0) * 1000).rounded()) }

private func expectSlicesNest(_ events: [Json]) {
  var open: [Int: [Int]] = [:]
  for event in events where event["ph"]?.string == "X" {
    let thread = event["tid"]?.integer ?? 0, begin = nanoseconds(event["ts"]?.number)
    let end = begin + nanoseconds(event["dur"]?.number)
    var ends = open[thread] ?? []
    while let last = ends.last, last <= begin, last < end || last < begin { ends.removeLast() }
    if let last = ends.last { #expect(end <= last, "\(event) in what ends at \(last)") }
    open[thread] = ends + [end]
  }
}

private func expectFlowsMeet(_ events: [Json]) {
  var outs: [String: Int] = [:], ins: [String: Int] = [:]
  for event in events where event["bind_id"] != nil {
    let number = event["bind_id"]?.string ?? "", time = nanoseconds(event["ts"]?.number)
    #expect(event["ph"]?.string == "X" || event["ph"]?.string == "B", "\(event)")
    if event["flow_out"] != nil {
      #expect(outs.updateValue(time, forKey: number) == nil, "\(event)")
    } else {
      #expect(event["flow_in"] != nil && ins.updateValue(time, forKey: number) == nil, "\(event)")
    }
  }
  #expect(Set(outs.keys) == Set(ins.keys))
  for (number, time) in ins { #expect((outs[number] ?? .max) <= time) }
}

/// Rows: an activity ends in the reverse order of its begin, or not at all.
private func expectRowsMatch(_ events: [Json]) {
  var open: [String: [String]] = [:]
  for event in events {
    guard let id = event["id2"]?["local"]?.string, let phase = event["ph"]?.string else { continue }
    let row = (event["cat"]?.string ?? "") + id, name = event["name"]?.string ?? ""
    if phase == "b" { open[row, default: []].append(name) }
    if phase == "e" { #expect(open[row]?.popLast() == name, "\(event)") }
  }
}

// ---- a recorder ---------------------------------------------------------------

private final class Recorder: @unchecked Sendable {
  let raw: weir_trace_recorder_t

  init(_ events: Int = 0) { raw = weir_trace_recorder_create(events)! }
  deinit { weir_trace_recorder_release(raw) }

  func start() -> Int32 { weir_trace_recorder_start(raw) }
  func stop() { weir_trace_recorder_stop(raw) }

  var stats: weir_trace_recorder_stats_t {
    var stats = weir_trace_recorder_stats_t()
    weir_trace_recorder_stats(raw, &stats, MemoryLayout.size(ofValue: stats))
    return stats
  }

  func write(_ format: weir_trace_format_t, to descriptor: Int32) -> Int32 {
    weir_trace_recorder_write(raw, descriptor, format)
  }

  func bytes(_ format: weir_trace_format_t) -> [UInt8] {
    let file = tmpfile()!
    defer { fclose(file) }
    #expect(write(format, to: fileno(file)) == 0)
    var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 65536)
    rewind(file)
    while case let got = fread(&piece, 1, piece.count, file), got > 0 { bytes += piece.prefix(got) }
    return bytes
  }

  func text(_ format: weir_trace_format_t) -> String {
    String(decoding: bytes(format), as: UTF8.self)
  }

  /// Each line read strictly.
  var lines: [Json] {
    bytes(WEIR_TRACE_JSON_LINES).split(separator: 0x0A).compactMap { line in
      let json = try? Json(line)
      #expect(json != nil, "\(String(decoding: line, as: UTF8.self))")
      return json
    }
  }

  var events: [Json] {
    let bytes = bytes(WEIR_TRACE_EVENT_JSON)
    let json = try? Json(bytes)
    #expect(json?["displayTimeUnit"]?.string == "ms", "\(String(decoding: bytes, as: UTF8.self))")
    return json?["traceEvents"]?.array ?? []
  }
}

private func note(_ label: [UInt8]) {
  (label.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
    weir_trace_note($0.baseAddress!, 0, 0)
  }
}

/// The expected form of a label: each byte that is not UTF-8 as U+FFFD. (Swift would write one for
/// several bytes.)
private func replacing(_ label: [UInt8]) -> String {
  var text = "", place = 0
  while place < label.count {
    let character = (1...4).lazy.compactMap { count -> (String, Int)? in
      guard place + count <= label.count,
        let one = String(validating: label[place..<place + count], as: UTF8.self),
        one.unicodeScalars.count == 1
      else { return nil }
      return (one, count)
    }.first
    text += character?.0 ?? "\u{FFFD}"
    place += character?.1 ?? 1
  }
  return text
}

private func inAThread(_ body: @escaping @Sendable () -> Void) {
  #expect(Crew(1) { _ in body() }.wait())
}

// ---- a fixed scenario ---------------------------------------------------------

extension Recorder {
  /// Two jobs on lanes, the second never ends; a gate of two permits with a waiting thread, a
  /// time-out and a waiting request; a dropped job; a group; another gate of the same name.
  fileprivate static func ofTheStory() -> Recorder {
    let recorder = Recorder()
    #expect(recorder.start() == 0)
    let lanes: UInt64 = 16, group: UInt64 = 48, gate: UInt64 = 32, second: UInt64 = 64
    let first: [Telling] = [
      Telling(1000, WEIR_TRACE_SUBMIT, lanes, "lanes", 1, 1),
      Telling(2000, WEIR_TRACE_SUBMIT, lanes, "lanes", 2, 1),
      Telling(2500, WEIR_TRACE_SUBMIT, lanes, "lanes", 3, 1),
      Telling(3000, WEIR_TRACE_ENTER, group, "group", 0, 1),
      Telling(20000, WEIR_TRACE_CANCEL, lanes, "lanes", 3, 1),
      Telling(21000, WEIR_TRACE_NOTE, 0, "a \"note\"", 5, 6),
    ]
    let worker: [Telling] = [
      Telling(4001, WEIR_TRACE_START, lanes, "lanes", 1, 1),
      Telling(5000, WEIR_TRACE_ACQUIRED, gate, "gate", 0, 2),
      Telling(6000, WEIR_TRACE_SIGNAL, gate, "gate", 0, 2),
      Telling(6100, WEIR_TRACE_WAKE, gate, "gate", 1, 1, lane: 1),
      Telling(6200, WEIR_TRACE_WAKE, gate, "gate", 3, 1, lane: 1),
      Telling(9000, WEIR_TRACE_END, lanes, "lanes", 1, 1),
      Telling(9500, WEIR_TRACE_LEAVE, group, "group", 0, 0),
      Telling(10000, WEIR_TRACE_START, lanes, "lanes", 2, 1),
    ]
    let waiter: [Telling] = [
      Telling(5500, WEIR_TRACE_WAIT, gate, "gate", 1, 1),
      Telling(7000, WEIR_TRACE_ACQUIRED, gate, "gate", 1, 1),
      Telling(8000, WEIR_TRACE_SIGNAL, gate, "gate", 0, 1),
      Telling(12000, WEIR_TRACE_ACQUIRED, second, "gate", 0, 1),
    ]
    let others: [Telling] = [
      Telling(5600, WEIR_TRACE_WAIT, gate, "gate", 2, 2),
      Telling(5800, WEIR_TRACE_TIMED_OUT, gate, "gate", 2, 2),
      Telling(5900, WEIR_TRACE_WAIT, gate, "gate", 3, 1, lane: 1),
      Telling(5950, WEIR_TRACE_NOTE, 0, "goes on", 0, 0),
      Telling(13000, WEIR_TRACE_WAIT, second, "gate", 1, 4),
    ]
    for events in [first, worker, waiter, others] {
      inAThread { for event in events { tell(event) } }
    }
    let last = Telling(6300, WEIR_TRACE_ACQUIRED, gate, "gate", 3, 1)
    inAThread { tell(last) }
    recorder.stop()
    return recorder
  }
}

private struct Telling {
  let time: UInt64
  let kind: weir_trace_kind_t
  let serial: UInt64
  let label: String
  let job: UInt64
  let count: Int
  let lane: Int

  init(
    _ time: UInt64, _ kind: weir_trace_kind_t, _ serial: UInt64, _ label: String, _ job: UInt64,
    _ count: Int, lane: Int = 0
  ) {
    (self.time, self.kind, self.serial) = (time, kind, serial)
    (self.label, self.job, self.count, self.lane) = (label, job, count, lane)
  }
}

/// Reports an event of an object of the program's own.
private func emit(_ kind: weir_trace_kind_t, _ serial: UInt64, _ nanoseconds: UInt64) {
  "own".withCString { label in
    var event = weir_trace_event_t(
      kind: kind, object: nil, label: label, job: 0, lane: 0, count: 1, nanoseconds: nanoseconds,
      serial: serial, caller: nil)
    weir_trace_emit(&event)
  }
}

/// Reports a made-up event to the recorder.
private func tell(_ it: Telling) {
  it.label.withCString { label in
    var event = weir_trace_event_t(
      kind: it.kind, object: nil, label: label, job: it.job, lane: it.lane, count: it.count,
      nanoseconds: it.time, serial: it.serial, caller: nil)
    weir_trace_emit(&event)
  }
}

/// An observer that counts its events; it is never freed.
private func observer(counting meter: Meter) -> UnsafePointer<weir_trace_observer_t> {
  let made = UnsafeMutablePointer<weir_trace_observer_t>.allocate(capacity: 1)
  made.initialize(
    to: weir_trace_observer_t(
      context: Unmanaged.passRetained(meter).toOpaque(),
      observe: { context, _ in Unmanaged<Meter>.fromOpaque(context!).takeUnretainedValue().enter()
      },
      reserved: (0, 0, 0, 0)))
  observers.with { $0.append(UInt(bitPattern: made)) }
  return UnsafePointer(made)
}

/// Keeps them reachable for the leak detector.
private let observers = Locked<[UInt]>([])

private let storyAsLines = #"""
  {"t":0,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":1,"v":1,"jobs":{"queued":1,"running":0}}
  {"t":1000,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":2,"v":1,"jobs":{"queued":2,"running":0}}
  {"t":1500,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":3,"v":1,"jobs":{"queued":3,"running":0}}
  {"t":2000,"ev":"enter","thr":1,"q":"group","obj":2,"v":1}
  {"t":3001,"ev":"start","thr":2,"q":"lanes","obj":1,"task":1,"lane":0,"v":1,"jobs":{"queued":2,"running":1}}
  {"t":4000,"ev":"acquired","thr":2,"q":"gate","obj":3,"v":2,"sem":{"free":0,"waiting":0}}
  {"t":4500,"ev":"wait","thr":3,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":0,"waiting":1}}
  {"t":4600,"ev":"wait","thr":4,"q":"gate","obj":3,"task":2,"v":2,"sem":{"free":0,"waiting":2}}
  {"t":4800,"ev":"timeout","thr":4,"q":"gate","obj":3,"task":2,"v":2,"sem":{"free":0,"waiting":1}}
  {"t":4900,"ev":"wait","thr":4,"q":"gate","obj":3,"task":3,"lane":1,"v":1,"sem":{"free":0,"waiting":2}}
  {"t":4950,"ev":"note","thr":4,"q":"goes on","v":0}
  {"t":5000,"ev":"signal","thr":2,"q":"gate","obj":3,"v":2,"woken":true,"sem":{"free":2,"waiting":2}}
  {"t":5100,"ev":"wake","thr":2,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":1,"waiting":1}}
  {"t":5200,"ev":"wake","thr":2,"q":"gate","obj":3,"task":3,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":5300,"ev":"acquired","thr":5,"q":"gate","obj":3,"task":3,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":6000,"ev":"acquired","thr":3,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":7000,"ev":"signal","thr":3,"q":"gate","obj":3,"v":1,"woken":false,"sem":{"free":1,"waiting":0}}
  {"t":8000,"ev":"end","thr":2,"q":"lanes","obj":1,"task":1,"lane":0,"v":1,"jobs":{"queued":2,"running":0}}
  {"t":8500,"ev":"leave","thr":2,"q":"group","obj":2,"v":0}
  {"t":9000,"ev":"start","thr":2,"q":"lanes","obj":1,"task":2,"lane":0,"v":1,"jobs":{"queued":1,"running":1}}
  {"t":11000,"ev":"acquired","thr":3,"q":"gate","obj":4,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":12000,"ev":"wait","thr":4,"q":"gate","obj":4,"task":1,"v":4,"sem":{"free":0,"waiting":1}}
  {"t":19000,"ev":"cancel","thr":1,"q":"lanes","obj":1,"task":3,"v":1,"jobs":{"queued":0,"running":1}}
  {"t":20000,"ev":"note","thr":1,"q":"a \"note\"","task":5,"v":6}
  """#

private let storyAsEvents = #"""
  {"displayTimeUnit":"ms","traceEvents":[
  {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"thread 1"}},
  {"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"thread 2"}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"thread 3"}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":3}},
  {"ph":"M","pid":1,"tid":4,"name":"thread_name","args":{"name":"thread 4"}},
  {"ph":"M","pid":1,"tid":4,"name":"thread_sort_index","args":{"sort_index":4}},
  {"ph":"M","pid":1,"tid":5,"name":"thread_name","args":{"name":"thread 5"}},
  {"ph":"M","pid":1,"tid":5,"name":"thread_sort_index","args":{"sort_index":5}},
  {"ph":"b","pid":1,"tid":1,"ts":0,"cat":"life","id2":{"local":"0x1"},"name":"lanes 1"},
  {"ph":"b","pid":1,"tid":1,"ts":0,"cat":"life","id2":{"local":"0x1"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":0,"cat":"point","name":"submit lanes 1","dur":1,"bind_id":"0x5","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":0,"name":"lanes","args":{"queued":1,"running":0}},
  {"ph":"b","pid":1,"tid":1,"ts":1,"cat":"life","id2":{"local":"0x2"},"name":"lanes 2"},
  {"ph":"b","pid":1,"tid":1,"ts":1,"cat":"life","id2":{"local":"0x2"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":1,"cat":"point","name":"submit lanes 2","dur":0.500,"bind_id":"0x14","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":1,"name":"lanes","args":{"queued":2,"running":0}},
  {"ph":"b","pid":1,"tid":1,"ts":1.500,"cat":"life","id2":{"local":"0x3"},"name":"lanes 3"},
  {"ph":"b","pid":1,"tid":1,"ts":1.500,"cat":"life","id2":{"local":"0x3"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":1.500,"cat":"point","name":"submit lanes 3","dur":0.500,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":1.500,"name":"lanes","args":{"queued":3,"running":0}},
  {"ph":"i","pid":1,"tid":1,"ts":2,"cat":"mark","name":"enter group","s":"t","args":{"task":0,"value":1}},
  {"ph":"C","pid":1,"tid":0,"ts":2,"name":"group","args":{"outstanding":1}},
  {"ph":"e","pid":1,"tid":2,"ts":3.001,"cat":"life","id2":{"local":"0x1"},"name":"pending"},
  {"ph":"b","pid":1,"tid":2,"ts":3.001,"cat":"life","id2":{"local":"0x1"},"name":"running"},
  {"ph":"X","pid":1,"tid":2,"ts":3.001,"cat":"job","name":"lanes 1","dur":4.999,"bind_id":"0x5","flow_in":true,"args":{"lane":0}},
  {"ph":"C","pid":1,"tid":0,"ts":3.001,"name":"lanes","args":{"queued":2,"running":1}},
  {"ph":"X","pid":1,"tid":2,"ts":4,"cat":"point","name":"acquired gate","dur":1,"args":{"count":2}},
  {"ph":"C","pid":1,"tid":0,"ts":4,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":4.500,"cat":"wait","name":"wait gate","dur":1.500,"args":{"count":1,"result":"acquired"}},
  {"ph":"C","pid":1,"tid":0,"ts":4.500,"name":"gate","args":{"free":0,"waiting":1}},
  {"ph":"X","pid":1,"tid":4,"ts":4.600,"cat":"wait","name":"wait gate","dur":0.200,"args":{"count":2,"result":"timed out"}},
  {"ph":"C","pid":1,"tid":0,"ts":4.600,"name":"gate","args":{"free":0,"waiting":2}},
  {"ph":"i","pid":1,"tid":4,"ts":4.800,"cat":"mark","name":"timed out gate","s":"t","args":{"task":2,"value":2}},
  {"ph":"C","pid":1,"tid":0,"ts":4.800,"name":"gate","args":{"free":0,"waiting":1}},
  {"ph":"b","pid":1,"tid":4,"ts":4.900,"cat":"wait","id2":{"local":"0xa"},"name":"gate 3"},
  {"ph":"C","pid":1,"tid":0,"ts":4.900,"name":"gate","args":{"free":0,"waiting":2}},
  {"ph":"i","pid":1,"tid":4,"ts":4.950,"cat":"mark","name":"goes on","s":"t","args":{"task":0,"value":0}},
  {"ph":"X","pid":1,"tid":2,"ts":5,"cat":"point","name":"signal gate","dur":0.100,"args":{"count":2}},
  {"ph":"C","pid":1,"tid":0,"ts":5,"name":"gate","args":{"free":2,"waiting":2}},
  {"ph":"X","pid":1,"tid":2,"ts":5.100,"cat":"point","name":"wake gate","dur":0.100,"bind_id":"0x10","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.100,"name":"gate","args":{"free":1,"waiting":1}},
  {"ph":"X","pid":1,"tid":2,"ts":5.200,"cat":"point","name":"wake gate","dur":1,"bind_id":"0xf","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.200,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"e","pid":1,"tid":5,"ts":5.300,"cat":"wait","id2":{"local":"0xa"},"name":"gate 3"},
  {"ph":"X","pid":1,"tid":5,"ts":5.300,"cat":"point","name":"acquired gate","dur":1,"bind_id":"0xf","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.300,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":6,"cat":"point","name":"acquired gate","dur":1,"bind_id":"0x10","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":6,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":7,"cat":"point","name":"signal gate","dur":1,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":7,"name":"gate","args":{"free":1,"waiting":0}},
  {"ph":"e","pid":1,"tid":2,"ts":8,"cat":"life","id2":{"local":"0x1"},"name":"running"},
  {"ph":"e","pid":1,"tid":2,"ts":8,"cat":"life","id2":{"local":"0x1"},"name":"lanes 1"},
  {"ph":"C","pid":1,"tid":0,"ts":8,"name":"lanes","args":{"queued":2,"running":0}},
  {"ph":"i","pid":1,"tid":2,"ts":8.500,"cat":"mark","name":"leave group","s":"t","args":{"task":0,"value":0}},
  {"ph":"C","pid":1,"tid":0,"ts":8.500,"name":"group","args":{"outstanding":0}},
  {"ph":"e","pid":1,"tid":2,"ts":9,"cat":"life","id2":{"local":"0x2"},"name":"pending"},
  {"ph":"b","pid":1,"tid":2,"ts":9,"cat":"life","id2":{"local":"0x2"},"name":"running"},
  {"ph":"B","pid":1,"tid":2,"ts":9,"cat":"job","name":"lanes 2","args":{"lane":0}},
  {"ph":"X","pid":1,"tid":2,"ts":9,"cat":"point","name":"start lanes 2","dur":1,"bind_id":"0x14","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":9,"name":"lanes","args":{"queued":1,"running":1}},
  {"ph":"X","pid":1,"tid":3,"ts":11,"cat":"point","name":"acquired gate #2","dur":1,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":11,"name":"gate #2","args":{"free":0,"waiting":0}},
  {"ph":"B","pid":1,"tid":4,"ts":12,"cat":"wait","name":"wait gate #2","args":{"count":4,"result":"none"}},
  {"ph":"C","pid":1,"tid":0,"ts":12,"name":"gate #2","args":{"free":0,"waiting":1}},
  {"ph":"i","pid":1,"tid":1,"ts":19,"cat":"mark","name":"cancel lanes","s":"t","args":{"task":3,"value":1}},
  {"ph":"e","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"pending"},
  {"ph":"n","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"cancelled"},
  {"ph":"e","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"lanes 3"},
  {"ph":"C","pid":1,"tid":0,"ts":19,"name":"lanes","args":{"queued":0,"running":1}},
  {"ph":"i","pid":1,"tid":1,"ts":20,"cat":"mark","name":"a \"note\"","s":"t","args":{"task":5,"value":6}}
  ]}
  """#

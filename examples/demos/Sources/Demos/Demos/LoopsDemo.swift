// The demo of concurrent loops: the time over the stride, and the threads that draw the rows.
//
// DESIGN. The recorder takes longer for a block than libdispatch does. So the times are measured
// before the recording (Models/LoopMeasurement.swift), and begin the log as notes. The recorded loop is
// one more run, for the picture and the timeline.

internal import Glibc
internal import Synchronization

extension Demo {
  static let loops = Demo(
    name: "loops",
    abstract: "A loop in blocks: the time for each stride, and what the cores do in it.",
    speed: 0.0002, isReplayed: true,
    knobs: [
      .choice("body", ["mandelbrot", "even"], "Rows of a picture, or rows of the same work"),
      .number("stride", 1...16_384, 64, "Number of rows per block"),
      .number("rows", 1...16_384, 2048, "Number of rows"),
      .number("work", 10...1_000_000, 400, "Average work of a row, in nanoseconds"),
      .number("rounds", 1...1000, 20, "Number of rounds whose median is the time"),
      .choice("queue", ["concurrent", "serial"], "Queue of the blocks"),
    ],
    questions: [
      Question("blocks", "How many blocks will there be?", .count),
      Question("seconds", "How many seconds (a millisecond is 0.001) will it take?", .seconds),
    ],
    measure: { LoopKnobs($0).measure(on: $1) },
    introduction: { values in
      let knobs = LoopKnobs(values)
      let rows = text(knobs.rows, "row")
      return "\(rows) \(knobs.kind == .even ? "of the same work" : "of a Mandelbrot picture"), "
        + "about \(values.int("work")) ns of work each, \(knobs.stride) a block."
    },
    start: { values, machine, finish in LoopKnobs(values).start(machine, finish) },
    findings: { values, run in LoopKnobs(values).findings(run) },
    code: { LoopKnobs($0).code })
}

private final class Tally: Sendable {
  private let counted = Atomic<Int>(0)

  var value: Int { counted.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  func count() -> Int { counted.add(1, ordering: .sequentiallyConsistent).newValue }
}

private struct LoopKnobs {
  let values: KnobValues
  init(_ values: KnobValues) { self.values = values }

  var kind: LoopBody.Kind { LoopBody.Kind(rawValue: values["body"]) ?? .mandelbrot }
  var rows: Int { values.int("rows") }
  var stride: Int { min(values.int("stride"), rows) }
  var rounds: Int { values.int("rounds") }
  var isSerial: Bool { values["queue"] == "serial" }
  /// The size of a row that was measured; nil before.
  private var size: Int? { values.measured.first { $0.label == Self.sizeLabel }?.value }

  private var blocks: Int { (rows + stride - 1) / stride }

  /// The plain loop; the powers of four, half of the rows, all rows, and the stride of the recorded
  /// run; the automatic stride.
  private func forms(isSimulated: Bool) -> [LoopForm] {
    let powers = (0..<7).map { 1 << (2 * $0) }.filter { $0 < rows / 2 }
    let strides = Set(powers + [max(1, rows / 2), rows, stride]).sorted()
    return [.plain] + strides.map { .apply(stride: $0) }
      + (isSerial || isSimulated ? [] : [.automatic])
  }

  private static let sizeLabel = "SIZE of a row"

  private func body(on machine: any Machine) -> LoopBody {
    if let size { return LoopBody(kind, rows: rows, size: size) }
    return LoopBody.calibrated(kind, rows: rows, nanoseconds: values.int("work"), on: machine)
  }

  private func loop(_ body: LoopBody, on machine: any Machine) -> LoopMeasurement {
    LoopMeasurement(
      body: body, machine: machine,
      queue: isSerial ? machine.makeQueue(label: "loop", kind: .serial) : nil)
  }

  // MARK: - The run

  func measure(on machine: any Machine) -> [Measurement] {
    let body = body(on: machine)
    let forms = forms(isSimulated: machine.isSimulated)
    let (times, isDrawn) =
      machine.isSimulated
      ? (LoopMeasurement.simulate(forms, body, cores: machine.cores, isSerial: isSerial), true)
      : loop(body, on: machine).measure(forms, rounds: rounds)
    let cost =
      machine.isSimulated
      ? Int((SimulatedMachine.blockSeconds * 1e9).rounded())
      : LoopMeasurement.blockNanoseconds(on: machine)
    return [
      Measurement(Self.sizeLabel, value: body.size),
      Measurement("DRAWN once in each round", value: isDrawn ? 1 : 0),
      Measurement("COST of a block", value: cost),
    ] + times.map { Measurement($0.note.label, $0.note.number, value: $0.time) }
  }

  func start(_ machine: any Machine, _ finish: @escaping @Sendable () -> Void) {
    let loop = loop(body(on: machine), on: machine)
    let (subject, work, stride) = (TraceSubject(label: "block"), loop.work, stride)
    let (blocks, caller, begun, ended) = (blocks, pthread_self(), Tally(), Tally())
    note("loop begins")
    loop.run(.apply(stride: stride)) { rows in
      let number = UInt64(rows.lowerBound / stride + 1)
      begun.count()
      subject.report(.start, job: number, count: rows.count)
      work(rows)
      subject.report(.end, job: number, count: rows.count)
      // The caller, for which no block is left, waits for those of the other threads.
      let isLast = ended.count() == blocks
      if !isLast && begun.value == blocks && pthread_equal(caller, pthread_self()) != 0 {
        note("loop wait")
      }
    }
    note("loop ends")
    TracedQueue(mainOf: machine).async(finish)
  }

  // MARK: - The findings

  func findings(_ run: DemoRun) -> Findings {
    let log = run.log
    let times = log.events.compactMap { LoopTime($0) }
    let plain = times.first { $0.form == .plain }?.time ?? 0
    let own = times.first { $0.form == .apply(stride: stride) }?.time
    let strides = times.filter(\.form.isStride)
    let starts = log.events(.start, of: "block")
    let ends = log.events(.end, of: "block")
    // Of a real run, the time and the threads are those of two runs.
    let threads = Set(starts.map(\.thread)).count
    let best = strides.min { $0.time < $1.time }
    var findings = Findings(
      answers: [Double(starts.count), own.map(seconds)],
      checks: [
        (
          "every row ran once",
          ends.reduce(0) { $0 + $1.value } == rows
            && Set(starts.compactMap(\.task)) == Set(1...blocks)
            && Set(ends.compactMap(\.task)) == Set(1...blocks)
        ),
        (
          "every measured round drew every row once",
          log.notes("DRAWN").allSatisfy { $0.value == 1 }
        ),
        (
          "work, handing out and idle are the time",
          times.allSatisfy { $0.work >= 0 && $0.handing >= 0 && $0.idle >= 0 }
        ),
      ],
      verdict:
        "\(text(blocks, "block"))\(run.isSimulated ? " on \(text(threads, "thread"))" : "") in "
        + "\(text(brief: seconds(own ?? 0))); the plain loop takes \(text(brief: seconds(plain))), "
        + "and the ideal is \(text(brief: seconds(plain / width(run)))). The fastest stride is "
        + "\(name(best?.form)).",
      next: stride == 1
        ? "Try --stride \(max(1, rows / 2)): how long does one thread wait for the other?"
        : "Try --stride 1: how much longer does it take, with so many blocks?")
    findings.table = table(times, cores: width(run))
    findings.remarks = remarks(run, times, plain: plain)
    return findings
  }

  /// The cores that the loop may use.
  private func width(_ run: DemoRun) -> Int { isSerial ? 1 : run.cores }

  private func remarks(_ run: DemoRun, _ times: [LoopTime], plain: Int) -> [String] {
    let log = run.log
    let recorded = text(brief: log.seconds(from: "loop begins", to: "loop ends"))
    let cost = log.notes("COST").first?.value ?? 0
    guard !run.isSimulated else {
      return [
        "The costs of the simulation were measured once, on two cores: \(cost) ns to hand out a block, "
          + "\(text(brief: SimulatedMachine.wakeSeconds)) until the second thread begins, "
          + "\(LoopBody.simulatedNanoseconds) ns for an iteration of the work."
      ]
    }
    let threads = Set(log.events(.start, of: "block").map(\.thread)).count
    // No stride has a gain, or a form works longer than the plain loop.
    let isBusy =
      times.allSatisfy { !$0.form.isStride || Double($0.time) > 0.9 * Double(plain) }
      || times.contains { Double($0.work * width(run)) > 1.25 * Double(plain) }
    return [
      "The times are medians of \(text(rounds, "round")), without the recorder. A block without work "
        + "takes \(cost) ns of a core. The picture and the timeline are another run, on "
        + "\(text(threads, "thread")) and with the recorder: \(recorded)."
    ]
      + (isBusy && !isSerial && run.cores > 1
        ? [
          "Other programs use the cores, and the times are not those of the loop alone. Measure again."
        ]
        : [])
  }

  /// A bar for each time: 36 columns for the longest, so that a line has at most 60.
  private func table(_ times: [LoopTime], cores: Int) -> [String] {
    guard let longest = times.map(\.time).max(), longest > 0 else { return [] }
    let ideal = (times.first { $0.form == .plain }?.time ?? 0) / cores
    func column(_ time: Int) -> Int { (time * 72 / longest + 1) / 2 }
    let heading = "    stride      time  per core: █ work ▒ handing out · idle"
    let lines = times.map { time in
      let (work, handed) = (column(time.work), column(time.work + time.handing))
      let bar =
        String(repeating: "█", count: work) + String(repeating: "▒", count: handed - work)
        + String(repeating: "·", count: column(time.time) - handed)
      return padded(name(time.form), 10) + padded(text(brief: seconds(time.time)), 10) + "  " + bar
    }
    return [heading] + lines
      + [
        padded("ideal", 10) + padded(text(brief: seconds(ideal)), 10) + "  "
          + String(repeating: "█", count: column(ideal))
      ]
  }

  private func name(_ form: LoopForm?) -> String {
    switch form {
    case nil: "unknown"
    case .plain: "plain loop"
    case .apply(let stride): "\(stride)"
    case .automatic: "automatic"
    }
  }

  private func seconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1e9 }

  // MARK: - The code

  var code: [Listing] {
    [
      Listing(
        "a strided loop",
        """
        \(only(isSerial, "let queue = DispatchQueue(label: \"loop\")"))
        \(only(isSerial, "for block in 0..<\(blocks) {  // as dispatch_apply on a serial queue"))
        \(only(isSerial, "  queue.sync { @submit"))
        \(only(!isSerial, "DispatchQueue.concurrentPerform(iterations: \(blocks)) { block in @submit"))
        \(isSerial ? "  " : "")  for row in block * \(stride)..<min((block + 1) * \(stride), \(rows)) {
        \(isSerial ? "  " : "")    work(row) @run
        \(isSerial ? "  " : "")  }
        \(only(isSerial, "  }"))
        }
        """),
      Listing(
        "plain, and automatic",
        """
        for row in 0..<\(rows) { work(row) }

        concurrentLoop(0..<\(rows)) { rows in
          for row in rows { work(row) }
        }
        """),
    ]
  }
}

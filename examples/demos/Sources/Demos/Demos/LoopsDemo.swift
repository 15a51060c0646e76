// The demo of concurrent loops: blocks of indices, and the threads that run them.

internal import Dispatch
internal import Synchronization
internal import Weir

extension Demo {
  static let loops = Demo(
    name: "loops",
    abstract: "A loop in blocks: how many, on which threads, how fast.",
    speed: 1, isReplayed: true,
    knobs: [
      .number("count", 1...100_000, 100, "Number of indices"),
      .number("stride", 1...100_000, 4, "Number of indices per block"),
      .number("work", 0...100_000_000, 100_000, "Work per index, in nanoseconds"),
      .choice("queue", ["concurrent", "serial"], "Queue of the blocks"),
    ],
    questions: [
      Question("blocks", "How many blocks will there be?", .count),
      Question("seconds", "How many seconds will it take?", .seconds),
    ],
    introduction: { values in
      "\(text(values.int("count"), "index", "indices")) with \(values.int("work")) ns of work each, "
        + "\(values.int("stride")) a block."
    },
    start: { values, machine, finish in startLoop(values, machine, finish) },
    findings: { values, run in
      let log = run.log
      let blocks = log.numbers("START").count
      let ran = log.notes("END").reduce(0) { $0 + $1.value }
      let total = log.seconds(from: "loop begins", to: "loop ends")
      let threads = log.threadCount(of: "START")
      return Findings(
        answers: [Double(blocks), total],
        checks: [
          ("every index ran once", ran == values.int("count")),
          ("each START before its END", log.areInOrder()),
        ],
        verdict: "\(text(blocks, "block")) on \(text(threads, "thread")) in "
          + "\(text(seconds: total)); the last block has "
          + "\(text(values.int("count") - (blocks - 1) * values.int("stride"), "index", "indices")).",
        next: "Try --stride 64: how many blocks, and how many indices are left for the last?")
    },
    code: { loopCode($0) })
}

private func startLoop(
  _ values: KnobValues, _ machine: any Machine, _ finish: @escaping @Sendable () -> Void
) {
  let (count, stride) = (values.int("count"), values.int("stride"))
  let seconds = Double(values.int("work")) / 1e9
  let blocks = (count + stride - 1) / stride
  let subject = TraceSubject(label: "block")
  let block: @Sendable (Int) -> Void = { number in
    let indices = min(stride, count - (number - 1) * stride)
    subject.report(.start, job: UInt64(number))
    note("START", number, value: indices)
    machine.compute(seconds * Double(indices))
    note("END", number, value: indices)
    subject.report(.end, job: UInt64(number))
  }
  let main = TracedQueue(mainOf: machine)
  note("loop begins")
  let end: @Sendable () -> Void = {
    note("loop ends")
    main.async(finish)
  }
  if values["queue"] == "serial" {
    // As dispatch_apply on a serial queue: correct, and no faster than a plain loop.
    let queue = TracedQueue(machine, label: "loop", .serial)
    for number in 1...blocks { queue.sync { block(number) } }
    return end()
  }
  guard machine.isSimulated else {
    DispatchQueue.concurrentPerform(iterations: blocks) { block($0 + 1) }
    return end()
  }
  // As dispatch_apply: a thread a core takes the next block, the caller's among them, and the call
  // returns when all have ended.
  let next = Mutex(1)
  let work: @Sendable () -> Void = {
    while true {
      let number = next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard number <= blocks else { return }
      block(number)
    }
  }
  let helpers = machine.makeQueue(label: "loop", kind: .lanes(machine.cores))
  let ended = machine.makeSemaphore(permits: 0)
  for _ in 1..<machine.cores {
    helpers.async {
      work()
      _ = ended.signal()
    }
  }
  work()
  for _ in 1..<machine.cores { _ = ended.wait(nanoseconds: nil) }
  end()
}

private func loopCode(_ values: KnobValues) -> [Listing] {
  let (count, stride) = (values.int("count"), values.int("stride"))
  let blocks = (count + stride - 1) / stride
  let isSerial = values["queue"] == "serial"
  return [
    Listing(
      language: "Swift", title: "a strided loop",
      """
      \(only(isSerial, "let queue = DispatchQueue(label: \"loop\")"))
      \(only(isSerial, "for block in 0..<\(blocks) {  // as dispatch_apply on a serial queue"))
      \(only(isSerial, "  queue.sync { @submit"))
      \(only(!isSerial, "DispatchQueue.concurrentPerform(iterations: \(blocks)) { block in @submit"))
      \(isSerial ? "  " : "")  for index in block * \(stride)..<min((block + 1) * \(stride), \(count)) {
      \(isSerial ? "  " : "")    work(index) @run
      \(isSerial ? "  " : "")  }
      \(only(isSerial, "  }"))
      }
      """),
    Listing(
      language: "C", title: "a strided loop",
      """
      void loop(void) {
          dispatch_queue_t queue = \(isSerial ? "dispatch_queue_create(\"loop\", NULL)" : "dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0)");
          dispatch_apply(\(blocks), queue, ^(size_t block) { @submit
              size_t end = (block + 1) * \(stride);
              for (size_t index = block * \(stride); index < (end < \(count) ? end : \(count)); index++) {
                  work(index); @run
              }
          });
      }
      """),
  ]
}

// The measurement of a loop: each of its forms, a few times, without the recorder.
//
// DESIGN. A round runs each form once, so that a disturbance of the machine meets all of them, and the
// time is the median of the rounds. Two readings of the clock a block would show in the time of a
// short block: the parts of the time are measured in rounds of their own. On the simulated machine
// one round is enough, and each form has a machine of its own.

internal import Synchronization
internal import Weir

/// Runs a loop in its forms.
struct LoopMeasurement {
  private static let emptyBlocks = 20_000

  let body: LoopBody
  let machine: any Machine
  /// The serial queue of the blocks; nil for dispatch_apply on all cores.
  let queue: (any QueueEngine)?

  /// Runs the loop once; `draw` is called for the rows of each block.
  func run(_ form: LoopForm, _ draw: @escaping @Sendable (Range<Int>) -> Void) {
    let rows = body.rows
    switch form {
    case .plain: draw(0..<rows)
    case .automatic: concurrentLoop(0..<rows) { draw($0) }
    case .apply(let stride):
      let (blocks, isSimulated) = ((rows + stride - 1) / stride, machine.isSimulated)
      let block: @Sendable (Int) -> Void = { [machine] number in
        if isSimulated { machine.compute(SimulatedMachine.blockSeconds) }
        draw(number * stride..<min(rows, (number + 1) * stride))
      }
      if let queue {
        for number in 0..<blocks { queue.sync { block(number) } }
      } else {
        machine.apply(blocks, block)
      }
    }
  }

  var work: @Sendable (Range<Int>) -> Void {
    if machine.isSimulated {
      { [machine, body] rows in machine.compute(body.seconds(rows)) }
    } else {
      { [body] rows in body.draw(rows) }
    }
  }

  /// Returns the time of a round.
  private func time(_ form: LoopForm) -> Int {
    let (begin, work) = (machine.now, work)
    run(form, work)
    return Int(machine.now - begin)
  }

  /// Returns the time of a round that reads the clock at each block, with its parts.
  private func parts(_ form: LoopForm, reading: Int) -> LoopTime {
    let (spans, work) = (BlockSpans(rows: body.rows, on: machine), work)
    let begin = machine.now
    run(form) { spans.record($0, work) }
    return spans.time(form, from: begin, to: machine.now, reading: reading)
  }

  /// Returns the times of forms on real threads, and if each row was drawn once in every round.
  @available(*, noasync, message: "it blocks")
  func measure(_ forms: [LoopForm], rounds: Int) -> (times: [LoopTime], isDrawn: Bool) {
    var times = forms.map { _ in [Int]() }
    var parts = forms.map { _ in [LoopTime]() }
    let reading = median((0..<9).map { _ in Int(machine.now.distance(to: machine.now)) })
    for _ in 0..<rounds {
      for (index, form) in forms.enumerated() { times[index].append(time(form)) }
      for (index, form) in forms.enumerated() {
        parts[index].append(self.parts(form, reading: reading))
      }
    }
    let medians = forms.indices.map { index in
      parts[index].sorted { $0.time < $1.time }[rounds / 2].with(time: median(times[index]))
    }
    return (medians, body.isDrawn(times: 2 * rounds * forms.count))
  }

  /// Returns the times of forms on the simulated machine, each on a machine of its own.
  static func simulate(
    _ forms: [LoopForm], _ body: LoopBody, cores: Int, isSerial: Bool
  ) -> [LoopTime] {
    forms.map { form in
      let machine = SimulatedMachine(cores: cores)
      let queue = isSerial ? machine.makeQueue(label: "loop", kind: .serial) : nil
      let loop = LoopMeasurement(body: body, machine: machine, queue: queue)
      let result = Mutex<LoopTime?>(nil)
      _ = machine.run { result.withLock { $0 = loop.parts(form, reading: 0) } }
      return result.withLock(\.self) ?? LoopTime(form, time: 0, work: 0, idle: 0)
    }
  }

  /// Returns the nanoseconds of a core that a block without work takes, on real threads.
  static func blockNanoseconds(on machine: any Machine) -> Int {
    median(
      (0..<9).map { _ in
        let begin = machine.now
        machine.apply(emptyBlocks) { _ in }
        return Int(machine.now - begin) * machine.cores / emptyBlocks
      })
  }
}

private func median(_ times: [Int]) -> Int { times.sorted()[times.count / 2] }

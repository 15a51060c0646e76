// Random small programs of queues.

import Synchronization
import TestSupport

@testable import Demos

/// A program that ends: a block waits only for serial queues after its own, and for semaphores
/// whose permits are in use by blocks that sleep.
struct RandomProgram: Sendable {
  indirect enum Step: Sendable {
    case sleep(Double)
    /// Sleeps with a permit of a semaphore.
    case hold(semaphore: Int, Double)
    case async(Block)
    case sync(Block)
  }

  struct Block: Sendable {
    let queue: Int
    var steps: [Step] = []
  }

  private(set) var kinds: [QueueKind] = []
  private(set) var permits: [Int] = []
  /// The steps of the thread that begins.
  private(set) var steps: [Step] = []
  private(set) var blockCount = 0
  /// The blocks that may still be submitted to concurrent queues. More than there are cores would
  /// depend on the growth of the pool, which libdispatch does not promise.
  private var sharedBlocks: Int
  private var blocksLeft: Int

  init(_ random: inout TestSupport.SeededGenerator, cores: Int) {
    kinds = Array(repeating: .serial, count: Int.random(in: 1...3, using: &random))
    if Bool.random(using: &random) { kinds.append(.concurrent) }
    if Bool.random(using: &random) { kinds.append(.lanes(Int.random(in: 1...3, using: &random))) }
    permits = (0..<2).map { _ in Int.random(in: 1...2, using: &random) }
    sharedBlocks = cores
    blocksLeft = Int.random(in: 6...14, using: &random)
    while blocksLeft > 0 { steps += someSteps(&random, after: -1, depth: 0) }
  }

  /// - Parameter last: The last serial queue that the thread of the steps keeps busy, or -1.
  private mutating func someSteps(
    _ random: inout TestSupport.SeededGenerator, after last: Int, depth: Int
  ) -> [Step] {
    var steps = [Step.sleep(Self.seconds(&random))]
    for _ in 0..<Int.random(in: 0...(depth > 0 ? 2 : 4), using: &random) {
      switch Int.random(in: 0...5, using: &random) {
      case 0: steps.append(.sleep(Self.seconds(&random)))
      case 1:
        steps.append(.hold(semaphore: Int.random(in: 0...1, using: &random), Self.seconds(&random)))
      case 2:
        let queues = kinds.indices.filter {
          kinds[$0] == .concurrent || kinds[$0] == .serial && $0 > last
        }
        if let block = block(&random, among: queues, after: last, depth) {
          steps.append(.sync(block))
        }
      default:
        let queues = kinds.indices.filter { kinds[$0] != .concurrent || sharedBlocks > 0 }
        guard let block = block(&random, among: queues, after: -1, depth) else { continue }
        if kinds[block.queue] == .concurrent { sharedBlocks -= 1 }
        steps.append(.async(block))
      }
    }
    return steps
  }

  private mutating func block(
    _ random: inout TestSupport.SeededGenerator, among queues: [Int], after last: Int, _ depth: Int
  ) -> Block? {
    guard blocksLeft > 0, let queue = queues.randomElement(using: &random) else { return nil }
    blocksLeft -= 1
    blockCount += 1
    var block = Block(queue: queue)
    let last = kinds[queue] == .serial ? queue : last
    block.steps = someSteps(&random, after: last, depth: depth + 1)
    return block
  }

  private static func seconds(_ random: inout TestSupport.SeededGenerator) -> Double {
    Double(Int.random(in: 20...90, using: &random)) / 1000
  }
}

/// Runs a program on a machine. Its queues have the labels `queue 0` and so on.
@available(*, noasync, message: "it blocks: run it on a thread of its own")
func recorded(_ program: RandomProgram, on machine: any Machine) -> TraceLog {
  let demo = Demo(
    name: "program", abstract: "", speed: 1, knobs: [], questions: [], introduction: { _ in "" },
    start: { _, machine, finish in
      ProgramRun(program, machine).start(finish)
    },
    findings: { _, _ in Findings(answers: [], checks: [], verdict: "", next: "") },
    code: { _ in [] })
  return DemoRun.perform(
    demo, KnobValues([], given: [:]), on: machine, watchdog: 100
  ).log
}

private final class ProgramRun: Sendable {
  private let program: RandomProgram
  private let machine: any Machine
  private let queues: [TracedQueue]
  private let semaphores: [TracedSemaphore]
  private let group: TracedGroup

  init(_ program: RandomProgram, _ machine: any Machine) {
    self.program = program
    self.machine = machine
    queues = program.kinds.enumerated().map {
      TracedQueue(machine, label: "queue \($0)", $1)
    }
    semaphores = program.permits.enumerated().map {
      TracedSemaphore(machine, label: "semaphore \($0)", permits: $1)
    }
    group = TracedGroup(machine, label: "group")
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let left = Countdown(2, finish)
    group.enter()
    group.notify(on: TracedQueue(machine, label: "notified", .serial)) { left.count() }
    TracedQueue(machine, label: "waiter", .serial).async {
      if self.group.wait() { left.count() }
    }
    run(program.steps)
    group.leave()
  }

  private func run(_ steps: [RandomProgram.Step]) {
    for step in steps {
      switch step {
      case .sleep(let seconds): machine.sleep(seconds)
      case .hold(let semaphore, let seconds):
        semaphores[semaphore].wait()
        machine.sleep(seconds)
        semaphores[semaphore].signal()
      case .sync(let block): queues[block.queue].sync { self.run(block.steps) }
      case .async(let block):
        queues[block.queue].async(group: group) { self.run(block.steps) }
      }
    }
  }
}

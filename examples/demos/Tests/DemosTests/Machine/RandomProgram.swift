// Random small programs of queues, for both machines.

import Glibc
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
    let number: Int
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
    var block = Block(number: blockCount, queue: queue)
    let last = kinds[queue] == .serial ? queue : last
    block.steps = someSteps(&random, after: last, depth: depth + 1)
    return block
  }

  private static func seconds(_ random: inout TestSupport.SeededGenerator) -> Double {
    Double(Int.random(in: 20...90, using: &random)) / 1000
  }
}

/// A run of a random program on a machine.
final class ProgramRun: Sendable {
  /// The life of a block. Times are in seconds.
  struct Record {
    let block: RandomProgram.Block
    let isSync: Bool
    let caller: pthread_t
    let submitted: Double
    /// After the call of `async`.
    var queued = Double.infinity
    var thread = pthread_t()
    var start = Double.infinity
    var end = Double.infinity
  }

  private struct State {
    var records: [Int: Record] = [:]
    var delay: Demos.SeededGenerator
    var begin = 0.0
    var notified: Double?
    var waited: Double?
  }

  let program: RandomProgram
  private let machine: any Machine
  private let queues: [any QueueEngine]
  private let semaphores: [any SemaphoreEngine]
  private let group: any GroupEngine
  private let state: Mutex<State>
  private let mostDelay: Double

  /// - Parameter mostDelay: The most seconds by which a sleep is longer than the program says.
  init(
    _ program: RandomProgram, on machine: any Machine, mostDelay: Double = 0,
    seed: UInt64 = 0
  ) {
    self.program = program
    self.machine = machine
    self.mostDelay = mostDelay
    queues = program.kinds.map { machine.makeQueue(label: "queue", kind: $0) }
    semaphores = program.permits.map { machine.makeSemaphore(permits: $0) }
    group = machine.makeGroup()
    state = Mutex(State(delay: Demos.SeededGenerator(seed: seed)))
  }

  /// Runs the program. `finish` is called twice after the end of all blocks.
  func start(_ finish: @escaping @Sendable () -> Void) {
    state.withLock { $0.begin = now }
    group.enter()
    group.notify(on: machine.makeQueue(label: "notified", kind: .serial)) {
      self.state.withLock { $0.notified = self.now }
      finish()
    }
    machine.makeQueue(label: "waiter", kind: .serial).async {
      if self.group.wait(nanoseconds: nil) { self.state.withLock { $0.waited = self.now } }
      finish()
    }
    run(program.steps)
    group.leave()
  }

  /// The time at which the program began.
  var begin: Double { state.withLock { $0.begin } }

  /// The records in the order of their starts.
  var records: [Record] {
    state.withLock { $0.records.values.sorted { ($0.start, $0.end) < ($1.start, $1.end) } }
  }

  /// The times at which the group was empty, for its notification and for its waiting thread.
  var ends: [Double] { state.withLock { [$0.notified, $0.waited].compactMap(\.self) } }

  private var now: Double {
    if let machine = machine as? SimulatedMachine { return Double(machine.time) / 1e9 }
    return monotonicSeconds()
  }

  private func run(_ steps: [RandomProgram.Step]) {
    for step in steps {
      switch step {
      case .sleep(let seconds): sleep(seconds)
      case .hold(let semaphore, let seconds):
        _ = semaphores[semaphore].wait(nanoseconds: nil)
        sleep(seconds)
        _ = semaphores[semaphore].signal()
      case .sync(let block):
        submit(block, isSync: true)
        queues[block.queue].sync { run(block) }
      case .async(let block):
        submit(block, isSync: false)
        group.enter()
        queues[block.queue].async {
          self.run(block)
          self.group.leave()
        }
        change(block) { $0.queued = $1 }
      }
    }
  }

  private func sleep(_ seconds: Double) {
    let delay = state.withLock { state in
      mostDelay > 0 ? Double.random(in: 0...mostDelay, using: &state.delay) : 0
    }
    machine.sleep(seconds + delay)
  }

  private func submit(_ block: RandomProgram.Block, isSync: Bool) {
    let record = Record(
      block: block, isSync: isSync, caller: pthread_self(), submitted: now)
    state.withLock { $0.records[block.number] = record }
  }

  private func run(_ block: RandomProgram.Block) {
    change(block) {
      $0.thread = pthread_self()
      $0.start = $1
    }
    run(block.steps)
    change(block) { $0.end = $1 }
  }

  private func change(_ block: RandomProgram.Block, _ change: (inout Record, Double) -> Void) {
    let now = now
    state.withLock { state in
      guard var record = state.records[block.number] else { return }
      change(&record, now)
      state.records[block.number] = record
    }
  }
}

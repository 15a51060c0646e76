// A queue whose blocks are in the log.

internal import Synchronization
internal import Weir

/// A queue of a machine. Each block has a number, and reports its submission, start and end.
final class TracedQueue: Sendable {
  let label: String
  let engine: any QueueEngine
  private let blocks: BlockNumbers

  init(
    _ machine: any Machine, label: String, _ kind: QueueKind, quality: QueueQuality = .unspecified
  ) {
    self.label = label
    engine = machine.makeQueue(label: label, kind: kind, quality: quality)
    blocks = BlockNumbers(label: label)
  }

  init(mainOf machine: any Machine) {
    label = "main"
    engine = machine.mainQueue
    blocks = BlockNumbers.main
  }

  /// Makes the main queue a new object of the log, whose blocks have numbers from 1.
  static func beginRun() { BlockNumbers.beginRun() }

  /// Submits a block. `afterwards` runs after it, on its thread. The block's end is in the log by
  /// then, but for lanes, which report it themselves.
  func async(
    _ block: @escaping @Sendable () -> Void, afterwards: @escaping @Sendable () -> Void = {}
  ) {
    guard !engine.reportsItself else {
      return engine.async {
        block()
        afterwards()
      }
    }
    let number = submit()
    engine.async {
      self.run(number, block)
      afterwards()
    }
  }

  /// Submits a block that enters a group now and leaves it at its end.
  func async(group: TracedGroup, _ block: @escaping @Sendable () -> Void) {
    group.enter()
    async(block, afterwards: { group.leave() })
  }

  func sync(_ block: @Sendable () -> Void) {
    let number = submit()
    blocks.subject.report(.wait, job: number)
    engine.sync {
      blocks.subject.report(.acquired, job: number)
      run(number, block)
    }
  }

  func suspend() { engine.suspend() }

  func resume() { engine.resume() }

  /// Runs the block of a group's notification, which the engine has started.
  func runNotified(_ block: () -> Void) {
    guard !engine.reportsItself else { return block() }
    run(submit(), block)
  }

  /// Reports a block that the engine has started, and whose submission is not in the log.
  func runStarted(_ block: () -> Void) { run(blocks.next(), block) }

  /// Reports the submission of a block; returns its number.
  private func submit() -> UInt64 {
    let number = blocks.next()
    blocks.subject.report(.submit, job: number)
    return number
  }

  private func run(_ number: UInt64, _ block: () -> Void) {
    blocks.subject.report(.start, job: number)
    block()
    blocks.subject.report(.end, job: number)
  }
}

/// The numbers of a queue's blocks. All users of the main queue share them: there is one main queue.
private final class BlockNumbers: Sendable {
  private static let shared = Mutex(BlockNumbers(label: "main"))
  static var main: BlockNumbers { shared.withLock { $0 } }
  static func beginRun() { shared.withLock { $0 = BlockNumbers(label: "main") } }

  let subject: TraceSubject
  private let last = Mutex<UInt64>(0)

  init(label: String) { subject = TraceSubject(label: label) }

  func next() -> UInt64 {
    last.withLock { last in
      last += 1
      return last
    }
  }
}

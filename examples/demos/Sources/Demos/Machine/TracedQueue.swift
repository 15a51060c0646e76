// A queue whose blocks are in the log.

internal import Synchronization
internal import Weir

/// A queue of a machine. Each block has a number, and reports its submission, start and end.
public final class TracedQueue: Sendable {
  /// The label in the log.
  public let label: String
  /// The queue itself.
  public let engine: any QueueEngine
  private let subject: TraceSubject
  private let last = Mutex<UInt64>(0)

  /// Creates a queue on a machine.
  public init(
    _ machine: any Machine, label: String, _ kind: QueueKind, quality: QueueQuality = .unspecified
  ) {
    self.label = label
    engine = machine.makeQueue(label: label, kind: kind, quality: quality)
    subject = TraceSubject(label: label)
  }

  /// The main queue of a machine.
  public init(mainOf machine: any Machine) {
    label = "main"
    engine = machine.mainQueue
    subject = TraceSubject(label: "main")
  }

  /// Submits a block.
  ///
  /// - Parameter afterwards: Runs after the block, on its thread. The block's end is in the log by
  ///   then, but for lanes, which report it themselves.
  public func async(
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
  public func async(group: TracedGroup, _ block: @escaping @Sendable () -> Void) {
    group.enter()
    async(block, afterwards: { group.leave() })
  }

  /// Runs a block and returns after it. Blocks the thread.
  public func sync(_ block: @Sendable () -> Void) {
    let number = submit()
    engine.sync { run(number, block) }
  }

  /// Begins no more blocks, until as many calls of ``resume()``.
  public func suspend() { engine.suspend() }

  /// Takes back one call of ``suspend()``.
  public func resume() { engine.resume() }

  /// Runs the block of a group's notification, which the engine has started.
  func runNotified(_ block: () -> Void) {
    guard !engine.reportsItself else { return block() }
    run(submit(), block)
  }

  /// Reports the submission of a block.
  ///
  /// - Returns: Its number.
  private func submit() -> UInt64 {
    let number = last.withLock { last in
      last += 1
      return last
    }
    subject.report(.submit, job: number)
    return number
  }

  private func run(_ number: UInt64, _ block: () -> Void) {
    subject.report(.start, job: number)
    block()
    subject.report(.end, job: number)
  }
}

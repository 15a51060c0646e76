// A loop with real work, and who ran which part of it.

internal import Dispatch
internal import Weir

/// One way to run the same loop.
public enum LoopForm: Sendable, Equatable {
  /// An ordinary `for`.
  case plain
  /// `DispatchQueue.concurrentPerform`, with so many iterations a block.
  case stride(Int)
  /// Weir's `concurrentLoop`, which chooses the stride as it goes.
  case automatic

  /// All that are shown beside each other.
  public static let all: [LoopForm] = [.plain, .stride(1), .stride(4), .stride(64), .automatic]

  /// The name in a table.
  public var name: String {
    switch self {
    case .plain: "plain for"
    case .stride(let stride): "stride \(stride)"
    case .automatic: "automatic"
    }
  }
}

/// The result of a loop.
public struct LoopRun: Sendable {
  /// The form of the loop.
  public let form: LoopForm
  /// The number of blocks.
  public let blocks: Int
  /// The number of the thread that ran each iteration; the one that called is 1.
  public let threads: [Int]
  /// The time in seconds.
  public let seconds: Double
  /// The same for every form.
  public let sum: UInt64

  /// The number of threads that took part.
  public var threadCount: Int { Set(threads).count }
}

/// The loop: iterations of some nanoseconds each.
public struct Loop: Sendable {
  /// The number of iterations.
  public let iterations: Int
  /// The number of steps of an iteration.
  public let steps: Int

  /// A loop, which can be run more than once.
  public init(iterations: Int, steps: Int) {
    self.iterations = iterations
    self.steps = steps
  }

  /// Runs it.
  ///
  /// Blocks: until the loop is over; and this thread takes part.
  @available(*, noasync, message: "it blocks: run it on a queue")
  public func run(_ form: LoopForm) -> LoopRun {
    let notes = LoopNotes(iterations: iterations)
    let steps = steps
    let begin = ContinuousClock.now
    switch form {
    case .plain:
      notes.run(0..<iterations, steps)
    case .stride(let stride):
      // The stride is the caller's affair: the last block may be shorter.
      DispatchQueue.concurrentPerform(iterations: (iterations + stride - 1) / stride) { block in
        notes.run(block * stride..<min((block + 1) * stride, iterations), steps)
      }
    case .automatic:
      concurrentLoop(0..<iterations) { range in notes.run(range, steps) }
    }
    let seconds = begin.duration(to: .now) / .seconds(1)
    return LoopRun(
      form: form, blocks: notes.blocks, threads: notes.threads, seconds: seconds, sum: notes.sum)
  }
}

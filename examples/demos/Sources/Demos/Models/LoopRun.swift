// A loop with real work, and the threads that run it.

internal import Dispatch
internal import Weir
internal import Glibc

/// One way to run the same loop.
public enum LoopForm: Sendable, Equatable {
  /// An ordinary `for`.
  case plain
  /// `DispatchQueue.concurrentPerform`, with a number of iterations a block.
  case stride(Int)
  /// Weir's `concurrentLoop`, which chooses the stride as it goes.
  case automatic

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
  /// The number of blocks.
  public let blocks: Int
  /// The number of threads that took part.
  public let threadCount: Int
  /// The time in seconds.
  public let seconds: Double
  /// A number that is the same for every form.
  public let sum: UInt64
}

/// The loop: iterations of some nanoseconds each.
public struct Loop: Sendable {
  /// The number of iterations.
  public let iterations: Int
  /// The number of steps of an iteration.
  public let steps: Int

  /// Creates a loop, which can be run more than once.
  public init(iterations: Int, steps: Int) {
    self.iterations = iterations
    self.steps = steps
  }

  /// The result of a block and its thread. Each block has a place of its own, so that no lock is in
  /// the way of the measurement.
  private struct Block {
    var sum: UInt64 = 0
    var thread: pthread_t = 0
  }

  /// Runs the loop.
  ///
  /// Blocks: until the loop is over; the calling thread takes part.
  @available(*, noasync, message: "it blocks: run it on a queue")
  public func run(_ form: LoopForm) -> LoopRun {
    let places = UnsafeMutableBufferPointer<Block>.allocate(capacity: iterations)
    places.initialize(repeating: Block())
    defer { places.deallocate() }
    nonisolated(unsafe) let blocks = places
    let begin = ContinuousClock.now
    switch form {
    case .plain:
      blocks[0] = block(0..<iterations)
    case .stride(let stride):
      // The stride is the caller's affair: the last block may be shorter.
      DispatchQueue.concurrentPerform(iterations: (iterations + stride - 1) / stride) { number in
        let first = number * stride
        blocks[first] = block(first..<min(first + stride, iterations))
      }
    case .automatic:
      concurrentLoop(0..<iterations) { blocks[$0.lowerBound] = block($0) }
    }
    let seconds = begin.duration(to: .now) / .seconds(1)
    let run = places.filter { $0.thread != 0 }
    return LoopRun(
      blocks: run.count, threadCount: Set(run.map(\.thread)).count, seconds: seconds,
      sum: run.reduce(0) { $0 &+ $1.sum })
  }

  /// Runs a block: some steps of xorshift for each iteration.
  private func block(_ range: Range<Int>) -> Block {
    var block = Block(thread: pthread_self())
    for iteration in range {
      var x = UInt64(iteration) + 1
      for _ in 0..<steps {
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
      }
      block.sum &+= x
    }
    return block
  }
}

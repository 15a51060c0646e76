// How many iterations of a concurrent loop go together.

/// How many iterations of a concurrent loop are handed to a thread at once.
///
///     concurrentLoop(0..<pixels.count) { range in shade(pixels, range) }
///     concurrentLoop(0..<files.count, stride: 1) { range in hash(files[range.lowerBound]) }
///
/// Claiming a stride costs some 50 ns. Long strides make that vanish; short
/// ones let the threads end together. ``automatic`` measures what the
/// iterations cost and is about as good as the best fixed stride; a fixed one
/// is for loops whose strides mean something (a row, a block, a page), and
/// where they are to be the same in every run.
///
/// There is no corresponding C type: C takes the number, as a `size_t`.
public struct Stride: Sendable, Hashable {
  /// The number as C takes it: 0 is automatic.
  let iterations: Int

  private init(iterations: Int) {
    self.iterations = iterations
  }

  /// Chosen by Weir.
  ///
  /// In a loop it follows what the iterations cost, as they are measured while
  /// it runs: a stride is half of a thread's share of what is left, but from 2
  /// microseconds to a millisecond of work. In a reduction it comes from the
  /// count alone, so that the result does not depend on time or cores.
  ///
  /// The corresponding C constant is `WEIR_STRIDE_AUTO`.
  public static var automatic: Stride { Stride(iterations: 0) }

  /// So many iterations; the last stride of a loop may have fewer.
  ///
  /// An integer literal is the same: `stride: 64`.
  ///
  /// - Parameter iterations: At least 1. Anything else is a programmer's error
  ///   and traps.
  ///
  /// There is no corresponding C function.
  public static func fixed(_ iterations: Int) -> Stride {
    // Not a precondition, which says nothing in a release build.
    guard iterations >= 1 else {
      misuse(
        "a stride of \(iterations) iterations was asked for; it is at least 1, or .automatic")
    }
    return Stride(iterations: iterations)
  }
}

extension Stride: ExpressibleByIntegerLiteral {
  /// A fixed stride, as ``fixed(_:)`` makes it.
  ///
  /// There is no corresponding C function.
  public init(integerLiteral iterations: Int) {
    self = .fixed(iterations)
  }
}

extension Stride: CustomStringConvertible {
  /// "automatic", or the number of iterations.
  ///
  /// There is no corresponding C function.
  public var description: String {
    self == .automatic ? "automatic" : "\(iterations)"
  }
}

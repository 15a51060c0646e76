/// The number of iterations of a concurrent loop that a thread claims at once.
///
///     concurrentLoop(0..<pixels.count) { range in shade(pixels, range) }
///     concurrentLoop(0..<files.count, stride: 1) { range in hash(files[range.lowerBound]) }
///
/// To claim a stride costs some 50 ns. ``automatic`` measures the cost of the iterations and is
/// about as good as the best fixed stride. A fixed stride is for loops whose strides have a meaning
/// (a row, a block, a page), or must be the same in every run.
///
/// There is no corresponding C type: C takes the number, as a `size_t`.
public struct LoopStride: Sendable, Hashable {
  /// The number for C, in which 0 is automatic.
  let iterations: Int

  private init(iterations: Int) {
    self.iterations = iterations
  }

  /// The stride that Weir chooses. In a loop it depends on the cost of the iterations: a stride is
  /// half of a thread's share of the rest, but at least 2 microseconds and at most a millisecond of
  /// work. In a reduction it depends on the count only. The corresponding C constant is
  /// `WEIR_STRIDE_AUTO`.
  public static var automatic: LoopStride { LoopStride(iterations: 0) }

  /// Returns a stride of a fixed number of iterations, at least 1; any other number is a
  /// programmer's error and traps. An integer literal does the same: `stride: 64`. There is no
  /// corresponding C function.
  public static func fixed(_ iterations: Int) -> LoopStride {
    // Not a precondition, which prints nothing in a release build.
    guard iterations >= 1 else {
      misuse(
        "a stride of \(iterations) iterations was requested; it is at least 1, or .automatic")
    }
    return LoopStride(iterations: iterations)
  }
}

extension LoopStride: ExpressibleByIntegerLiteral {
  /// Creates a fixed stride, like ``fixed(_:)``. There is no corresponding C function.
  public init(integerLiteral iterations: Int) {
    self = .fixed(iterations)
  }
}

/// The former name of `LoopStride`.
@available(*, deprecated, renamed: "LoopStride")
public typealias Stride = LoopStride

// One run of a concurrent loop: the state that its strides share.
//
// DESIGN. The loops over elements are inlined into the user's module, to be compiled for the user's
// types. This class is not inlined and is called once per stride. The compiler inlines a closure
// into another one that captures it if the other one captures nothing else, and the first one
// nothing at all. So the loop of a stride receives what it needs as an argument.
//
// The first error is exact. C claims strides in index order, and a claimed stride runs to its end,
// or to its own first error. So the failure with the lowest index is the one that a plain loop
// would have met.

internal import CWeir
internal import Synchronization

/// The run of one loop's strides, with their errors.
@usableFromInline
final class LoopRun<Failure: Error>: Sendable {
  private struct Failures {
    var first: (offset: UInt, error: Failure)?
    /// The parts of strides that have no results.
    var gaps: [Range<UInt>] = []
  }

  private let cancellation: LoopCancellation?
  private let failures = Locked(Failures())
  /// The end of the last stride that was begun.
  private let reached = Atomic<UInt>(0)

  @usableFromInline
  init(_ cancellation: LoopCancellation? = nil) {
    self.cancellation = cancellation
  }

  /// Calls `body` for strides that together cover `0..<count`, until one call returns false.
  /// The count and the offsets are unsigned: a range of `Int` can have more than `Int.max`
  /// elements.
  @usableFromInline
  func run<Context>(
    _ count: Int, _ stride: LoopStride, _ context: Context,
    _ body: @Sendable (LoopRun, Context, _ begin: Int, _ end: Int) -> Bool
  ) {
    // nonisolated(unsafe): the elements are Sendable, and strides do not overlap.
    nonisolated(unsafe) let context = context
    if Failure.self == Never.self && cancellation == nil {
      runStrides(count, stride) { begin, end in body(self, context, begin, end) }
    } else {
      runStrides(count, stride) { begin, end in
        self.begins(UInt(bitPattern: begin)..<UInt(bitPattern: end))
          && body(self, context, begin, end)
      }
    }
  }

  /// Returns true if a stride may begin.
  private func begins(_ stride: Range<UInt>) -> Bool {
    if let cancellation, cancellation.leavesOut() {
      failures.with { $0.gaps.append(stride) }
      return false
    }
    reached.max(stride.upperBound, ordering: .relaxed)
    return true
  }

  /// Records an error, and the missing results from there to the end of the stride. Returns
  /// false, for the body to return.
  @usableFromInline
  func fail(_ error: Failure, _ offset: Int, _ end: Int) -> Bool {
    let gap = UInt(bitPattern: offset)..<UInt(bitPattern: end)
    failures.with { failures in
      failures.gaps.append(gap)
      guard let first = failures.first, first.offset < gap.lowerBound else {
        failures.first = (gap.lowerBound, error)
        return
      }
    }
    return false
  }

  /// True if every stride ran to its end.
  @usableFromInline
  var isComplete: Bool {
    failures.with { $0.gaps.isEmpty }
  }

  /// Throws the first error, if any.
  @usableFromInline
  func finish() throws(Failure) {
    let first = failures.with { $0.first }
    if let first { throw first.error }
  }

  /// Deinitializes the results of an incomplete run: all up to the last begun stride, except
  /// the gaps.
  @usableFromInline
  func discard<T>(_ results: UnsafeMutablePointer<T>) {
    var begin = 0
    let gaps = failures.with { $0.gaps }.sorted { $0.lowerBound < $1.lowerBound }
    for gap in gaps {
      let end = Int(gap.lowerBound)
      (results + begin).deinitialize(count: end - begin)
      begin = Int(gap.upperBound)
    }
    let end = Int(reached.load(ordering: .relaxed))
    if begin < end { (results + begin).deinitialize(count: end - begin) }
  }
}

/// The body of a stride on its way through C. It cannot be copied, so that a call does not
/// count references, which all threads would do at once.
private struct StrideBody: ~Copyable {
  let call: (_ begin: Int, _ end: Int) -> Bool

  borrowing func run(_ begin: Int, _ end: Int) -> Bool {
    call(begin, end)
  }
}

private func runStrides(
  _ count: Int, _ stride: LoopStride, _ body: @Sendable (_ begin: Int, _ end: Int) -> Bool
) {
  withoutActuallyEscaping(body) { body in
    var body = StrideBody(call: body)
    withUnsafeMutablePointer(to: &body) { body in
      _ = weir_apply_while_f(count, stride.iterations, nil, body) { body, begin, end in
        guard let body else { fatalError("the C library returned no context") }
        return body.assumingMemoryBound(to: StrideBody.self).pointee.run(begin, end)
      }
    }
  }
}

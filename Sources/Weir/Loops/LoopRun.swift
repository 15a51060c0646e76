// One run of a concurrent loop: what its strides share.
//
// The loops over elements are inlined into the user's module, so that they are
// compiled for his types; what stands here is not, and is called once a stride.
// So no inlined text names a C function. (His closure stays a call for each
// element: the compiler does not inline a closure that another one captures.)
//
// The first error is exact. C claims strides in index order and a claimed one
// runs to its end, or to its own first error: whatever stands before a stride
// that failed has run. So the failure with the lowest index is the one that a
// plain loop would have come upon.

internal import CWeir
internal import Synchronization

/// Runs the strides of one loop, and keeps what went wrong.
@usableFromInline
final class LoopRun<Failure: Error>: Sendable {
  private struct Trouble {
    var first: (offset: UInt, error: Failure)?
    /// Parts of strides that have no results.
    var gaps: [Range<UInt>] = []
  }

  private let cancellation: LoopCancellation?
  private let trouble = Locked(Trouble())
  /// Where the last stride ends that was begun.
  private let reached = Atomic<UInt>(0)

  @usableFromInline
  init(_ cancellation: LoopCancellation? = nil) {
    self.cancellation = cancellation
  }

  /// Calls `body` for strides that together are `0..<count`, until one returns
  /// false. The count and the offsets are of unsigned numbers: a range of `Int`
  /// can have more elements than an `Int` can say.
  @usableFromInline
  func run(
    _ count: Int, _ stride: Stride, _ body: @Sendable (_ begin: Int, _ end: Int) -> Bool
  ) {
    if Failure.self == Never.self && cancellation == nil {
      runStrides(count, stride, body)
    } else {
      runStrides(count, stride) { begin, end in
        self.begins(UInt(bitPattern: begin)..<UInt(bitPattern: end)) && body(begin, end)
      }
    }
  }

  /// Whether a stride may begin.
  private func begins(_ stride: Range<UInt>) -> Bool {
    if let cancellation, cancellation.leavesOut() {
      trouble.with { $0.gaps.append(stride) }
      return false
    }
    reached.max(stride.upperBound, ordering: .relaxed)
    return true
  }

  /// Takes note of an error, and that there are no results from there to the
  /// end of the stride. False, for the body to return.
  @usableFromInline
  func fail(_ error: Failure, _ offset: Int, _ end: Int) -> Bool {
    let gap = UInt(bitPattern: offset)..<UInt(bitPattern: end)
    trouble.with { trouble in
      trouble.gaps.append(gap)
      guard let first = trouble.first, first.offset < gap.lowerBound else {
        trouble.first = (gap.lowerBound, error)
        return
      }
    }
    return false
  }

  /// Whether every stride ran to its end.
  @usableFromInline
  var isComplete: Bool {
    trouble.with { $0.gaps.isEmpty }
  }

  /// Throws the first error, if there was one.
  @usableFromInline
  func finish() throws(Failure) {
    let first = trouble.with { $0.first }
    if let first { throw first.error }
  }

  /// Deinitializes the results of a run that is not complete: all up to where
  /// it came, but for the gaps.
  @usableFromInline
  func discard<T>(_ results: UnsafeMutablePointer<T>) {
    var begin = 0
    let gaps = trouble.with { $0.gaps }.sorted { $0.lowerBound < $1.lowerBound }
    for gap in gaps {
      let end = Int(gap.lowerBound)
      (results + begin).deinitialize(count: end - begin)
      begin = Int(gap.upperBound)
    }
    let end = Int(reached.load(ordering: .relaxed))
    if begin < end { (results + begin).deinitialize(count: end - begin) }
  }
}

/// A stride's body on its way through C. It cannot be copied, so that calling
/// it does not count a reference, which all threads would do at once.
private struct StrideBody: ~Copyable {
  let call: (_ begin: Int, _ end: Int) -> Bool

  borrowing func run(_ begin: Int, _ end: Int) -> Bool {
    call(begin, end)
  }
}

private func runStrides(
  _ count: Int, _ stride: Stride, _ body: @Sendable (_ begin: Int, _ end: Int) -> Bool
) {
  withoutActuallyEscaping(body) { body in
    var body = StrideBody(call: body)
    withUnsafeMutablePointer(to: &body) { body in
      _ = weir_apply_while_f(count, stride.iterations, nil, body) { body, begin, end in
        guard let body else { fatalError("C handed back no context") }
        return body.assumingMemoryBound(to: StrideBody.self).pointee.run(begin, end)
      }
    }
  }
}

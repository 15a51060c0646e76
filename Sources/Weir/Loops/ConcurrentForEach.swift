// A concurrent loop over elements.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Calls a closure for every element, on all cores; returns after the last call.
  ///
  ///     import SystemPackage
  ///
  ///     func warm(_ paths: [FilePath]) throws {
  ///       try paths.concurrentForEach { path in try readIntoCache(path) }
  ///     }
  ///
  /// The calls of a stride are in order; strides start in order, several at once. If the body
  /// throws, its stride ends and no new one starts, but every earlier stride runs to its end. A
  /// body that captures something costs a call of a few nanoseconds per element; the body of
  /// `concurrentLoop(_:stride:_:)`, whose notes about threads and cancellation apply here too,
  /// contains the loop.
  ///
  /// - Parameters:
  ///   - stride: The number of elements per stride.
  ///   - body: Called by several threads at once, once for each element.
  /// - Throws: The first error of the body, in the order of the elements.
  /// - Complexity: O(`count`).
  ///
  /// Blocks: yes, until the loop ends; the calling thread takes part in it. The corresponding C
  /// function is `weir_apply_while_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func concurrentForEach<E: Error>(
    stride: LoopStride = .automatic, _ body: @Sendable (Element) throws(E) -> Void
  ) throws(E) {
    try LoopRun<E>().forEach(self, stride, body)
  }

  /// Calls a closure for every element, on all cores; suspends until after the last call. Otherwise
  /// like the blocking form, on threads of libdispatch. After a cancellation of the task no new
  /// stride starts. The body does not suspend.
  ///
  /// - Throws: Also `CancellationError` if the task is cancelled before the loop, or if a stride
  ///   did not run because of it.
  ///
  /// Blocks: no. The corresponding C function is `weir_apply_while_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentForEach<E: Error>(
    stride: LoopStride = .automatic, _ body: @Sendable (Element) throws(E) -> Void
  ) async throws {
    try await awaitLoop { cancellation in
      try LoopRun<E>(cancellation).forEach(self, stride, body)
    }
  }

  /// Exists for its message. There is no corresponding C function.
  @available(
    *, unavailable,
    message:
      "concurrentForEach runs a synchronous body on all cores; for an async body use forEachConcurrently(limit:)"
  )
  @_disfavoredOverload
  public func concurrentForEach(
    stride: LoopStride = .automatic, _ body: @Sendable (Element) async throws -> Void
  ) async throws {
    fatalError("concurrentForEach takes no async body")
  }
}

extension LoopRun {
  @inlinable @inline(__always)
  func forEach<Elements: RandomAccessCollection & Sendable>(
    _ elements: Elements, _ stride: LoopStride,
    _ body: @Sendable (Elements.Element) throws(Failure) -> Void
  ) throws(Failure) {
    run(elements.count, stride, elements) { run, elements, begin, end in
      do throws(Failure) {
        for element in elements.slice(begin..<end) { try body(element) }
        return true
      } catch {
        return run.fail(error, begin, end)
      }
    }
    try finish()
  }
}

extension RandomAccessCollection {
  /// Returns the elements at these offsets from the start.
  @inlinable @inline(__always)
  func slice(_ offsets: Range<Int>) -> SubSequence {
    let first = index(startIndex, offsetBy: offsets.lowerBound)
    return self[first..<index(first, offsetBy: offsets.count)]
  }
}

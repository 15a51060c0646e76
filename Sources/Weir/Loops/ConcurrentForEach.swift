// A loop on all cores, by elements.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Calls a closure for every element, on all cores, and returns when all calls
  /// have returned.
  ///
  ///     func warm(_ paths: [FilePath]) throws {
  ///       try paths.concurrentForEach { path in try readIntoCache(path) }
  ///     }
  ///
  /// The elements of a stride are visited in order by one thread; strides start
  /// in order, several at once. When the body throws, its stride ends and no new
  /// one starts. Every stride before it runs to its end, so the error that is
  /// thrown is the one that a plain `for` would have thrown.
  ///
  /// Calling the body takes a few nanoseconds an element. Where it does less
  /// than that, `concurrentLoop(_:stride:_:)` is quicker, whose body loops
  /// itself; what is said there of threads and cancellation holds here too.
  ///
  /// - Parameters:
  ///   - stride: How many elements go together.
  ///   - body: Called by several threads at once, once for each element.
  ///
  /// - Throws: The first error of the body, in the order of the elements.
  ///
  /// - Complexity: O(`count`), for an element of a random-access collection is
  ///   reached in O(1).
  ///
  /// Blocks: yes, until the loop is over; the calling thread takes part in it.
  ///
  /// The corresponding C function is `weir_apply_while_f`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @inlinable
  public func concurrentForEach<E: Error>(
    stride: Stride = .automatic, _ body: @Sendable (Element) throws(E) -> Void
  ) throws(E) {
    let run = LoopRun<E>()
    run.forEach(self, stride, body)
    try run.finish()
  }

  /// Calls a closure for every element, on all cores, and suspends until all
  /// calls have returned.
  ///
  ///     func warm(_ paths: [FilePath]) async throws {
  ///       try await paths.concurrentForEach { path in try readIntoCache(path) }
  ///     }
  ///
  /// As the blocking form, but on threads of libdispatch alone, and it can be
  /// cancelled: once the task is, no new stride starts.
  ///
  /// - Parameters:
  ///   - stride: How many elements go together.
  ///   - body: Called by several threads at once, once for each element. It does
  ///     not suspend.
  ///
  /// - Throws: The first error of the body, in the order of the elements;
  ///   `CancellationError` where the task is cancelled before the loop begins,
  ///   and where a stride did not run because of it.
  ///
  /// - Complexity: O(`count`), for an element of a random-access collection is
  ///   reached in O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_apply_while_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentForEach<E: Error>(
    stride: Stride = .automatic, _ body: @Sendable (Element) throws(E) -> Void
  ) async throws {
    try await awaitLoop { cancellation in
      let run = LoopRun<E>(cancellation)
      run.forEach(self, stride, body)
      try run.finish()
    }
  }
}

extension LoopRun {
  @inlinable @inline(__always)
  func forEach<Elements: RandomAccessCollection & Sendable>(
    _ elements: Elements, _ stride: Stride,
    _ body: @Sendable (Elements.Element) throws(Failure) -> Void
  ) {
    run(elements.count, stride) { begin, end in
      do throws(Failure) {
        for element in elements.slice(begin, end) { try body(element) }
        return true
      } catch {
        return self.fail(error, begin, end)
      }
    }
  }
}

extension RandomAccessCollection {
  /// The elements at these offsets from the start.
  @inlinable @inline(__always)
  func slice(_ begin: Int, _ end: Int) -> SubSequence {
    let first = index(startIndex, offsetBy: begin)
    return self[first..<index(first, offsetBy: end - begin)]
  }
}

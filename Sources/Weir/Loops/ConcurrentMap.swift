// A map on all cores.
//
// The results are written once, to where they stay, each stride its own part:
// no lock, and nothing is copied or sorted afterwards. What a stride that fails
// leaves unwritten is noted, so that all the rest can be deinitialized.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// The results of a closure for every element, in order, computed on all cores.
  ///
  ///     func lengths(_ words: [String]) -> [Int] {
  ///       words.concurrentMap { word in word.count }
  ///     }
  ///
  /// It is `map` in all but time: the same array, and the same error. When the
  /// transform throws, its stride ends and no new one starts, but every stride
  /// before it runs to its end; so the first error by index is known. What has
  /// been computed by then is deinitialized.
  ///
  /// Calling the transform takes a few nanoseconds an element. Where it does less
  /// than that, `concurrentLoop(_:stride:_:)` is quicker, whose body loops
  /// itself; what is said there of threads and cancellation holds here too.
  ///
  /// - Parameters:
  ///   - stride: How many elements go together.
  ///   - transform: Called by several threads at once, once for each element.
  ///
  /// - Returns: As many results as there are elements, in their order.
  ///
  /// - Throws: The first error of the transform, in the order of the elements.
  ///
  /// - Complexity: O(`count`), for an element of a random-access collection is
  ///   reached in O(1), and a result is written once.
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
  public func concurrentMap<T: Sendable, E: Error>(
    stride: Stride = .automatic, _ transform: @Sendable (Element) throws(E) -> T
  ) throws(E) -> [T] {
    let run = LoopRun<E>()
    let results = run.map(self, stride, transform)
    try run.finish()
    return results
  }

  /// The results of a closure for every element, in order, computed on all cores
  /// while the task is suspended.
  ///
  ///     func lengths(_ words: [String]) async throws -> [Int] {
  ///       try await words.concurrentMap { word in word.count }
  ///     }
  ///
  /// As the blocking form, but on threads of libdispatch alone, and it can be
  /// cancelled: once the task is, no new stride starts. There is never a short
  /// array: it is either all results or an error.
  ///
  /// - Parameters:
  ///   - stride: How many elements go together.
  ///   - transform: Called by several threads at once, once for each element. It
  ///     does not suspend.
  ///
  /// - Returns: As many results as there are elements, in their order.
  ///
  /// - Throws: The first error of the transform, in the order of the elements;
  ///   `CancellationError` where the task is cancelled before the loop begins,
  ///   and where a stride did not run because of it.
  ///
  /// - Complexity: O(`count`), for an element of a random-access collection is
  ///   reached in O(1), and a result is written once.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_apply_while_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentMap<T: Sendable, E: Error>(
    stride: Stride = .automatic, _ transform: @Sendable (Element) throws(E) -> T
  ) async throws -> [T] {
    try await awaitLoop { cancellation in
      let run = LoopRun<E>(cancellation)
      let results = run.map(self, stride, transform)
      try run.finish()
      return results
    }
  }
}

extension LoopRun {
  /// The results in order; none where a stride did not run to its end.
  @inlinable @inline(__always)
  func map<Elements: RandomAccessCollection & Sendable, T>(
    _ elements: Elements, _ stride: Stride,
    _ transform: @Sendable (Elements.Element) throws(Failure) -> T
  ) -> [T] {
    let count = elements.count
    return Array(unsafeUninitializedCapacity: count) { results, written in
      guard count > 0, let results = results.baseAddress else { return }
      LargeMemory.expect(results, count)
      fill(results, count, from: elements, stride, transform)
      if isComplete {
        written = count
      } else {
        discard(results)
      }
    }
  }

  @inlinable @inline(__always)
  func fill<Elements: RandomAccessCollection & Sendable, T>(
    _ results: UnsafeMutablePointer<T>, _ count: Int, from elements: Elements,
    _ stride: Stride, _ transform: @Sendable (Elements.Element) throws(Failure) -> T
  ) {
    // nonisolated(unsafe): strides do not overlap, and what is read is Sendable.
    nonisolated(unsafe) let results = results
    let filled = elements.withContiguousStorageIfAvailable { storage in
      guard storage.count == count else { return false }
      nonisolated(unsafe) let storage = storage
      run(count, stride) { begin, end in
        self.write(storage[begin..<end], to: results, begin, end, transform)
      }
      return true
    }
    if filled != true {
      run(count, stride) { begin, end in
        self.write(elements.slice(begin, end), to: results, begin, end, transform)
      }
    }
  }

  /// Writes the results of a stride. It counts for itself, so that a collection
  /// that has more or fewer elements than it says cannot make it write elsewhere
  /// or leave out a result.
  @inlinable @inline(__always)
  func write<Elements: Sequence, T>(
    _ elements: Elements, to results: UnsafeMutablePointer<T>, _ begin: Int, _ end: Int,
    _ transform: (Elements.Element) throws(Failure) -> T
  ) -> Bool {
    var elements = elements.makeIterator()
    var offset = begin
    do throws(Failure) {
      while offset < end {
        guard let element = elements.next() else {
          misuse("a collection was mapped that has fewer elements than its count says")
        }
        (results + offset).initialize(to: try transform(element))
        offset += 1
      }
      return true
    } catch {
      return fail(error, offset, end)
    }
  }
}

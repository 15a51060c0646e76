// A concurrent map.
//
// DESIGN. Each result is written once, to its final place. The ranges that a failed stride leaves
// unwritten are recorded, so that all other results can be deinitialized.

internal import WeirLibC

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Returns the results of a closure for every element, in order, computed on all cores.
  ///
  ///     func lengths(_ words: [String]) -> [Int] {
  ///       words.concurrentMap { word in word.count }
  ///     }
  ///
  /// If the transform throws, its stride ends and no new one starts, but every earlier stride runs
  /// to its end. The results so far are deinitialized. A transform that captures something costs a
  /// call of a few nanoseconds per element; the notes of `concurrentLoop(_:stride:_:)` about
  /// threads and cancellation apply here too.
  ///
  /// - Parameters:
  ///   - stride: The number of elements per stride.
  ///   - transform: Called by several threads at once, once for each element.
  /// - Throws: The first error of the transform, in the order of the elements.
  /// - Complexity: O(`count`).
  ///
  /// Blocks: yes, until the loop ends; the calling thread takes part in it. The corresponding C
  /// function is `weir_apply_while_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func concurrentMap<T: Sendable, E: Error>(
    stride: LoopStride = .automatic, _ transform: @Sendable (Element) throws(E) -> T
  ) throws(E) -> [T] {
    try LoopRun<E>().map(self, stride, transform)
  }

  /// Returns the results of a closure for every element, in order, computed on all cores while the
  /// task is suspended. Otherwise like the blocking form, on threads of libdispatch. After a
  /// cancellation of the task no new stride starts. The transform does not suspend.
  ///
  /// - Throws: Also `CancellationError` if the task is cancelled before the loop, or if a stride
  ///   did not run because of it.
  ///
  /// Blocks: no. The corresponding C function is `weir_apply_while_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentMap<T: Sendable, E: Error>(
    stride: LoopStride = .automatic, _ transform: @Sendable (Element) throws(E) -> T
  ) async throws -> [T] {
    try await awaitLoop { cancellation in
      try LoopRun<E>(cancellation).map(self, stride, transform)
    }
  }

  /// Exists for its message. There is no corresponding C function.
  @available(
    *, unavailable,
    message:
      "concurrentMap runs a synchronous transform on all cores; for an async transform use mapConcurrently(limit:)"
  )
  @_disfavoredOverload
  public func concurrentMap<T: Sendable>(
    stride: LoopStride = .automatic, _ transform: @Sendable (Element) async throws -> T
  ) async throws -> [T] {
    fatalError("concurrentMap takes no async transform")
  }
}

extension LoopRun {
  /// Returns the results in order; none if a stride did not run to its end.
  @inlinable @inline(__always)
  func map<Elements: RandomAccessCollection & Sendable, T>(
    _ elements: Elements, _ stride: LoopStride,
    _ transform: @Sendable (Elements.Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    let count = elements.count
    // The initializer below would write to the array that all empty arrays share.
    guard count > 0 else { return [] }
    let mapped = Array<T>(unsafeUninitializedCapacity: count) { results, written in
      guard let results = results.baseAddress else { return }
      LargeMemory.expect(results, count)
      fill(results, count, from: elements, stride, transform)
      if isComplete {
        written = count
      } else {
        discard(results)
      }
    }
    try finish()
    return mapped
  }

  @inlinable @inline(__always)
  func fill<Elements: RandomAccessCollection & Sendable, T>(
    _ results: UnsafeMutablePointer<T>, _ count: Int, from elements: Elements,
    _ stride: LoopStride, _ transform: @Sendable (Elements.Element) throws(Failure) -> T
  ) {
    let filled = elements.withContiguousStorageIfAvailable { storage in
      guard storage.count == count else { return false }
      run(count, stride, (storage, results)) { run, context, begin, end in
        run.write(context.0[begin..<end], to: context.1, begin, end, transform)
      }
      return true
    }
    if filled != true {
      run(count, stride, (elements, results)) { run, context, begin, end in
        run.write(context.0.slice(begin..<end), to: context.1, begin, end, transform)
      }
    }
  }

  /// Writes the results of a stride. It counts the elements itself, so that a collection with
  /// more or fewer elements than its count can neither write elsewhere nor omit a result.
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
          misuse("a collection was mapped that has fewer elements than its count")
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

// A concurrent reduction.
//
// DESIGN. Each stride has a partial result, and the partial results are combined in order,
// on the same strides as weir_reduce_f. That function is not called: it copies partial
// results byte by byte, which most Swift values do not allow, and it cannot be stopped. A map
// of strides to partial results does all that is needed.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Combines all elements into one, on all cores.
  ///
  ///     func total(_ prices: [Double]) -> Double {
  ///       prices.concurrentReduce(0, +)
  ///     }
  ///
  /// The elements of each stride are combined in order, beginning with the identity, and the
  /// results of the strides are combined in order too. So `combine` must be associative, but
  /// need not be commutative. If it is only nearly associative, like the addition of
  /// floating-point numbers, the result may differ from that of `reduce` in the last bits. But
  /// it is the same in every run and on any number of cores: the automatic stride depends on
  /// the count only, and is the smallest that makes at most 1,024 strides.
  ///
  /// - Parameters:
  ///   - identity: The value that changes nothing when combined, such as 0 for a sum. It is used
  ///     once for each stride and once more. The result for an empty collection.
  ///   - stride: The number of elements per partial result.
  ///   - combine: Called by several threads at once.
  ///
  /// - Returns: The combination of all elements.
  ///
  /// - Throws: The first error in the order of the elements; without one, the first error of
  ///   combining the strides.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for the partial results.
  ///
  /// Blocks: yes, until the loop ends; the calling thread takes part in it.
  ///
  /// The corresponding C function is `weir_reduce_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable
  public func concurrentReduce<E: Error>(
    _ identity: Element, stride: Stride = .automatic,
    _ combine: @Sendable (Element, Element) throws(E) -> Element
  ) throws(E) -> Element {
    try LoopRun<E>().reduce(
      self, identity, stride,
      { (partial, element) throws(E) in partial = try combine(partial, element) },
      { (result, partial) throws(E) in result = try combine(result, partial) })
  }

  /// Accumulates all elements into one result, on all cores.
  ///
  ///     func frequencies(_ words: [String]) -> [String: Int] {
  ///       words.concurrentReduce(into: [:]) { counts, word in
  ///         counts[word, default: 0] += 1
  ///       } combine: { counts, others in
  ///         counts.merge(others, uniquingKeysWith: +)
  ///       }
  ///     }
  ///
  /// Each stride has its own partial result, which begins as a copy of the identity and receives
  /// the elements of the stride in order. At the end the partial results are combined in order,
  /// one after the other. So neither closure sees a value that another thread changes, and the
  /// result is the same in every run and on any number of cores: the automatic stride depends
  /// on the count only, and is the smallest that makes at most 1,024 strides.
  ///
  /// - Parameters:
  ///   - identity: The initial value of a partial result, which changes nothing when combined.
  ///     The result for an empty collection.
  ///   - stride: The number of elements per partial result.
  ///   - accumulate: Adds an element to a partial result. Called by several threads at once, each
  ///     with its own partial result.
  ///   - combine: Adds a partial result to the result so far. Called by one thread, for every
  ///     stride.
  ///
  /// - Returns: The combination of the partial results.
  ///
  /// - Throws: The first error of `accumulate`, in the order of the elements; without one, the
  ///   first error of `combine`.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for the partial results.
  ///
  /// Blocks: yes, until the loop ends; the calling thread takes part in it.
  ///
  /// The corresponding C function is `weir_reduce_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable
  public func concurrentReduce<Partial: Sendable, E: Error>(
    into identity: Partial, stride: Stride = .automatic,
    _ accumulate: @Sendable (inout Partial, Element) throws(E) -> Void,
    combine: @Sendable (inout Partial, Partial) throws(E) -> Void
  ) throws(E) -> Partial {
    try LoopRun<E>().reduce(self, identity, stride, accumulate, combine)
  }

  /// Combines all elements into one, on all cores while the task is suspended.
  ///
  /// Like the blocking form, but only on threads of libdispatch. After a cancellation of the
  /// task no new stride starts. The closure does not suspend.
  ///
  /// - Throws: The errors of the blocking form; `CancellationError` if the task is cancelled before
  ///   the loop, or if a stride did not run because of it.
  ///
  /// Blocks: no. The corresponding C function is `weir_reduce_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentReduce<E: Error>(
    _ identity: Element, stride: Stride = .automatic,
    _ combine: @Sendable (Element, Element) throws(E) -> Element
  ) async throws -> Element {
    try await awaitLoop { cancellation in
      try LoopRun<E>(cancellation).reduce(
        self, identity, stride,
        { (partial, element) throws(E) in partial = try combine(partial, element) },
        { (result, partial) throws(E) in result = try combine(result, partial) })
    }
  }

  /// Accumulates all elements into one result, on all cores while the task is suspended.
  ///
  /// Like the blocking form, but only on threads of libdispatch. After a cancellation of the
  /// task no new stride starts. The closures do not suspend.
  ///
  /// - Throws: The errors of the blocking form; `CancellationError` if the task is cancelled before
  ///   the loop, or if a stride did not run because of it.
  ///
  /// Blocks: no. The corresponding C function is `weir_reduce_f`.
  @inlinable
  public nonisolated(nonsending) func concurrentReduce<Partial: Sendable, E: Error>(
    into identity: Partial, stride: Stride = .automatic,
    _ accumulate: @Sendable (inout Partial, Element) throws(E) -> Void,
    combine: @Sendable (inout Partial, Partial) throws(E) -> Void
  ) async throws -> Partial {
    try await awaitLoop { cancellation in
      try LoopRun<E>(cancellation).reduce(self, identity, stride, accumulate, combine)
    }
  }
}

extension LoopRun {
  @inlinable @inline(__always)
  func reduce<Elements: RandomAccessCollection & Sendable, Partial: Sendable>(
    _ elements: Elements, _ identity: Partial, _ stride: Stride,
    _ accumulate: @Sendable (inout Partial, Elements.Element) throws(Failure) -> Void,
    _ combine: (inout Partial, Partial) throws(Failure) -> Void
  ) throws(Failure) -> Partial {
    let count = elements.count
    let length = stride.ofReduction(count)
    let partials = try map(0..<(count == 0 ? 0 : (count - 1) / length + 1), 1) {
      (number) throws(Failure) in
      let begin = number * length
      var partial = identity
      for element in elements.slice(begin, count - begin < length ? count : begin + length) {
        try accumulate(&partial, element)
      }
      return partial
    }
    var result = identity
    for partial in partials { try combine(&result, partial) }
    return result
  }
}

extension Stride {
  /// The number of elements per partial result. The automatic stride is the same as in C: the
  /// smallest that makes at most 1,024 strides.
  @usableFromInline
  func ofReduction(_ count: Int) -> Int {
    self != .automatic ? iterations : count == 0 ? 1 : (count - 1) / 1024 + 1
  }
}

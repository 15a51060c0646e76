// A reduction on all cores.
//
// A stride comes to a partial result, and the partial results are combined in
// order, as weir_reduce_f does it and on the same strides. That function itself
// is not called: it copies partial results byte by byte, which most Swift values
// cannot stand, and it cannot be stopped. A map of strides to partial results
// has all that is needed.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Combines all elements to one, on all cores.
  ///
  ///     func total(_ prices: [Double]) -> Double {
  ///       prices.concurrentReduce(0, +)
  ///     }
  ///
  /// The elements of each stride are combined in order, beginning with the
  /// identity, and what comes of the strides is combined in order too. So
  /// `combine` has to be associative, but need not be commutative. Where it is
  /// not quite associative, as the addition of floating-point numbers, the result
  /// may differ from that of `reduce` in the last bits. But it is the same in
  /// every run and on any number of cores: an automatic stride comes from the
  /// count alone, the smallest that makes at most 1,024 of them.
  ///
  /// - Parameters:
  ///   - identity: What changes nothing when it is combined with another: 0 for a
  ///     sum. It is used once for each stride and once more. The result where
  ///     there are no elements.
  ///   - stride: How many elements make a partial result.
  ///   - combine: Called by several threads at once.
  ///
  /// - Returns: All elements, combined.
  ///
  /// - Throws: The first error in the order of the elements; where there is none,
  ///   the first of combining the strides.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for a partial
  ///   result of each stride.
  ///
  /// Blocks: yes, until the loop is over; the calling thread takes part in it.
  ///
  /// The corresponding C function is `weir_reduce_f`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
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

  /// Gathers all elements into one result, on all cores.
  ///
  ///     func frequencies(_ words: [String]) -> [String: Int] {
  ///       words.concurrentReduce(into: [:]) { counts, word in
  ///         counts[word, default: 0] += 1
  ///       } combine: { counts, others in
  ///         counts.merge(others, uniquingKeysWith: +)
  ///       }
  ///     }
  ///
  /// Every stride has a partial result of its own, which begins as a copy of the
  /// identity and takes the stride's elements in order. At the end they are
  /// combined in order, one after the other. So neither closure ever sees a value
  /// that another thread changes, and the result is the same in every run and on
  /// any number of cores: an automatic stride comes from the count alone, the
  /// smallest that makes at most 1,024 of them.
  ///
  /// - Parameters:
  ///   - identity: What a partial result begins with, and what changes nothing
  ///     when it is combined with one. The result where there are no elements.
  ///   - stride: How many elements make a partial result.
  ///   - accumulate: Adds an element to a partial result. Called by several
  ///     threads at once, each with a partial result of its own.
  ///   - combine: Adds a partial result to what comes before it. Called by one
  ///     thread, for every stride.
  ///
  /// - Returns: The partial results, combined.
  ///
  /// - Throws: The first error of `accumulate`, in the order of the elements;
  ///   where there is none, the first of `combine`.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for a partial
  ///   result of each stride.
  ///
  /// Blocks: yes, until the loop is over; the calling thread takes part in it.
  ///
  /// The corresponding C function is `weir_reduce_f`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @inlinable
  public func concurrentReduce<Partial: Sendable, E: Error>(
    into identity: Partial, stride: Stride = .automatic,
    _ accumulate: @Sendable (inout Partial, Element) throws(E) -> Void,
    combine: @Sendable (inout Partial, Partial) throws(E) -> Void
  ) throws(E) -> Partial {
    try LoopRun<E>().reduce(self, identity, stride, accumulate, combine)
  }

  /// Combines all elements to one, on all cores while the task is suspended.
  ///
  ///     func total(_ prices: [Double]) async throws -> Double {
  ///       try await prices.concurrentReduce(0, +)
  ///     }
  ///
  /// As the blocking form, but on threads of libdispatch alone, and it can be
  /// cancelled: once the task is, no new stride starts.
  ///
  /// - Parameters:
  ///   - identity: What changes nothing when it is combined with another, and the
  ///     result where there are no elements.
  ///   - stride: How many elements make a partial result.
  ///   - combine: Called by several threads at once. It does not suspend.
  ///
  /// - Returns: All elements, combined.
  ///
  /// - Throws: The first error in the order of the elements; where there is none,
  ///   the first of combining the strides. `CancellationError` where the task is
  ///   cancelled before the loop begins, and where a stride did not run because
  ///   of it.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for a partial
  ///   result of each stride.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_reduce_f`.
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

  /// Gathers all elements into one result, on all cores while the task is
  /// suspended.
  ///
  ///     func frequencies(_ words: [String]) async throws -> [String: Int] {
  ///       try await words.concurrentReduce(into: [:]) { counts, word in
  ///         counts[word, default: 0] += 1
  ///       } combine: { counts, others in
  ///         counts.merge(others, uniquingKeysWith: +)
  ///       }
  ///     }
  ///
  /// As the blocking form, but on threads of libdispatch alone, and it can be
  /// cancelled: once the task is, no new stride starts.
  ///
  /// - Parameters:
  ///   - identity: What a partial result begins with, and the result where there
  ///     are no elements.
  ///   - stride: How many elements make a partial result.
  ///   - accumulate: Adds an element to a partial result. Called by several
  ///     threads at once. It does not suspend.
  ///   - combine: Adds a partial result to what comes before it. Called by one
  ///     thread. It does not suspend.
  ///
  /// - Returns: The partial results, combined.
  ///
  /// - Throws: The first error of `accumulate`, in the order of the elements;
  ///   where there is none, the first of `combine`. `CancellationError` where the
  ///   task is cancelled before the loop begins, and where a stride did not run
  ///   because of it.
  ///
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for a partial
  ///   result of each stride.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_reduce_f`.
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
    let partials = map(0..<(count == 0 ? 0 : (count - 1) / length + 1), 1) {
      (number) throws(Failure) in
      let begin = number * length
      var partial = identity
      for element in elements.slice(begin, count - begin < length ? count : begin + length) {
        try accumulate(&partial, element)
      }
      return partial
    }
    try finish()
    var result = identity
    for partial in partials { try combine(&result, partial) }
    return result
  }
}

extension Stride {
  /// How many elements make a partial result. Automatic is what it is in C: the
  /// smallest stride that makes at most 1,024 of them.
  @usableFromInline
  func ofReduction(_ count: Int) -> Int {
    self != .automatic ? iterations : count == 0 ? 1 : (count - 1) / 1024 + 1
  }
}

// A concurrent reduction.
//
// DESIGN. Each stride has a partial result, and the partial results are combined in order, on the
// same strides as weir_reduce_f. That function is not called: it copies partial results byte by
// byte, which most Swift values do not allow, and it cannot be stopped. `reduce` and `reduced` are
// not inlined, but get the loop over a stride from the caller's module: see LoopRun.swift.

/// Accumulates the iterations of a range into one result, on all cores.
///
///     func frequencies(_ words: [String]) -> [String: Int] {
///       concurrentReduce(0..<words.count, into: [:]) { counts, range in
///         for word in words[range] { counts[word, default: 0] += 1 }
///       } combine: { counts, others in
///         counts.merge(others, uniquingKeysWith: +)
///       }
///     }
///
/// Each stride has its own partial result, which begins as a copy of the identity; the body adds
/// the whole stride to it. At the end the partial results are combined in order. So the result is
/// the same in every run and on any number of cores: the automatic stride depends on the count
/// only, and is the smallest that makes at most 1,024 strides.
///
/// - Parameters:
///   - range: The iterations.
///   - identity: The initial value of a partial result, which changes nothing when combined.
///   - stride: The number of iterations per partial result.
///   - body: Adds a stride to its partial result. Called by several threads at once, once for each
///     stride.
///   - combine: Adds a partial result to the result so far. Called by one thread, for every stride.
/// - Throws: The first error of `body`, in the order of the range; without one, the first error of
///   `combine`.
/// - Complexity: O(`range.count` / stride) time and memory in addition to the body.
///
/// Blocks: yes, until the loop ends; the calling thread takes part in it. The corresponding C
/// function is `weir_reduce_f`.
@available(*, noasync, message: "use the form with await; at the top level: in an async function")
@_disfavoredOverload
public func concurrentReduce<Partial: Sendable, E: Error>(
  _ range: Range<Int>, into identity: Partial, stride: LoopStride = .automatic,
  _ body: @Sendable (inout Partial, Range<Int>) throws(E) -> Void,
  combine: @Sendable (inout Partial, Partial) throws(E) -> Void
) throws(E) -> Partial {
  try LoopRun<E>().reduce(
    (), range, identity, stride, { (partial, _, range) throws(E) in try body(&partial, range) },
    combine)
}

/// Accumulates the iterations of a range into one result, on all cores while the task is suspended.
/// Otherwise like the blocking form, on threads of libdispatch. After a cancellation of the task no
/// new stride starts. The closures do not suspend.
///
/// - Throws: Also `CancellationError` if the task is cancelled before the loop, or if a stride did
///   not run because of it.
///
/// Blocks: no. The corresponding C function is `weir_reduce_f`.
public nonisolated(nonsending) func concurrentReduce<Partial: Sendable, E: Error>(
  _ range: Range<Int>, into identity: Partial, stride: LoopStride = .automatic,
  _ body: @Sendable (inout Partial, Range<Int>) throws(E) -> Void,
  combine: @Sendable (inout Partial, Partial) throws(E) -> Void
) async throws -> Partial {
  try await reduced(
    (), range, identity, stride, { (partial, _, range) throws(E) in try body(&partial, range) },
    combine)
}

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  /// Combines all elements into one, on all cores.
  ///
  ///     func total(_ prices: [Double]) -> Double {
  ///       prices.concurrentReduce(0, +)
  ///     }
  ///
  /// The elements of each stride are combined in order, beginning with the identity, and so are the
  /// results of the strides. So `combine` must be associative. If it is only nearly so, like the
  /// addition of floating-point numbers, the result may differ from that of `reduce`, but it is the
  /// same in every run and on any number of cores.
  ///
  /// - Parameters:
  ///   - identity: The value that changes nothing when combined, such as 0 for a sum. It is used
  ///     once for each stride and once more.
  ///   - stride: The number of elements per partial result.
  ///   - combine: Called by several threads at once. It costs a call of a few nanoseconds per
  ///     element if it captures something.
  /// - Throws: The first error in the order of the elements; without one, the first error of
  ///   combining the strides.
  /// - Complexity: O(`count`) time, and O(`count` / stride) memory for the partial results.
  ///
  /// Blocks: yes, until the loop ends; the calling thread takes part in it. The corresponding C
  /// function is `weir_reduce_f`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func concurrentReduce<E: Error>(
    _ identity: Element, stride: LoopStride = .automatic,
    _ combine: @Sendable (Element, Element) throws(E) -> Element
  ) throws(E) -> Element {
    try LoopRun<E>().reduce(self, 0..<count, identity, stride) {
      (partial, elements, range) throws(E) in
      var result = partial
      for element in elements.slice(range) { result = try combine(result, element) }
      partial = result
    } _: { (result, partial) throws(E) in
      result = try combine(result, partial)
    }
  }

  /// Combines all elements into one, on all cores while the task is suspended. Otherwise like the
  /// blocking form, on threads of libdispatch. After a cancellation of the task no new stride
  /// starts. The closure does not suspend.
  ///
  /// - Throws: Also `CancellationError` if the task is cancelled before the loop, or if a stride
  ///   did not run because of it.
  ///
  /// Blocks: no. The corresponding C function is `weir_reduce_f`.
  @inlinable @inline(__always)
  public nonisolated(nonsending) func concurrentReduce<E: Error>(
    _ identity: Element, stride: LoopStride = .automatic,
    _ combine: @Sendable (Element, Element) throws(E) -> Element
  ) async throws -> Element {
    try await reduced(self, 0..<count, identity, stride) { (partial, elements, range) throws(E) in
      var result = partial
      for element in elements.slice(range) { result = try combine(result, element) }
      partial = result
    } _: { (result, partial) throws(E) in
      result = try combine(result, partial)
    }
  }
}

@usableFromInline
nonisolated(nonsending) func reduced<Elements: Sendable, Partial: Sendable, E: Error>(
  _ elements: Elements, _ range: Range<Int>, _ identity: Partial, _ stride: LoopStride,
  _ body: @Sendable (inout Partial, Elements, Range<Int>) throws(E) -> Void,
  _ combine: @Sendable (inout Partial, Partial) throws(E) -> Void
) async throws -> Partial {
  try await awaitLoop { cancellation in
    try LoopRun<E>(cancellation).reduce(elements, range, identity, stride, body, combine)
  }
}

extension LoopRun {
  /// Offsets wrap: a range can have more indices than `Int.max`.
  @usableFromInline
  func reduce<Elements: Sendable, Partial: Sendable>(
    _ elements: Elements, _ range: Range<Int>, _ identity: Partial, _ stride: LoopStride,
    _ body: @Sendable (inout Partial, Elements, Range<Int>) throws(Failure) -> Void,
    _ combine: (inout Partial, Partial) throws(Failure) -> Void
  ) throws(Failure) -> Partial {
    let count = UInt(bitPattern: range.upperBound &- range.lowerBound)
    let length = stride.ofReduction(count)
    let partials = try map(
      0..<Int(count == 0 ? 0 : (count - 1) / length + 1), stride == .automatic ? .automatic : 1
    ) {
      (number) throws(Failure) in
      let begin = UInt(number) * length
      var partial = identity
      let start = range.lowerBound &+ Int(bitPattern: begin)
      try body(&partial, elements, start..<start &+ Int(bitPattern: min(length, count - begin)))
      return partial
    }
    var result = identity
    for partial in partials { try combine(&result, partial) }
    return result
  }
}

extension LoopStride {
  /// The number of iterations per partial result. The automatic stride is the same as in C: the
  /// smallest that makes at most 1,024 strides.
  fileprivate func ofReduction(_ count: UInt) -> UInt {
    self != .automatic ? UInt(iterations) : count == 0 ? 1 : (count - 1) / 1024 + 1
  }
}

// A reduction on all cores.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  @available(*, noasync, message: "use the async form, which suspends")
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

  @available(*, noasync, message: "use the async form, which suspends")
  @_disfavoredOverload
  @inlinable
  public func concurrentReduce<Partial: Sendable, E: Error>(
    into identity: Partial, stride: Stride = .automatic,
    _ accumulate: @Sendable (inout Partial, Element) throws(E) -> Void,
    combine: @Sendable (inout Partial, Partial) throws(E) -> Void
  ) throws(E) -> Partial {
    try LoopRun<E>().reduce(self, identity, stride, accumulate, combine)
  }

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
  /// A map of strides to partial results, and these combined in order.
  @inlinable
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
      let end = count - begin < length ? count : begin + length
      var partial = identity
      for element in elements.slice(begin, end) { try accumulate(&partial, element) }
      return partial
    }
    try finish()
    var result = identity
    for partial in partials { try combine(&result, partial) }
    return result
  }
}

extension Stride {
  /// How many iterations make a partial result: the same as in C, where
  /// automatic is the smallest stride that makes at most 1,024 of them.
  @usableFromInline
  func ofReduction(_ count: Int) -> Int {
    self != .automatic ? iterations : count == 0 ? 1 : (count - 1) / 1024 + 1
  }
}

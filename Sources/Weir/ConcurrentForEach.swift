// A loop on all cores, by elements.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  @available(*, noasync, message: "use the async form, which suspends")
  @_disfavoredOverload
  @inlinable
  public func concurrentForEach<E: Error>(
    stride: Stride = .automatic, _ body: @Sendable (Element) throws(E) -> Void
  ) throws(E) {
    let run = LoopRun<E>()
    run.forEach(self, stride, body)
    try run.finish()
  }

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
  @inlinable
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

// A map on all cores.

extension RandomAccessCollection where Self: Sendable, Element: Sendable {
  @available(*, noasync, message: "use the async form, which suspends")
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
  @inlinable
  func map<Elements: RandomAccessCollection & Sendable, T>(
    _ elements: Elements, _ stride: Stride,
    _ transform: @Sendable (Elements.Element) throws(Failure) -> T
  ) -> [T] {
    let count = elements.count
    return Array(unsafeUninitializedCapacity: count) { results, written in
      guard count > 0, let results = results.baseAddress else { return }
      fill(results, count, from: elements, stride, transform)
      if isComplete {
        written = count
      } else {
        discard(results)
      }
    }
  }

  /// Writes every result once, each stride its own part.
  @inlinable
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

  @inlinable
  func write<Elements: Sequence, T>(
    _ elements: Elements, to results: UnsafeMutablePointer<T>, _ begin: Int, _ end: Int,
    _ transform: (Elements.Element) throws(Failure) -> T
  ) -> Bool {
    var offset = begin
    do throws(Failure) {
      for element in elements {
        guard offset < end else {fatalError("x")}
        (results + offset).initialize(to: try transform(element))
        offset += 1
      }
    } catch {
      return fail(error, offset, end)
    }
    guard offset == end else { fatalError("a collection has fewer elements than its count says") }
    return true
  }
}

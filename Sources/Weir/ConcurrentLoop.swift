// A loop on all cores, by ranges.
public func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: Stride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) throws(E) {
  let run = LoopRun<E>()
  run.loop(range, stride, body)
  try run.finish()
}

public nonisolated(nonsending) func concurrentLoop<E: Error>(
  _ range: Range<Int>, stride: Stride = .automatic,
  _ body: @Sendable (Range<Int>) throws(E) -> Void
) async throws {
  try await awaitLoop { cancellation in
    let run = LoopRun<E>(cancellation)
    run.loop(range, stride, body)
    try run.finish()
  }
}

extension LoopRun {
  fileprivate func loop(
    _ range: Range<Int>, _ stride: Stride, _ body: @Sendable (Range<Int>) throws(Failure) -> Void
  ) {
    let start = range.lowerBound
    run(range.upperBound &- start, stride) { begin, end in
      do throws(Failure) {
        try body(start &+ begin..<start &+ end)
        return true
      } catch {
        return self.fail(error, begin, end)
      }
    }
  }
}

// The former names of declarations, until 1.0.

extension WorkGroup {
  @available(*, deprecated, renamed: "wait()")
  public func finished() async throws {
    try await wait()
  }

  @available(*, deprecated, renamed: "cancel(throwing:)")
  public func fail(_ error: any Error) {
    cancel(throwing: error)
  }
}

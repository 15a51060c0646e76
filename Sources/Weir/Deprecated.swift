// The former names of declarations, until 1.0.

public import SystemPackage

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

extension ChildProcess {
  @available(*, deprecated, renamed: "TerminationStatus")
  public typealias Ending = TerminationStatus

  @available(*, deprecated, renamed: "processIdentifier")
  public var id: Int32 { processIdentifier }

  @available(*, deprecated, renamed: "killGroupAtEnd()")
  public func endGroupWithIt() { killGroupAtEnd() }
}

extension ChildProcess.Options {
  @available(*, deprecated, renamed: "workingDirectory")
  public var directory: FilePath? {
    get { workingDirectory }
    set { workingDirectory = newValue }
  }
}

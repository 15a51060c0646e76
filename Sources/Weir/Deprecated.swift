// The former names of declarations, until 1.0.

public import SystemPackage

extension WorkGroup {
  /// The former name of `wait()`.
  @available(*, deprecated, renamed: "wait()")
  public func finished() async throws {
    try await wait()
  }

  /// The former name of `cancel(throwing:)`.
  @available(*, deprecated, renamed: "cancel(throwing:)")
  public func fail(_ error: any Error) {
    cancel(throwing: error)
  }
}

extension TimeoutError {
  /// The former name of `element`.
  @available(*, deprecated, renamed: "element")
  public var index: Int { element ?? 0 }

  /// The former name of `childResult`.
  @available(*, deprecated, renamed: "childResult")
  public var result: ChildProcess.ExecutionResult {
    childResult ?? ChildProcess.ExecutionResult(terminationStatus: .exited(0))
  }
}

extension GateError {
  /// The former error of a wait whose time is over. `catch GateError.timedOut` catches the
  /// `TimeoutError` of a gate.
  @available(*, deprecated, message: "the error is a TimeoutError")
  public static var timedOut: GateError { GateError(.timedOut) }
}

extension FileItem {
  /// Creates an item for a path.
  @available(*, deprecated, renamed: "init(_:note:isWalked:)")
  public init(path: FilePath, note: [UInt8] = [], isWalked: Bool = true) {
    self.init(path, note: note, isWalked: isWalked)
  }
}

extension ChildProcess {
  /// The former name of the error of a child.
  @available(*, deprecated, message: "the error is Weir.TimeoutError")
  public typealias TimeoutError = Weir.TimeoutError

  /// The former name of `TerminationStatus`.
  @available(*, deprecated, renamed: "TerminationStatus")
  public typealias Ending = TerminationStatus

  /// The former name of `processIdentifier`.
  @available(*, deprecated, renamed: "processIdentifier")
  public var id: Int32 { processIdentifier }

  /// The former name of `killGroupAtEnd()`.
  @available(*, deprecated, renamed: "killGroupAtEnd()")
  public func endGroupWithIt() { killGroupAtEnd() }
}

extension ChildProcess.Options {
  /// The former name of `workingDirectory`.
  @available(*, deprecated, renamed: "workingDirectory")
  public var directory: FilePath? {
    get { workingDirectory }
    set { workingDirectory = newValue }
  }
}

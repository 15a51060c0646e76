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

extension FileItem {
  /// Creates an item for a path.
  @available(*, deprecated, renamed: "init(_:note:isWalked:)")
  public init(path: FilePath, note: [UInt8] = [], isWalked: Bool = true) {
    self.init(path, note: note, isWalked: isWalked)
  }
}

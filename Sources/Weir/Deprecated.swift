// Former names, until 1.0.

public import SystemPackage

extension FileItem {
  /// Creates an item for a path.
  @available(*, deprecated, renamed: "init(_:note:isWalked:)")
  public init(path: FilePath, note: [UInt8] = [], isWalked: Bool = true) {
    self.init(path, note: note, isWalked: isWalked)
  }
}

/// The identity of a file to the system, whatever its name.
public struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// Makes the identity of the file with these numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

// By what a file is known again.

internal import Weir

/// What the system said of a file when it was found, and a number; it goes along
/// with the file as its note, and comes back from its look as its output.
struct DuplicatesStamp {
  let size: UInt64
  let inode: UInt64
  let device: UInt64
  let seconds: Int64
  let nanoseconds: Int32
  /// Which content of those that are compared it is.
  let number: UInt32

  init(_ status: FileStatus) {
    size = status.size
    inode = status.inode
    device = status.device
    seconds = status.modified.seconds
    nanoseconds = status.modified.nanoseconds
    number = 0
  }

  init(_ entry: DuplicatesTable.Entry, device: UInt64, number: UInt32) {
    size = entry.size
    inode = entry.inode
    self.device = device
    seconds = entry.seconds
    nanoseconds = entry.nanoseconds
    self.number = number
  }

  static var byteCount: Int { MemoryLayout<DuplicatesStamp>.size }

  /// The stamp that was stored as bytes; `nil` where they are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == DuplicatesStamp.byteCount else { return nil }
    self = bytes.loadUnaligned(as: DuplicatesStamp.self)
  }

  /// Whether that is the same file, with the same content as far as its size and time
  /// tell.
  func matches(_ status: FileStatus) -> Bool {
    status.type == .file && status.inode == inode && status.device == device
      && status.size == size && status.modified.seconds == seconds
      && status.modified.nanoseconds == nanoseconds
  }
}

// What an audit says.

public import SystemPackage
public import Weir

/// Something that an audit has to say. The pointers in it are lent.
public enum AuditEvent {
  /// The verdict on a line of a manifest. Those on files that are missing come
  /// behind all files that are new, since only then it is known that they have
  /// not moved.
  case line(CheckedLine)
  /// The file of a line, which is missing, stands under another name.
  case moved(CheckedLine, to: UnsafeRawBufferPointer)
  /// A file that no line names.
  case new(AuditedFile)
  /// A directory that could not be read, or a file that vanished meanwhile.
  case unreadable(AuditedFile)
  /// A FIFO, a socket or a device that no line names.
  case special(name: UnsafeRawBufferPointer, EntryType)
  /// A manifest is done with. All of them are, when all is said of files.
  case end(CheckedManifest)
  /// Nothing more is known at the moment: what was gathered can be written.
  case pause
}

/// Something that an audit has come upon in its walk.
public struct AuditedFile {
  /// Why it could not be read.
  public enum Trouble: Sendable {
    /// What was said of it.
    case failed(Errno)
    /// It changed while it was read.
    case changed
  }

  /// Its name, written as those of the manifest are.
  public let name: UnsafeRawBufferPointer
  /// Why it could not be read, where that was tried and failed.
  public let trouble: Trouble?
}

/// A file by what it is to the system, whatever its name.
public struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// The file with these numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

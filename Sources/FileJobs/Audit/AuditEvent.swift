public import Weir

/// An event of an audit.
public enum AuditEvent {
  /// The verdict on a line of a manifest. Verdicts on missing files follow all new files,
  /// because an audit knows only then that a missing file has not moved.
  case line(CheckedLine)
  /// The missing file of a line has another name now.
  case moved(CheckedLine, to: [UInt8])
  /// A file that no line names.
  case new(AuditedFile)
  /// A directory that could not be read, or a file that vanished meanwhile.
  case unreadable(AuditedFile)
  /// A FIFO, a socket or a device that no line names.
  case special(name: [UInt8], FileWalk.EntryType)
  /// The end of a manifest. The ends of all manifests follow all other events.
  case end(CheckedManifest)
  /// No further event is known at the moment, so buffered output can be written.
  case pause
}

/// A file or directory that an audit found in its walk.
public struct AuditedFile {
  /// The name, written in the same form as those of the manifest.
  public let name: [UInt8]
  /// The reason for which a read failed; `nil` if there was none, or if it succeeded.
  public let failure: FileFailure?
}

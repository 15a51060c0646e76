// What a name in a file system stands for.

internal import CWeir

/// What a name stands for.
///
/// The corresponding C type is `weir_entry_type_t`.
public enum EntryType: Sendable {
  /// Not known: it could not be looked at.
  case unknown
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A symbolic link, which is not followed.
  case symbolicLink
  /// A FIFO, also called a named pipe.
  case fifo
  /// A socket.
  case socket
  /// A device that is read as a stream of bytes, such as a terminal.
  case characterDevice
  /// A device that is read in blocks, such as a disk.
  case blockDevice

  init(_ type: weir_entry_type_t) {
    self =
      switch type {
      case WEIR_ENTRY_FILE: .file
      case WEIR_ENTRY_DIRECTORY: .directory
      case WEIR_ENTRY_SYMLINK: .symbolicLink
      case WEIR_ENTRY_FIFO: .fifo
      case WEIR_ENTRY_SOCKET: .socket
      case WEIR_ENTRY_CHARACTER_DEVICE: .characterDevice
      case WEIR_ENTRY_BLOCK_DEVICE: .blockDevice
      default: .unknown
      }
  }
}

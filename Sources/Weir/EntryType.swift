// What a name in a file system stands for.

internal import CWeir

/// What a name stands for.
///
/// The corresponding C type is `weir_entry_type_t`.
public enum EntryType: Sendable {
  case unknown, file, directory, symbolicLink, fifo, socket, characterDevice, blockDevice

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

// What a file processor delivers.

internal import CWeir
public import SystemPackage

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

/// What became of one file.
///
/// It points into the batch it came in: of use during the delivery alone.
///
/// The corresponding C type is `weir_file_result_t`.
public struct FileResult {
  /// How a file can end.
  public enum Outcome: Sendable {
    /// The job ran to its end.
    case done
    /// It, or a directory, could not be opened or read, or the job threw.
    case failed(Errno)
    /// A FIFO, a socket or a device, which was not opened.
    case special
  }

  private let result: weir_file_result_t

  init(_ result: weir_file_result_t) {
    self.result = result
  }

  /// The bytes of the path, without a NUL.
  public var path: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.path, count: result.path_length)
  }

  /// What became of it.
  public var outcome: Outcome {
    switch result.outcome {
    case WEIR_FILE_DONE: .done
    case WEIR_FILE_SPECIAL: .special
    default: .failed(Errno(rawValue: result.error))
    }
  }

  /// What it was, as far as known.
  public var type: EntryType { EntryType(result.type) }

  /// Whether it is one of the sources itself, not found in a walk.
  public var isNamed: Bool { result.named }

  /// How many bytes were read from it.
  public var bytesRead: UInt64 { result.bytes }

  /// What its job wrote.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.output, count: result.output_length)
  }
}

/// Files that are delivered together.
///
/// It exists during the delivery, and is lent.
///
/// The corresponding C type is `weir_files_batch_t`.
public struct FileBatch: ~Copyable {
  private let batch: weir_files_batch_t

  init(_ batch: weir_files_batch_t) {
    self.batch = batch
  }

  /// How many files.
  public var count: Int { batch.count }

  /// The result of one of them, in order.
  public subscript(index: Int) -> FileResult {
    guard index >= 0 && index < batch.count else {
      fatalError("file \(index) of a batch of \(batch.count) was asked for")
    }
    return FileResult(batch.results[index])
  }

  /// What the jobs wrote for all of them, one after the other: so it can go out
  /// in one write.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: batch.output, count: batch.output_length)
  }
}

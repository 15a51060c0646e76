// The result of a file, and the batch of results that is delivered at once. Both are valid
// during the delivery only.

internal import CWeir
public import SystemPackage

/// The result of one file.
///
/// It points into its batch and is valid during the delivery only.
///
/// The corresponding C type is `weir_file_result_t`.
public struct FileResult {
  /// The outcome of a file.
  ///
  /// The corresponding C type is `weir_file_outcome_t`.
  public enum Outcome: Sendable {
    /// The job ran to its end.
    case done
    /// The file or directory could not be opened or read, or the job threw the error.
    case failed(Errno)
    /// A FIFO, a socket or a device, which was not opened.
    case special
    /// No file, but a ``FileItem/note(_:)``.
    case noted
    /// The file was written to or truncated while it was read or, with
    /// `Errno.noSuchFileOrDirectory`, removed or replaced. The results of its job are dropped.
    case changed(Errno?)
    /// A directory of a walk, also a named one, before its content. Only with
    /// ``FileProcessorOptions/deliversWholeTree``.
    case directory
    /// A symbolic link that a walk found and did not follow; its output is its target. Only
    /// with ``FileProcessorOptions/deliversWholeTree``.
    case link
  }

  private let result: weir_file_result_t

  init(_ result: weir_file_result_t) {
    self.result = result
  }

  /// The bytes of the path, without a NUL.
  public var path: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.path, count: result.path_length)
  }

  /// The outcome of the file.
  public var outcome: Outcome {
    switch result.outcome {
    case WEIR_FILE_DONE: .done
    case WEIR_FILE_SPECIAL: .special
    case WEIR_FILE_NOTED: .noted
    case WEIR_FILE_CHANGED: .changed(result.error == 0 ? nil : Errno(rawValue: result.error))
    case WEIR_FILE_DIRECTORY: .directory
    case WEIR_FILE_LINK: .link
    default: .failed(Errno(rawValue: result.error))
    }
  }

  /// The type of the file, as far as known.
  public var type: EntryType { EntryType(result.type) }

  /// True if the file is a source itself; false if a walk found it.
  public var isNamed: Bool { result.named }

  /// The index of the source of the file: 0 for the first.
  public var source: Int { result.source }

  /// The number of bytes read from the file.
  public var bytesRead: UInt64 { result.bytes }

  /// The note of the file's item, or of the annotation closure; empty without a note. The
  /// first byte is aligned to 8.
  public var note: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.note, count: result.note_length)
  }

  /// The size of a regular file when its status was last read; 0 for other types, for a file
  /// that could not be opened, and if the status was not read.
  public var size: UInt64 { result.size }

  /// The output of the job. For a ``Outcome/link``, the target of the link, which is not part
  /// of ``FileBatch/output``.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.output, count: result.output_length)
  }
}

/// The results of files that are delivered together.
///
/// A batch exists during the delivery only, and cannot be copied.
///
/// The corresponding C type is `weir_files_batch_t`.
public struct FileBatch: ~Copyable {
  private let handle: UnsafePointer<weir_files_batch_t>

  private var batch: weir_files_batch_t { handle.pointee }

  init(_ handle: UnsafePointer<weir_files_batch_t>) {
    self.handle = handle
  }

  /// The number of files.
  public var count: Int { batch.count }

  /// Returns the result of one file. The results are in order of delivery.
  public subscript(index: Int) -> FileResult {
    guard index >= 0 && index < batch.count else {
      misuse("file \(index) of a batch of \(batch.count) was requested")
    }
    return FileResult(batch.results[index])
  }

  /// The output of all jobs in order, so that one write can pass it on.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: batch.output, count: batch.output_length)
  }

  /// Returns the value of the job of one file, in the box that carries it through C. The box
  /// belongs to the batch.
  func box(at index: Int) -> AnyObject? {
    weir_files_batch_value(handle, index).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

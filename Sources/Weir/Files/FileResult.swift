// What became of one file, during its delivery.

internal import CWeir
public import SystemPackage

/// What became of one file.
///
/// It points into the batch it came in: of use during the delivery alone.
///
/// The corresponding C type is `weir_file_result_t`.
public struct FileResult {
  /// How a file can end.
  ///
  /// The corresponding C type is `weir_file_outcome_t`.
  public enum Outcome: Sendable {
    /// The job ran to its end.
    case done
    /// It, or a directory, could not be opened or read, or the job threw.
    case failed(Errno)
    /// A FIFO, a socket or a device, which was not opened.
    case special
    /// No file: a ``FileItem/note(_:)``.
    case noted
    /// It was written to or cut short while it was read or, with
    /// `Errno.noSuchFileOrDirectory`, removed or replaced. What its job made of
    /// it is dropped.
    case changed(Errno?)
    /// A directory of a walk, before what is in it; also the one that was named.
    /// Under ``FileProcessorOptions/deliversWholeTree`` alone.
    case directory
    /// A symbolic link that a walk met and did not follow; its output is what
    /// stands in it. Under ``FileProcessorOptions/deliversWholeTree`` alone.
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

  /// What became of it.
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

  /// What it was, as far as known.
  public var type: EntryType { EntryType(result.type) }

  /// Whether it is one of the sources itself, not found in a walk.
  public var isNamed: Bool { result.named }

  /// Which of the run's sources it is, or came from: 0 for the first.
  public var source: Int { result.source }

  /// How many bytes were read from it.
  public var bytesRead: UInt64 { result.bytes }

  /// The note of the item that it is or was found below, or what annotated it;
  /// empty where there is none. The first byte is aligned to 8.
  public var note: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.note, count: result.note_length)
  }

  /// The size of a regular file when it was last looked at; 0 for anything else,
  /// and where it could not be opened, or nobody asked.
  public var size: UInt64 { result.size }

  /// What its job wrote; of a ``Outcome/link`` where it leads to, which is not
  /// among ``FileBatch/output``.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.output, count: result.output_length)
  }
}

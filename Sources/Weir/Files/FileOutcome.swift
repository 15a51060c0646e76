// The outcome of a file, with the value of its job.

public import SystemPackage

/// The outcome of a file: the value of its job, or the reason that there is none.
///
///     let sizes = try FileProcessor { file in file.size }
///     var total: Int64 = 0
///     for try await file in sizes.results(of: .tree("/srv")) {
///       switch file.outcome {
///       case .done(let size): total += size
///       case .failed(let error): print("\(file.path): \(error)")
///       case .changed: print("\(file.path): changed while it was read")
///       case .special, .noted, .directory, .link: break
///       }
///     }
///
/// The corresponding C type is `weir_file_outcome_t`.
public enum FileOutcome<Value: Sendable>: Sendable {
  /// The job returned the value.
  case done(Value)
  /// The file or directory could not be opened or read, or the job threw the error. An error of the
  /// system is an `Errno`.
  case failed(any Error)
  /// A FIFO, a socket or a device, which was not opened.
  case special
  /// No file, but a ``FileItem/note(_:)``.
  case noted
  /// The file was written to or truncated while it was read or, with
  /// `Errno.noSuchFileOrDirectory`, removed or replaced. The results of its job are dropped.
  case changed(Errno?)
  /// A directory of a walk, before its content. Only with
  /// ``FileProcessorOptions/deliversWholeTree``.
  case directory
  /// A symbolic link that a walk did not follow; its output is its target. Only with
  /// ``FileProcessorOptions/deliversWholeTree``.
  case link
}

extension FileOutcome<Void> {
  /// Returns the same outcome with a value if it is ``FileOutcome/done(_:)``.
  func with<New>(_ value: () -> New) -> FileOutcome<New> {
    switch self {
    case .done: .done(value())
    case .failed(let error): .failed(error)
    case .special: .special
    case .noted: .noted
    case .changed(let error): .changed(error)
    case .directory: .directory
    case .link: .link
    }
  }
}

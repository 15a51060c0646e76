/// The reason that a ``FileProcessor`` did not begin a run.
///
///     let sizes = try FileProcessor { file in file.size }
///     do {
///       for try await file in sizes.results(of: .tree("/srv")) { print(file.path) }
///     } catch FileProcessorError.runInProgress {
///       print("one run at a time")
///     }
///
/// Later versions may add reasons; compare with the ones you know.
///
/// There is no corresponding C type: C has `EBUSY`.
public struct FileProcessorError: Error, Hashable, Sendable {
  private enum Reason: Hashable, Sendable {
    case runInProgress
  }

  private let reason: Reason

  private init(_ reason: Reason) {
    self.reason = reason
  }

  /// Another run of the processor is in progress and was not cancelled.
  public static var runInProgress: FileProcessorError { FileProcessorError(.runInProgress) }
}

extension FileProcessorError {
  /// Returns a Boolean value that indicates whether an error is this reason. It lets `catch
  /// FileProcessorError.runInProgress` match an `any Error`.
  ///
  /// There is no corresponding C function.
  @_disfavoredOverload
  public static func ~= (reason: FileProcessorError, error: any Error) -> Bool {
    error as? FileProcessorError == reason
  }
}

extension FileProcessorError: CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  public var description: String {
    switch reason {
    case .runInProgress:
      """
      another run of this file processor is in progress; wait for its end, or create a \
      processor for each of the runs
      """
    }
  }
}

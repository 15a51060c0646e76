/// The reason that a ``FileProcessor`` did not begin a run.
///
/// There is no corresponding C type: C has `EBUSY`.
public enum FileProcessorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another run of the processor is in progress and was not cancelled.
  case runInProgress

  /// The reason, as a sentence without a full stop.
  public var description: String {
    """
    another run of this file processor is in progress; wait for its end, or create a processor \
    for each of the runs
    """
  }
}

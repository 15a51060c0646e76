// The state of a download.

/// The state of a download.
public enum TaskState: Sendable, Equatable {
  case pending
  /// With the percentage that is done.
  case inProgress(Int)
  case completed

  /// The percentages that a download comes by. It stays at each for a while.
  public static let percentages = [5, 20, 40, 60, 80]

  /// All states of a download that goes well, in order.
  public static let all = [.pending] + percentages.map(TaskState.inProgress) + [.completed]

  /// Returns the text of a row in this state.
  public func text(of identifier: Int) -> String {
    switch self {
    case .pending: "Pending #\(identifier)"
    case .inProgress: "Downloading #\(identifier)"
    case .completed: "Completed #\(identifier)"
    }
  }

  /// The percentage of the progress bar; `nil` before and after, when it is hidden.
  public var percentage: Int? {
    guard case .inProgress(let percentage) = self else { return nil }
    return percentage
  }
}

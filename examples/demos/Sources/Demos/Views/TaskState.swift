// The states of a download.

/// The state of a download.
enum TaskState: Sendable, Equatable {
  case pending
  /// With the percentage that is done.
  case inProgress(Int)

  /// The percentages at which a download stays for a while.
  static let percentages = [5, 20, 40, 60, 80]

  /// Returns the state that a row of the downloads takes with an event, before the download is
  /// completed.
  init?(_ event: TraceLog.Event) {
    switch event.label {
    case "pending": self = .pending
    case "progress": self = .inProgress(event.value)
    default: return nil
    }
  }

  /// Returns the text of a row in this state.
  func text(of identifier: Int) -> String {
    switch self {
    case .pending: "Pending #\(identifier)"
    case .inProgress(let percentage): "Downloading #\(identifier) \(percentage) %"
    }
  }
}

// The lists on the screen of the downloads.

/// The state of a download.
enum TaskState: Sendable, Equatable {
  case pending
  /// With the percentage that is done.
  case inProgress(Int)
  case completed

  /// The percentages at which a download stays for a while.
  static let percentages = [5, 20, 40, 60, 80]

  /// Returns the text of a row in this state.
  func text(of identifier: Int) -> String {
    switch self {
    case .pending: "Pending #\(identifier)"
    case .inProgress: "Downloading #\(identifier)"
    case .completed: "Completed #\(identifier)"
    }
  }

  /// The percentage of the progress bar; `nil` before and after, when it is hidden.
  var percentage: Int? {
    guard case .inProgress(let percentage) = self else { return nil }
    return percentage
  }
}

/// The rows of both lists.
struct Lists: Sendable {
  /// A row of either list.
  struct Row: Sendable {
    let id: Int
    var state = TaskState.pending
    var text: String { state.text(of: id) }
  }

  /// The tasks that have not been completed, by identifier.
  var downloads: [Row] = []
  /// The newest first.
  private(set) var completed: [Row] = []

  var isEmpty: Bool { downloads.isEmpty && completed.isEmpty }
  var downloadsTitle: String { "Download Queue (\(downloads.count))" }
  var completedTitle: String { "Completed (\(completed.count))" }

  mutating func show(_ state: TaskState, of id: Int) {
    guard let index = downloads.firstIndex(where: { $0.id == id }) else { return }
    downloads[index].state = state
    if state == .completed { completed.insert(downloads.remove(at: index), at: 0) }
  }
}

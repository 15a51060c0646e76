// What the screen of downloads shows.

/// The rows of both lists.
public struct Lists: Sendable, Equatable {
  /// A row of either list.
  public struct Row: Sendable, Equatable {
    /// The task's identifier.
    public let id: Int
    /// The state of the task.
    public var state: TaskState
    /// The text of the row.
    public var text: String { state.text(of: id) }
  }

  /// The tasks that have not been completed, by identifier.
  public internal(set) var downloads: [Row] = []
  /// The newest first.
  public internal(set) var completed: [Row] = []
  /// True if Start, the sliders and the switch can be used.
  public internal(set) var areControlsEnabled = true
  /// The number of calls with a new state.
  public internal(set) var handlerCalls = 0
  /// The number of these calls that were on the main queue.
  public internal(set) var handlerCallsOnMain = 0

  init() {}

  init(downloads: [Row]) {
    self.downloads = downloads
    areControlsEnabled = false
  }

  /// True if no task is in either list.
  public var isEmpty: Bool { downloads.isEmpty && completed.isEmpty }
  /// The title of the upper list.
  public var downloadsTitle: String { "Download Queue (\(downloads.count))" }
  /// The title of the lower list.
  public var completedTitle: String { "Completed (\(completed.count))" }

  mutating func show(_ state: TaskState, of id: Int) {
    guard let index = downloads.firstIndex(where: { $0.id == id }) else { return }
    downloads[index].state = state
    if state == .completed {
      completed.insert(downloads.remove(at: index), at: 0)
    }
  }
}

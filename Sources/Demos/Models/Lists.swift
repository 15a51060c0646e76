// What the screen of downloads shows.

/// The rows of both lists.
public struct Lists: Sendable, Equatable {
  /// A row of either list.
  public struct Row: Sendable, Equatable {
    /// The task's identifier.
    public let id: Int
    /// How far it has come.
    public var state: TaskState
    /// What the row says.
    public var text: String { state.text(of: id) }
    /// One of twenty; there is none before the download begins.
    public var picture: Picture? { state == .pending ? nil : Picture(id: id % 20) }
  }

  /// What has not been completed, by identifier.
  public internal(set) var downloads: [Row] = []
  /// The newest first.
  public internal(set) var completed: [Row] = []
  /// Whether Start, the sliders and the switch can be used.
  public internal(set) var areControlsEnabled = true
  /// How often a task has told its state, and how often on the main queue.
  public internal(set) var handlerCalls = 0
  /// How many of these calls were on the main queue.
  public internal(set) var handlerCallsOnMain = 0

  init() {}

  init(downloads: [Row]) {
    self.downloads = downloads
    areControlsEnabled = false
  }

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

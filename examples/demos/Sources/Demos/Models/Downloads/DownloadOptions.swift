// The options of the download tutorial's sliders and switch.

/// The number of downloads, their limit, and their times.
public struct DownloadOptions: Sendable, Equatable {
  /// A call that a task leaves out, for the learner to see.
  public enum Forgotten: String, Sendable, CaseIterable {
    case none
    case signal
    case leave
  }

  /// The range of the slider of tasks.
  public static let taskRange = 2...20
  /// The range of the slider of tasks that run at once.
  public static let limitRange = 2...10

  /// The number of tasks.
  public var tasks = 15
  /// The maximum number of tasks that run at once.
  public var limit = 5
  /// True if a step takes 1 to 3 seconds, false if it takes 1.
  public var isRandomized = false
  /// The seed of the random times.
  public var seed: UInt64 = 42
  /// The call that each task leaves out.
  public var forgotten = Forgotten.none
  /// True if a thread waits for the group, and no notification is asked for.
  public var waitsSynchronously = false
  /// The speed of the seconds.
  public var pace = Pace(speed: 20)

  /// Creates the options at which the sliders begin.
  public init() {}

  /// A sentence on an option that is out of range; `nil` if there is none.
  public var complaint: String? {
    if !Self.taskRange.contains(tasks) {
      return "There can be 2 to 20 tasks, not \(tasks)."
    }
    if !Self.limitRange.contains(limit) {
      return "2 to 10 tasks can run at once, not \(limit)."
    }
    if !(pace.speed > 0 && pace.speed <= 1000) {
      return "The speed is above 0 and at most 1000."
    }
    return nil
  }

  /// Returns the seconds of each step of each task, at speed 1.
  public func seconds() -> [[Double]] {
    var random = SeededGenerator(seed: seed)
    return (0..<tasks).map { _ in
      TaskState.percentages.map { _ in
        isRandomized ? Double(Int.random(in: 1...3, using: &random)) : 1
      }
    }
  }

  /// The lower bound of the time of a run, in seconds: all work spread over the limit, or the
  /// longest task.
  public var shortest: Double {
    let tasks = seconds().map { $0.reduce(0, +) }
    return max(tasks.reduce(0, +) / Double(limit), tasks.max() ?? 0) / pace.speed
  }
}

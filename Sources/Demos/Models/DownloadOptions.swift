// What the sliders and the switch of the download tutorial set.

/// How many downloads, how many at once, and how long they take.
public struct DownloadOptions: Sendable, Equatable {
  /// The ends of the slider of tasks.
  public static let taskRange = 2...20
  /// The ends of the slider of tasks that run at once.
  public static let limitRange = 2...10

  /// How many tasks there are.
  public var tasks = 15
  /// How many may run at once.
  public var limit = 5
  /// Whether a step takes 1 to 3 seconds; else each takes 1.
  public var isRandomized = false
  /// The random times are the same for the same seed.
  public var seed: UInt64 = 42
  /// How fast the seconds pass.
  public var pace = Pace(speed: 20)

  /// What the sliders are at to begin with.
  public init() {}

  /// What is wrong with them, in a sentence.
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

  /// How many seconds each step of each task takes, at speed 1.
  public func seconds() -> [[Double]] {
    var random = SeededGenerator(seed: seed)
    return (0..<tasks).map { _ in
      TaskState.percentages.map { _ in
        isRandomized ? Double(Int.random(in: 1...3, using: &random)) : 1
      }
    }
  }

  /// No schedule is shorter, in seconds here: all work spread over the limit,
  /// or the longest task.
  public var shortest: Double {
    let tasks = seconds().map { $0.reduce(0, +) }
    return max(tasks.reduce(0, +) / Double(limit), tasks.max() ?? 0) / pace.speed
  }
}

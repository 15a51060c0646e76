// The levels of the game: the threads, the goal, and the words about them.

/// A level: a few threads, and a goal that only some schedules reach.
public struct ScheduleLevel: Sendable {
  /// The number on the command line, from 1.
  public let number: Int
  /// The title.
  public let title: String
  /// The goal in a sentence.
  public let goal: String
  /// A hint that does not give the schedule away.
  public let hint: String
  /// The sentence after the goal is reached.
  public let lesson: String
  /// The name of the pitfall that shows the same for real.
  public let pitfall: String
  /// The threads, in the order of their numbers.
  public let threads: [ScheduleThread]
  let permits: Int
  let counter: Int
  private let condition: @Sendable (ScheduleLevel, ScheduleState) -> Bool
  private let shown: @Sendable (ScheduleLevel, ScheduleState) -> [ScheduleValue]

  init(
    _ number: Int, _ title: String, goal: String, hint: String, lesson: String, pitfall: String,
    permits: Int = 0, counter: Int = 0, _ threads: [ScheduleThread],
    isReached: @escaping @Sendable (ScheduleLevel, ScheduleState) -> Bool,
    values: @escaping @Sendable (ScheduleLevel, ScheduleState) -> [ScheduleValue]
  ) {
    self.number = number
    self.title = title
    self.goal = goal
    self.hint = hint
    self.lesson = lesson
    self.pitfall = pitfall
    self.permits = permits
    self.counter = counter
    self.threads = threads
    condition = isReached
    shown = values
  }

  /// Returns true if a state is the goal.
  public func isReached(_ state: ScheduleState) -> Bool { condition(self, state) }

  /// Returns the shared values of a state, as far as they matter to the level.
  public func values(in state: ScheduleState) -> [ScheduleValue] { shown(self, state) }

  /// All levels, the simplest first.
  public static let all = [deadlock, lostLimit, sameNumber, unordered, silentGroup, earlyRelease]
}

/// A shared value with its name.
public struct ScheduleValue: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The value as text.
  public let value: String

  init(_ name: String, _ value: some CustomStringConvertible) {
    self.name = name
    self.value = value.description
  }
}

private let deadlock = ScheduleLevel(
  1, "Deadlock the main queue",
  goal: "Make the main queue wait forever.",
  hint: "The permit comes back in a block on the main queue. Let the task take the permit first, "
    + "and the button ask for it while the task still works.",
  lesson: "The main queue waits for a permit, and the block that returns it is queued on the main "
    + "queue.",
  pitfall: "wait-on-main", permits: 1,
  [
    ScheduleThread(
      "Main queue: button", "The button", onMainQueue: true,
      [
        ScheduleLine("permits.wait()", .wait),
        ScheduleLine("showDetails()"),
        ScheduleLine("permits.signal()", .signal),
      ]),
    ScheduleThread(
      "Worker: task", "The task",
      [
        ScheduleLine("permits.wait()", .wait),
        ScheduleLine("download()"),
        ScheduleLine("DispatchQueue.main.async { block 3 }", .submit(2)),
      ]),
    ScheduleThread(
      "Main queue: block 3", "Block 3", onMainQueue: true, submittedLater: true,
      [
        ScheduleLine("showImage()"),
        ScheduleLine("permits.signal()", .signal),
      ]),
  ],
  isReached: { level, state in
    level.choices(in: state).isEmpty && level.condition(of: 0, in: state) == .waiting
  },
  values: { level, state in
    let isBusy = level.isMainQueueBusy(in: state)
    return [
      ScheduleValue("permits", state.permits),
      ScheduleValue("main queue", isBusy ? "busy" : "free"),
    ]
  })

private func limitedTask(_ number: Int) -> ScheduleThread {
  ScheduleThread(
    "Task \(number)", "Task \(number)",
    [
      ScheduleLine("_ = permits.wait(timeout: .now() + 5)", .waitWithTimeout),
      ScheduleLine("download(\(number))"),
      ScheduleLine("permits.signal()", .signal),
    ])
}

private let lostLimit = ScheduleLevel(
  2, "Lose the limit after a time-out",
  goal: "One download at a time is the limit. Make two permits free.",
  hint: "A wait that times out takes no permit, and its task signals all the same. Let one task "
    + "wait while the other downloads, and step it again: its time is over.",
  lesson: "A task whose wait timed out returned a permit that it never had. From now on two "
    + "downloads run at once, for good.",
  pitfall: "signal-after-timeout", permits: 1, [limitedTask(1), limitedTask(2)],
  isReached: { _, state in state.permits > 1 },
  values: { level, state in
    [ScheduleValue("permits", state.permits), ScheduleValue("limit", level.permits)]
  })

private func countingTask(_ name: String) -> ScheduleThread {
  ScheduleThread(
    "Task \(name)", "Task \(name)",
    [
      ScheduleLine("var new = counter    // counter += 1", .load),
      ScheduleLine("new = new + 1        // in three", .add),
      ScheduleLine("counter = new        // steps", .store),
      ScheduleLine("print(\"START\", counter)", .print),
    ])
}

private let sameNumber = ScheduleLevel(
  3, "Both see 4",
  goal: "The counter is 3. Make both tasks print START 4.",
  hint: "counter += 1 is three steps. Let both tasks load the counter before either stores it.",
  lesson: "Both tasks loaded 3 and stored 4: one addition is lost, and two tasks have the same "
    + "number.",
  pitfall: "counter-race", counter: 3, [countingTask("A"), countingTask("B")],
  isReached: { _, state in state.printed == [4, 4] },
  values: { level, state in
    [ScheduleValue("counter", state.counter)]
      + level.threads.indices.flatMap { thread -> [ScheduleValue] in
        let letter = thread == 0 ? "A" : "B"
        let printed = state.printed[thread]
        return [
          ScheduleValue(
            "new of \(letter)", state.positions[thread] == 0 ? "-" : "\(state.variables[thread])"),
          ScheduleValue("\(letter) printed", printed == 0 ? "-" : "START \(printed)"),
        ]
      }
  })

private func fetchingTask(_ number: Int) -> ScheduleThread {
  ScheduleThread(
    "Child task \(number)", "Child task \(number)",
    [
      ScheduleLine("let image = fetch(\(number))"),
      ScheduleLine("images.append(image)", .append(number)),
    ])
}

private let unordered = ScheduleLevel(
  4, "An unordered list",
  goal: "Fill the list in the order 3, 1, 2.",
  hint: "Results are appended as they complete. Which task has to complete first?",
  lesson: "The list has the order of completion, which is not the order of the tasks.",
  pitfall: "unordered-results", [fetchingTask(1), fetchingTask(2), fetchingTask(3)],
  isReached: { _, state in state.list == [3, 1, 2] },
  values: { _, state in
    let list = state.list.map(String.init).joined(separator: ", ")
    return [ScheduleValue("images", list.isEmpty ? "empty" : list)]
  })

private let silentGroup = ScheduleLevel(
  5, "A group that never notifies",
  goal: "Let all tasks end, and the group keep an entry: block 3 never runs.",
  hint: "One way out of the task has no leave. Set isCancelled before the task looks at it.",
  lesson: "The task returned early and did not leave. The group is never empty, and nothing "
    + "reports it.",
  pitfall: "missing-leave",
  [
    ScheduleThread(
      "Main queue: start, cancel", "The main queue", onMainQueue: true,
      [
        ScheduleLine("group.enter()", .enter),
        ScheduleLine("queue.async { task 2 }", .submit(1)),
        ScheduleLine("group.notify(queue: .main) { block 3 }", .notify(2)),
        ScheduleLine("isCancelled = true", .cancel),
      ]),
    ScheduleThread(
      "Worker: task", "The task", submittedLater: true,
      [
        ScheduleLine("if isCancelled { return }", .returnIfCancelled),
        ScheduleLine("download()"),
        ScheduleLine("group.leave()", .leave),
      ]),
    ScheduleThread(
      "Main queue: block 3", "Block 3", onMainQueue: true, submittedLater: true,
      [ScheduleLine("showAlert(\"All done\")")]),
  ],
  isReached: { level, state in
    level.choices(in: state).isEmpty && state.entries > 0
  },
  values: { _, state in
    [
      ScheduleValue("entries of the group", state.entries),
      ScheduleValue("isCancelled", state.isCancelled),
    ]
  })

private func servedTask(_ number: Int) -> ScheduleThread {
  ScheduleThread(
    "Task \(number)", "Task \(number)",
    [
      ScheduleLine("service?.permits.wait()", .wait),
      ScheduleLine("download(\(number))"),
      ScheduleLine("service?.permits.signal()", .signal),
    ])
}

private let earlyRelease = ScheduleLevel(
  6, "A release too early",
  goal: "Make the release of the semaphore trap.",
  hint: "A semaphore that was created with 2 permits must have 2 when it is released. Close the "
    + "screen while a task has one.",
  lesson: "The semaphore had fewer permits than at its creation, so libdispatch took it for one in "
    + "use. On Linux it prints no reason.",
  pitfall: "semaphore-released", permits: 2,
  [
    ScheduleThread(
      "Main queue: close screen", "The main queue", onMainQueue: true,
      [
        ScheduleLine("hideScreen()"),
        ScheduleLine("service = nil        // releases permits", .release),
      ]),
    servedTask(1), servedTask(2),
  ],
  isReached: { _, state in state.hasTrapped },
  values: { level, state in
    [
      ScheduleValue("permits", state.isReleased ? "released" : "\(state.permits)"),
      ScheduleValue("created with", level.permits),
    ]
  })

// The demo of the download tutorial: a group, a semaphore, and two lists.

internal import Weir

extension Demo {
  static let downloads = Demo(
    name: "downloads",
    abstract: "A group of downloads of which only some may run at once.",
    speed: 2,
    knobs: [
      .number("tasks", 2...20, 15, "Number of downloads"),
      .number("max", 2...10, 5, "Number of downloads that run at once"),
      .flag("randomize", "Let each of the five steps take one to three times as long"),
      .seconds("step", 0.01...10, 1, "Time of a step"),
      .choice(
        "form", ["lanes", "article", "gate", "operations"],
        "Run them on Weir's lanes, as the tutorial does (a semaphore in each block), as tasks at a"
          + " gate, or as operations of Foundation"),
      .choice("forget", ["none", "signal", "leave"], "Call that each task leaves out"),
      .seed,
    ],
    questions: [
      Question("peak", "How many downloads run at once, at most?", .count),
      Question("seconds", "How many seconds until the alert?", .seconds),
    ],
    complaint: { values in
      if values["forget"] == "signal" && ["lanes", "operations"].contains(values["form"]) {
        return "--forget signal needs a semaphore or a gate; use --form article or --form gate"
      }
      return nil
    },
    usesPool: { ["article", "operations"].contains($0["form"]) },
    introduction: { values in
      let plan = DownloadPlan(values)
      let queue = values["form"] == "article" ? " A concurrent queue, qos userInitiated." : ""
      return "\(plan.tasks) downloads of 5 steps, at most \(plan.limit) at once, "
        + "\(plan.time) a step.\(queue)"
    },
    start: { values, machine, finish in
      DownloadRun(DownloadPlan(values), machine).start(finish)
    },
    findings: { values, run in DownloadPlan(values).findings(run) },
    code: { DownloadPlan($0).code })
}

private struct DownloadPlan: Sendable {
  let values: KnobValues
  init(_ values: KnobValues) { self.values = values }

  var form: String { values["form"] }
  var tasks: Int { values.int("tasks") }
  var limit: Int { values.int("max") }
  var isRandomized: Bool { values.isGiven("randomize") }
  /// The seconds of a step.
  var step: Double { values.seconds("step") ?? 1 }
  /// The call that each task leaves out: `signal`, `leave` or `none`.
  var forgotten: String { values["forget"] }

  /// The time of a step in words.
  var time: String {
    func number(_ seconds: Double) -> Substring {
      seconds == seconds.rounded() ? "\(Int(seconds))" : text(seconds: seconds).dropLast(2)
    }
    return (isRandomized ? "\(number(step)) to \(number(3 * step))" : "\(number(step))") + " s"
  }
}

/// The percentages at which a download stays for a while.
private let percentages = [5, 20, 40, 60, 80]

/// The tasks of the tutorial, and its screen without a screen: two lists, controls that are disabled
/// meanwhile, and the alert at the end.
///
/// The tutorial's task calls its handler in the block, and the handler hops to the main queue and
/// reads the state there, which may have moved on. Here the task hops and passes the state along:
/// no state is missed or seen twice.
private final class DownloadRun: Sendable {
  private let plan: DownloadPlan
  private let machine: any Machine
  private let main: TracedQueue
  private let group: TracedGroup

  init(_ plan: DownloadPlan, _ machine: any Machine) {
    self.plan = plan
    self.machine = machine
    main = TracedQueue(mainOf: machine)
    group = TracedGroup(machine, label: "group")
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    main.async {
      note("controls disabled")
      for id in 1...self.plan.tasks { note("pending", id) }
    }
    var random = SeededGenerator(seed: plan.values.seed)
    let seconds = (0..<plan.tasks).map { _ in
      percentages.map { _ in
        plan.step * (plan.isRandomized ? Double(Int.random(in: 1...3, using: &random)) : 1)
      }
    }
    startTasks(seconds)
    group.notify(on: main) { self.close(finish) }
  }

  /// - Parameter seconds: The time of each of the five steps of each task.
  private func startTasks(_ seconds: [[Double]]) {
    if plan.form == "gate" { return startAtGate(seconds) }
    if plan.form == "article" { return startArticle(seconds) }
    let kind =
      plan.form == "operations" ? QueueKind.operations(plan.limit) : .lanes(plan.limit)
    let queue = TracedQueue(machine, label: "downloads", kind)
    for (id, seconds) in zip(1..., seconds) {
      group.enter()
      queue.async {
        self.download(id, seconds)
      } afterwards: {
        if self.plan.forgotten != "leave" { self.group.leave() }
      }
    }
  }

  /// Starts the tutorial's tasks: its calls, in its order.
  private func startArticle(_ seconds: [[Double]]) {
    let queue = TracedQueue(machine, label: "downloads", .concurrent, quality: .userInitiated)
    let semaphore = TracedSemaphore(machine, label: "semaphore", permits: plan.limit)
    for (id, seconds) in zip(1..., seconds) {
      queue.async(group: group) {
        self.group.enter()
        semaphore.wait()
        self.download(id, seconds)
        if self.plan.forgotten != "leave" { self.group.leave() }
        if self.plan.forgotten != "signal" { semaphore.signal() }
      }
    }
  }

  private func download(_ id: Int, _ seconds: [Double]) {
    note("START", id)
    for (percentage, seconds) in zip(percentages, seconds) {
      show("progress", id, percentage)
      machine.sleep(seconds)
    }
    end(id)
  }

  /// Starts Swift tasks that wait at a gate, and occupy no thread while they wait.
  private func startAtGate(_ seconds: [[Double]]) {
    let gate = Gate(label: "gate", permits: plan.limit)
    note(permits: plan.limit, of: "gate")
    let tasks = TracedTasks(label: "downloads")
    for (id, seconds) in zip(1..., seconds) {
      group.enter()
      tasks.submit(id)
      machine.task {
        await tasks.run(id) {
          guard let permit = try? await gate.acquire().owned() else { return }
          TracedTasks.resume()
          note("START", id)
          for (percentage, seconds) in zip(percentages, seconds) {
            self.show("progress", id, percentage)
            try? await self.machine.pause(seconds)
          }
          self.end(id)
          if self.plan.forgotten == "signal" {
            _ = Unmanaged.passRetained(permit)  // nobody returns it
          } else {
            permit.release()
          }
        }
        if self.plan.forgotten != "leave" { self.group.leave() }
      }
    }
  }

  private func end(_ id: Int) {
    note("END", id)
    show("completed", id)
  }

  /// Changes the row of a task, on the main queue.
  private func show(_ change: String, _ id: Int, _ percentage: Int = 0) {
    main.async { note(change, id, value: percentage) }
  }

  /// Shows the alert, on the main queue, after the changes that the tasks have sent there.
  private func close(_ finish: @Sendable () -> Void) {
    note(
      "alert: All Download tasks has been completed 😋😋😋", value: machine.isOnMainQueue ? 1 : 0)
    note("controls enabled")
    finish()
  }
}

// MARK: - The findings

extension DownloadPlan {
  func findings(_ run: DemoRun) -> Findings {
    let log = run.log
    let (peak, ended) = (log.peak(), log.numbers("END").count)
    let alert = log.notes("alert").last
    let lastCompletion = log.notes("completed").last?.time ?? .max
    let total = alert.map { Double($0.time) / 1e9 }
    var checks = [
      ("never more than \(limit) at once", peak <= limit),
      ("each START before its END", log.areInOrder(allowsOpen: run.isStuck)),
    ]
    if forgotten == "none" && !run.isStuck {
      checks += [
        ("each row passes its five steps in order", passesSteps(log)),
        ("the alert after the last completion", alert.map { $0.time > lastCompletion } ?? false),
        ("the alert on the main queue", alert?.value == 1),
        ("each enter has its leave", log.isBalanced),
      ]
    }
    let reached =
      peak == limit ? "peak \(peak) = limit \(limit)" : "peak \(peak) of a limit of \(limit)"
    let end: String
    if let total {
      end = "the alert after \(text(seconds: total))"
    } else if forgotten != "none" {
      end = "and the alert never came: a \(forgotten) is missing"
    } else {
      end = "and no alert before the time limit"
    }
    return Findings(
      answers: [Double(peak), total], checks: checks,
      verdict: "\(reached), \(ended) of \(tasks) completed, \(end).", next: advice(peak))
  }

  private func passesSteps(_ log: TraceLog) -> Bool {
    (1...tasks).allSatisfy { id in
      log.notes("progress").filter { $0.task == id }.map(\.value) == percentages
        && log.numbers("completed").count { $0 == id } == 1
    }
  }

  private func advice(_ peak: Int) -> String {
    if forgotten != "none" {
      return "Each wait needs its signal and each enter its leave: run without --forget."
    }
    if ["article", "operations"].contains(form) && peak < limit {
      return "The pool had fewer threads than the limit: try --form lanes."
    }
    return form == "article"
      ? "Try --form lanes, and compare the threads."
      : "Try --form article --max 10: blocks that wait or sleep hold the threads of the pool."
  }
}

// MARK: - The code

extension DownloadPlan {
  var code: [Listing] {
    let time = "\(time) each"
    let (shortest, longest) = (Int(step * 1e6), Int(step * 3e6))
    let sleep =
      isRandomized ? "usleep(.random(in: \(shortest)...\(longest)))" : "usleep(\(shortest))"
    let signal = only(
      forgotten != "signal",
      "semaphore.signal()  // on the thread that waited, as any other @signal")
    let leave = only(forgotten != "leave", "group.leave() @leave")
    let end = "group.notify(queue: .main) { showAlert() } @notify"
    switch form {
    case "article":
      return [
        Listing(
          "a semaphore in the block",
          """
          let queue = DispatchQueue(label: "downloads", qos: .userInitiated, attributes: .concurrent)
          let group = DispatchGroup()
          let semaphore = DispatchSemaphore(value: \(limit))
          for task in 1...\(tasks) {
            queue.async(group: group) {  // enters the group, and leaves it at its end @submit:downloads
              // Mistake: counts the task twice. Without async(group:) it would be too late here.
              group.enter() @enter
              // Mistake: a block that waits keeps its thread, and the pool has few.
              semaphore.wait() @wait:downloads
              download(task)  // 5 steps, \(time) @run:downloads
              \(leave)
              // Mistake: signal and leave belong into a defer, which an early return cannot skip.
              \(signal)
            }
          }
          \(end)
          """),
        Listing(
          "a task of the list",
          """
          final class DownloadTask {
            let identifier: String
            let stateUpdateHandler: (DownloadTask) -> Void
            var progress = 0
            var state = TaskState.pending { didSet { stateUpdateHandler(self) } }

            init(identifier: String, stateUpdateHandler: @escaping (DownloadTask) -> Void) {
              self.identifier = identifier
              self.stateUpdateHandler = stateUpdateHandler
            }

            func startTask(queue: DispatchQueue, group: DispatchGroup, semaphore: DispatchSemaphore) {
              queue.async(group: group) { [weak self] in  // does not keep the task alive @submit:downloads
                group.enter() @enter
                semaphore.wait() @wait:downloads
                for percent in [5, 20, 40, 60, 80] {
                  self?.state = .inProgress(percent)
                  self?.startSleep() @run:downloads
                }
                self?.state = .completed
                \(leave)
                \(signal)
              }
            }

            func startSleep() { \(sleep) }
          }

          final class DownloadList {
            var downloadTasks: [DownloadTask] = []
            var completedTasks: [DownloadTask] = []

            // The handler: to the main queue, where the row is found by its identifier and redrawn.
            func stateDidUpdate(_ task: DownloadTask) {
              DispatchQueue.main.async { [unowned self] in  // traps if the list is gone
                let index = downloadTasks.firstIndex(where: { $0.identifier == task.identifier })
                guard let index else { return }
                if case .completed = task.state {
                  completedTasks.insert(downloadTasks.remove(at: index), at: 0)
                }
              }
            }
          }
          """),
      ]
    case "gate":
      return [
        Listing(
          "tasks at a gate",
          """
          let gate = Gate(label: "gate", permits: \(limit))
          let group = DispatchGroup()
          for task in 1...\(tasks) {
            group.enter() @enter
            Task { @submit:downloads
              let permit = try await gate.acquire().owned() @wait:downloads
              try await downloadSuspending(task)  // 5 steps, \(time) @run:downloads
              \(forgotten == "signal" ? "forever.append(permit)  // nobody returns it" : "permit.release() @signal")
              \(leave)
            }
          }
          \(end)
          """)
      ]
    default:
      let isOperations = form == "operations"
      return [
        Listing(
          isOperations ? "a limit of operations" : "lanes are the limit",
          """
          \(only(isOperations, "import Foundation"))
          \(only(isOperations, "let queue = OperationQueue()"))
          \(only(isOperations, "queue.maxConcurrentOperationCount = \(limit)"))
          \(only(!isOperations, "let lanes = Lanes(label: \"downloads\", width: \(limit))"))
          let group = DispatchGroup()
          for task in 1...\(tasks) {
            group.enter() @enter
            \(isOperations ? "queue.addOperation" : "lanes.async") { @submit:downloads
              download(task)  // 5 steps, \(time) @run:downloads
              \(leave)
            }
          }
          \(end)
          """)
      ]
    }
  }
}

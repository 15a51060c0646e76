// The demo of the download tutorial: a group, a semaphore, and two lists.

extension Demo {
  static let downloads = Demo(
    name: "downloads",
    abstract: "A group of downloads of which only some may run at once.",
    speed: 4,
    knobs: [
      .number("tasks", DownloadOptions.taskRange, 15, "Number of downloads"),
      .number("max", DownloadOptions.limitRange, 5, "Number of downloads that run at once"),
      .flag("randomize", "Let each of the five steps take 1 to 3 s instead of 1 s"),
      .choice(
        "form", ["lanes", "article", "gate"],
        "Run them on Weir's lanes, as the tutorial does (a semaphore in each block), or as tasks"
          + " at a gate"),
      .flag("wait", "Wait for the group on a thread instead of being notified"),
      .choice("forget", ["none", "signal", "leave"], "Call that each task leaves out"),
      .seed,
    ],
    questions: [
      Question("peak", "How many downloads run at once, at most?", .count),
      Question("seconds", "How many seconds until the alert?", .seconds),
    ],
    complaint: { values in
      if values["forget"] == "signal" && values["form"] == "lanes" {
        return "--forget signal needs a semaphore or a gate; use --form article or --form gate"
      }
      return nil
    },
    usesPool: { $0["form"] == "article" },
    introduction: { values in
      let options = DownloadOptions(values)
      let queue = values["form"] == "article" ? " A concurrent queue, qos userInitiated." : ""
      return "\(options.tasks) downloads of 5 steps, at most \(options.limit) at once, "
        + "\(options.isRandomized ? "1 to 3 s" : "1 s") a step.\(queue)"
    },
    start: { values, machine, finish in
      let list = JobList(DownloadOptions(values), on: machine)
      list.start(JobList.Form(rawValue: values["form"]) ?? .lanes) {
        _ = list
        finish()
      }
    },
    findings: { values, run in downloadFindings(DownloadOptions(values), values, run) },
    code: { downloadCode(DownloadOptions($0), $0["form"]) })
}

extension DownloadOptions {
  fileprivate init(_ values: KnobValues) {
    self.init()
    tasks = values.int("tasks")
    limit = values.int("max")
    isRandomized = values.isGiven("randomize")
    seed = values.seed
    forgotten = Forgotten(rawValue: values["forget"]) ?? .none
    waitsSynchronously = values.isGiven("wait")
    pace = Pace(speed: 1)
  }
}

private func downloadFindings(
  _ options: DownloadOptions, _ values: KnobValues, _ run: DemoRun
) -> Findings {
  let log = run.log
  let (peak, ended) = (log.peak(), log.numbers("END").count)
  let alert = log.notes("alert").last
  let lastCompletion = log.notes("completed").last?.time ?? .max
  let total = alert.map { Double($0.time) / 1e9 }
  var checks = [
    ("never more than \(options.limit) at once", peak <= options.limit),
    ("each START before its END", log.areInOrder(allowsOpen: run.isStuck)),
  ]
  if options.forgotten == .none && !run.isStuck {
    checks += [
      ("the alert after the last completion", alert.map { $0.time > lastCompletion } ?? false),
      ("the alert on the main queue", alert?.value == 1),
      ("each enter has its leave", log.isBalanced),
    ]
  }
  let reached =
    peak == options.limit
    ? "peak \(peak) = limit \(options.limit)" : "peak \(peak) of a limit of \(options.limit)"
  let end: String
  if let total {
    end = "the alert after \(text(seconds: total))"
  } else if options.forgotten != .none {
    end = "and the alert never came: a \(options.forgotten.rawValue) is missing"
  } else {
    end = "and no alert before the time limit"
  }
  return Findings(
    answers: [Double(peak), total], checks: checks,
    verdict: "\(reached), \(ended) of \(options.tasks) completed, \(end).",
    next: downloadAdvice(options, values, run, peak: peak))
}

private func downloadAdvice(
  _ options: DownloadOptions, _ values: KnobValues, _ run: DemoRun, peak: Int
) -> String {
  if options.forgotten != .none {
    return "Each wait needs its signal and each enter its leave: run without --forget."
  }
  if values["form"] == "article" && peak < options.limit {
    return "The pool had fewer threads than the limit: try --form lanes."
  }
  return values["form"] == "article"
    ? "Try --form lanes, and compare the threads."
    : "Try --form article --max 10: blocks that wait or sleep hold the threads of the pool."
}

// MARK: - The code

private func downloadCode(_ options: DownloadOptions, _ form: String) -> [Listing] {
  let (tasks, limit, forgotten) = (options.tasks, options.limit, options.forgotten)
  let time = options.isRandomized ? "1 to 3 s each" : "1 s each"
  let signal = only(forgotten != .signal, "semaphore.signal()  // the thread that waited @signal")
  let leave = only(forgotten != .leave, "group.leave() @leave")
  let end =
    options.waitsSynchronously
    ? """
    DispatchQueue(label: "waiter").async {
      group.wait()  // blocks its thread
      DispatchQueue.main.async { showAlert() }
    }
    """ : "group.notify(queue: .main) { showAlert() } @notify"
  switch form {
  case "article":
    return [
      Listing(
        language: "Swift", title: "a semaphore in the block",
        """
        let queue = DispatchQueue(label: "downloads", qos: .userInitiated, attributes: .concurrent)
        let group = DispatchGroup()
        let semaphore = DispatchSemaphore(value: \(limit))
        for task in 1...\(tasks) {
          group.enter() @enter
          queue.async { @submit
            semaphore.wait() @wait
            download(task)  // 5 steps, \(time) @run
            \(signal)
            \(leave)
          }
        }
        \(end)
        """),
      Listing(
        language: "Swift", title: "a task of the list",
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
            group.enter() @enter
            queue.async { [weak self] in  // the block does not keep the task alive
              semaphore.wait() @wait
              for percent in [5, 20, 40, 60, 80] {
                self?.state = .inProgress(percent)
                self?.startSleep() @run
              }
              self?.state = .completed
              \(signal)
              \(leave)
            }
          }

          func startSleep() { sleep(\(options.isRandomized ? ".random(in: 1...3)" : "1")) }
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
        language: "Swift", title: "tasks at a gate",
        """
        let gate = Gate(label: "gate", permits: \(limit))
        let group = DispatchGroup()
        for task in 1...\(tasks) {
          group.enter() @enter
          Task { @submit
            let permit = try await gate.acquire().owned() @wait
            try await downloadSuspending(task)  // 5 steps, \(time) @run
            \(forgotten == .signal ? "forever.append(permit)  // nobody returns it" : "permit.release() @signal")
            \(leave)
          }
        }
        \(end)
        """)
    ]
  default:
    return [
      Listing(
        language: "Swift", title: "lanes are the limit",
        """
        let lanes = Lanes(label: "downloads", width: \(limit))
        let group = DispatchGroup()
        for task in 1...\(tasks) {
          group.enter() @enter
          lanes.async { @submit
            download(task)  // 5 steps, \(time) @run
            \(leave)
          }
        }
        \(end)
        """)
    ]
  }
}

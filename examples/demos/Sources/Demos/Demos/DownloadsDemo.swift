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
      .choice(
        "preset", ["none", "media", "transfers"],
        "Use case: pictures and videos, whose steps need a core, or uploads beside downloads"),
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
      if values["preset"] == "media" && values["form"] == "gate" {
        return "--preset media computes, which a task at the gate does not; use --form lanes"
      }
      return nil
    },
    usesPool: { $0["form"] == "article" },
    introduction: { values in
      let options = DownloadOptions(values)
      let queue = values["form"] == "article" ? " A concurrent queue, qos userInitiated." : ""
      return "\(options.tasks) \(useCase(values)) of 5 steps, at most \(options.limit) at once, "
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
    code: { values in
      let code =
        switch values["form"] {
        case "article": [articleSwift, articleC, taskSwift]
        case "gate": [gateSwift]
        default: [lanesSwift, lanesC]
        }
      return code.map { $0.with(values, "max") }
    })
}

/// The plural of a task, by the preset.
private func useCase(_ values: KnobValues) -> String {
  switch values["preset"] {
  case "media": "pictures and videos"
  case "transfers": "downloads and uploads"
  default: "downloads"
  }
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
    work = values["preset"] == "media" ? .computing : .waiting
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
  if options.work == .computing {
    return "Steps that compute need a core each: try --max 2, one for each core here."
  }
  if values["form"] == "article" && peak < options.limit {
    return "The pool had fewer threads than the limit: try --form lanes."
  }
  return values["form"] == "article"
    ? "Try --form lanes, and compare the threads."
    : "Try --form article --max 10: blocks that wait or sleep hold the threads of the pool."
}

private let articleSwift = Listing(
  language: "Swift", title: "a semaphore in the block",
  """
  let queue = DispatchQueue(label: "downloads", qos: .userInitiated, attributes: .concurrent)
  let group = DispatchGroup()
  let semaphore = DispatchSemaphore(value: $max)
  for task in tasks {
    group.enter() @enter
    queue.async { @submit
      semaphore.wait() @wait
      task.download() @run
      semaphore.signal() @signal
      group.leave() @leave
    }
  }
  group.notify(queue: .main) { showAlert() } @notify
  """)

private let articleC = Listing(
  language: "C", title: "a semaphore in the block",
  """
  static void work(void *context) {
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); @wait
      download(context); @run
      dispatch_semaphore_signal(semaphore); @signal
      dispatch_group_leave(group); @leave
  }

  for (size_t index = 0; index < count; index++) {
      dispatch_group_enter(group); @enter
      dispatch_async_f(queue, &tasks[index], work); @submit
  }
  dispatch_group_notify_f(group, dispatch_get_main_queue(), NULL, show_alert); @notify
  """)

private let taskSwift = Listing(
  language: "Swift", title: "a task of the list",
  """
  final class DownloadTask {
    let identifier: String
    let stateUpdateHandler: (DownloadTask) -> Void
    var progress = 0
    var state = TaskState.pending { didSet { stateUpdateHandler(self) } }

    func startTask(queue: DispatchQueue, group: DispatchGroup, semaphore: DispatchSemaphore) {
      queue.async(group: group) { [weak self] in  // the block does not keep the task alive
        semaphore.wait() @wait
        for percent in [5, 20, 40, 60, 80] {
          self?.state = .inProgress(percent)
          self?.startSleep() @run
        }
        self?.state = .completed
        semaphore.signal() @signal
      }
    }
  }
  // The handler: to the main queue, where the row is found by its identifier and redrawn.
  DispatchQueue.main.async { [unowned self] in  // traps if the list is gone
    let index = downloadTasks.firstIndex(where: { $0.identifier == identifier })
    guard let index else { return }
    if case .completed = task.state {
      completedTasks.insert(downloadTasks.remove(at: index), at: 0)
    }
  }
  """)

private let lanesSwift = Listing(
  language: "Swift", title: "lanes are the limit",
  """
  let lanes = Lanes(label: "downloads", width: $max)
  for task in tasks {
    lanes.async { @submit
      task.download() @run
    }
  }
  lanes.notify(on: .main) { showAlert() } @notify
  """)

private let lanesC = Listing(
  language: "C", title: "lanes are the limit",
  """
  static void work(void *context, void *lane) {
      download(context); @run
  }

  weir_lanes_options_t options = {.label = "downloads", .width = $max};
  weir_lanes_t lanes = weir_lanes_create(&options);
  for (size_t index = 0; index < count; index++) {
      weir_lanes_async_f(lanes, &tasks[index], work); @submit
  }
  weir_lanes_notify_f(lanes, dispatch_get_main_queue(), NULL, show_alert); @notify
  """)

private let gateSwift = Listing(
  language: "Swift", title: "tasks at a gate",
  """
  let gate = Gate(label: "downloads", permits: $max)
  await withTaskGroup { group in
    for task in tasks {
      group.addTask { @submit
        try? await gate.withPermit { @wait
          try await task.download() @run
        }
      }
    }
  }
  showAlert() @notify
  """)

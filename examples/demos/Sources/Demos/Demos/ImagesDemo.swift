// The demo of the image tutorial: a service that limits its requests, in six steps.

extension Demo {
  static let images = Demo(
    name: "images",
    abstract: "An image service in six steps: no limit, a limit, time-outs, and a deadlock.",
    speed: 2.5,
    knobs: [
      .number("step", 1...6, 3, "Step of the tutorial"),
      .choice("form", ["article", "gate"], "Run the tutorial's code, or Weir's gate"),
      .choice(
        "queue", ["lanes", "concurrent"],
        "Give each block a thread, as Apple's pool does, or use the pool of Linux"),
      .number("tasks", 1...60, nil, "Number of images [default: 15; 7 in step 5]"),
      .number("max", 1...15, nil, "Number of requests at once [default: 3]"),
      .choice("network", ["none", "cellular", "wifi"], "Limit by the network: 1 or 6 requests"),
      .seconds("timeout", 0.1...60, nil, "Time-out of a wait [default: by step]"),
      .choice("clock", ["wall", "uptime"], "Clock of the time-out"),
      .number("cancel", 1...60, nil, "Cancel the request of this image after 1 s"),
      .number("scroll", 0...9, 0, "Number of times that scrolling asks for 5 images more"),
    ],
    questions: [
      Question("peak", "How many requests run at once, at most?", .count),
      Question("timeouts", "How many waits time out?", .count),
      Question("woken", "How many signals wake a waiter?", .count),
    ],
    usesPool: { $0["form"] == "article" && $0["queue"] == "concurrent" },
    introduction: { values in
      let plan = ImagePlan(values)
      return "Step \(plan.step.rawValue): \(plan.step.title). \(text(plan.images, "image")) on the "
        + "queue \(plan.options.label)" + (plan.isConcurrent ? ", qos utility." : ".")
    },
    start: { values, machine, finish in ImagePlan(values).start(values, on: machine, finish) },
    findings: { values, run in ImagePlan(values).findings(run) },
    code: { values in ImagePlan(values).code })
}

/// The values of the demo's knobs.
private struct ImagePlan: Sendable {
  let step: ImageStep
  let images: Int
  let options: ImageOptions
  let usesGate: Bool
  let queue: ImageService.Queue
  let cancelled: Int?

  var isConcurrent: Bool {
    if case .concurrent = queue { return !usesGate }
    return false
  }

  init(_ values: KnobValues) {
    step = ImageStep(rawValue: values.int("step")) ?? .timeout
    let first = values["tasks"].isEmpty ? step.images : values.int("tasks")
    images = first + 5 * values.int("scroll")
    var options = step.options
    options.pace = Pace(speed: 1)
    if !values["max"].isEmpty { options.limit = values.int("max") }
    switch values["network"] {
    case "cellular": options.limit = ImageOptions.Network.cellular.limit
    case "wifi": options.limit = ImageOptions.Network.wifi.limit
    default: break
    }
    if let seconds = values.seconds("timeout") { options.wait = .wallTimeout(seconds) }
    if values["clock"] == "uptime", case .wallTimeout(let seconds) = options.wait {
      options.wait = .timeout(seconds)
    }
    self.options = options
    usesGate = values["form"] == "gate"
    queue = values["queue"] == "concurrent" ? .concurrent : .lanes(images)
    cancelled = values["cancel"].isEmpty ? nil : values.int("cancel")
  }

  // MARK: - The run

  func start(
    _ values: KnobValues, on machine: any Machine, _ finish: @escaping @Sendable () -> Void
  ) {
    let step = step
    let source = PictureSource.slow(on: machine, seconds: { step.delay($0) })
    // The run ends with the last line, which comes after the last completion.
    let left = Countdown(images, finish)
    let count: @Sendable (ImageLine) -> Void = { line in
      if case .start = line { return }
      left.count()
    }
    if usesGate {
      let service = GatedImageService(options, machine: machine, source: source)
      service.feed.observe(count)
      for id in 1...images { service.image(id) { show($0) } }
    } else {
      let service = ImageService(options, on: queue, machine: machine, source: source)
      service.feed.observe(count)
      let (cell, images) = (TracedQueue(machine, label: "cell", .serial), images)
      values.on("cancel", machine) { id in
        if id <= images { cell.async { service.cancel(id) } }
      }
      if let cancelled {
        cell.async {
          machine.sleep(1)
          service.cancel(cancelled)
        }
      }
      if options.place == .caller { touchScreen(on: machine) }
      let ask: @Sendable () -> Void = {
        for id in 1...images { service.image(id) { show($0) } }
      }
      // In steps 5 and 6 each call blocks the main queue, as the block that a tap submits.
      if options.place == .caller { TracedQueue(mainOf: machine).async(ask) } else { ask() }
    }
  }

  /// Shows an image in its row, on the main queue.
  private func show(_ picture: Picture?) {
    if let picture { note("picture", picture.id) }
  }

  /// Touches the screen after 1 s. The answer is a block on the main queue.
  private func touchScreen(on machine: any Machine) {
    let main = TracedQueue(mainOf: machine)
    TracedQueue(machine, label: "finger", .serial).async {
      machine.sleep(1)
      note("the screen is touched")
      main.async { note("the touch is answered") }
    }
  }

  // MARK: - The findings

  func findings(_ run: DemoRun) -> Findings {
    let log = run.log
    let peak = log.peak(from: "request", to: "response")
    let timeouts = log.notes("START | TIMED OUT true").count + log.notes("REFUSED").count
    let woken = log.notes("END | THREAD WOKEN true").count
    let hasLimit = options.wait != .none
    let mayExceed = !hasLimit || (timeouts > 0 && !usesGate)
    var checks = [
      ("each START before its END", log.areInOrder(allowsOpen: run.isStuck)),
      ("as many THREAD WOKEN as waits that a signal ended", woken == waitersWoken(log)),
    ]
    if !mayExceed {
      checks.insert(("never more than \(options.limit) at once", peak <= options.limit), at: 0)
    }
    return Findings(
      answers: [Double(peak), Double(timeouts), Double(woken)], checks: checks,
      verdict: verdict(run, peak, timeouts, woken), next: advice(run, timeouts))
  }

  /// The number of waits that a signal ended. A permit that is returned between a look and the
  /// wait for it wakes nobody.
  private func waitersWoken(_ log: TraceLog) -> Int {
    log.events(.signal, of: usesGate ? "gate" : "semaphore").count { $0.woken == true }
  }

  /// The permits at the end, if the code has returned more than it took.
  private func freePermits(_ log: TraceLog) -> String {
    let (taken, returned) = (
      log.events(.acquired, of: "semaphore").count, log.events(.signal, of: "semaphore").count
    )
    return returned > taken
      ? "; \(options.limit + returned - taken) permits are free at the end" : ""
  }

  private func verdict(_ run: DemoRun, _ peak: Int, _ timeouts: Int, _ woken: Int) -> String {
    let ended = run.log.numbers("END").count
    if run.isDeadlocked && !usesGate {
      return "deadlock: \(ended) of \(images) images came, then nothing. The main queue waits for "
        + "a signal that only the main queue can send."
    }
    let limit = options.wait == .none ? "no limit" : "a limit of \(options.limit)"
    return "at most \(peak) at once with \(limit), \(ended) of \(images) images, "
      + "\(timeouts) timed out, \(woken) woken, \(text(seconds: run.log.lastSeconds()))"
      + freePermits(run.log) + "."
  }

  private func advice(_ run: DemoRun, _ timeouts: Int) -> String {
    if run.isDeadlocked && !usesGate {
      return "Wait inside the block, or try --form gate, which suspends."
    }
    if timeouts > 0 && !usesGate {
      return "A wait that timed out signals too, so the limit is gone: try --form gate."
    }
    let next = step.rawValue % 6 + 1
    return "Try --step \(next): \((ImageStep(rawValue: next) ?? .noLimit).title)."
  }

  var code: [Listing] {
    if usesGate { return [gateSwift.replacing("$limit", with: "\(options.limit)")] }
    if options.place == .caller { return [callerSwift] }
    if case .timeout = options.wait { return [uptimeSwift] }
    return [
      blockSwift, blockC, queueSwift.replacing("$limit", with: "\(options.limit)"),
    ]
  }
}

private let blockSwift = Listing(
  language: "Swift", title: "the wait in the block",
  """
  imageQueue.async { @submit
    let result = semaphore.wait(wallTimeout: .now() + 5) @wait
    print("START", number, "| TIMED OUT", result == .timedOut)
    let image = try? Data(contentsOf: url) @run
    DispatchQueue.main.async {
      completion(image)
      let woken = semaphore.signal() != 0 @signal
      print("END", number, "| THREAD WOKEN", woken)
    }
  }
  """)

private let blockC = Listing(
  language: "C", title: "the wait in the block",
  """
  static void fetch(void *request) {
      dispatch_time_t limit = dispatch_walltime(NULL, 5 * NSEC_PER_SEC);
      bool timed_out = dispatch_semaphore_wait(semaphore, limit) != 0; @wait
      load(request); @run
      dispatch_async_f(dispatch_get_main_queue(), request, complete); @end
  }

  static void complete(void *request) {
      bool woken = dispatch_semaphore_signal(semaphore) != 0; @signal
  }
  """)

private let queueSwift = Listing(
  language: "Swift", title: "one object decides",
  """
  let imageQueue = DispatchQueue(label: "Image Queue", qos: .utility, attributes: .concurrent)
  let semaphore = DispatchSemaphore(value: $limit)
  counter += 1  // on many threads at once: a race, which the demo repairs with a lock
  let number = counter
  """)

private let uptimeSwift = Listing(
  language: "Swift", title: "two clocks",
  """
  imageQueue.async { @submit
    // A duration: setting the clock does not change it.
    let result = semaphore.wait(timeout: .now() + 5) @wait
    // A time of day: the wait ends early or late if the clock is set.
    // let result = semaphore.wait(wallTimeout: .now() + 5)
    let image = try? Data(contentsOf: url) @run
    DispatchQueue.main.async {
      completion(image)
      semaphore.signal() @signal
    }
  }
  """)

private let callerSwift = Listing(
  language: "Swift", title: "the wait before the block, on the main queue",
  """
  // On the main queue:
  semaphore.wait() @wait
  imageQueue.async { @submit
    let image = try? Data(contentsOf: url) @run
    DispatchQueue.main.async {  // runs after the main queue is free
      completion(image)
      semaphore.signal() @signal
    }
  }
  """)

private let gateSwift = Listing(
  language: "Swift", title: "tasks at a gate",
  """
  let gate = Gate(label: "images", permits: $limit)
  Task { @submit
    let permit = try await gate.acquire(timeout: .seconds(5)) @wait
    let image = try? await fetch(url) @run
    await MainActor.run { completion(image) }
    let woken = permit.release() @signal
  }
  """)

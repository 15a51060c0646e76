// The demo of the image tutorial: a service that limits its requests, in six steps.

extension Demo {
  static let images = Demo(
    name: "images",
    abstract: "An image service in six steps: no limit, a limit, time-outs, and a deadlock.",
    speed: 2,
    knobs: [
      .number("step", 1...6, 3, "Step of the tutorial"),
      .choice("form", ["article", "gate"], "Run the tutorial's code, or Weir's gate"),
      .choice(
        "queue", ["lanes", "concurrent"],
        "Give each block a thread, as Apple's pool does, or use the pool of Linux"),
      .choice(
        "network", ["none", "cellular", "wifi", "change"],
        "Limit by the network: 1 or 6 requests, or 1 for 3 s and then 6"),
      .number("cancel", 1...60, nil, "Cancel the request of this image after 1 s"),
      .number("scroll", 0...9, 0, "Number of times that scrolling asks for 5 images more"),
    ],
    questions: [
      Question("peak", "How many requests run at once, at most?", .count),
      Question("timeouts", "How many waits time out?", .count),
      Question("woken", "How many signals wake a waiter?", .count),
    ],
    complaint: { values in
      if !values["cancel"].isEmpty && (values["form"] == "gate" || values.int("step") > 4) {
        return "--cancel cancels a block that has not begun; use --form article and --step 1 to 4"
      }
      if values["network"] == "change" && values["step"] == "1" {
        return "--network change needs a limit; use --step 2"
      }
      return nil
    },
    usesPool: { $0["form"] == "article" && $0["queue"] == "concurrent" },
    introduction: { values in
      let plan = ImagePlan(values)
      return "Step \(plan.step.rawValue): \(plan.step.title). \(text(plan.images, "image")) on the "
        + "queue \(plan.options.label)" + (plan.isConcurrent ? ", qos utility." : ".")
    },
    start: { values, machine, finish in ImagePlan(values).start(on: machine, finish) },
    findings: { values, run in ImagePlan(values).findings(run) },
    code: { values in ImagePlan(values).code })
}

private struct ImagePlan: Sendable {
  let values: KnobValues
  init(_ values: KnobValues) { self.values = values }

  var step: ImageStep { ImageStep(rawValue: values.int("step")) ?? .timeout }
  var images: Int { step.images + 5 * values.int("scroll") }
  var usesGate: Bool { values["form"] == "gate" }
  var isConcurrent: Bool { values["queue"] == "concurrent" && !usesGate }
  var cancelled: Int? { Int(values["cancel"]) }
  var networkChanges: Bool { values["network"] == "change" }
  var options: ImageOptions {
    var options = step.options
    switch values["network"] {
    case "cellular", "change": options.limit = ImageOptions.cellular
    case "wifi": options.limit = ImageOptions.wifi
    default: break
    }
    return options
  }

  // MARK: - The run

  func start(on machine: any Machine, _ finish: @escaping @Sendable () -> Void) {
    let (step, options) = (step, options)
    let source = PictureSource(machine: machine, seconds: { step.delay($0) })
    // The run ends with the last line, which comes after the last completion.
    let left = Countdown(images, finish)
    let over: @Sendable () -> Void = { left.count() }
    if usesGate {
      let service = GatedImageService(options, machine: machine, source: source, over: over)
      changeNetwork(on: machine) {
        service.setLimit($0)
        return 0
      }
      for id in 1...images { service.image(id) { show($0) } }
    } else {
      let service = ImageService(
        options, on: isConcurrent ? .concurrent : .lanes(images), machine: machine, source: source,
        over: over)
      changeNetwork(on: machine) { service.raiseLimit(to: $0) }
      // The user and the network are no part of the program: their blocks are not in the log.
      let images = images
      if let cancelled {
        machine.makeQueue(label: "cell", kind: .serial).async {
          machine.sleep(1)
          service.cancel(cancelled)
        }
      }
      if options.place == .caller { touchScreen(on: machine) }
      let ask: @Sendable () -> Void = {
        for id in 1...images { service.image(id) { show($0) } }
      }
      // In steps 5 and 6 each call blocks the main thread, as the block that a tap submits.
      if options.place == .caller { TracedQueue(mainOf: machine).async(ask) } else { ask() }
    }
  }

  /// Shows an image in its row, on the main queue.
  private func show(_ picture: Picture?) {
    if let picture { note("picture", picture.id) }
  }

  /// Raises the limit after 3 s. `raise` returns the number of waits that it ended.
  private func changeNetwork(
    on machine: any Machine, _ raise: @escaping @Sendable (_ limit: Int) -> Int
  ) {
    guard networkChanges else { return }
    machine.makeQueue(label: "connection", kind: .serial).async {
      machine.sleep(3)
      note("network: wifi", value: raise(ImageOptions.wifi))
    }
  }

  /// Touches the screen after 1 s. The answer is a block on the main queue.
  private func touchScreen(on machine: any Machine) {
    let main = TracedQueue(mainOf: machine)
    machine.makeQueue(label: "finger", kind: .serial).async {
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
    let woken =
      log.notes("END | THREAD WOKEN true").count
      + log.notes("network").reduce(0) { $0 + $1.value }
    let hasLimit = options.wait != .none
    let mayExceed = !hasLimit || (timeouts > 0 && !usesGate)
    var checks = [
      ("each START before its END", log.areInOrder(allowsOpen: run.isStuck)),
      ("as many THREAD WOKEN as waits that a signal ended", woken == waitersWoken(log)),
    ]
    if !mayExceed {
      let limit = networkChanges ? ImageOptions.wifi : options.limit
      checks.insert(("never more than \(limit) at once", peak <= limit), at: 0)
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
      return "deadlock: \(ended) of \(images) images came, then nothing. The main thread waits for "
        + "a signal that only the main queue can send."
    }
    let limit =
      options.wait == .none
      ? "no limit" : "a limit of \(options.limit)" + (networkChanges ? ", later of 6" : "")
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

  // MARK: - The code

  var code: [Listing] { [usesGate ? gateCode : articleCode] }

  private var articleCode: Listing {
    let isInBlock = options.place == .queue
    let hasLimit = options.wait != .none
    let hasTimeout: Bool
    let wait: String
    switch options.wait {
    case .none: (hasTimeout, wait) = (false, only(false, ""))
    case .forever: (hasTimeout, wait) = (false, "semaphore.wait() @wait")
    case .wallTimeout(let seconds):
      hasTimeout = true
      wait = "let result = semaphore.wait(wallTimeout: .now() + \(Int(seconds))) @wait"
    }
    let queue =
      isConcurrent
      ? "DispatchQueue(label: \"Image Queue\", qos: .utility, attributes: .concurrent)"
      : "Lanes(label: \"Image Queue\", width: \(images))  // a thread a block, as Apple's pool has"
    return Listing(
      isInBlock ? "one object decides" : "the wait before the block, on the main queue",
      """
      let imageQueue = \(queue)
      let counter = Mutex(0)
      \(only(hasLimit, "let semaphore = DispatchSemaphore(value: \(options.limit))"))
      \(only(cancelled != nil, "var items: [Int: DispatchWorkItem] = [:]"))

      func image(_ id: Int, completion: @escaping (Image?) -> Void) {
        \(only(hasLimit && !isInBlock, wait))
        \(only(cancelled == nil, "imageQueue.async { @submit"))
        \(only(cancelled != nil, "items[id] = DispatchWorkItem { @submit"))
          \(only(hasLimit && isInBlock, wait))
          // Without the lock, many threads would add at once: a race.
          let number = counter.withLock { $0 += 1; return $0 }
          print("START", number\(hasTimeout ? ", \"| TIMED OUT\", result == .timedOut" : ""))
          let image = try? load(id) @run
          DispatchQueue.main.async {\(isInBlock ? "" : "  // runs after the main queue is free")
            completion(image) @end
            \(only(hasLimit, "let woken = semaphore.signal() != 0 @signal"))
            print("END", number\(hasLimit ? ", \"| THREAD WOKEN\", woken" : ""))
          }
        }
        \(only(cancelled != nil, "imageQueue.async { items[id]?.perform() }  // nothing, if it was cancelled"))
      }

      for id in 1...\(images) { image(id) { show($0) } }\(isInBlock ? "" : "  // on the main queue")
      \(only(networkChanges && hasLimit, "wifiAppears { for _ in 1...5 { semaphore.signal() } }  // a limit of 6"))
      \(only(cancelled != nil, "after(1) { items[\(cancelled ?? 0)]?.cancel() }  // one that has begun goes on"))
      """)
  }

  private var gateCode: Listing {
    let hasLimit = options.wait != .none
    let wait =
      switch options.wait {
      case .none: only(false, "")
      case .forever: "let permit = try await gate.acquire().owned() @wait"
      case .wallTimeout(let seconds):
        "let permit = try await gate.acquire(timeout: .seconds(\(Int(seconds)))).owned() @wait"
      }
    return Listing(
      "tasks at a gate",
      """
      \(only(hasLimit, "let gate = Gate(label: \"gate\", permits: \(options.limit))"))
      for id in 1...\(images) {
        Task { @submit
          \(wait)
          let image = try? await fetch(id) @run
          await MainActor.run { show(image) } @end
          \(only(hasLimit, "let woken = permit.release() > 0 @signal"))
          \(only(hasLimit, "print(\"END\", id, \"| THREAD WOKEN\", woken)"))
        }
      }
      \(only(networkChanges && hasLimit, "wifiAppears { gate.permits = 6 }"))
      """)
  }
}

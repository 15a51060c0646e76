// The pitfalls of the thread pool: too many tasks, and tasks that block its threads.

internal import Dispatch
internal import Weir
internal import Glibc

let poolPitfalls = [unlimitedTasks, poolExhaustion, blockingInTaskGroup]

/// The cores that this process may use.
private var cores: Int { Lanes.defaultWidth }

private let unlimitedTasks = Pitfall(
  "unlimited-tasks", "Tasks that block are submitted without a limit.", .slow,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        let queue = DispatchQueue(
          label: "downloads", attributes: .concurrent)
        for task in 1...60 {
          queue.async { download(task) }  //!
        }
        """,
      fixed: """
        let lanes = (0..<16).map { DispatchQueue(label: "lane \\($0)") }
        for task in 1...60 {
          lanes[task % 16].async { download(task) }
        }
        """)
  ],
  expectation: "Sixty tasks of 50 ms run at once: 50 ms in all.",
  explanation:
    "On Linux a concurrent queue has about a thread for each core, and one more each "
    + "second while all are blocked.",
  remedy: "Choose the limit yourself: a fixed number of serial queues as lanes, or a window of "
    + "tasks.",
  broken: { run in
    DispatchQueue(label: "observer").async {
      let meter = Meter()
      let begin = run.milliseconds
      let queue = DispatchQueue(label: "downloads", attributes: .concurrent)
      submit(60, milliseconds: 50, meter) { _ in queue }
      let time = run.milliseconds - begin
      run.end(
        time > 150 && meter.peak < 60 ? .slow : .hidden,
        "60 tasks of 50 ms took \(PitfallOutcome.seconds(time)) instead of 0.05 s, at most "
          + "\(meter.peak) at once.")
    }
  },
  fixed: { run in
    DispatchQueue(label: "observer").async {
      let meter = Meter()
      let lanes = (0..<16).map { DispatchQueue(label: "lane \($0)") }
      let begin = run.milliseconds
      submit(60, milliseconds: 50, meter) { lanes[$0 % 16] }
      let time = run.milliseconds - begin
      run.end(
        meter.peak <= 16 && meter.entered == 60 ? .right : .wrong,
        "60 tasks of 50 ms took \(PitfallOutcome.seconds(time)) with at most \(meter.peak) threads."
      )
    }
  })

/// Submits tasks that block for a time, and waits for all.
private func submit(
  _ count: Int, milliseconds: Int, _ meter: Meter, _ queue: (Int) -> DispatchQueue
) {
  let group = DispatchGroup()
  for task in 0..<count {
    queue(task).async(group: group) {
      meter.enter()
      block(milliseconds: milliseconds)
      meter.leave()
    }
  }
  group.wait()
}

/// The waiting blocks of `poolExhaustion`: more than the threads of the pool.
private let waiterCount = 260

private let poolExhaustion = Pitfall(
  "pool-exhaustion", "All threads of the pool wait for a block that needs a thread.", .silence,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        let ready = DispatchSemaphore(value: 0)
        for waiter in 1...260 {
          DispatchQueue(label: "waiter").async {
            ready.wait()                  //!
            use(waiter)
          }
        }
        DispatchQueue(label: "rescuer").async {
          for _ in 1...260 { ready.signal() }
        }
        """,
      fixed: """
        let ready = DispatchGroup()
        ready.enter()
        for waiter in 1...260 {
          ready.notify(queue: DispatchQueue(label: "waiter")) {
            use(waiter)                   // no thread waits
          }
        }
        DispatchQueue(label: "rescuer").async { ready.leave() }
        """)
  ],
  expectation: "The last block wakes the 260 others.",
  explanation: "The pool has at most 255 threads for serial queues. All of them wait, so the block "
    + "that would wake them gets none, for good. After dispatch_main the main queue needs a thread "
    + "of the pool too, and stands still. With 200 waiters the same program ends.",
  remedy: "Do not block a thread for work that is still queued: let the group or a continuation "
    + "start the rest.",
  quietBeats: 20,
  broken: { run in
    let ready = DispatchSemaphore(value: 0)
    let began = SharedCount()
    let ended = SharedCount()
    for _ in 1...waiterCount {
      DispatchQueue(label: "waiter").async {
        let number = began.add()
        if number % 50 == 0 { run.report("\(number) blocks wait") }
        ready.wait()
        if ended.add() == waiterCount { run.end(.right, "All \(waiterCount) waiters ended.") }
      }
    }
    DispatchQueue(label: "rescuer").async {
      run.report("the rescuer runs")
      for _ in 1...waiterCount { ready.signal() }
    }
  },
  fixed: { run in
    let ready = DispatchGroup()
    let ended = SharedCount()
    ready.enter()
    for _ in 1...waiterCount {
      ready.notify(queue: DispatchQueue(label: "waiter")) {
        if ended.add() == waiterCount { run.end(.right, "All \(waiterCount) waiters ended.") }
      }
    }
    DispatchQueue(label: "rescuer").async {
      run.report("the rescuer runs")
      ready.leave()
    }
  })

private let blockingInTaskGroup = Pitfall(
  "blocking-tasks", "Child tasks of a task group block their threads.", .slow,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        await withTaskGroup(of: Void.self) { group in
          for task in 1...8 {
            group.addTask {
              usleep(100_000)             //!
            }
          }
        }
        """,
      fixed: """
        await withTaskGroup(of: Void.self) { group in
          for task in 1...8 {
            group.addTask {
              try? await Task.sleep(for: .milliseconds(100))
            }
          }
        }
        """)
  ],
  expectation: "The tasks sleep at the same time: 0.1 s in all.",
  explanation: "Swift's pool has a thread for each core and starts no other. A task that blocks "
    + "keeps its thread; a task that suspends with await frees it.",
  remedy: "Use the async form of the call, or move the blocking call to lanes of your own.",
  broken: { run in sleepInTasks(run, blocks: true) },
  fixed: { run in sleepInTasks(run, blocks: false) })

private func sleepInTasks(_ run: PitfallRun, blocks: Bool) {
  let count = 4 * cores
  let meter = Meter()
  Task.detached {
    let begin = run.milliseconds
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          meter.enter()
          if blocks {
            block(milliseconds: 100)
          } else {
            try? await Task.sleep(for: .milliseconds(100))
          }
          meter.leave()
        }
      }
    }
    let time = PitfallOutcome.seconds(run.milliseconds - begin)
    run.end(
      meter.peak == count || !blocks && meter.peak > cores ? .right : blocks ? .slow : .wrong,
      "\(count) tasks of 0.10 s took \(time), at most \(meter.peak) at once on \(cores) "
        + "\(cores == 1 ? "core" : "cores").")
  }
}

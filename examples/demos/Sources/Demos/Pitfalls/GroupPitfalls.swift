// The pitfalls of groups: entries and leaves that do not balance.

internal import Dispatch

let groupPitfalls = [extraLeave, missingLeave, enterAndAsyncGroup, enterInside]

private let extraLeave = Pitfall(
  "extra-leave", "A completion handler runs twice, and leaves the group twice.", .trap,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        group.enter()
        download(timeout: 1) { result in  // called for the time-out,
          show(result)                    // and again for the answer
          group.leave()                   //!
        }
        """,
      fixed: """
        queue.async(group: group) {       // enters and leaves by itself
          show(downloadAndWait(timeout: 1))
        }
        """)
  ],
  expectation: "The second call does nothing more.",
  explanation: "Each leave needs an enter before it. The count of the group would be below zero, "
    + "and libdispatch traps. On Linux it prints no reason.",
  remedy: "Let one construct do both: async(group:), or leave at the first call only.",
  trapMeaning: "unbalanced call of dispatch_group_leave",
  broken: { run in
    let group = DispatchGroup()
    group.enter()
    DispatchQueue(label: "download").async {
      run.report("time-out: leave")
      group.leave()
      run.report("answer: leave")
      group.leave()
      run.end(.right, "The group took both.")
    }
  },
  fixed: { run in
    let group = DispatchGroup()
    DispatchQueue(label: "download").async(group: group) { run.report("the block of the group") }
    group.notify(queue: .main) { run.end(.right, "The group notified once.") }
  })

private let missingLeave = Pitfall(
  "missing-leave", "One way out of a task does not leave the group.", .silence,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        for task in 1...3 {
          group.enter()
          queue.async {
            guard let image = download(task) else { return } //!
            show(image)
            group.leave()
          }
        }
        group.notify(queue: .main) { done() }
        """,
      fixed: """
        for task in 1...3 {
          group.enter()
          queue.async {
            defer { group.leave() }
            guard let image = download(task) else { return }
            show(image)
          }
        }
        group.notify(queue: .main) { done() }
        """)
  ],
  expectation: "The group notifies after the three tasks.",
  explanation: "Task 2 fails and returns early. The group keeps its entry, so it is never empty: "
    + "notify never runs, and wait with a time-out fails. Nothing reports it.",
  remedy: "Leave in a defer at the top of the block, or use async(group:).",
  broken: { run in
    let group = groupOfThree(run, leavesAlways: false)
    DispatchQueue(label: "observer").async {
      let result = group.wait(timeout: .now() + .milliseconds(200))
      run.report("wait(timeout: 0.2 s) returned \(result == .success ? "success" : "timedOut")")
    }
  },
  fixed: { run in _ = groupOfThree(run, leavesAlways: true) })

/// Runs three tasks, of which the second fails, and ends the run when the group notifies.
private func groupOfThree(_ run: PitfallRun, leavesAlways: Bool) -> DispatchGroup {
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "tasks")
  for task in 1...3 {
    group.enter()
    queue.async {
      let isFailed = task == 2
      run.report(
        isFailed ? "task 2 fails\(leavesAlways ? ", and leaves" : ": no leave")" : "END \(task)")
      if leavesAlways || !isFailed { group.leave() }
    }
  }
  group.notify(queue: .main) { run.end(.right, "The group notified after the three tasks.") }
  return group
}

private let enterAndAsyncGroup = Pitfall(
  "enter-and-async-group", "A task is counted twice, by enter and by async(group:).", .fine,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        for task in 1...3 {
          group.enter()                   //!
          queue.async(group: group) {     // counts the block itself
            download(task)
            group.leave()
          }
        }
        """,
      fixed: """
        for task in 1...3 {
          queue.async(group: group) { download(task) }
        }
        """)
  ],
  expectation: "Each task counts once.",
  explanation:
    "async(group:) enters for the block and leaves at its end; enter and leave count the "
    + "same task again. Both balance, so it is harmless. It only hides mistakes, and if one leave "
    + "is forgotten, the entry of async(group:) does not help.",
  remedy: "Choose one: async(group:) for blocks, enter and leave for completion handlers.",
  broken: { run in
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "tasks")
    for task in 1...3 {
      group.enter()
      queue.async(group: group) {
        run.report("END \(task)")
        group.leave()
      }
    }
    group.notify(queue: DispatchQueue(label: "observer")) {
      run.report("the group notified")
      group.enter()
      queue.async(group: group) { run.report("another task, whose leave is forgotten") }
      let result = group.wait(timeout: .now() + .milliseconds(200))
      run.report("wait(timeout: 0.2 s) returned \(result == .success ? "success" : "timedOut")")
      group.leave()
      run.end(.fine, "Harmless while enter and leave balance: the group notified once.")
    }
  },
  fixed: { run in
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "tasks")
    for task in 1...3 { queue.async(group: group) { run.report("END \(task)") } }
    group.notify(queue: .main) { run.end(.right, "The group notified once.") }
  })

/// The rounds of `enterInside`: at least this many, and more until the mistake shows.
private let enterRounds = 200

private let enterInside = Pitfall(
  "enter-inside", "A task enters the group in its block, and not before it is submitted.", .wrong,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        for task in 1...3 {
          queue.async {
            group.enter()                 //!
            download(task)
            group.leave()
          }
        }
        showSpinner()                     // takes up to 90 us
        group.wait()
        """,
      fixed: """
        for task in 1...3 {
          group.enter()
          queue.async {
            download(task)
            group.leave()
          }
        }
        showSpinner()
        group.wait()
        """)
  ],
  expectation: "The wait ends after the three tasks.",
  explanation: "The wait can come before any block has begun. The group is empty then, and an "
    + "empty group does not wait. It depends on which thread is faster.",
  remedy: "Enter before async: then the group counts the task before anyone can wait.",
  broken: { run in
    var early = 0
    var rounds = 0
    while rounds < enterRounds || early == 0 && rounds < 20_000 && run.milliseconds < 1500 {
      rounds += 1
      if groupRound(rounds, entersInside: true) { early += 1 }
    }
    run.end(
      early > 0 ? .wrong : .hidden,
      "The wait ended before the tasks in \(early) of \(rounds) rounds.")
  },
  fixed: { run in
    let early = (0..<enterRounds).count { groupRound($0, entersInside: false) }
    run.end(
      early == 0 ? .right : .wrong,
      "The wait ended before the tasks in \(early) of \(enterRounds) rounds.")
  })

/// Runs three tasks; returns true if the wait for them ended too early. Before the wait comes
/// other work, of none to 90 microseconds.
private func groupRound(_ round: Int, entersInside: Bool) -> Bool {
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "tasks", attributes: .concurrent)
  let ended = SharedCount()
  for _ in 1...3 {
    if !entersInside { group.enter() }
    queue.async {
      if entersInside { group.enter() }
      ended.add()
      group.leave()
    }
  }
  let begin = DispatchTime.now().uptimeNanoseconds
  while DispatchTime.now().uptimeNanoseconds - begin < round % 10 * 10_000 {}
  group.wait()
  let isEarly = ended.value < 3
  queue.sync(flags: .barrier) {}
  return isEarly
}

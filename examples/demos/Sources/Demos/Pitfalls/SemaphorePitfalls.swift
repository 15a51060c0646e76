// The pitfalls of semaphores: permits that get lost, and permits from nowhere.

internal import Dispatch

let semaphorePitfalls = [semaphoreReleased, signalAfterTimeout]

/// An owner of permits.
private final class Service: Sendable {
  let permits: DispatchSemaphore

  /// Creates the semaphore with a number, and adds permits up to three.
  init(created number: Int) {
    permits = DispatchSemaphore(value: number)
    for _ in number..<3 { permits.signal() }
  }
}

/// Releases an owner that has one permit taken.
private func release(_ run: PitfallRun, created number: Int) {
  var service: Service? = Service(created: number)
  service?.permits.wait()
  run.report("1 of 3 permits is taken, now the release")
  service = nil
  run.end(.right, "The semaphore was released.")
}

private let semaphoreReleased = Pitfall(
  "semaphore-released", "A semaphore is released while a permit is taken.", .trap,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        final class Service {
          let permits = DispatchSemaphore(value: 3) //!
        }
        var service: Service? = Service()
        service?.permits.wait()           // a download begins
        service = nil                     // the screen was closed
        """,
      fixed: """
        final class Service {
          let permits = DispatchSemaphore(value: 0)
          init() { for _ in 1...3 { permits.signal() } }
        }
        var service: Service? = Service()
        service?.permits.wait()
        service = nil
        """),
    PitfallListing(
      .c,
      broken: """
        dispatch_semaphore_t permits = dispatch_semaphore_create(3);
        dispatch_semaphore_wait(permits, DISPATCH_TIME_FOREVER);
        dispatch_release(permits);        //!
        """,
      fixed: """
        dispatch_semaphore_t permits = dispatch_semaphore_create(0);
        for (int i = 0; i < 3; i++)
          dispatch_semaphore_signal(permits);
        dispatch_semaphore_wait(permits, DISPATCH_TIME_FOREVER);
        dispatch_release(permits);
        """),
  ],
  expectation: "The memory of the semaphore is freed.",
  explanation: "A semaphore remembers the number it was created with. If it is released with fewer "
    + "permits, libdispatch assumes that it is in use, and traps. On Linux it prints no reason.",
  remedy:
    "Keep it alive until all permits are back; or create it with 0 and signal, and the number "
    + "is never less than at the start.",
  trapMeaning: "a semaphore was deallocated while in use (it had 2 permits, and began with 3)",
  broken: { run in release(run, created: 3) },
  fixed: { run in release(run, created: 0) })

private let signalAfterTimeout = Pitfall(
  "signal-after-timeout", "A task whose wait timed out signals all the same.", .wrong,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        queue.async {
          _ = permits.wait(timeout: .now() + 5)
          download(task)
          permits.signal()                //!
        }
        """,
      fixed: """
        queue.async {
          guard permits.wait(timeout: .now() + 5) == .success else {
            return report("no permit within 5 s")
          }
          download(task)
          permits.signal()
        }
        """),
    PitfallListing(
      .c,
      broken: """
        dispatch_semaphore_wait(permits, in_five_seconds);
        download(task);
        dispatch_semaphore_signal(permits); //!
        """,
      fixed: """
        if (dispatch_semaphore_wait(permits, in_five_seconds) != 0)
          return report("no permit within 5 s");
        download(task);
        dispatch_semaphore_signal(permits);
        """),
  ],
  expectation: "At most three tasks run at once, and three permits are free at the end.",
  explanation: "A wait that times out takes no permit. Its task runs above the limit, and its "
    + "signal adds a permit that never existed: the limit is lost for good.",
  remedy: "Look at the result of the wait, and signal only if it was a success.",
  broken: { run in timedTasks(run, checksResult: false) },
  fixed: { run in timedTasks(run, checksResult: true) })

/// Runs 15 tasks with 3 permits, each with a wait of limited time, and counts the permits.
private func timedTasks(_ run: PitfallRun, checksResult: Bool) {
  let permits = DispatchSemaphore(value: 3)
  let group = DispatchGroup()
  let meter = Meter()
  let late = SharedCount()
  for task in 1...15 {
    DispatchQueue(label: "task").async(group: group) {
      let hasPermit = permits.wait(timeout: .now() + .milliseconds(80)) == .success
      if !hasPermit {
        late.add()
        if checksResult { return run.report("task \(task): no permit in time, skipped") }
      }
      run.report("START \(task)\(hasPermit ? "" : " after its wait timed out")")
      meter.enter()
      block(milliseconds: 200)
      meter.leave()
      permits.signal()
    }
  }
  group.notify(queue: .main) {
    var free = 0
    while permits.wait(timeout: .now()) == .success { free += 1 }
    for _ in 0..<free { permits.signal() }
    run.end(
      free == 3 && meter.peak <= 3 ? .right : .wrong,
      "\(late.value) waits timed out, \(meter.peak) tasks ran at once, and \(free) permits are "
        + "free at the end; the limit was 3.")
  }
}

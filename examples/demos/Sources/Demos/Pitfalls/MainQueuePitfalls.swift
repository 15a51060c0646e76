// The pitfalls of waiting on the main thread.

internal import Dispatch

let mainQueuePitfalls = [waitOnMain, groupWaitOnMain]

private let waitOnMain = Pitfall(
  "wait-on-main", "The main thread waits for a permit that only the main queue can return.",
  .silence,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        let permits = DispatchSemaphore(value: 3)
        for task in 1...15 {              // on the main queue
          permits.wait()                  //!
          DispatchQueue(label: "task").async {
            download(task)
            DispatchQueue.main.async {
              show(task)
              permits.signal()
            }
          }
        }
        """,
      fixed: """
        let permits = DispatchSemaphore(value: 3)
        for task in 1...15 {
          DispatchQueue(label: "task").async {
            permits.wait()                // on the task's own queue
            download(task)
            permits.signal()              // where it was taken
            DispatchQueue.main.async { show(task) }
          }
        }
        """),
    PitfallListing(
      .c,
      broken: """
        for (int task = 1; task <= 15; task++) { /* on the main queue */
          dispatch_semaphore_wait(permits, DISPATCH_TIME_FOREVER); //!
          dispatch_async(queue_of(task), ^{
            download(task);
            dispatch_async(dispatch_get_main_queue(), ^{
              show(task);
              dispatch_semaphore_signal(permits);
            });
          });
        }
        """,
      fixed: """
        for (int task = 1; task <= 15; task++) {
          dispatch_async(queue_of(task), ^{
            dispatch_semaphore_wait(permits, DISPATCH_TIME_FOREVER);
            download(task);
            dispatch_semaphore_signal(permits);
            dispatch_async(dispatch_get_main_queue(), ^{ show(task); });
          });
        }
        """),
  ],
  expectation: "All 15 tasks run, three at a time.",
  explanation: "The fourth wait blocks the main thread. The three permits come back in blocks on "
    + "the main queue, and these cannot run while it waits. Tutorials say that signal belongs "
    + "on another thread than wait. Not so: it may be on the thread that waited; it only has to be "
    + "able to run.",
  remedy: "Wait in the task, on its own queue, and return the permit there; the main thread never "
    + "waits.",
  broken: { run in
    let permits = DispatchSemaphore(value: 3)
    for task in 1...15 {
      permits.wait()
      DispatchQueue(label: "task").async {
        run.report("START \(task)")
        block(milliseconds: 60)
        DispatchQueue.main.async {
          run.report("END \(task)")
          permits.signal()
        }
      }
    }
    run.end(.right, "All 15 tasks started.")
  },
  fixed: { run in
    let permits = DispatchSemaphore(value: 3)
    let group = DispatchGroup()
    let meter = Meter()
    for task in 1...15 {
      DispatchQueue(label: "task").async(group: group) {
        permits.wait()
        meter.enter()
        run.report("START \(task)")
        block(milliseconds: 20)
        meter.leave()
        permits.signal()
      }
    }
    group.notify(queue: .main) {
      run.end(
        meter.peak <= 3 && meter.entered == 15 ? .right : .wrong,
        "All 15 tasks ended, at most \(meter.peak) at once.")
    }
  })

private let groupWaitOnMain = Pitfall(
  "group-wait-on-main", "The main thread waits for a group whose last step is on the main queue.",
  .silence,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        group.enter()
        queue.async {
          download()
          DispatchQueue.main.async {
            show()
            group.leave()
          }
        }
        group.wait()                      //!
        """,
      fixed: """
        group.enter()
        queue.async {
          download()
          DispatchQueue.main.async {
            show()
            group.leave()
          }
        }
        group.notify(queue: .main) { done() }
        """)
  ],
  expectation: "The wait ends when the download is shown.",
  explanation: "The block that leaves the group is queued on the main queue, after the block that "
    + "waits for it. With a time-out the wait fails; without one it lasts forever.",
  remedy: "Use notify: the main queue continues, and runs the last block when the group is empty.",
  broken: { run in
    let group = download(run)
    let result = group.wait(timeout: .now() + .milliseconds(250))
    run.report("wait(timeout: 0.25 s) returned \(result == .success ? "success" : "timedOut")")
    group.wait()
    run.end(.right, "The wait ended.")
  },
  fixed: { run in
    download(run).notify(queue: .main) { run.end(.right, "The group notified the main queue.") }
  })

/// Starts a download whose last step is on the main queue.
private func download(_ run: PitfallRun) -> DispatchGroup {
  let group = DispatchGroup()
  group.enter()
  DispatchQueue(label: "download").async {
    run.report("download done, now to the main queue")
    DispatchQueue.main.async {
      run.report("shown")
      group.leave()
    }
  }
  return group
}

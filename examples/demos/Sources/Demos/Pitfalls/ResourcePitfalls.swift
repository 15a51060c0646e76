// The pitfalls of queues that stay suspended, and of descriptors that stay open.

internal import Dispatch
internal import Glibc

let resourcePitfalls = [suspendResume, descriptorLeak]

private let suspendResume = Pitfall(
  "suspend-resume", "A queue is suspended once and resumed twice.", .trap,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        queue.suspend()
        queue.async { show() }            // waits, silently
        settingsClosed { queue.resume() }
        viewAppeared { queue.resume() }   //!
        """,
      fixed: """
        queue.suspend()
        queue.async { show() }
        settingsClosed {
          if isSuspended { isSuspended = false; queue.resume() }
        }
        viewAppeared {
          if isSuspended { isSuspended = false; queue.resume() }
        }
        """),
    PitfallListing(
      .c,
      broken: """
        dispatch_suspend(queue);
        dispatch_async(queue, ^{ show(); });
        dispatch_resume(queue);
        dispatch_resume(queue);           //!
        """,
      fixed: """
        dispatch_suspend(queue);
        dispatch_async(queue, ^{ show(); });
        dispatch_resume(queue);           /* one for each suspend */
        """),
  ],
  expectation: "The second resume has no effect.",
  explanation: "Suspensions are counted. Without its resume the queue is silent, and nothing "
    + "reports it; a suspended queue that is released traps; and so does a resume too many.",
  remedy: "Balance each suspend with one resume, in one place of the program.",
  trapMeaning: "a queue was resumed more often than it was suspended",
  broken: { run in
    let queue = DispatchQueue(label: "screen")
    let shown = DispatchSemaphore(value: 0)
    queue.suspend()
    queue.async { shown.signal() }
    let result = shown.wait(timeout: .now() + .milliseconds(200))
    run.report("suspended: after 0.2 s the block has \(result == .success ? "" : "not ")run")
    queue.resume()
    shown.wait()
    shown.signal()
    run.report("resumed: the block has run, now a second resume")
    queue.resume()
    run.end(.right, "The queue took the second resume.")
  },
  fixed: { run in
    let queue = DispatchQueue(label: "screen")
    queue.suspend()
    queue.async { run.end(.right, "The block ran after one resume for one suspend.") }
    run.report("suspended, now one resume")
    queue.resume()
  })

/// The limit of `descriptorLeak` on open descriptors.
private let descriptorLimit = 64

private let descriptorLeak = Pitfall(
  "descriptor-leak", "Files are opened and not closed, or too many at once.", .wrong,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        for name in names {               // 500 files, ulimit -n 64
          let file = open(name, O_RDONLY)
          read(file)                      //!
        }
        """,
      fixed: """
        let budget = DispatchSemaphore(value: Int(getdtablesize()) / 2)
        for (index, name) in names.enumerated() {
          lanes[index % 48].async {       // 48 serial queues
            budget.wait()
            defer { budget.signal() }
            let file = open(name, O_RDONLY)
            defer { close(file) }
            read(file)
          }
        }
        """),
    PitfallListing(
      .c,
      broken: """
        int file = open(name, O_RDONLY);
        if (file < 0) return errno;
        return read_all(file);            //!
        """,
      fixed: """
        int file = open(name, O_RDONLY);
        if (file < 0) return errno;
        int error = read_all(file);
        close(file);
        return error;
        """),
  ],
  expectation: "All 500 files are read.",
  explanation:
    "A process may have a limited number of open descriptors; this one has 64. Each file "
    + "that stays open keeps one, and the next open fails with EMFILE.",
  remedy: "Close each file on every way out, and let a semaphore of half the limit bound how many "
    + "are open at once.",
  broken: { run in
    limitDescriptors()
    var files: [Int32] = []
    var error: Int32 = 0
    while files.count < 500 && error == 0 {
      let file = open("/dev/null", O_RDONLY)
      if file < 0 { error = errno } else { files.append(file) }
    }
    for file in files { close(file) }
    run.end(
      error == EMFILE ? .wrong : .hidden,
      error == EMFILE
        ? "File \(files.count + 1) of 500 could not be opened: EMFILE, too many open files "
          + "(the limit is \(descriptorLimit))."
        : "\(files.count) of 500 files were opened.")
  },
  fixed: { run in
    limitDescriptors()
    let budget = DispatchSemaphore(value: Int(getdtablesize()) / 2)
    let lanes = (0..<48).map { DispatchQueue(label: "lane \($0)") }
    let group = DispatchGroup()
    let count = SharedCount()
    let meter = Meter()
    for index in 0..<500 {
      lanes[index % 48].async(group: group) {
        budget.wait()
        defer { budget.signal() }
        let file = open("/dev/null", O_RDONLY)
        guard file >= 0 else { return }
        meter.enter()
        var byte: UInt8 = 0
        if read(file, &byte, 1) == 0 { count.add() }
        block(milliseconds: 2)
        meter.leave()
        close(file)
      }
    }
    group.notify(queue: .main) {
      run.end(
        count.value == 500 ? .right : .wrong,
        "\(count.value) of 500 files were read, at most \(meter.peak) open at once.")
    }
  })

private func limitDescriptors() {
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  getrlimit(resource, &limit)
  limit.rlim_cur = min(limit.rlim_max, rlim_t(descriptorLimit))
  setrlimit(resource, &limit)
}

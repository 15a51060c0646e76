// The demo of a finite resource: descriptors, with and without a budget.

internal import Synchronization
internal import Weir
internal import Glibc

extension Demo {
  static let descriptors = Demo(
    name: "descriptors",
    abstract: "Many files and few descriptors: EMFILE without a budget, none with one.",
    speed: 0.015,
    knobs: [
      .number("files", 1...2000, 200, "Number of files to open"),
      .number("limit", 24...256, 64, "Limit on descriptors of the process"),
      .choice(
        "budget", ["off", "on"],
        "Wait for a permit of half the limit, less 8 that are open, before open"),
    ],
    questions: [
      Question("failures", "How many files cannot be opened?", .count),
      Question("peak", "How many files are open at once, at most?", .count),
    ],
    introduction: { values in
      "\(text(values.int("files"), "file")) are opened on \(DescriptorRun.threads) threads, held for "
        + "0.02 s and closed; the process may have \(values.int("limit")) descriptors. Budget: "
        + "\(values["budget"] == "on" ? "\(permits(values.int("limit"))), half less 8 that are open" : "none")."
    },
    start: { values, machine, finish in DescriptorRun(values, machine).start(finish) },
    findings: { values, run in
      let log = run.log
      let failures = log.numbers("EMFILE").count
      let peak = log.peak(from: "open", to: "close")
      let files = values.int("files")
      let hasBudget = values["budget"] == "on"
      var checks = [
        ("never more than \(values.int("limit")) open", peak <= values.int("limit")),
        ("each file was opened or refused", log.numbers("open").count + failures == files),
      ]
      if hasBudget {
        checks += [
          ("no file is refused", failures == 0),
          ("never more open than the budget", peak <= permits(values.int("limit"))),
        ]
      }
      let first = log.numbers("EMFILE").first.map { ", the first one number \($0)" } ?? ""
      return Findings(
        answers: [Double(failures), Double(peak)], checks: checks,
        verdict:
          "\(files - failures) of \(files) files read, \(text(failures, "failure"))\(first); "
          + "at most \(peak) open at once.\(hasBudget ? budgetText(log) : "")",
        next: hasBudget
          ? "Try --limit 256 without the budget: what limits now?" : "Try --budget on.")
    },
    code: { [descriptorCode($0)] })
}

/// A sentence on the waits for a permit: those that found one free, and those that blocked.
private func budgetText(_ log: TraceLog) -> String {
  let acquired = log.events(.acquired, of: "budget")
  let waited = acquired.count { $0.task != nil }
  return " Of \(text(acquired.count, "wait")) for a permit of the budget, one before each file, "
    + "\(acquired.count - waited) found one free, without a call of the kernel; \(waited) blocked "
    + "the thread until another file was closed."
}

/// The permits of the guide's semaphore: half of the limit, less what is open already.
private func permits(_ limit: Int) -> Int { max(1, limit / 2 - 8) }

/// The run lowers the limit of the process, and raises it again at its end. On the simulated
/// machine descriptors are a count.
private final class DescriptorRun: Sendable {
  /// The number of threads that open files.
  static let threads = 100

  private let files: Int
  private let limit: Int
  private let machine: any Machine
  private let main: TracedQueue
  private let budget: TracedSemaphore?
  private let before = Mutex(rlimit())
  private let simulatedOpen = Mutex(3)

  init(_ values: KnobValues, _ machine: any Machine) {
    files = values.int("files")
    limit = values.int("limit")
    self.machine = machine
    main = TracedQueue(mainOf: machine)
    budget =
      values["budget"] == "on"
      ? TracedSemaphore(machine, label: "budget", permits: permits(limit)) : nil
  }

  func start(_ finish: @escaping @Sendable () -> Void) {
    let lanes = TracedQueue(machine, label: "opener", .lanes(Self.threads))
    let group = TracedGroup(machine, label: "files")
    setLimit(lowered: true)
    for file in 1...files {
      lanes.async(group: group) {
        self.budget?.wait()
        self.read(file)
        self.budget?.signal()
      }
    }
    group.notify(on: main) {
      self.setLimit(lowered: false)
      finish()
    }
  }

  private func read(_ file: Int) {
    let descriptor = open()
    guard descriptor >= 0 else { return note("EMFILE", file) }
    note("open", file, value: Int(descriptor))
    machine.sleep(0.02)
    note("close", file, value: Int(descriptor))
    close(descriptor)
  }

  private func open() -> Int32 {
    guard machine.isSimulated else {
      return Glibc.open("/etc/services", O_RDONLY | O_CLOEXEC)
        .nonnegative(or: { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) })
    }
    return simulatedOpen.withLock { count in
      guard count < limit else { return -1 }
      count += 1
      return Int32(count)
    }
  }

  private func close(_ descriptor: Int32) {
    if machine.isSimulated {
      simulatedOpen.withLock { $0 -= 1 }
    } else {
      _ = Glibc.close(descriptor)
    }
  }

  private func setLimit(lowered: Bool) {
    guard !machine.isSimulated else { return }
    before.withLock { before in
      if lowered { getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
      var new = before
      if lowered { new.rlim_cur = rlim_t(limit) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &new)
    }
  }
}

extension Int32 {
  /// Returns this descriptor; another one if it is an error other than a lack of descriptors.
  fileprivate func nonnegative(or other: () -> Int32) -> Int32 {
    self < 0 && errno == ENOENT ? other() : self
  }
}

private func descriptorCode(_ values: KnobValues) -> Listing {
  let hasBudget = values["budget"] == "on"
  return Listing(
    language: "C", title: hasBudget ? "with a budget" : "without a budget",
    """
    static void read_file(void *file, void *lane) {
        \(only(hasBudget, "/* 2. Wait. */"))
        \(only(hasBudget, "dispatch_semaphore_wait(budget, DISPATCH_TIME_FOREVER); @wait"))
        \(only(hasBudget, "/* 3. Take the resource, and work. */"))
        int descriptor = open("/etc/services", O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) {
            perror("open"); /* Too many open files */
        } else {
            process(descriptor, file); @run
            \(only(hasBudget, "/* 4. Release it, and signal. */"))
            close(descriptor);
        }
        \(only(hasBudget, "dispatch_semaphore_signal(budget); @signal"))
        dispatch_group_leave(files); @leave
    }

    void start(void) {
        weir_lanes_options_t options = {.label = "opener", .width = \(DescriptorRun.threads)};
        weir_lanes_t opener = weir_lanes_create(&options);
        \(only(hasBudget, "/* 1. Create it with the number of resources: half, less 8 that are open. */"))
        \(only(hasBudget, "budget = dispatch_semaphore_create(getdtablesize() / 2 - 8);"))
        for (int file = 1; file <= \(values.int("files")); file++) {
            dispatch_group_enter(files); @enter
            if (weir_lanes_async_f(opener, name(file), read_file) != 0) abort(); @submit
        }
        dispatch_group_notify_f(files, dispatch_get_main_queue(), NULL, show_result); @notify
    }
    """)
}

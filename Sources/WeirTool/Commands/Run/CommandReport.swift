// The messages of weir run on commands, and its report on the whole run.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

enum CommandReport {
  /// - Parameter itemsPerCommand: The value of `--max-args`.
  static func wording(
    itemsPerCommand: Int, _ statistics: @escaping @Sendable () -> CommandStatistics
  ) -> ProgressWording {
    ProgressWording(
      work: "the commands",
      ending: "ending the running commands",
      counts: { _ in line(statistics()) },
      noun: ("command", "commands"), failed: { statistics().failed },
      fraction: { amount in
        guard let items = amount?.files, items > 0 else { return nil }
        let now = statistics()
        let done = Double(now.commands + now.doneBefore) * Double(itemsPerCommand)
        return min(1, done / Double(items))
      })
  }

  static func counts(_ statistics: CommandStatistics) -> [(name: String, value: UInt64)] {
    [
      ("commands", statistics.commands), ("failed", statistics.failed),
      ("retried", statistics.retried), ("items", statistics.items),
      ("done_before", statistics.doneBefore), ("failed_before", statistics.failedBefore),
      ("unreadable", statistics.unreadable), ("special", statistics.special),
      ("links", statistics.links), ("filtered", statistics.filtered),
      ("excluded", statistics.excluded),
    ]
  }

  private static func line(_ statistics: CommandStatistics) -> String {
    let more: [(count: UInt64, noun: (String, String)?, text: String)] = [
      (statistics.failed, nil, "failed"), (statistics.retried, nil, "run again"),
      (statistics.doneBefore, nil, "done before"),
      (statistics.failedBefore, nil, "of these failed"),
      (statistics.unreadable, nil, "could not be read"),
      (statistics.special, ("special file", "special files"), "skipped"),
      (statistics.links, ("symbolic link", "symbolic links"), "skipped"),
      (statistics.filtered, nil, "skipped by filters"),
    ]
    return SummaryLine.counts(
      "\(Quantities.count(statistics.commands, "command", "commands")) run", more,
      excluded: statistics.excluded)
  }

  static func summary(
    _ statistics: CommandStatistics, _ ending: Session.Ending
  ) -> Session.Summary {
    let hasFailed = statistics.failed + statistics.failedBefore > 0
    let isIncomplete = statistics.unreadable > 0
    let rate = Double(statistics.commands) / max(ending.seconds, 0.000_001)
    let pace = """
      \(Quantities.count(statistics.items, "item", "items")) in \
      \(Quantities.seconds(ending.seconds)) (\(Quantities.count(UInt64(rate))) commands/s)
      """
    let line = line(statistics)
    let halt = statistics.isHalted ? "; stopped after the first failure" : ""
    return Session.Summary(
      line: { "\(line); \(pace)" },
      remark: hasFailed || isIncomplete ? line + halt : nil,
      status: hasFailed ? .difference : isIncomplete ? .unreadable : nil,
      counts: counts(statistics))
  }

  static func reason(_ result: CommandResult, timeout: Double?) -> Message? {
    var words: String
    switch result.outcome {
    case .ended(.exited(0)):
      return nil
    case .ended(.exited(let status)):
      words = "ended with status \(status)"
    case .ended(.signaled(let signal)):
      words = "was ended by signal \(signal) (\(name(of: signal)))"
    case .timedOut:
      words = "was ended because it took more than \(Quantities.seconds(timeout ?? 0))"
    case .notStarted(let error):
      words = "could not be started: \(Errno(rawValue: error))"
      if let remedy = remedy(error) { words += "; \(remedy)" }
    case .lost(Errno.canceled.rawValue): words = "was ended early, and its output is cut"
    case .lost(let error):
      words =
        "was ended because its output or its status could not be read: \(Errno(rawValue: error))"
    }
    if result.attempts > 1 { words += ", \(result.attempts) times" }
    return "\(result.arguments.first ?? []) \(words)"
  }

  static func shortage(_ error: Int32) -> Message {
    let remedy = remedy(error).map { "; \($0)" } ?? ""
    return "commands wait because no process can be started: \(Errno(rawValue: error))\(remedy)"
  }

  private static func remedy(_ error: Int32) -> String? {
    switch error {
    case EAGAIN: "use a smaller -j or raise ulimit -u"
    case ENOMEM, ENFILE: "use a smaller -j"
    case EMFILE: "use --ungroup or a smaller -j, or raise ulimit -n"
    default: nil
    }
  }

  private static func name(of signal: Int32) -> String {
    strsignal(signal).map { String(cString: $0) } ?? "unknown"
  }
}

extension CommandFailure: ReportedError {
  var text: Message {
    switch self {
    case .program(let name, EMFILE), .program(let name, ENFILE):
      """
      \(name): cannot be run: its output needs four descriptors, and fewer are free; \
      use --ungroup or raise ulimit -n
      """
    case .program(let name, ENOENT) where access("/dev/null", F_OK) != 0:
      "\(name): cannot be run: there is no /dev/null, which is its input"
    case .program(let name, ENOENT) where name.contains(UInt8(ascii: " ")):
      """
      \(name): cannot be run: \(Errno.noSuchFileOrDirectory); the command is one word: \
      omit the quotes around it, or use sh -c
      """
    case .program(let name, let error): "\(name): cannot be run: \(Errno(rawValue: error))"
    case .spool(let directory, let error):
      "\(directory): cannot hold the output of commands: \(Errno(rawValue: error))"
    case .delivery(let error):
      "'a result': cannot be passed on: \(Errno(rawValue: error))"
    case .log(let name, let error): "\(name): \(Errno(rawValue: error))"
    case .logInUse(let name): "\(name): another run is writing it"
    case .logIsFIFO(let name): "\(name): is a FIFO, which keeps no log; choose another name"
    case .logExists(let name): "\(name): exists; continue it with --resume"
    case .notALog(let name, let number): "\(name): is not a log of commands: line \(number)"
    }
  }
}

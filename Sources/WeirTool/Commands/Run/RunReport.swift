// What is said of commands, and of a run as a whole.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Words for what became of commands.
enum RunReport {
  /// How a run of commands is spoken of.
  static func wording(_ statistics: @escaping @Sendable () -> CommandStatistics) -> Wording {
    Wording(
      work: "the commands",
      ending: "what runs is ended",
      counts: { _ in counts(statistics()) },
      parts: { progress, seconds in
        let rate = Double(progress.files) / max(seconds, 0.001)
        var parts = [
          Progress.Part(
            kind: .files, text: Quantities.count(progress.files, "command", "commands")),
          Progress.Part(kind: .rate, text: "\(Quantities.count(UInt64(rate)))/s"),
        ]
        let failed = statistics().failed
        if failed > 0 {
          parts.append(Progress.Part(kind: .errors, text: "\(Quantities.count(failed)) failed"))
        }
        return parts
      })
  }

  /// The counts by kind.
  static func counts(_ statistics: CommandStatistics) -> String {
    var parts = ["\(Quantities.count(statistics.commands, "command", "commands")) run"]
    let more: [(UInt64, noun: (String, String)?, String)] = [
      (statistics.failed, nil, "failed"), (statistics.retried, nil, "run again"),
      (statistics.doneBefore, nil, "done before"),
      (statistics.failedBefore, nil, "of these failed"),
      (statistics.unreadable, nil, "could not be read"),
      (statistics.special, ("special file", "special files"), "passed over"),
      (statistics.links, ("symbolic link", "symbolic links"), "passed over"),
      (statistics.filtered, nil, "passed over by filters"),
    ]
    for (count, noun, words) in more where count > 0 {
      let subject = noun.map { Quantities.count(count, $0, $1) } ?? Quantities.count(count)
      parts.append("\(subject) \(words)")
    }
    if statistics.excluded > 0 { parts.append("the output passed over") }
    return parts.joined(separator: ", ")
  }

  /// What is said of the whole, and how it ends.
  static func closing(
    _ statistics: CommandStatistics, _ progress: FileStatistics, seconds: Double
  ) -> Session.Closing {
    let hasFailed = statistics.failed + statistics.failedBefore > 0
    let isIncomplete = statistics.unreadable > 0
    let rate = Double(statistics.commands) / max(seconds, 0.000_001)
    let pace = """
      \(Quantities.count(statistics.items, "item", "items")) in \(Quantities.seconds(seconds)) \
      (\(Quantities.count(UInt64(rate))) commands/s); \
      \(Quantities.count(progress.lanesPeak)) of \(Quantities.count(progress.lanes, "lane", "lanes")), \
      \(Quantities.count(progress.descriptorsPeak, "descriptor", "descriptors")) at most
      """
    var remark: String?
    if hasFailed || isIncomplete {
      remark = counts(statistics) + (statistics.isHalted ? "; the first failure ended the run" : "")
    }
    var closing = Session.Closing(summary: "\(counts(statistics)); \(pace)")
    closing.remark = remark
    closing.status = hasFailed ? .difference : isIncomplete ? .unreadable : nil
    return closing
  }

  /// Why a command counts as failed; `nil` where it does not.
  static func reason(_ result: CommandResult, timeout: Double?) -> [UInt8]? {
    var words: String
    switch result.outcome {
    case .ended(.exited(0)):
      return nil
    case .ended(.exited(let status)):
      words = "ended with status \(status)"
    case .ended(.signaled(let signal)):
      words = "was ended by signal \(signal) (\(name(of: signal)))"
    case .timedOut:
      words = "was ended, since it took more than \(Quantities.seconds(timeout ?? 0))"
    case .notStarted(let error):
      words = "could not be started: \(Errno(rawValue: error))"
      if let way = wayOut(error) { words += "; \(way)" }
    }
    if result.attempts > 1 { words += ", \(result.attempts) times" }
    let program = result.arguments.first ?? []
    return QuotedName.bytes(of: program) + Array(" \(words)".utf8)
  }

  /// What is said once where the system has no process to give.
  static func heldUp(_ error: Int32) -> String {
    "commands are held up, no more can be started now: \(Errno(rawValue: error))"
      + (wayOut(error).map { "; \($0)" } ?? "")
  }

  /// What to do where there can be no more processes.
  private static func wayOut(_ error: Int32) -> String? {
    switch error {
    case EAGAIN: "say -j for fewer at once, or raise ulimit -u"
    case ENOMEM: "say -j for fewer at once"
    default: nil
    }
  }

  private static func name(of signal: Int32) -> String {
    strsignal(signal).map { String(cString: $0) } ?? "unknown"
  }

  /// What it was run for.
  static func subject(_ items: [CommandItem]) -> [UInt8] {
    let rest = items.count - 1
    let others = rest > 0 ? " and \(Quantities.count(rest, "other", "others"))" : ""
    return (items.first.map { QuotedName.bytes(of: $0.bytes) } ?? []) + Array(others.utf8)
  }

  /// What ended a run early.
  static func words(_ failure: CommandFailure) -> [UInt8] {
    func line(_ name: [UInt8], _ reason: String) -> [UInt8] {
      QuotedName.bytes(of: name) + Array(": \(reason)".utf8)
    }
    switch failure {
    case .program(let name, let error):
      let isShort = [EMFILE, ENFILE].contains(error)
      return line(
        name,
        "cannot be run: "
          + (isShort
            ? "its output takes four descriptors, and there are fewer; say --ungroup, "
              + "or raise ulimit -n" : "\(Errno(rawValue: error))"))
    case .spool(let directory, let error):
      return line(
        directory, "what commands write cannot be kept there: \(Errno(rawValue: error))")
    case .log(let name, let error):
      return line(name, "\(Errno(rawValue: error))")
    case .logInUse(let name):
      return line(name, "another run writes to it")
    case .logExists(let name):
      return line(name, "is there already; --resume goes on with it")
    case .notALog(let name, let number):
      return line(name, "is no log of commands: line \(number)")
    case .otherCommand(let name, let number):
      return line(
        name, "has another command in line \(number); --resume is for the same command")
    }
  }
}

import Glibc
import TestSupport

/// Compares the end of a run with that of a run without a fault.
struct FaultOracle {
  let scenario: FaultScenario
  let fault: Fault
  let end: FaultEnd
  let baseline: FaultEnd
  /// The files before the run.
  let before: [String: [UInt8]]

  func problems() -> [String] {
    let outcome = end.outcome
    if outcome.wasLate { return ["hangs"] }
    if fault.form == .kill && end.report.hits > 0 {
      return outcome.signal == SIGKILL ? [] : ["goes on after a kill: \(messages)"]
    }
    if let signal = outcome.signal { return ["ended by signal \(signal): \(messages)"] }
    var problems: [String] = []
    if end.leftChild { problems.append("left a child") }
    if isSame {
      if mustReport { problems.append("not reported") }
      let left = strange(allowed: [])
      if !left.isEmpty && !isCleaning { problems.append("status 0, left \(left)") }
    } else {
      problems += differences()
    }
    // When `run` ends, a thread beside it may still have one open, whatever the fault was.
    let late = scenario.name.hasPrefix("run") ? 1 : 0
    if let open = end.report.openAtEnd, let usual = baseline.report.openAtEnd, open > usual + late,
      outcome.status == baseline.outcome.status
    {
      problems.append("\(open - usual) descriptors more are open at the end")
    }
    return problems.isEmpty ? [] : problems + [messages]
  }

  /// The effect of a fault that is no failure of the run: the same result, or perhaps also a failure
  /// with a message.
  private enum Tolerance { case same, any }

  private var tolerated: Tolerance? {
    let path = end.report.path
    let effect: Tolerance? =
      switch fault.call {
      // The knowledge of storage and cores only chooses the number of readers.
      case "access", "fopen", "getline", "fclose", "scandir", "realpath", "readlink", "statfs":
        ["/proc/", "/sys/"].contains { path.hasPrefix($0) } ? .same : nil
      case "sched_getaffinity", "sched_setaffinity", "getrusage": .same
      // A file system that cannot write a directory back does not need it.
      case "fsync" where fault.form == .error(EROFS):
        ["/w", "/lists", "/parts"].contains { path.hasSuffix($0) } ? .same : nil
      // A plan takes the widths of columns from it, as wc does; the walk reports the error.
      case "stat" where scenario.name == "plan": .any
      case "fstatat" where scenario.name == "plan" && path == "tree": .any
      // The space that a duplicate would free: of a file without a status it is none.
      case "fstatat" where scenario.name.hasPrefix("duplicates") && path.hasPrefix("tree/"): .any
      // The file of waiting output is shortened to give space back.
      case "ftruncate" where path.hasSuffix(" (deleted)") || path.hasSuffix(".waiting"): .same
      default: nil
      }
    // Later calls of a permanent fault may be about other files.
    guard effect != nil, fault.isPermanent else { return effect }
    return ["fsync", "stat"].contains(fault.call) ? .any : nil
  }

  private var messages: String {
    "[\(end.report.path)] status \(end.outcome.status ?? -1): "
      + end.outcome.errorText.prefix(600).split(separator: "\n").prefix(6).joined(separator: " | ")
  }

  // MARK: Equal

  /// True if the run did all that one without a fault does.
  private var isSame: Bool {
    guard end.outcome.status == baseline.outcome.status else { return false }
    guard same(end.outcome.output, baseline.outcome.output, scenario.shape) else { return false }
    return scenario.outputs.allSatisfy { name, shape in
      guard let made = end.files[name], let expected = baseline.files[name] else {
        return end.files[name] == baseline.files[name]
      }
      return same(made, expected, shape)
    }
  }

  private func same(_ made: [UInt8], _ expected: [UInt8], _ shape: OutputShape) -> Bool {
    switch shape {
    case .any: !made.isEmpty
    case .counts: OutputLines.columns(made) == OutputLines.columns(expected)
    case .groups: Set(OutputLines.groups(made)) == Set(OutputLines.groups(expected))
    case .log:
      Set(OutputLines.commands(made)) == Set(OutputLines.commands(expected))
        && OutputLines.commands(made).count == OutputLines.commands(expected).count
    default:
      made == expected || OutputLines.steady(made) == OutputLines.steady(expected)
    }
  }

  private func strange(allowed: [String]) -> [String] {
    Set(end.files.keys).subtracting(baseline.files.keys).subtracting(before.keys)
      .filter { path in !allowed.contains { path.hasPrefix($0) } }.sorted()
  }

  // MARK: Different

  private func differences() -> [String] {
    var problems: [String] = []
    let outcome = end.outcome
    if fault.form.isInvisible || tolerated == .same {
      problems.append("visible")
    }
    let statuses = scenario.failures.union([baseline.outcome.status ?? 0])
    let isTolerated = tolerated == .any && outcome.status == 0
    if isTolerated {
      // A success, whose output is compared below.
    } else if !statuses.contains(outcome.status ?? -1) || outcome.status == 0 {
      problems.append("status \(outcome.status ?? -1)")
    }
    if !isTolerated && !isNamed { problems.append("the message does not name the file") }
    if let lines = loss(outcome.output, baseline.outcome.output, scenario.shape) {
      problems.append("standard output: \(lines)")
    }
    for (name, shape) in scenario.outputs {
      guard let made = end.files[name], made != before[name] else { continue }
      guard let expected = baseline.files[name] else {
        problems.append("\(name) is there")
        continue
      }
      if shape == .lines || shape == .whole, OutputLines.lines(made).isCut {
        problems.append("\(name) is cut")
      }
      if let lines = loss(made, expected, shape, isFile: true) {
        problems.append("\(name): \(lines)")
      }
    }
    let left = strange(allowed: scenario.kept)
    if !left.isEmpty && !isCleaning { problems.append("left \(left)") }
    return problems
  }

  /// True if the program ended for lack of memory, as by a signal.
  private var isMemory: Bool {
    FaultCalls.errors[fault.call] == [ENOMEM]
      && (end.outcome.errorText.contains("Cannot allocate memory")
        || end.outcome.errorText.contains("memory exhausted"))
  }

  /// True if the call that failed is the one that removes a file, or finds it.
  private var isCleaning: Bool {
    ["unlink", "unlinkat", "readdir", "opendir"].contains(fault.call)
      || fault.isPermanent && ["fstat", "fstatat"].contains(fault.call) || isMemory
  }

  /// True if an error of this call, on an output, must end in a message although the output is
  /// right: it may not be on the disk.
  private var mustReport: Bool {
    // A write without a file was under way on another thread as the program ended.
    if end.report.path.isEmpty { return false }
    guard !fault.form.isInvisible, tolerated == nil else { return false }
    switch fault.call {
    case "write", "pwrite", "fsync", "fdatasync", "ftruncate": break
    default: return false
    }
    return end.outcome.errors == baseline.outcome.errors
  }

  /// True if a message names a file of a call that failed.
  private var isNamed: Bool {
    // Standard error fails too.
    if fault.isPermanent && fault.call == "write" { return true }
    let text = end.outcome.errorText
    guard text != baseline.outcome.errorText, !text.isEmpty else {
      // As with GNU's tools: the close of standard error fails, which leaves a status alone.
      return scenario.program != "weir" && fault.call == "close"
        && end.report.path.hasPrefix("pipe:")
    }
    return isMemory || end.report.paths.contains { names($0, text) }
  }

  /// True if a text names a file, or the file is none of the user's.
  private func names(_ path: String, _ text: String) -> Bool {
    if let input = scenario.input, path.hasSuffix("/w/\(input)") {
      if text.contains("standard input") || text.contains("-: ") { return true }
    }
    guard path.contains("/w/") || !path.hasPrefix("/"), !path.isEmpty, !path.hasPrefix("pipe:")
    else { return true }
    // A temporary name stands for the file that it becomes.
    var base = path.split(separator: "/").last.map(String.init) ?? path
    for part in [".part.tmp.", ".tmp."] where base.contains(part) {
      base = base.split(separator: part).first.map(String.init) ?? base
    }
    if base == "golf.txt" && text.contains("lima.txt") { return true }  // a link to it
    if base == "." || base == ".." || base == "w" || text.contains(base) { return true }
    let isInput = ["tree", "each", "links"].contains { path.contains("\($0)/") }
    return !isInput && scenario.outputs.keys.contains { text.contains($0) }
  }

  /// The lines that are wrong, or missing without a message; `nil` if there are none.
  private func loss(
    _ made: [UInt8], _ expected: [UInt8], _ shape: OutputShape, isFile: Bool = false
  ) -> String? {
    let text = end.outcome.errorText
    let isEarly =
      !isFile
      && (end.outcome.status == 2 || text.contains("memory exhausted")
        || text.contains("write error") || fault.isPermanent && fault.call == "write")
    let judge = OutputLines(made: made, expected: expected, messages: text, isEarly: isEarly)
    switch shape {
    case .any, .report: return nil
    case .names: return judge.nameProblem()
    case .whole: return isFile ? (made == expected ? nil : "differs") : judge.prefixProblem()
    case .lines: return judge.problem()
    case .verdicts: return judge.problem(verdicts: true)
    case .counts: return judge.problem(ignoring: " total")
    case .groups: return judge.groupProblem()
    case .log: return judge.logProblem()
    }
  }
}

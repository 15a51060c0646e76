// The calls whose errors a run survives without a word, each with the reason.

/// The effect of a fault that is no failure of the run.
struct FaultTolerance {
  enum Effect {
    /// The run has the same result.
    case same
    /// The run may also fail, with a message.
    case any
  }

  let calls: Set<String>
  /// The verb of the command; any if empty.
  var verb = ""
  /// Beginnings of the paths; any path if empty.
  var paths: [String] = []
  /// The end of the path.
  var end = ""
  /// The errors; all if empty.
  var errors: [FaultError] = []
  let effect: Effect
  let reason: String

  static let all: [FaultTolerance] = [
    .init(
      calls: ["access", "fopen", "getline", "fclose", "scandir", "realpath", "readlink", "statfs"],
      paths: ["/proc/", "/sys/"], effect: .same,
      reason: "what is known of storage and cores only chooses the number of readers"),
    .init(
      calls: ["sched_getaffinity", "sched_setaffinity", "getrusage"], effect: .same,
      reason: "the number of cores is then the number of those online"),
    .init(
      calls: ["fsync"], end: "/w", errors: [.readOnly], effect: .same,
      reason: "a file system that cannot write a directory back does not need it"),
    .init(
      calls: ["fsync"], end: "/lists", errors: [.readOnly], effect: .same,
      reason: "a file system that cannot write a directory back does not need it"),
    .init(
      calls: ["fsync"], end: "/parts", errors: [.readOnly], effect: .same,
      reason: "a file system that cannot write a directory back does not need it"),
    .init(
      calls: ["stat"], verb: "plan", effect: .any,
      reason: "a plan takes the widths of columns from it, as wc does; the walk reports the error"),
    .init(
      calls: ["ftruncate"], end: " (deleted)", effect: .same,
      reason: "the file of waiting output is shortened to give space back"),
  ]

  /// Returns the effect that a fault may have, by its first path.
  static func effect(of fault: Fault, _ path: String, verb: String) -> Effect? {
    let tolerance = all.first { tolerance in
      tolerance.calls.contains(fault.call)
        && (tolerance.verb.isEmpty || tolerance.verb == verb)
        && (tolerance.paths.isEmpty || tolerance.paths.contains { path.hasPrefix($0) })
        && (tolerance.end.isEmpty || path.hasSuffix(tolerance.end))
        && (tolerance.errors.isEmpty
          || tolerance.errors.contains { fault.form == .error($0) })
    }
    // Later calls of a permanent fault may be about other files.
    guard tolerance != nil, fault.isPermanent else { return tolerance?.effect }
    return ["fsync", "stat"].contains(fault.call) ? .any : nil
  }
}

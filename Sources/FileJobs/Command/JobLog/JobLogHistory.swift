// The commands that a job log has, for a run that resumes.
//
// DESIGN. Commands are recognized by their text, not by their position: files are added between two
// runs. A command that the log has twice is done twice, and a third one is new. Only a hash is
// kept, whose key is random in each process: two of a million commands share theirs once in ten
// million runs, and nobody can choose names that do. Rejected: a hash without a key, with which a
// file can have a name whose command is never run.

internal import SystemPackage

struct JobLogHistory: Sendable {
  /// The lines of a command that were not found yet.
  private struct Lines {
    var successes: UInt32 = 0
    var failures: UInt32 = 0
  }

  private var lines: [Int: Lines] = [:]
  /// While lines are added: the failed commands with their numbers.
  private var failed: Set<Int> = []
  /// The error of a line that the log has in part: it takes no other.
  var failure: Errno?

  /// Adds a line. The line of a failed command with the same number is replaced: the
  /// command was run again.
  mutating func add(_ command: ArraySlice<UInt8>, number: UInt64, isSuccess: Bool) {
    let hash = JobLogHistory.hash(command)
    let line = JobLogHistory.hash(command, number)
    let isRepeated = failed.remove(line) != nil
    if isRepeated { lines[hash]?.failures -= 1 }
    if isSuccess {
      lines[hash, default: Lines()].successes += 1
    } else {
      lines[hash, default: Lines()].failures += 1
      failed.insert(line)
    }
  }

  /// Must be called after the last line was added.
  mutating func finish() { failed = [] }

  /// Finds a command, once for each of its lines, as ``JobLog/find(_:)`` does.
  mutating func find(_ command: ArraySlice<UInt8>, takesFailures: Bool) -> Bool? {
    let hash = JobLogHistory.hash(command)
    guard let left = lines[hash] else { return nil }
    if left.successes > 0 {
      lines[hash]?.successes -= 1
      return true
    }
    guard takesFailures, left.failures > 0 else { return nil }
    lines[hash]?.failures -= 1
    return false
  }

  private static func hash(_ command: ArraySlice<UInt8>, _ number: UInt64? = nil) -> Int {
    var hasher = Hasher()
    command.withUnsafeBytes { hasher.combine(bytes: $0) }
    if let number { hasher.combine(number) }
    return hasher.finalize()
  }
}

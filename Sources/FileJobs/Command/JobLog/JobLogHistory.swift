// The commands that a job log has, for a run that resumes.
//
// DESIGN. Commands are recognized by their text, not by their position: between two runs
// files are added, and commands create some. Each command takes eight bytes, a hash whose
// last bit is the result, sorted for a binary search, and a byte that tells if the command
// was found already. So a command that the log has twice is done twice, and a third one is
// new. Swift's hash has a random key in each process: two of a million commands share
// theirs once in ten million runs, and nobody can choose names that do. Rejected: a hash
// without a key, with which a file can have a name whose command is never run.

/// The commands of a job log and their results.
struct JobLogHistory: Sendable {
  private var done: [UInt64] = []
  private var isFound: [Bool] = []
  /// While lines are added: the indices of failed commands, by command and number.
  private var failures: [UInt64: Int] = [:]

  private static let failed: UInt64 = 1

  /// Adds a line. The line of a failed command with the same number is replaced: the
  /// command was run again.
  mutating func add(_ command: ArraySlice<UInt8>, number: UInt64, isSuccess: Bool) {
    let fingerprint = JobLogHistory.fingerprint(command)
    let key = fingerprint &+ number &* 0x9E37_79B9_7F4A_7C15
    if let index = failures[key] {
      if isSuccess {
        done[index] = fingerprint
        failures[key] = nil
      }
      return
    }
    if !isSuccess { failures[key] = done.count }
    done.append(isSuccess ? fingerprint : fingerprint | JobLogHistory.failed)
  }

  /// Sorts the commands. Must be called after the last line was added.
  mutating func finish() {
    failures = [:]
    done.sort()
    isFound = [Bool](repeating: false, count: done.count)
  }

  /// Finds a command, once for each of its lines. Returns true if it succeeded, false if
  /// it failed, and `nil` if it is to be run.
  mutating func find(_ command: ArraySlice<UInt8>, takesFailures: Bool) -> Bool? {
    let fingerprint = JobLogHistory.fingerprint(command)
    // Of equal commands the first ones were found already.
    let index = done.indices.binarySearch { index in
      done[index] > fingerprint | JobLogHistory.failed
        || (done[index] >= fingerprint && !isFound[index])
    }
    guard index < done.count,
      done[index] | JobLogHistory.failed == fingerprint | JobLogHistory.failed
    else { return nil }
    let isSuccess = done[index] == fingerprint
    if !isSuccess && !takesFailures { return nil }
    isFound[index] = true
    return isSuccess
  }

  /// Returns a hash of a command without its last bit.
  private static func fingerprint(_ command: ArraySlice<UInt8>) -> UInt64 {
    var hasher = Hasher()
    command.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize())) & ~failed
  }
}

// What a log says was done.
//
// DESIGN. Commands are known again by what they are, not by where they come: between
// two runs files are added, and commands make some. Of each eight bytes are kept, a
// number that two commands hardly share and whose last bit says how it ended, in
// order, to be found by halving, and a byte for whether it was met. So a command
// that stands in the log twice is done twice, and that it is there a third time is
// new.

/// The commands of a log.
struct JobLogHistory: Sendable {
  private var done: [UInt64] = []
  private var isMet: [Bool] = []
  /// While it is filled: where what has failed stands, by command and number.
  private var failures: [UInt64: Int] = [:]

  private static let failed: UInt64 = 1

  /// Adds a line. One for a command that failed, with the same number, is what
  /// became of it when it was run again.
  mutating func add(_ command: some Sequence<UInt8>, number: UInt64, isSuccess: Bool) {
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

  /// To be called when all lines are there.
  mutating func finish() {
    failures = [:]
    done.sort()
    isMet = [Bool](repeating: false, count: done.count)
  }

  /// Meets a command: whether it was a success where it is done, and `nil` where it
  /// is to be run.
  mutating func meet(_ command: some Sequence<UInt8>, takesFailures: Bool) -> Bool? {
    let fingerprint = JobLogHistory.fingerprint(command)
    // Of those that are the same the first ones were met.
    let index = JobLogHistory.first(done.count) { index in
      done[index] > fingerprint | JobLogHistory.failed
        || (done[index] >= fingerprint && !isMet[index])
    }
    guard index < done.count,
      done[index] | JobLogHistory.failed == fingerprint | JobLogHistory.failed
    else { return nil }
    let isSuccess = done[index] == fingerprint
    if !isSuccess && !takesFailures { return nil }
    isMet[index] = true
    return isSuccess
  }

  /// The first index for which something is so that is so for all behind it.
  private static func first(_ count: Int, where isSo: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isSo(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// FNV-1a, without its last bit.
  private static func fingerprint(_ command: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in command { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash ^ hash >> 32) & ~failed
  }
}

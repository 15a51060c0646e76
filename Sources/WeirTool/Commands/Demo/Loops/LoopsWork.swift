// The work of an index: arithmetic of a given duration.
//
// DESIGN. An index is a number of steps of arithmetic, each of which needs the result of the
// step before. A measurement of the duration of a step gives that number. A loop that reads
// the clock until the time is over was rejected: a thread that waits for a processor would
// have done its work nevertheless, and one reading takes as long as a short index.

internal import Glibc

enum LoopsWork {
  /// Does the work of some indices. Returns a sum; the sum of all blocks does not depend on
  /// how the loop is divided.
  @inline(never)
  static func run(_ range: Range<Int>, steps: Int) -> UInt64 {
    var sum: UInt64 = 0
    // 0, which the compiler cannot know: otherwise a core would begin an index before the
    // previous one ends, and short indices would take no time.
    let zero = UInt64(truncatingIfNeeded: steps >> 40)
    for index in range {
      var x = (UInt64(index) &+ 1) ^ (sum & zero)
      for _ in 0..<steps {
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
      }
      sum &+= x
    }
    return sum
  }

  /// Returns the number of steps that take a number of nanoseconds on one core.
  static func steps(nanoseconds: Int) -> Int {
    guard nanoseconds > 0 else { return 0 }
    let sample = 200_000
    var least = UInt64.max
    for round in 0..<5 {
      let begin = now()
      let value = run(round..<round + 1, steps: sample)
      let end = now()
      // The value is never 0, but the compiler cannot know that and omit the work.
      if value != 0 { least = min(least, end - begin) }
    }
    return max(1, Int(Double(nanoseconds) * Double(sample) / Double(max(1, least))))
  }

  /// Returns the time of a clock, in nanoseconds.
  static func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

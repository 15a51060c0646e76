// Real work, so and so much of it.
//
// DESIGN. An index is a number of steps of arithmetic, of which each needs the one
// before. That number is found by measuring what a step takes. To look at the clock
// until the time is over was rejected: a thread that waits for a processor would
// have done its work all the same, and one look takes as long as a short index.

internal import Glibc

enum LoopsWork {
  /// Does the work of some indices. Returns what comes of it, which for all
  /// blocks together is the same however the loop was cut.
  @inline(never)
  static func run(_ range: Range<Int>, steps: Int) -> UInt64 {
    var sum: UInt64 = 0
    // 0, which the compiler does not know: else a core would begin with an index
    // while it is still at the one before, and short ones would be for nothing.
    let nothing = UInt64(truncatingIfNeeded: steps >> 40)
    for index in range {
      var x = (UInt64(index) &+ 1) ^ (sum & nothing)
      for _ in 0..<steps {
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
      }
      sum &+= x
    }
    return sum
  }

  /// How many steps take so many nanoseconds, on one core.
  static func steps(nanoseconds: Int) -> Int {
    guard nanoseconds > 0 else { return 0 }
    let sample = 200_000
    var least = UInt64.max
    for round in 0..<5 {
      let begin = now()
      let value = run(round..<round + 1, steps: sample)
      let end = now()
      // The value is never 0: so the work cannot be left out.
      if value != 0 { least = min(least, end - begin) }
    }
    return max(1, Int(Double(nanoseconds) * Double(sample) / Double(max(1, least))))
  }

  /// A clock, in nanoseconds.
  static func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

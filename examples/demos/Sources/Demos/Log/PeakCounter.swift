// The largest count that lasts.
//
// DESIGN. In simulated time the events of one moment are nanoseconds apart, so a job that begins as
// another one ends may seem to overlap it. A picture shows no such overlap, and none counts.

/// Counts activities that begin and end, and finds the most that went on at once for some time.
struct PeakCounter {
  /// The nanoseconds of an overlap that is too short to count.
  let moment: UInt64
  /// The activities that go on, by the time at which they began to be so many.
  private var risen: [(time: UInt64, size: Int)] = []
  private var most = 0

  init(moment: UInt64 = 0) { self.moment = moment }

  /// The number that goes on.
  private(set) var count = 0

  /// The most that went on at once for longer than a moment. Those that go on now count.
  var peak: Int { max(most, count) }

  /// Adds a number of activities that begin, or subtracts some that end.
  mutating func add(_ change: Int, at time: UInt64) {
    if change > 0 {
      risen.append((time, change))
      count += change
      most = max(most, 1)
    }
    var left = min(count, max(0, -change))
    while left > 0, let last = risen.popLast() {
      if time > last.time && time - last.time > moment { most = max(most, count) }
      let size = min(left, last.size)
      if last.size > size { risen.append((last.time, last.size - size)) }
      count -= size
      left -= size
    }
  }
}

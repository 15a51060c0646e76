// files/readers/plan.h: the decision on the number of readers, for storage that is simulated.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import TestSupport
import Testing

/// The C structs of files/readers/plan.h, which are not public: their fields are all of 64 bits.
private struct Interval {
  var nanoseconds: UInt64 = 16_000_000
  var cpu: UInt64 = 0
  var cores: UInt64 = 2
  var waits: UInt64 = 0
  var files: UInt64 = 0
  var bytes: UInt64 = 0
  var readers: UInt64 = 0
  var isFull: UInt64 = 1
}

@_silgen_name("weir__readers_plan_begin")
private func begin(_ plan: UnsafeMutablePointer<UInt64>, _ least: UInt64, _ most: UInt64)

@_silgen_name("weir__readers_plan_next")
private func next(_ plan: UnsafeMutablePointer<UInt64>, _ interval: UnsafeRawPointer) -> UInt64

/// A plan, and the numbers of readers that it has chosen.
private struct Plan {
  /// More room than the C struct takes.
  private var fields = [UInt64](repeating: 0, count: 64)
  private(set) var readers: Int
  private(set) var history: [Int] = []

  init(_ least: Int, _ most: Int) {
    begin(&fields, UInt64(least), UInt64(most))
    readers = least
  }

  mutating func advance(_ interval: Interval) {
    var interval = interval
    if interval.readers == 0 { interval.readers = UInt64(readers) }
    readers = withUnsafeBytes(of: &interval) { Int(next(&fields, $0.baseAddress!)) }
    history.append(readers)
  }

  /// Advances over storage that gives so many files in an interval to so many readers, and noise
  /// of a tenth.
  mutating func advance(
    _ count: Int, _ random: inout Random, files: (_ readers: Int) -> Double
  ) {
    for _ in 0..<count {
      let noise = Double(random.below(200) + 900) / 1000
      advance(.waiting(files: Int(files(readers) * noise)))
    }
  }

  /// The mean of the last numbers.
  func mean(ofLast count: Int) -> Double {
    Double(history.suffix(count).reduce(0, +)) / Double(count)
  }
}

extension Interval {
  /// Each file made its reader wait, and the cores were idle half of the time.
  static func waiting(files: Int) -> Interval {
    Interval(
      cpu: 16_000_000, waits: UInt64(files), files: UInt64(files), bytes: UInt64(files) * 4500)
  }

  /// The cores were busy, as in a warm cache.
  static func warm(files: Int) -> Interval {
    Interval(
      cpu: 30_000_000, waits: UInt64(files) / 20, files: UInt64(files),
      bytes: UInt64(files) * 4500)
  }
}

extension CWeirFilesTests {
  @Suite struct ReadersPlanTests {
    @Test func warmFilesGetNoMoreReaders() {
      var random = Random("warm")
      var plan = Plan(8, 64)
      for _ in 0..<2000 { plan.advance(.warm(files: random.below(8000) + 1)) }
      #expect(plan.history.allSatisfy { $0 == 8 })
    }

    /// Other processes take the cores: this one uses little time, but its readers do not sleep.
    @Test func aBusyMachineGivesNoMoreReaders() {
      var random = Random("busy")
      var plan = Plan(8, 64)
      for _ in 0..<2000 {
        var interval = Interval.warm(files: random.below(1000) + 100)
        interval.cpu = UInt64(random.below(20)) * 1_000_000
        plan.advance(interval)
      }
      #expect(plan.history.allSatisfy { $0 == 8 })
    }

    /// From any number, in as many intervals as doublings, and one more.
    @Test(arguments: [(1, 64, 7), (8, 64, 4), (16, 64, 3), (4, 200, 7), (12, 17, 2)])
    func waitingReadersReachTheLimitSoon(least: Int, most: Int, intervals: Int) {
      var plan = Plan(least, most)
      for _ in 0..<intervals { plan.advance(.waiting(files: 40)) }
      #expect(plan.readers == most)
      #expect(plan.history == plan.history.sorted())
    }

    /// Rotating disks have one reader, and `--jobs` fixes the number.
    @Test(arguments: [1, 8]) func aFixedNumberStays(readers: Int) {
      var random = Random("fixed")
      var plan = Plan(readers, readers)
      plan.advance(500, &random) { 100 / Double($0) }
      #expect(plan.history.allSatisfy { $0 == readers })
    }

    @Test func readersWithoutWorkGetNoMore() {
      var plan = Plan(8, 64)
      for _ in 0..<500 {
        var interval = Interval.waiting(files: 40)
        interval.isFull = 0
        plan.advance(interval)
      }
      #expect(plan.history.allSatisfy { $0 == 8 })
    }

    /// As measured on a virtual disk: 8 readers 32 files a millisecond, 64 readers 48.
    @Test func readersThatHelpStay() {
      for seed in 0..<20 {
        var random = Random("help \(seed)")
        var plan = Plan(8, 64)
        plan.advance(1500, &random) { 520 * (0.55 + 0.9 * Double($0) / Double($0 + 20)) }
        #expect(plan.mean(ofLast: 1000) > 44, "\(plan.history)")
      }
    }

    /// More than some readers bring nothing: then these are enough.
    @Test(arguments: [8, 16, 32]) func readersThatDoNotHelpAreTakenAway(enough: Int) {
      let means = (0..<40).map { seed in
        var random = Random("flat \(enough) \(seed)")
        var plan = Plan(8, 64)
        plan.advance(3000, &random) { 60 * Double(min($0, enough)) }
        return plan.mean(ofLast: 2000)
      }
      #expect(means.reduce(0, +) / 40 < 1.5 * Double(enough), "\(means)")
      #expect(means.allSatisfy { $0 > 0.8 * Double(enough) }, "\(means)")
    }

    /// Storage that many readers slow down, such as a rotating disk of a virtual machine.
    @Test func readersThatHarmAreTakenAwaySoon() {
      for seed in 0..<20 {
        var random = Random("harm \(seed)")
        var plan = Plan(8, 64)
        plan.advance(1000, &random) { 4000 / Double($0 + 8) }
        #expect(plan.history.prefix(120).contains(8), "\(plan.history.prefix(120))")
        #expect(plan.mean(ofLast: 800) < 10)
      }
    }

    @Test func readersThatNoLongerWaitAreTakenAway() {
      var random = Random("cached")
      var plan = Plan(8, 64)
      plan.advance(200, &random) { 10 * Double($0) }
      for _ in 0..<16 { plan.advance(.warm(files: 5000)) }
      #expect(plan.readers == 8)
      for _ in 0..<4 { plan.advance(.waiting(files: 40)) }
      #expect(plan.readers == 64)
    }

    /// The system may have fewer threads than were asked for.
    @Test func aSmallerNumberIsAccepted() {
      var plan = Plan(8, 64)
      for _ in 0..<100 {
        var interval = Interval.waiting(files: 40)
        interval.readers = UInt64(min(plan.readers, 11))
        plan.advance(interval)
      }
      #expect(plan.readers <= 11 && plan.history.suffix(90).allSatisfy { $0 <= 11 })
    }

    @Test func theNumberIsAlwaysWithinItsLimits() {
      var random = Random("limits")
      for _ in 0..<200 {
        let least = random.below(20) + 1, most = least + random.below(180)
        var plan = Plan(least, most)
        for _ in 0..<300 {
          var interval = Interval()
          interval.nanoseconds = UInt64(random.below(40_000_000)) + 1
          interval.cpu = UInt64(random.below(60_000_000))
          interval.waits = UInt64(random.below(100))
          interval.files = UInt64(random.below(100))
          interval.bytes = UInt64(random.below(1 << 30))
          interval.isFull = UInt64(random.below(2))
          plan.advance(interval)
        }
        #expect(plan.history.allSatisfy { (least...most).contains($0) })
      }
    }
  }
}

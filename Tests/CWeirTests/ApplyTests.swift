// weir/apply.h: every index is in exactly one call for any count, stride and queue; ranges start in
// order; loops can stop.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct ApplyTests {
    @Test(arguments: Loop.Form.allCases, Place.allCases)
    func everySmallLoopTilesItsRange(form: Loop.Form, place: Place) {
      place.with { queue in
        for count in 0...24 {
          for stride in Array(0...25) + [Int.max] {
            let loop = Loop(form, UInt(count), UInt(stride), queue)
            #expect(loop.tiles(), "count \(count) stride \(stride)")
          }
          #expect(Loop(form, UInt(count), UInt.max, queue).tiles())
        }
      }
    }

    @Test(arguments: Loop.Form.allCases)
    func bigLoopsTileTheirRange(form: Loop.Form) {
      var random = Random("big loops \(form)")
      for _ in 0..<12 {
        let count = UInt(random.below(1_000_000))
        let stride = UInt(random.below(2) == 0 ? 50 + random.below(1000) : 0)
        #expect(Loop(form, count, stride, nil).tiles(), "\(count) / \(stride)")
      }
    }

    @Test func hugeLoopsTileTheirRange() {
      for form in Loop.Form.allCases {
        for count in [UInt.max, UInt.max - 1, UInt.max / 2 + 1] {
          for stride in [UInt.max, UInt.max - 1, UInt.max / 2, UInt.max / 3, 0] {
            #expect(Loop(form, count, stride, nil).tiles(), "\(count) / \(stride)")
          }
        }
      }
    }

    /// Bodies that take no time: the ranges grow until little is left, so that there are few, and
    /// shrink again towards the end.
    @Test func theAutomaticStrideMakesFewRangesOfEmptyBodies() {
      for count in [1, 2, 3, 100_000_000, UInt.max] {
        let loop = Loop(.function, count, 0, nil)
        #expect(loop.ranges.count <= 400 && loop.tiles(), "count \(count)")
      }
    }

    /// The loop begins with one iteration, and the ranges of one worker grow at most 16-fold a
    /// step. On a serial queue all ranges have one worker.
    @Test(arguments: Loop.Form.allCases)
    func theAutomaticStrideGrowsByMeasuredSteps(form: Loop.Form) {
      Place.serial.with { queue in
        let loop = Loop(form, 10_000_000, 0, queue)
        let sizes = loop.ranges.map { $0.upperBound - $0.lowerBound }
        #expect(sizes.first == 1 && loop.tiles())
        for (size, next) in zip(sizes, sizes.dropFirst()) { #expect(next <= 16 * size) }
      }
    }

    /// An iteration that takes longer than a range may take is a range of its own, even after cheap
    /// ones. The test reads no clock but the loop's own.
    @Test(arguments: Loop.Form.allCases, [Place.none, .serial])
    func costlyIterationsRunOneAtATime(form: Loop.Form, place: Place) {
      place.with { queue in
        let loop = Loop(form, 30, 0, queue) { range in
          let until = seconds() + 0.0012 * Double(range.count)
          while seconds() < until {}
          return true
        }
        #expect(loop.ranges.count == 30 && loop.tiles())
      }
    }

    /// Cheap at first and costly at the end: no range takes more than its share of the rest, and
    /// after a range that was costly throughout the ranges are single iterations again.
    @Test(.enabled(if: weir_lanes_default_width() > 1, "one core shares with nobody"))
    func theEndIsSharedAfterACheapBeginning() {
      Place.serial.with { queue in
        let loop = Loop(.function, 4000, 0, queue) { range in
          let until = seconds() + 0.0015 * Double(range.clamped(to: 3980..<4000).count)
          while seconds() < until {}
          return true
        }
        #expect(loop.tiles())
        let costly = loop.ranges.filter { $0.upperBound > 3980 }
        #expect(costly.count >= 6, "\(costly)")
        for range in costly.dropFirst(2) { #expect(range.count == 1, "\(costly)") }
      }
    }

    @Test(arguments: Loop.Form.allCases)
    func aSerialQueueRunsTheRangesInOrder(form: Loop.Form) {
      let running = Meter()
      Place.serial.with { queue in
        let loop = Loop(form, 1000, 7, queue) { _ in
          running.enter()
          running.leave()
          return true
        }
        #expect(loop.ranges == loop.expected)
      }
      #expect(running.most == 1)
    }

    @Test(arguments: Loop.Form.allCases, [Place.serial, .concurrent])
    func rangesRunOnTheQueue(form: Loop.Form, place: Place) {
      place.with { queue in
        let key = UnsafeRawPointer(queue!)
        dispatch_queue_set_specific(queue!, key, UnsafeMutableRawPointer(queue!), nil)
        let elsewhere = Meter()
        let loop = Loop(form, 500, 3, queue) { _ in
          if dispatch_get_specific(key) == nil { elsewhere.enter() }
          return true
        }
        #expect(loop.tiles() && elsewhere.ever == 0)
      }
    }

    /// A claimed range may begin late: before the range that begins, each other worker may hold
    /// one.
    @Test(arguments: Loop.Form.allCases, [Place.none, .concurrent])
    func rangesStartInOrder(form: Loop.Form, place: Place) {
      place.with { queue in
        let loop = Loop(form, 20_000, 1, queue)
        let late = latecomers(loop.ranges.map { Int($0.lowerBound) })
        #expect(late < weir_lanes_default_width())
      }
    }

    @Test(.enabled(if: weir_lanes_default_width() > 1))
    func rangesRunAtTheSameTime() {
      let both = Latch(2)
      let met = Locked(true)
      _ = Loop(.function, 2, 1, nil) { _ in
        let arrived = both.arriveAndWait()
        met.with { $0 = $0 && arrived }
        return true
      }
      #expect(met.now)
    }

    @Test(arguments: Loop.Form.allCases)
    func loopsCanBeNested(form: Loop.Form) {
      let inner = Meter()
      let outer = Loop(form, 30, 4, nil) { range in
        for index in range {
          let loop = Loop(form, index, 3, nil)
          inner.enter(loop.tiles() ? Int(index) : 1_000_000)
        }
        return true
      }
      #expect(outer.tiles())
      #expect(inner.ever == (0..<30).reduce(0, +))
    }

    /// The calling thread suffices if other work occupies every thread of the queue, without end.
    @Test(arguments: [0, 1])
    func aLoopEndsWhileOtherWorkHasTheThreads(stride: Int) {
      let cores = Int(weir_lanes_default_width()), running = Latch(cores), ended = Latch(cores)
      let stop = Latch(1), count = Meter()
      for _ in 0..<cores {
        async(globalQueue()) {
          running.arrive()
          while !stop.isOpen {}
          ended.arrive()
        }
      }
      #expect(running.wait())
      weir_apply(32, stride, globalQueue()) { begin, end in count.enter(end - begin) }
      #expect(count.ever == 32 && !ended.isOpen)
      stop.arrive()
      #expect(ended.wait())
    }
  }

  /// weir_apply_while: the loops that stop.
  @Suite struct ApplyWhileTests {
    static let forms = [Loop.Form.whileBlock, .whileFunction]

    @Test(arguments: forms)
    func onASerialQueueNoRangeStartsAfterTheFirstFalse(form: Loop.Form) {
      Place.serial.with { queue in
        for count in UInt(1)...20 {
          for stop in 0..<count {
            let loop = Loop(form, count, 1, queue) { $0.lowerBound != stop }
            #expect(loop.ranges.count == Int(stop) + 1)
            #expect(!loop.result, "stop at \(stop) of \(count)")
          }
        }
      }
    }

    /// The ranges that ran are a prefix, little longer than up to the false.
    @Test(arguments: forms)
    func theRangesThatRanAreAPrefix(form: Loop.Form) {
      var random = Random("theRangesThatRanAreAPrefix \(form)")
      for _ in 0..<50 {
        let count = UInt(1 + random.below(3000))
        let stop = UInt(random.below(Int(count)))
        let loop = Loop(form, count, 2, nil) { !$0.contains(stop) }
        let ran = loop.ranges.sorted { $0.lowerBound < $1.lowerBound }
        #expect(!loop.result)
        #expect(ran == Array(loop.expected.prefix(ran.count)))
        #expect(ran.contains { $0.contains(stop) })
      }
    }

    @Test(arguments: forms)
    func anAutomaticLoopStops(form: Loop.Form) {
      var random = Random("anAutomaticLoopStops \(form)")
      for count in [1, 2, 40, 3000, 1_000_000, UInt.max] {
        let stop = UInt(random.below(Int(min(count, 2000))))
        let loop = Loop(form, count, 0, nil) { !$0.contains(stop) }
        let ran = loop.ranges.sorted { $0.lowerBound < $1.lowerBound }
        #expect(!loop.result && ran.contains { $0.contains(stop) })
        #expect(ran.first?.lowerBound == 0)
        #expect(zip(ran, ran.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        Place.serial.with { queue in
          let loop = Loop(form, count, 0, queue) { !$0.contains(stop) }
          #expect(loop.ranges.last?.contains(stop) == true && !loop.result)
        }
      }
    }

    /// count + workers * stride does not fit into a size_t here.
    @Test(arguments: forms)
    func hugeLoopsStopEarly(form: Loop.Form) {
      for count in [UInt.max, UInt.max - 1, UInt.max / 2] {
        for stride in [1, 2, 3, 1 << 32, count / 19] {
          let asked = Meter()
          let loop = Loop(form, count, stride, nil) { _ in
            asked.enter()
            return asked.ever < 4
          }
          let ran = loop.ranges.sorted { $0.lowerBound < $1.lowerBound }
          #expect(ran == loop.expected(first: ran.count))
          #expect(!loop.result && ran.count < 4 + Int(weir_lanes_default_width()))
        }
      }
    }
  }
}

/// The queue of a loop.
enum Place: CaseIterable, Sendable {
  case none, global, serial, concurrent

  func with(_ body: (dispatch_queue_t?) -> Void) {
    switch self {
    case .none: body(nil)
    case .global: body(globalQueue())
    case .serial: use(serialQueue(), body)
    case .concurrent: use(concurrentQueue(), body)
    }
  }

  private func use(_ queue: dispatch_queue_t, _ body: (dispatch_queue_t?) -> Void) {
    body(queue)
    release(queue)
  }
}

/// A loop that has run: its ranges, in the order of their beginnings.
struct Loop {
  enum Form: CaseIterable, Sendable { case function, block, whileFunction, whileBlock }

  let count: UInt
  let stride: UInt
  private(set) var ranges: [Range<UInt>] = []
  private(set) var result = true

  init(
    _ form: Form, _ count: UInt, _ stride: UInt, _ queue: dispatch_queue_t?,
    _ body: @escaping (Range<UInt>) -> Bool = { _ in true }
  ) {
    self.count = count
    self.stride = stride
    let log = Calls(body)
    result = Loop.start(form, count, stride, queue, log)
    ranges = log.ranges.now
  }

  private static func start(
    _ form: Form, _ count: UInt, _ stride: UInt, _ queue: dispatch_queue_t?, _ log: Calls
  ) -> Bool {
    let count = Int(bitPattern: count), stride = Int(bitPattern: stride)
    let context = Unmanaged.passUnretained(log).toOpaque()
    switch form {
    case .function:
      weir_apply_f(count, stride, queue, context) { _ = Calls.at($0).call($1, $2) }
    case .block:
      weir_apply(count, stride, queue) { _ = log.call($0, $1) }
    case .whileFunction:
      return weir_apply_while_f(count, stride, queue, context) { Calls.at($0).call($1, $2) }
    case .whileBlock:
      return weir_apply_while(count, stride, queue) { log.call($0, $1) }
    }
    return true
  }

  /// The first ranges of a loop of this stride.
  func expected(first: Int) -> [Range<UInt>] {
    (0..<first).map { number in
      let begin = UInt(number) * stride
      return begin..<(count - begin < stride ? count : begin + stride)
    }
  }

  /// All ranges, if there are not too many.
  var expected: [Range<UInt>] { expected(first: Int((count + stride - 1) / stride)) }

  /// True if no range is empty or too long and each index is in one.
  func tiles() -> Bool {
    var next: UInt = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard range.lowerBound == next, !range.isEmpty else { return false }
      guard stride == 0 || range.upperBound - range.lowerBound <= stride else { return false }
      next = range.upperBound
    }
    return next == count
  }
}

/// The body of a loop.
private final class Calls: @unchecked Sendable {
  let ranges = Locked<[Range<UInt>]>([])
  private let body: (Range<UInt>) -> Bool
  init(_ body: @escaping (Range<UInt>) -> Bool) { self.body = body }

  static func at(_ context: UnsafeMutableRawPointer?) -> Calls {
    Unmanaged<Calls>.fromOpaque(context!).takeUnretainedValue()
  }

  func call(_ begin: Int, _ end: Int) -> Bool {
    let begin = UInt(bitPattern: begin), end = UInt(bitPattern: end)
    /* An upside-down range would trap: an impossible one stands for it. */
    let range = begin < end ? begin..<end : UInt.max..<UInt.max
    ranges.with { $0.append(range) }
    return body(range)
  }
}

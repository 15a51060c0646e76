// Lanes as the tests use them: made with a log of their lane contexts, jobs as
// closures.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

final class LaneSet: @unchecked Sendable {
  let raw: weir_lanes_t
  let contexts: LaneContexts

  /// Width 0 is the default; backlog 0 no bound.
  init?(
    width: UInt, backlog: Int = 0, qos: UInt32 = 0, nullContexts: Bool = false,
    label: String = "lanes"
  ) {
    contexts = LaneContexts(null: nullContexts)
    var options = weir_lanes_options_t()
    options.width = Int(bitPattern: width)
    options.backlog = backlog
    options.qos = qos
    options.user = Unmanaged.passUnretained(contexts).toOpaque()
    options.lane_create = { LaneContexts.at($0).create($1) }
    options.lane_destroy = { LaneContexts.destroyed($0) }
    let made: weir_lanes_t? = label.withCString {
      options.label = $0
      return weir_lanes_create(&options)
    }
    guard let made else { return nil }
    raw = made
  }

  static let inline = UInt.max

  @discardableResult
  func async(_ body: @escaping @Sendable () -> Void) -> Int32 { submit { _ in body() } }

  @discardableResult
  func submit(_ body: @escaping @Sendable (UnsafeMutableRawPointer?) -> Void) -> Int32 {
    weir_lanes_async_f(raw, LaneJob(body).retained(), LaneJob.run)
  }

  func attempt(_ body: @escaping @Sendable () -> Void) -> Int32 {
    let job = LaneJob { _ in body() }
    let error = weir_lanes_try_async_f(raw, job.retained(), LaneJob.run)
    if error != 0 { job.drop() }
    return error
  }

  func asyncBlock(_ body: @escaping @Sendable () -> Void) -> Int32 {
    weir_lanes_async(raw) { _ in body() }
  }

  func wait(_ timeout: dispatch_time_t = forever) -> Int32 { weir_lanes_wait(raw, timeout) }
  func release() { weir_lanes_release(raw) }

  /// Occupies every lane until the latch opens, and comes back when it does.
  func occupy(_ latch: Latch) -> Bool {
    let width = Int(stats.width), there = Latch(width)
    for _ in 0..<width {
      async {
        there.arrive()
        latch.wait()
      }
    }
    return there.wait()
  }

  var stats: weir_lanes_stats_t {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(raw, &stats, MemoryLayout.size(ofValue: stats))
    return stats
  }
}

/// A closure as a job of lanes.
final class LaneJob: Sendable {
  private let body: @Sendable (UnsafeMutableRawPointer?) -> Void
  init(_ body: @escaping @Sendable (UnsafeMutableRawPointer?) -> Void) { self.body = body }

  func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }
  func drop() { Unmanaged.passUnretained(self).release() }

  static let run: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
    job, lane in
    Unmanaged<LaneJob>.fromOpaque(job!).takeRetainedValue().body(lane)
  }
}

/// The contexts of lanes: who was made, and how often each was destroyed.
final class LaneContexts: Sendable {
  private let isNull: Bool
  private let log = Locked((created: [Int](), destroyed: [UnsafeMutableRawPointer: Int]()))
  private static let nullsDestroyed = Meter()

  init(null: Bool) { isNull = null }
  deinit { all.forEach { $0.deallocate() } }

  static func at(_ user: UnsafeMutableRawPointer?) -> LaneContexts {
    Unmanaged<LaneContexts>.fromOpaque(user!).takeUnretainedValue()
  }

  /// A context is a pointer to who made it, and a place for the test's use.
  func create(_ lane: Int) -> UnsafeMutableRawPointer? {
    let context = isNull ? nil : UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    let owner = Unmanaged.passUnretained(self)
    if context != nil { _ = owner.retain() } /* contexts may go late */
    context?.storeBytes(of: owner.toOpaque(), as: UnsafeMutableRawPointer.self)
    context?.storeBytes(of: 0, toByteOffset: 8, as: Int.self)
    log.with {
      $0.created.append(lane)
      if let context { $0.destroyed[context] = 0 }
    }
    return context
  }

  static func destroyed(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return nullsDestroyed.enter() }
    let owner = at(context.load(as: UnsafeMutableRawPointer.self))
    owner.log.with { $0.destroyed[context]! += 1 }
    Unmanaged.passUnretained(owner).release()
  }

  /// Counts in the place for the test's use, and reads it.
  static func add(_ context: UnsafeMutableRawPointer?) {
    context!.storeBytes(of: sum(context) + 1, toByteOffset: 8, as: Int.self)
  }
  static func sum(_ context: UnsafeMutableRawPointer?) -> Int {
    context!.load(fromByteOffset: 8, as: Int.self)
  }

  var created: [Int] { log.now.created }
  var all: [UnsafeMutableRawPointer] { Array(log.now.destroyed.keys) }
  var timesDestroyed: [Int] { Array(log.now.destroyed.values) }
  static var nulls: Int { nullsDestroyed.ever }
}

// The lanes against a model: every order of submits, suspends, resumes, close and cancel, with each
// result and statistic compared after every step.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct LanesModelTests {
    @Test(arguments: [LaneSet.inline, 1, 2, 3, 4], [0, 1, 2, 4, noBacklog])
    func everyOrderOfOperations(width: UInt, backlog: Int) {
      // One set of lanes a step deeper: the others would take a minute.
      let depth = width == 1 && backlog == 1 ? depthOfModels : depthOfModels - 1
      for order in lists(of: LaneStep.allCases, length: depth) {
        let scene = LaneScene(width: width, backlog: backlog)
        guard scene.plays(order) else {
          Issue.record("width \(width), backlog \(backlog), \(order): \(scene.fault)")
          return
        }
      }
    }

    @Test func longRandomOrders() {
      var random = Random("lanes longRandomOrders")
      for _ in 0..<200 {
        let width = UInt(1 + random.below(4))
        let backlog = random.below(4) == 0 ? noBacklog : random.below(6)
        let order = (0..<60).map { _ -> LaneStep in
          let step = LaneStep.allCases[random.below(LaneStep.allCases.count)]
          return step == .close && random.below(20) > 0 ? .attempt : step
        }
        let scene = LaneScene(width: width, backlog: backlog)
        #expect(scene.plays(order), "\(width), \(backlog), \(order): \(scene.fault)")
      }
    }
  }
}

private enum LaneStep: CaseIterable {
  /// weir_lanes_try_async_f: refused if the backlog is full.
  case attempt
  /// weir_lanes_async_drop_f, if it does not have to wait.
  case submit
  /// weir_group_lanes_f, if it does not have to wait.
  case member
  /// weir_lanes_async_must_f: it is never refused, and never dropped.
  case must
  case suspend
  case resume
  case cancel
  case close
  /// weir_lanes_wait, if it returns at once.
  case look
  /// weir_lanes_each, between jobs.
  case visit
}

private let noBacklog = Int(bitPattern: WEIR_LANES_NO_BACKLOG)

/// The promises of lanes as a plain model.
private struct LaneModel {
  let backlog: Int
  var musts = Set<Int>()
  var suspended = 0
  var closed = false
  var queue: [Int] = []
  var ran: [Int] = []
  var dropped: [Int] = []
  var accepted = 0

  /// Jobs that may start have run by the next step.
  var isFull: Bool { backlog == noBacklog ? suspended > 0 : droppable.count >= backlog }
  var droppable: [Int] { queue.filter { !musts.contains($0) } }

  mutating func submit(_ id: Int) -> Int32 {
    if closed { return ECANCELED }
    if suspended > 0 && isFull { return EAGAIN }
    accepted += 1
    queue.append(id)
    run()
    return 0
  }

  mutating func must(_ id: Int) -> Int32 {
    musts.insert(id)
    accepted += 1
    queue.append(id)
    run()
    return 0
  }

  mutating func run() {
    guard suspended == 0 else { return }
    ran += queue
    queue = []
  }

  mutating func cancel() -> Int {
    let taken = droppable
    dropped += taken
    queue.removeAll { !musts.contains($0) }
    return taken.count
  }
}

private final class LaneScene: @unchecked Sendable {
  /// The identity of a job: its number, and the place for its results.
  private final class Ticket: Sendable {
    let id: Int
    let scene: LaneScene
    init(_ id: Int, _ scene: LaneScene) {
      self.id = id
      self.scene = scene
    }
  }

  private let lanes: weir_lanes_t
  private let group: weir_group_t
  private let isOrdered: Bool
  private let lanesCount: Int
  private var model: LaneModel
  private var members = Set<Int>()
  private let log = Locked((ran: [Int](), dropped: [Int]()))
  private var ids = 0
  private(set) var fault = ""

  init(width: UInt, backlog: Int) {
    var options = weir_lanes_options_t()
    options.width = Int(bitPattern: width)
    options.backlog = backlog
    options.dropped = { LaneScene.dropped($0) }
    lanes = weir_lanes_create(&options)!
    group = weir_group_create("members")!
    isOrdered = width == 1 || width == LaneSet.inline
    let bounded = backlog != 0 && width != LaneSet.inline
    lanesCount = width == LaneSet.inline ? 1 : Int(width)
    model = LaneModel(backlog: bounded ? backlog : Int.max)
  }

  func plays(_ steps: [LaneStep]) -> Bool {
    let agreed = steps.allSatisfy { step in
      take(step)
      return agrees("after \(step)")
    }
    return finish() && agreed
  }

  private static func ran(_ context: UnsafeMutableRawPointer?) {
    let ticket = Unmanaged<Ticket>.fromOpaque(context!).takeRetainedValue()
    ticket.scene.log.with { $0.ran.append(ticket.id) }
  }

  private static func dropped(_ context: UnsafeMutableRawPointer?) {
    let ticket = Unmanaged<Ticket>.fromOpaque(context!).takeRetainedValue()
    ticket.scene.log.with { $0.dropped.append(ticket.id) }
  }

  private func take(_ step: LaneStep) {
    switch step {
    case .attempt, .submit, .member, .must: submit(step)
    case .suspend:
      weir_lanes_suspend(lanes)
      model.suspended += 1
    case .resume:
      guard model.suspended > 0 else { return }
      weir_lanes_resume(lanes)
      model.suspended -= 1
      model.run()
    case .cancel:
      let count = weir_lanes_cancel(lanes)
      if count != model.cancel() { fault = "cancelled \(count)" }
    case .close:
      weir_lanes_close(lanes)
      model.closed = true
    case .look:
      let result = weir_lanes_wait(lanes, atOnce)
      if result != (model.queue.isEmpty ? 0 : ETIMEDOUT) { fault = "wait \(result)" }
    case .visit:
      var visited = 0
      let error = weir_lanes_each(lanes, &visited) { visited, _ in
        visited?.assumingMemoryBound(to: Int.self).pointee += 1
      }
      if error != 0 || visited != lanesCount { fault = "each \(error), \(visited)" }
    }
    if model.suspended == 0 && weir_lanes_wait(lanes, after(milliseconds: 20_000)) != 0 {
      fault = "hung"
    }
  }

  private func submit(_ step: LaneStep) {
    ids += 1
    /* It would wait, and nobody would let it on. */
    let waits = step == .submit || step == .member
    if waits && model.suspended > 0 && model.isFull && !model.closed { return }
    let ticket = Unmanaged.passRetained(Ticket(ids, self)), context = ticket.toOpaque()
    let error: Int32
    switch step {
    case .member:
      error = weir_group_lanes_f(group, lanes, context) { context, _ in
        LaneScene.ran(context)
        return 0
      }
      if error == 0 { members.insert(ids) }
    case .must:
      error = weir_lanes_async_must_f(lanes, context) { context, _ in LaneScene.ran(context) }
    case .submit:
      error = weir_lanes_async_drop_f(
        lanes, context, { context, _ in LaneScene.ran(context) }, { LaneScene.dropped($0) })
    default:
      error = weir_lanes_try_async_f(lanes, context) { context, _ in LaneScene.ran(context) }
    }
    if error != 0 { ticket.release() }
    let wanted = step == .must ? model.must(ids) : model.submit(ids)
    if error != wanted { fault = "\(step): \(error), not \(wanted)" }
  }

  private func agrees(_ when: String) -> Bool {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(lanes, &stats, MemoryLayout.size(ofValue: stats))
    let now = log.now
    let ran = isOrdered ? now.ran == model.ran : now.ran.sorted() == model.ran.sorted()
    let cancelled = model.dropped.contains { members.contains($0) }
    let right =
      fault.isEmpty && ran && now.dropped == model.dropped
      && stats.queued == model.queue.count && stats.submitted == model.accepted
      && stats.finished == model.ran.count && stats.dropped == model.dropped.count
      && stats.running == 0 && stats.closed == model.closed
      && stats.suspended == UInt32(model.suspended)
      && stats.limit == (model.suspended > 0 ? WEIR_LANES_LIMIT_SUSPENDED : WEIR_LANES_LIMIT_WORK)
      && weir_group_outstanding(group) == model.queue.count(where: { members.contains($0) })
      && (weir_group_outstanding(group) > 0
        || weir_group_wait(group, atOnce) == (cancelled ? ECANCELED : 0))
    if !right && fault.isEmpty { fault = "\(when): \(now), \(stats); the model: \(model)" }
    return right
  }

  private func finish() -> Bool {
    while model.suspended > 0 { take(.resume) }
    let right = agrees("in the end") && model.queue.isEmpty
    weir_group_release(group)
    weir_lanes_release(lanes)
    return right
  }
}

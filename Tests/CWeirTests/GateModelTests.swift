// The gate against a model: every order of a few operations, with each result, decision and
// statistic compared after every step.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct GateModelTests {
    /// Requests and asynchronous work, close, resize and cancel, in every order.
    @Test(arguments: 0...4)
    func everyOrderOfOperations(permits: Int) {
      let steps = GateStep.all(permits)
      let depth = permits < 3 ? depthOfModels : depthOfModels - 1
      var played = 0
      for order in lists(of: steps, length: depth) {
        let scene = GateScene(permits: permits)
        guard scene.plays(order) else {
          Issue.record("\(permits) permits, \(order): \(scene.fault)")
          return
        }
        played += 1
      }
      #expect(played == power(steps.count, depth))
    }

    /// Up to four requests of every size are queued, and every order of the events that can end
    /// them.
    @Test(arguments: 1...4)
    func everyQueueAndEveryOrderOfItsEnd(permits: Int) {
      for waiters in 1..<depthOfModels {
        let ends: [GateStep] = [.cancel(0), .close, .resize(permits / 2), .signal(1)]
        for counts in lists(of: Array(1...permits), length: waiters) {
          for order in orders(of: ends) {
            let scene = GateScene(permits: permits)
            let queue = [GateStep.request(permits)] + counts.map { GateStep.request($0) }
            guard scene.plays(queue + order) else {
              Issue.record("\(permits) permits, \(counts), \(order): \(scene.fault)")
              return
            }
          }
        }
      }
    }

    /// Every number of waiting threads, each for one permit or for all, one of which times out: it
    /// gets nothing, the others are served in order, and in the end every permit is free.
    @Test(arguments: 1...4)
    func aTimeOutLeavesNothingInUse(permits: Int) {
      for waiters in 1..<depthOfModels {
        for counts in lists(of: permits == 1 ? [1] : [1, permits], length: waiters) {
          for impatient in 0..<waiters {
            let problem = playTimeOut(permits, counts, impatient)
            #expect(problem == nil, "\(permits) permits, \(counts), \(impatient)")
          }
        }
      }
    }

    /// Long random orders, with more of every operation.
    @Test func longRandomOrders() {
      var random = Random("longRandomOrders")
      for _ in 0..<300 {
        let permits = random.below(7), steps = GateStep.all(permits) + [.cancel(1), .cancel(2)]
        let order = (0..<60).map { _ in
          let step = steps[random.below(steps.count)]
          return step == .close && random.below(10) > 0 ? .signal(1) : step
        }
        let scene = GateScene(permits: permits)
        #expect(scene.plays(order), "\(permits) permits, \(order): \(scene.fault)")
      }
    }
  }
}

/// An operation on a gate.
private enum GateStep: Equatable {
  case request(Int)
  case async(Int)
  case attempt(Int)
  case signal(Int)
  case resize(Int)
  case close
  /// The nth waiter, from 0.
  case cancel(Int)

  static func all(_ permits: Int) -> [GateStep] {
    let several = permits > 1 ? [GateStep.request(permits)] : []
    return several + [
      .request(1), .async(max(1, permits)), .attempt(1), .signal(1), .resize(permits / 2),
      .resize(permits + 1), .close, .cancel(0),
    ]
  }
}

/// The promises of a gate as a plain model.
private struct GateModel {
  struct Waiter {
    let id: Int
    let count: Int
    let stays: Bool
  }

  var permits: Int
  var inUse = 0
  /// The permits that requests hold, without those of work that has run.
  var held = 0
  var closed = false
  var queue: [Waiter] = []
  var decided: [Int: Int32] = [:]
  var ran: Set<Int> = []

  mutating func enter(_ id: Int, _ count: Int, stays: Bool) -> Int32 {
    let refusal = closed ? ECANCELED : permits > 0 && count > permits ? EINVAL : 0
    if refusal != 0 {
      if !stays { decided[id] = refusal }
      return refusal
    }
    queue.append(Waiter(id: id, count: count, stays: stays))
    serve()
    return 0
  }

  func attempt(_ count: Int) -> Int32 {
    if closed { return ECANCELED }
    if permits > 0 && count > permits { return EINVAL }
    return queue.isEmpty && inUse + count <= permits ? 0 : EAGAIN
  }

  mutating func signal(_ count: Int) {
    held -= count
    inUse -= count
    serve()
  }

  mutating func resize(_ new: Int) {
    permits = new
    refuse(EINVAL) { new > 0 && $0.count > new }
  }

  mutating func close() {
    closed = true
    refuse(ECANCELED) { _ in true }
  }

  private mutating func refuse(_ error: Int32, _ which: (Waiter) -> Bool) {
    for waiter in queue where !waiter.stays && which(waiter) { decided[waiter.id] = error }
    queue.removeAll { !$0.stays && which($0) }
    serve()
  }

  mutating func cancel(_ place: Int) {
    decided[queue.remove(at: place).id] = ECANCELED
    serve()
  }

  /// Work ends as soon as it has run, so it holds no permits in the end.
  private mutating func serve() {
    while let first = queue.first {
      if first.stays && permits == 0 && !closed { return }
      let need = first.stays ? min(first.count, permits) : first.count
      guard inUse + need <= permits else { return }
      queue.removeFirst()
      if first.stays {
        ran.insert(first.id)
      } else {
        decided[first.id] = 0
        inUse += need
        held += need
      }
    }
  }
}

/// A gate and its model, run side by side.
private final class GateScene: @unchecked Sendable {
  private let gate: Gate
  private var model: GateModel
  private let queue = serialQueue()
  private let answers = Locked((decided: [Int: [Int32]](), ran: [Int: Int]()))
  private var requests: [Int: weir_gate_request_t] = [:]
  private var ids = 0
  private(set) var fault = ""

  init(permits: Int) {
    gate = Gate(permits, "model")
    model = GateModel(permits: permits)
  }

  /// True if the gate did as the model, at every step and in the end.
  func plays(_ steps: [GateStep]) -> Bool {
    let agreed = steps.allSatisfy { step in
      take(step)
      return agrees("after \(step)")
    }
    return finish() && agreed
  }

  private func take(_ step: GateStep) {
    switch step {
    case .request(let count): request(count)
    case .async(let count): async(count)
    case .attempt(let count): attempt(count)
    case .signal(let count): signal(count)
    case .resize(let permits):
      if gate.resize(permits) != 0 { fault = "resize" }
      model.resize(permits)
    case .close:
      gate.close()
      model.close()
    case .cancel(let place): cancel(place)
    }
    waitForWork()
  }

  private func request(_ count: Int) {
    ids += 1
    let id = ids
    var made: weir_gate_request_t?
    let error = weir_gate_request(
      gate.raw, count,
      { result in self.answers.with { $0.decided[id, default: []].append(result) } }, &made)
    if error != 0 { fault = "request \(error)" }
    requests[id] = made
    _ = model.enter(id, count, stays: false)
  }

  private func async(_ count: Int) {
    ids += 1
    let id = ids
    /* As work on a queue, or run by whoever lets it through. */
    let error =
      id % 2 == 0
      ? weir_gate_async(gate.raw, count, queue) {
        self.answers.with { $0.ran[id, default: 0] += 1 }
      }
      : gate.grant(count) { granted in
        self.answers.with { $0.ran[id, default: 0] += 1 }
        if granted != min(count, self.gate.stats.permits) { self.fault = "granted \(granted)" }
        self.gate.signal(granted)
      }
    if error != model.enter(id, count, stays: true) { fault = "async \(error)" }
  }

  private func attempt(_ count: Int) {
    let error = gate.attempt(count), wanted = model.attempt(count)
    if error != wanted { fault = "try \(error), not \(wanted)" }
    if wanted == 0 {
      model.inUse += count
      model.held += count
    }
  }

  private func signal(_ count: Int) {
    guard model.held >= count else { return }
    gate.signal(count)
    model.signal(count)
  }

  private func cancel(_ place: Int) {
    guard place < model.queue.count, !model.queue[place].stays else { return }
    guard let request = requests[model.queue[place].id] else { return }
    if weir_gate_request_cancel(request) != 0 { fault = "cancel" }
    if weir_gate_request_cancel(request) != EALREADY { fault = "cancel twice" }
    model.cancel(place)
  }

  /// Waits until the work that may run has run. Work may let other work through, whose permits are
  /// counted before its callback.
  private func waitForWork() {
    for _ in 0..<(model.ran.count + 2) where !hasRun { sync(queue) {} }
  }

  private var hasRun: Bool {
    let now = answers.now
    return now.ran.count >= model.ran.count && now.decided.count >= model.decided.count
      && gate.stats.in_use == model.inUse
  }

  private func agrees(_ when: String) -> Bool {
    let stats = gate.stats, now = answers.now
    let decided = now.decided.compactMapValues { $0.count == 1 ? $0[0] : nil }
    let right =
      fault.isEmpty && stats.permits == model.permits && stats.in_use == model.inUse
      && stats.waiting == model.queue.count && stats.closed == model.closed
      && decided == model.decided && now.decided.count == decided.count
      && Set(now.ran.keys) == model.ran && now.ran.values.allSatisfy { $0 == 1 }
    if !right && fault.isEmpty {
      fault =
        "\(when): in use \(stats.in_use), waiting \(stats.waiting), decided \(now.decided), "
        + "ran \(now.ran); the model: \(model)"
    }
    return right
  }

  /// Returns all permits: every waiter that can be served then has been.
  private func finish() -> Bool {
    gate.close()
    model.close()
    if model.held > 0 { signal(model.held) }
    waitForWork()
    let right = agrees("in the end") && model.queue.isEmpty && gate.stats.in_use == 0
    for request in requests.values { weir_gate_request_release(request) }
    gate.release()
    release(queue)
    return right
  }
}

/// Threads that wait for all permits, one of them with a short time-out.
private func playTimeOut(_ permits: Int, _ counts: [Int], _ impatient: Int) -> String? {
  let gate = Gate(permits), served = Locked<[Int]>([]), ended = Latch(counts.count)
  guard gate.attempt(permits) == 0 else { return "try" }
  for (index, count) in counts.enumerated() {
    let waiting = index
    startThread {
      let timeout = index == impatient ? after(milliseconds: 4) : forever
      let result = gate.wait(count, timeout)
      if result == 0 { served.with { $0.append(index) } }
      if result == ETIMEDOUT { served.with { $0.append(-1) } }
      if result == 0 { gate.signal(count) }
      ended.arrive()
    }
    /* Should it have given up already, the machine is busy: no matter. */
    guard eventually({ gate.stats.waiting == waiting + 1 || gate.stats.timed_out > 0 }) else {
      return "never waited"
    }
  }
  guard eventually({ served.now == [-1] }) else { return "\(served.now)" }
  for _ in 0..<permits { gate.signal(1) }
  guard ended.wait() else { return "hung: \(served.now)" }
  let stats = gate.stats
  guard stats.in_use == 0, stats.timed_out == 1, stats.waiting == 0 else { return "\(stats)" }
  guard gate.attempt(permits) == 0 else { return "a permit is gone" }
  gate.signal(permits)
  gate.release()
  return served.now.count == counts.count ? nil : "\(served.now)"
}

/// Every order of some elements.
private func orders<T>(of things: [T]) -> [[T]] {
  guard !things.isEmpty else { return [[]] }
  return things.indices.flatMap { first in
    var others = things
    let thing = others.remove(at: first)
    return orders(of: others).map { [thing] + $0 }
  }
}

private func power(_ base: Int, _ exponent: Int) -> Int {
  (0..<exponent).reduce(1) { product, _ in product * base }
}

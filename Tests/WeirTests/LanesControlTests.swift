// Lanes that are closed, cancelled, suspended or within a gate: each job either runs or is
// dropped, exactly once, and the producer gets a report.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(2)))
struct LanesControlTests {
  @Test("every order of submits, suspends, cancels and a close, against a model")
  func model() async throws {
    try await onThread {
      for width in [1, 3] {
        for order in orders(of: Step.allCases, length: 5) {
          let fault = Scene(width: width, backlog: 2).play(order)
          if let fault {
            Issue.record("width \(width), \(order): \(fault)")
            return
          }
        }
      }
    }
  }

  @Test("closed lanes refuse jobs, report it, and finish the queued ones")
  func close() async throws {
    let lanes = Lanes(label: "closed", width: 1)
    let ran = Shared(0)
    let refused = Shared(0)
    lanes.suspend()
    lanes.async { ran.change { $0 += 1 } }
    lanes.close()
    lanes.close()
    lanes.async { ran.change { $0 += 1 } }
    lanes.async {
      ran.change { $0 += 1 }
    } dropped: {
      refused.change { $0 += 1 }
    }
    #expect(refused.value == 1)
    #expect(!lanes.tryAsync { ran.change { $0 += 1 } })
    lanes.resume()
    await lanes.wait()
    let statistics = lanes.statistics
    #expect(ran.value == 1 && statistics.finished == 1)
    #expect(statistics.refused == 2 && statistics.isClosed && statistics.submitted == 1)
  }

  @Test("a close ends waits for the backlog")
  func closeWakesProducers() async throws {
    let results = try await onThread {
      let lanes = Lanes(label: "closing", width: 1, backlog: 1)
      let results = Shared((ran: 0, dropped: 0))
      let left = Rendezvous(of: 4)
      lanes.suspend()
      lanes.async { results.change { $0.ran += 1 } }
      for _ in 0..<3 {
        startThread {
          lanes.async {
            results.change { $0.ran += 1 }
          } dropped: {
            results.change { $0.dropped += 1 }
          }
          _ = left.arrive()
        }
      }
      while lanes.statistics.blocked < 3 { sched_yield() }
      lanes.close()
      _ = left.arrive()
      lanes.resume()
      lanes.wait()
      return results.value
    }
    #expect(results == (1, 3))
  }

  @Test("tryAsync never waits, and reports a full backlog", arguments: [1, 5])
  func tryAsync(backlog: Int) async {
    let lanes = Lanes(label: "full", width: 1, backlog: backlog)
    let ran = Shared(0)
    lanes.suspend()
    let accepted = (0..<20).map { _ in lanes.tryAsync { ran.change { $0 += 1 } } }
    #expect(accepted.count { $0 } == backlog && accepted.prefix(backlog).allSatisfy { $0 })
    lanes.resume()
    await lanes.wait()
    #expect(ran.value == backlog)
  }

  @Test("the closure of a job is freed, whether the job runs, is dropped or refused")
  func freed() async throws {
    let freed = Shared(0)
    func job() -> @Sendable () -> Void {
      let token = Token { freed.change { $0 += 1 } }
      return { withExtendedLifetime(token) {} }
    }
    let lanes = Lanes(label: "freed", width: 2, backlog: 100)
    lanes.suspend()
    for _ in 0..<10 {
      lanes.async(job())
      lanes.async(job(), dropped: job())
      #expect(lanes.tryAsync(job()))
    }
    #expect(lanes.cancel() == 30)
    #expect(freed.value == 40)
    lanes.close()
    lanes.async(job())
    lanes.async(job(), dropped: job())
    #expect(!lanes.tryAsync(job()))
    #expect(freed.value == 44)
    lanes.resume()
  }

  @Test("cancel drops in the order of submission, before it returns")
  func cancelOrder() {
    let lanes = Lanes(label: "cancelled", width: 2)
    let dropped = Shared<[Int]>([])
    lanes.suspend()
    for number in 0..<50 {
      lanes.async {
        Issue.record("it ran")
      } dropped: {
        dropped.change { $0.append(number) }
      }
    }
    #expect(lanes.cancel() == 50)
    #expect(dropped.value == Array(0..<50) && lanes.statistics.dropped == 50)
    lanes.resume()
  }

  @Test("each job ends once, whenever it is cancelled")
  func everyJobEndsOnce() async throws {
    let ended = try await onThread {
      let lanes = Lanes(label: "stormy", width: 3, backlog: 8)
      let ends = Shared([Int](repeating: 0, count: 3000))
      let left = Rendezvous(of: 4)
      for producer in 0..<3 {
        startThread {
          for number in 0..<1000 {
            let end: @Sendable () -> Void = { ends.change { $0[producer * 1000 + number] += 1 } }
            lanes.async(end, dropped: end)
          }
          _ = left.arrive()
        }
      }
      for _ in 0..<300 {
        lanes.cancel()
        sched_yield()
      }
      lanes.close()
      _ = left.arrive()
      lanes.wait()
      return ends.value
    }
    #expect(ended.allSatisfy { $0 == 1 })
  }

  @Test("the limit names the reason that no more jobs run")
  func limits() async throws {
    let gate = Gate(label: "narrow", permits: 1)
    let lanes = Lanes(label: "limited", width: 2, within: gate)
    #expect(lanes.statistics.limit == .work)
    #expect("\(lanes.statistics.limit)" == "there are no more jobs")
    lanes.suspend()
    #expect(lanes.statistics.limit == .suspended && lanes.statistics.suspensions == 1)
    lanes.resume()
    try await onThread {
      let hold = Latch()
      for _ in 0..<2 { lanes.async { hold.wait() } }
      while lanes.statistics.atGates < 1 { sched_yield() }
      #expect(lanes.statistics.limit == .gate)
      hold.open()
      lanes.wait()
      let wide = Lanes(label: "wide", width: 1)
      let begun = Latch()
      let end = Latch()
      wide.async {
        begun.open()
        end.wait()
      }
      begun.wait()
      #expect(wide.statistics.limit == .width)
      end.open()
    }
    #expect("\(Lanes.Limit.threads)" == "there are not enough threads yet")
  }

  @Test("lanes within one gate share its limit, and reach it")
  func withinGate() async throws {
    let most = try await onThread {
      let gate = Gate(label: "shared", permits: 3)
      let all = (0..<3).map { Lanes(label: "within-\($0)", width: 4, within: gate) }
      let state = Shared((now: 0, most: 0))
      let meeting = Rendezvous(of: 3)
      for lanes in all {
        for number in 0..<40 {
          lanes.async {
            state.change {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            if number == 0 { _ = meeting.arrive() } else { sched_yield() }
            state.change { $0.now -= 1 }
          }
        }
      }
      for lanes in all { lanes.wait() }
      return state.value.most
    }
    #expect(most == 3)
  }

  @Test("while the gate is paused jobs wait")
  func gateWithoutPermits() async {
    let gate = Gate(label: "none", permits: 1)
    let lanes = Lanes(label: "within", width: 1, within: gate)
    let ran = Shared(0)
    gate.permits = 0
    for _ in 0..<3 {
      lanes.async {
        ran.change { $0 += 1 }
      } dropped: {
        Issue.record("it was dropped")
      }
    }
    #expect(await eventually { lanes.statistics.atGates == 1 })
    #expect(ran.value == 0)
    gate.permits = 1
    await lanes.wait()
    #expect(ran.value == 3 && lanes.statistics.refused == 0)
  }

  @Test("when the gate is closed the jobs that wait for it are dropped, and the rest")
  func gateCloses() async throws {
    try await onThread {
      let gate = Gate(label: "closing", permits: 1)
      let lanes = Lanes(label: "within", width: 2, within: gate)
      let results = Shared((ran: 0, dropped: 0))
      let hold = Latch()
      for _ in 0..<10 {
        lanes.async {
          hold.wait()
          results.change { $0.ran += 1 }
        } dropped: {
          results.change { $0.dropped += 1 }
        }
      }
      while lanes.statistics.atGates < 1 { sched_yield() }
      gate.close()
      hold.open()
      lanes.wait()
      #expect(results.value == (1, 9))
      #expect(lanes.statistics.refused == 9)
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(2)))
struct LanesControlMisuseTests {
  private func expect(_ sentence: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(sentence), "it said: \(said)")
  }

  @Test("a resume without a suspend traps with a message")
  func resumeTooOften() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Lanes(label: "docks", width: 1).resume()
    }
    expect("the lanes \"docks\" were resumed more often than they were suspended", in: result)
  }

  @Test("releasing suspended lanes with jobs traps with a message")
  func letGoSuspended() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let lanes = Lanes(label: "docks", width: 1)
      lanes.suspend()
      lanes.async {}
    }
    expect("the lanes \"docks\" were released while they were suspended with 1 jobs", in: result)
  }
}

private enum Step: CaseIterable {
  case submit, attempt, suspend, resume, cancel, close
}

/// Lanes and the expected actions.
private final class Scene: Sendable {
  private struct Model {
    var suspensions = 0
    var isClosed = false
    var queued: [Int] = []
    var ran: Set<Int> = []
    var dropped: [Int] = []
    /// Submitted by tryAsync, which does not report a drop.
    var untold: Set<Int> = []
    var next = 0
  }

  private let lanes: Lanes
  private let backlog: Int
  private let ran = Shared<Set<Int>>([])
  private let dropped = Shared<[Int]>([])

  init(width: Int, backlog: Int) {
    lanes = Lanes(label: "model", width: width, backlog: backlog)
    self.backlog = backlog
  }

  /// The failure, if any.
  func play(_ steps: [Step]) -> String? {
    var model = Model()
    defer { for _ in 0..<model.suspensions { lanes.resume() } }
    for step in steps {
      if let fault = take(step, &model) { return "\(step): \(fault)" }
      if model.suspensions == 0 {
        model.ran.formUnion(model.queued)
        model.queued = []
        lanes.wait()
      }
      let statistics = lanes.statistics
      guard ran.value == model.ran, dropped.value == model.dropped,
        statistics.queued == model.queued.count, statistics.suspensions == model.suspensions,
        statistics.isClosed == model.isClosed, statistics.finished == model.ran.count
      else { return "after \(step): \(ran.value), \(dropped.value), the model: \(model)" }
    }
    return nil
  }

  private func take(_ step: Step, _ model: inout Model) -> String? {
    switch step {
    case .submit, .attempt:
      let isFull = model.queued.count >= backlog && model.suspensions > 0
      if step == .submit && isFull && !model.isClosed { return nil }  // it would wait
      let accepted = submit(step, model.next, &model)
      if accepted { model.queued.append(model.next) }
      model.next += 1
      return accepted == (!model.isClosed && !isFull) ? nil : "accepted: \(accepted)"
    case .suspend:
      lanes.suspend()
      model.suspensions += 1
    case .resume:
      guard model.suspensions > 0 else { return nil }
      lanes.resume()
      model.suspensions -= 1
    case .cancel:
      let count = lanes.cancel()
      let wanted = model.queued.count
      model.dropped += model.queued.filter { !model.untold.contains($0) }
      model.queued = []
      return count == wanted ? nil : "cancelled \(count), not \(wanted)"
    case .close:
      lanes.close()
      model.isClosed = true
    }
    return nil
  }

  private func submit(_ step: Step, _ id: Int, _ model: inout Model) -> Bool {
    let ran = ran
    let dropped = dropped
    let job: @Sendable () -> Void = { ran.change { _ = $0.insert(id) } }
    if step == .attempt {
      guard lanes.tryAsync(job) else { return false }
      model.untold.insert(id)
      return true
    }
    let before = dropped.value.count
    lanes.async(job, dropped: { dropped.change { $0.append(id) } })
    if model.isClosed && dropped.value.count == before + 1 {
      model.dropped.append(id)
      return false
    }
    return true
  }
}

private func orders<T>(of steps: [T], length: Int) -> [[T]] {
  (0..<length).reduce([[]]) { orders, _ in
    orders.flatMap { order in steps.map { order + [$0] } }
  }
}

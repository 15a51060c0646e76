// A gate under random schedules: in any order of requests, time-outs, cancellations, releases,
// resizes and closes, no permit is lost.
//
// WEIR_TEST_SCHEDULES sets the number of schedules; `make test-schedules` runs 100,000.

import TestSupport
import Testing
import WeirLibC

@testable import Weir

private let schedules =
  getenv("WEIR_TEST_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 20_000

@Suite(.serialized, .timeLimit(.minutes(20)))
struct GateScheduleTests {
  @Test func noPermitIsLost() async throws {
    let lanes = Lanes(label: "blocking callers", width: 6)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for player in 0..<3 {
        group.addTask {
          var random = SeededGenerator(for: "schedules \(player)")
          for number in 0..<(schedules / 3 + 1) {
            let schedule = Schedule(&random)
            let fault = await schedule.play(on: lanes)
            try #require(fault == nil, "\(player), \(number): \(schedule): \(fault ?? "")")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// The actions of some callers, and of one that resizes and closes the gate.
private struct Schedule {
  struct Visit {
    let count: Int
    /// The time-out in microseconds; `nil` for none.
    let timeout: Int?
    let stays: Int
  }

  enum Meddling {
    case cancel(Int)
    case resize(Int)
    case close
    case pause(Int)
  }

  let permits: Int
  let tasks: [[Visit]]
  let threads: [[Visit]]
  let meddling: [Meddling]

  init(_ random: inout SeededGenerator) {
    let permits = Int.random(in: 1...4, using: &random)
    self.permits = permits
    func visits() -> [Visit] {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let times: [Int?] = [nil, nil, 0, 20, 100]
        return Visit(
          count: Int.random(in: 0...permits, using: &random),
          timeout: times.randomElement(using: &random) ?? nil,
          stays: Int.random(in: 0...3, using: &random))
      }
    }
    tasks = (0..<Int.random(in: 1...3, using: &random)).map { _ in visits() }
    threads = (0..<Int.random(in: 0...2, using: &random)).map { _ in visits() }
    let tasks = tasks.count
    meddling = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      switch Int.random(in: 0...9, using: &random) {
      case 0...3: .cancel(Int.random(in: 0..<tasks, using: &random))
      case 4...6: .resize(Int.random(in: 1...5, using: &random))
      case 7: .close
      default: .pause(Int.random(in: 1...20, using: &random))
      }
    }
  }

  /// The failure, if any.
  func play(on lanes: Lanes) async -> String? {
    let gate = Gate(label: "schedule", permits: permits)
    let crowd = Shared(Crowd())
    let running = tasks.map { visits in
      Task {
        for visit in visits { await task(gate, visit, crowd) }
      }
    }
    async let blocking: Void = block(gate, crowd, lanes)
    for step in meddling { await meddle(step, gate, running) }
    for task in running { await task.value }
    await blocking
    return fault(of: gate, crowd.value)
  }

  private func fault(of gate: Gate, _ crowd: Crowd) -> String? {
    let end = gate.statistics
    if end.inUse != 0 || end.waiting != 0 || crowd.now != 0 { return "left over: \(end)" }
    let most = meddling.reduce(permits) { most, step in
      if case .resize(let permits) = step { max(most, permits) } else { most }
    }
    if end.peak > most || crowd.most > most { return "\(crowd.most) at once of \(most)" }
    if end.isClosed { return nil }
    let all = try? gate.tryAcquire(end.permits)?.count
    return all == end.permits ? nil : "not all \(end.permits) are there"
  }

  private func task(_ gate: Gate, _ visit: Visit, _ crowd: Shared<Crowd>) async {
    let timeout = timeout(visit)
    if visit.stays == 3 {
      // By value, dropped by whoever has it last.
      guard let permit = try? await gate.acquire(visit.count, timeout: timeout).owned() else {
        return
      }
      crowd.change { $0.enter(visit.count) }
      await Task.yield()
      crowd.change { $0.leave(visit.count) }
      withExtendedLifetime(permit) {}
      return
    }
    try? await gate.withPermits(visit.count, timeout: timeout) {
      crowd.change { $0.enter(visit.count) }
      for _ in 0..<visit.stays { await Task.yield() }
      crowd.change { $0.leave(visit.count) }
    }
  }

  private func block(_ gate: Gate, _ crowd: Shared<Crowd>, _ lanes: Lanes) async {
    await withTaskGroup(of: Void.self) { group in
      for visits in threads {
        group.addTask {
          await withCheckedContinuation { continuation in
            lanes.async {
              for visit in visits { thread(gate, visit, crowd) }
              continuation.resume()
            }
          }
        }
      }
    }
  }

  private func thread(_ gate: Gate, _ visit: Visit, _ crowd: Shared<Crowd>) {
    try? gate.withPermits(visit.count, timeout: timeout(visit)) {
      crowd.change { $0.enter(visit.count) }
      for _ in 0..<visit.stays { sched_yield() }
      crowd.change { $0.leave(visit.count) }
    }
  }

  private func timeout(_ visit: Visit) -> Duration? {
    visit.timeout.map { .microseconds($0) }
  }

  private func meddle(_ step: Meddling, _ gate: Gate, _ tasks: [Task<Void, Never>]) async {
    switch step {
    case .cancel(let number): tasks[number].cancel()
    case .resize(let permits): gate.permits = permits
    case .close: gate.close()
    case .pause(let yields): for _ in 0..<yields { await Task.yield() }
    }
  }
}

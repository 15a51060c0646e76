// A gate under random schedules: in any order of requests, time-outs, cancellations, releases,
// loans to maps, failures, resizes and closes, no permit is lost.
//
// WEIR_TEST_SCHEDULES sets the number of schedules; `make test-schedules` runs 100,000.

import TestSupport
import Testing
import WeirLibC

@testable import Weir

private let schedules =
  getenv("WEIR_TEST_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 5_000

@Suite(.serialized, .timeLimit(.minutes(20)))
struct GateScheduleTests {
  @Test func noPermitIsLost() async throws {
    let lanes = Lanes(label: "blocking callers", width: 6)
    try await (0..<3).forEachConcurrently(limit: 3) { player in
      var random = SeededGenerator(for: "schedules \(player)")
      for number in 0..<(schedules / 3 + 1) {
        let fault = await play(random.next(), on: lanes)
        try #require(fault == nil, "\(player), \(number): \(fault ?? "")")
      }
    }
  }
}

/// The visits of a caller: numbers of permits, with time-outs and yields.
private struct Visit {
  let count: Int
  let timeout: Duration?
  let stays: Int

  static func some(_ permits: Int, _ seed: UInt64) -> [Visit] {
    var random = SeededGenerator(seed: seed, for: "visits")
    return (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let times: [Int?] = [nil, nil, 0, 20, 100]
      let time = times.randomElement(using: &random) ?? nil
      return Visit(
        count: Int.random(in: 0...permits, using: &random), timeout: time.map { .microseconds($0) },
        stays: Int.random(in: 0...3, using: &random))
    }
  }
}

/// Plays a schedule of some tasks, some threads, and one caller that cancels, resizes and closes.
/// Returns the failure, if any.
private func play(_ seed: UInt64, on lanes: Lanes) async -> String? {
  var random = SeededGenerator(seed: seed, for: "schedule")
  let permits = Int.random(in: 1...4, using: &random)
  let gate = Gate(label: "schedule", permits: permits)
  let crowd = Shared(Crowd())
  let tasks = (0..<Int.random(in: 1...3, using: &random)).map { _ in
    let visits = Visit.some(permits, random.next())
    return Task {
      for visit in visits where visit.stays == 3 {
        // By value, dropped by whatever has it last.
        guard let permit = try? await gate.acquire(visit.count, timeout: visit.timeout).owned()
        else { continue }
        crowd.change { $0.enter(visit.count) }
        await Task.yield()
        crowd.change { $0.leave(visit.count) }
        withExtendedLifetime(permit) {}
      }
      for visit in visits where visit.stays == 2 {
        // Its scope lends permits to a map, which may fail.
        try? await gate.withPermits(visit.count, timeout: visit.timeout) {
          try await (0..<5).forEachConcurrently(limit: 3, within: gate) { number in
            crowd.change { $0.enter() }
            await Task.yield()
            crowd.change { $0.leave() }
            if number == visit.count { throw Bad() }
          }
        }
      }
      for visit in visits where visit.stays < 2 {
        try? await gate.withPermits(visit.count, timeout: visit.timeout) {
          crowd.change { $0.enter(visit.count) }
          for _ in 0..<visit.stays { await Task.yield() }
          crowd.change { $0.leave(visit.count) }
        }
      }
    }
  }
  let threads = (0..<Int.random(in: 0...2, using: &random)).map { _ in
    let visits = Visit.some(permits, random.next())
    return Task {
      try? await lanes.run {
        for visit in visits {
          try? gate.withPermits(visit.count, timeout: visit.timeout) {
            crowd.change { $0.enter(visit.count) }
            for _ in 0..<visit.stays { sched_yield() }
            crowd.change { $0.leave(visit.count) }
          }
        }
      }
    }
  }
  var most = permits
  for _ in 0..<Int.random(in: 0...4, using: &random) {
    switch Int.random(in: 0...9, using: &random) {
    case 0...3: tasks.randomElement(using: &random)?.cancel()
    case 4...6:
      gate.permits = Int.random(in: 1...5, using: &random)
      most = max(most, gate.permits)
    case 7: gate.close()
    default: for _ in 0..<Int.random(in: 1...20, using: &random) { await Task.yield() }
    }
  }
  for task in tasks { await task.value }
  for thread in threads { await thread.value }
  let end = gate.statistics
  if end.inUse != 0 || end.waiting != 0 || crowd.value.now != 0 { return "left over: \(end)" }
  if end.peak > most || crowd.value.most > most { return "\(crowd.value.most) at once of \(most)" }
  let areAllThere = end.isClosed || (try? gate.tryAcquire(end.permits)?.release()) != nil
  return areAllThere ? nil : "not all \(end.permits) are there"
}

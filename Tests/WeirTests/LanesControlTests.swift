// Lanes that are closed, cancelled or within a gate: each job either runs or is dropped, and its
// closure is freed. (CWeirTests has every order of these steps.)

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(2)))
struct LanesControlTests {
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

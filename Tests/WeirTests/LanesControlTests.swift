// Lanes that are closed, cancelled or within a gate: each job either runs or is dropped, and its
// closure is freed. (Tests/CLibrary has every order of these steps.)

import CWeir
import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
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
    #expect(statistics.refused == 3 && statistics.isClosed && statistics.c.submitted == 1)
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
    #expect(lanes.statistics.limit == "there are no more jobs")
    lanes.suspend()
    #expect(
      lanes.statistics.limit == "the lanes are suspended" && lanes.statistics.c.suspended == 1)
    lanes.resume()
    try await onThread {
      let hold = Latch()
      for _ in 0..<2 { lanes.async { hold.wait() } }
      while lanes.statistics.c.at_gates < 1 { sched_yield() }
      #expect(lanes.statistics.limit == "jobs wait for permits")
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
      #expect(wide.statistics.limit == "all lanes are busy")
      end.open()
    }
  }
}

// A job that waits for permits of a gate, most of which it took itself: a warning if it may wait for
// itself (MisuseTests has the certain case), and silence if another thread returns permits.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct SelfWaitTests {
    /// A job on a lane may have passed its permits on: a warning, once, and the wait goes on. The
    /// third job only seems to wait for itself when another thread has returned the other permits.
    @Test(arguments: JobPlace.allCases)
    func aJobThatSeemsToWaitForItself(place: JobPlace) async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) { [place] in
        alarm(30)
        place.handPermitsOn()
      }
      let lines = errorText(result).split(separator: "\n").filter { $0.hasPrefix("weir: ") }
      #expect(lines.count == 1, "\(errorText(result))")
      for words in ["weir: warning: the gate \"tickets\"", "itself", "disown"] {
        #expect(lines.first?.contains(words) == true, "\(lines)")
      }
    }

    /// While the gate keeps changing, for longer than the detection takes, the wait is no
    /// misuse; and the last change ends it.
    @Test func aGateThatKeepsChanging() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(4, "tickets"), lanes = LaneSet(width: 1)!
        let served = Latch(1)
        lanes.async {
          #expect(gate.wait(4) == 0 && gate.wait(1) == 0)
          served.arrive()
          gate.signal(5)
        }
        #expect(eventually { gate.stats.waiting == 1 })
        for _ in 0..<400 where !served.isOpen {
          #expect(gate.resize(4) == 0)
          usleep(10_000)
        }
        #expect(!served.isOpen && gate.resize(5) == 0 && served.wait())
        #expect(lanes.wait() == 0)
        lanes.release()
        gate.release()
      }
    }

    /// Waits that look like a deadlock and are none.
    @Test func permitsThatOtherJobsReturn() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(4, "tickets"), lanes = LaneSet(width: 2)!
        /* The job passes its permits to another job, which returns them. */
        lanes.async {
          #expect(gate.wait(4) == 0)
          lanes.async {
            _ = eventually { gate.stats.waiting == 1 }
            gate.signal(4)
          }
          #expect(gate.wait(2) == 0)
          gate.signal(2)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        /* The job has returned its permits on another thread. */
        lanes.async {
          #expect(gate.wait(3) == 0)
          let given = Latch(1)
          startSignal(gate, 2, given)
          #expect(given.wait())
          #expect(gate.wait(3) == 0)
          gate.signal(4)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        /* Another job holds some permits, and returns them. */
        let held = Latch(1)
        lanes.async {
          #expect(gate.wait(1) == 0)
          held.arrive()
          _ = eventually { gate.stats.waiting == 1 }
          gate.signal(1)
        }
        lanes.async {
          #expect(held.wait())
          #expect(gate.wait(2) == 0)
          #expect(gate.wait(2) == 0)
          gate.signal(4)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        /* A wait with a time-out ends by itself. */
        lanes.async {
          #expect(gate.wait(4) == 0)
          #expect(gate.wait(1, after(milliseconds: 1)) == ETIMEDOUT)
          #expect(gate.wait(1, atOnce) == ETIMEDOUT && gate.attempt(1) == EAGAIN)
          gate.signal(4)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        #expect(gate.stats.in_use == 0)
        /* Permits return from a loop, from the notifications of a group and of
           lanes, and from a block on a plain queue; or a resize adds some. On one
           core a loop is sequential, and no iteration helps the one before. */
        for source in (weir_lanes_default_width() > 1 ? 0 : 1)..<5 {
          let group: Passed<weir_group_t> = Passed(weir_group_create(nil)!)
          let others = LaneSet(width: 1)!
          let returnPermits: @Sendable () -> Void = {
            _ = eventually { gate.stats.waiting == 1 }
            gate.signal(4)
          }
          lanes.async {
            #expect(gate.wait(4) == 0)
            switch source {
            case 0:
              weir_apply(2, 1, nil) { begin, _ in
                if begin == 0 { returnPermits() } else { #expect(gate.wait(2) == 0) }
              }
            case 1: _ = weir_group_notify(group.it, globalQueue()) { _ in returnPermits() }
            case 2: weir_lanes_notify(others.raw, globalQueue()) { returnPermits() }
            case 3: async(globalQueue(), returnPermits)
            default:
              startThread {
                _ = eventually { gate.stats.waiting == 1 }
                #expect(gate.resize(6) == 0)
              }
            }
            if source > 0 { #expect(gate.wait(2) == 0) }
            gate.signal(source == 4 ? 6 : 2)
          }
          #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
          #expect(gate.stats.in_use == 0 && gate.resize(4) == 0)
          weir_group_release(group.it)
          others.release()
        }
      }
    }
  }
}

private func startSignal(_ gate: Gate, _ count: Int, _ given: Latch) {
  async(globalQueue()) {
    gate.signal(count)
    given.arrive()
  }
}

/// The place of a job that takes permits, and passes them on to a block that returns them later
/// than Weir suspects a mistake.
enum JobPlace: String, CaseIterable, Codable, Sendable {
  case lane, inline, during

  func handPermitsOn() {
    let gate = Gate(4, "tickets")
    let lanes = LaneSet(width: self == .inline ? LaneSet.inline : 1)!
    if self == .during { #expect(gate.attempt(1) == 0) }
    startThread {
      _ = eventually { gate.stats.waiting == 1 }
      if self == .during { gate.signal(1) }
    }
    lanes.async {
      #expect(gate.wait(3) == 0)
      async(globalQueue()) {
        sleep(4)
        gate.signal(3)
      }
      #expect(gate.wait(2) == 0)
      gate.signal(2)
    }
    #expect(lanes.wait() == 0 && gate.stats.in_use == 0)
    lanes.release()
    gate.release()
  }
}

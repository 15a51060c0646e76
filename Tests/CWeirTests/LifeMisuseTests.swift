// weir/misuse.h, on the lifetime of objects: one release too many, a use after the last release, an
// unbalanced resume, lanes released with jobs that cannot start. And on permits: a job that waits
// for permits that it holds itself.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct LifeMisuseTests {
    /// After the end of the object, and while permits, members or jobs keep it alive.
    @Test(arguments: Mistake.releases)
    func oneReleaseTooMany(mistake: Mistake) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [mistake] in
        prepareToDie()
        mistake.make()
      }
      expectSentence(result, naming: "\"\(mistake.label)\"", saying: ["released more often"])
    }

    @Test(arguments: Mistake.uses)
    func aUseAfterTheLastRelease(mistake: Mistake) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [mistake] in
        prepareToDie()
        mistake.make()
      }
      expectSentence(result, naming: "\"\(mistake.label)\"", saying: ["after its last release"])
    }

    @Test func aResumeWithoutASuspend() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lanes = LaneSet(width: 1, label: "swimmers")!
        weir_lanes_suspend(lanes.raw)
        weir_lanes_resume(lanes.raw)
        weir_lanes_resume(lanes.raw)
      }
      expectSentence(
        result, naming: "the lanes \"swimmers\"",
        saying: ["resumed more often", "weir_lanes_suspend"])
    }

    @Test func releasedLanesWithJobsThatCannotStart() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lanes = LaneSet(width: 1, label: "swimmers")!
        weir_lanes_suspend(lanes.raw)
        lanes.async {}
        lanes.async {}
        lanes.release()
      }
      expectSentence(
        result, naming: "the lanes \"swimmers\"",
        saying: ["suspended", "2 jobs", "resume", "cancel"])
    }

    /// The last reference is gone when the job submits another one.
    @Test func aJobSubmittedAfterTheLastRelease() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lanes = LaneSet(width: 1, label: "swimmers")!, go = Latch(1), there = Latch(1)
        lanes.async {
          there.arrive()
          _ = go.wait()
          lanes.async {}
        }
        _ = there.wait()
        weir_lanes_suspend(lanes.raw)
        lanes.release()
        go.arrive()
        sleep(20)
      }
      expectSentence(
        result, naming: "the lanes \"swimmers\"", saying: ["suspended", "1 jobs", "resume"])
    }

    @Test func aReleaseDuringAWait() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let gate = Gate(1, "tickets")
        _ = gate.attempt(1)
        _ = gate.startWaiter(1) {}
        gate.release()
      }
      expectSentence(
        result, naming: "the gate \"tickets\"", saying: ["threads waited", "needs a reference"])
    }

    /// A handler may read the object's statistics; the sentence is one line.
    @Test func aHandlerThatReadsStatistics() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        observed = LaneSet(width: 1, label: "swim\nmers")!
        weir_misuse_set_handler { sentence in
          let text = "weir: misuse: \(String(cString: sentence)), \(observed!.stats.width) lane\n"
          _ = text.withCString { write(2, $0, strlen($0)) }
        }
        weir_lanes_resume(observed!.raw)
      }
      expectSentence(result, naming: "the lanes \"swim?mers\"", saying: [", 1 lane"])
    }

    /// The permits of work of weir_gate_async, on a serial or concurrent queue, are its own until
    /// it ends.
    @Test(arguments: WorkPlace.allCases)
    func workThatWaitsForItsOwnPermits(place: WorkPlace) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [place] in
        prepareToDie()
        place.deadlock()
      }
      expectSentence(
        result, naming: "the gate \"tickets\"", saying: ["holds", "of its 4", "itself"])
    }

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
      for words in ["weir: warning: the gate \"tickets\"", "itself", "weir_gate_disown"] {
        #expect(lines.first?.contains(words) == true, "\(lines)")
      }
    }

    /// A running job may resume suspended lanes whose last reference is gone.
    @Test func aJobThatResumesItsLanes() async {
      await #expect(processExitsWith: .success) {
        alarm(30)
        let lanes = LaneSet(width: 1)!, go = Latch(1), there = Latch(1), ran = Latch(1)
        lanes.async {
          there.arrive()
          go.wait()
          weir_lanes_resume(lanes.raw)
        }
        #expect(there.wait())
        weir_lanes_suspend(lanes.raw)
        lanes.async { ran.arrive() }
        lanes.release()
        go.arrive()
        #expect(ran.wait())
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

nonisolated(unsafe) private var observed: LaneSet?

private func startSignal(_ gate: Gate, _ count: Int, _ given: Latch) {
  async(globalQueue()) {
    gate.signal(count)
    given.arrive()
  }
}

/// The queue of work that holds permits.
enum WorkPlace: String, CaseIterable, Codable, Sendable {
  case serial, concurrent

  func deadlock() {
    let gate = Gate(4, "tickets")
    let queue = self == .serial ? serialQueue() : concurrentQueue()
    _ = weir_gate_async(gate.raw, 3, queue) { _ = gate.wait(2) }
    waitToDie()
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

/// A mistake by name, which another process can make.
struct Mistake: Codable, Sendable, CustomTestStringConvertible {
  let name: String
  let label: String
  var testDescription: String { name }

  static let releases = [
    Mistake(name: "gate", label: "tickets"),
    Mistake(name: "gate with permits out", label: "tickets"),
    Mistake(name: "group", label: "parcels"),
    Mistake(name: "group with a member", label: "parcels"),
    Mistake(name: "lanes", label: "swimmers"), Mistake(name: "lanes with a job", label: "swimmers"),
    Mistake(name: "request", label: "tickets"),
  ]

  static let uses = [
    Mistake(name: "wait", label: "tickets"), Mistake(name: "try", label: "tickets"),
    Mistake(name: "gate stats", label: "tickets"), Mistake(name: "close", label: "tickets"),
    Mistake(name: "resize", label: "tickets"), Mistake(name: "work", label: "tickets"),
    Mistake(name: "ask", label: "tickets"), Mistake(name: "enter", label: "parcels"),
    Mistake(name: "member", label: "parcels"), Mistake(name: "group wait", label: "parcels"),
    Mistake(name: "submit", label: "swimmers"), Mistake(name: "lanes wait", label: "swimmers"),
    Mistake(name: "notify", label: "swimmers"),
    Mistake(name: "notify of a block", label: "swimmers"),
    Mistake(name: "lanes stats", label: "swimmers"), Mistake(name: "cancel", label: "swimmers"),
    Mistake(name: "retain lanes", label: "swimmers"),
  ]

  func make() {
    switch label {
    case "tickets": gate()
    case "parcels": group()
    default: lanes()
    }
  }

  private func gate() {
    let gate = Gate(2, label), queue = serialQueue()
    switch name {
    case "gate with permits out": _ = gate.attempt(1)
    case "request":
      var request: weir_gate_request_t?
      _ = weir_gate_request(gate.raw, 1, { _ in }, &request)
      weir_gate_request_release(request!)
      weir_gate_request_release(request!)
    default: break
    }
    gate.release()
    switch name {
    case "wait": _ = gate.wait(1)
    case "try": _ = gate.attempt(1)
    case "gate stats": _ = gate.stats
    case "close": gate.close()
    case "resize": _ = gate.resize(1)
    case "work": _ = weir_gate_async(gate.raw, 1, queue) {}
    case "ask": _ = weir_gate_request(gate.raw, 1, { _ in }, nil)
    default: gate.release()
    }
  }

  private func group() {
    let group: weir_group_t = weir_group_create(label)!
    if name == "group with a member" { weir_group_enter(group) }
    weir_group_release(group)
    switch name {
    case "enter": weir_group_enter(group)
    case "member": _ = weir_group_async(group, globalQueue()) { 0 }
    case "group wait": _ = weir_group_wait(group, atOnce)
    default: weir_group_release(group)
    }
  }

  private func lanes() {
    let lanes = LaneSet(width: 1, label: label)!, latch = Latch(1)
    if name == "lanes with a job" { _ = lanes.occupy(latch) }
    lanes.release()
    switch name {
    case "submit": lanes.async {}
    case "lanes wait": _ = lanes.wait(atOnce)
    case "lanes stats": _ = lanes.stats
    case "notify": weir_lanes_notify_f(lanes.raw, globalQueue(), nil) { _ in }
    case "notify of a block": weir_lanes_notify(lanes.raw, globalQueue()) {}
    case "cancel": _ = weir_lanes_cancel(lanes.raw)
    case "retain lanes": weir_lanes_retain(lanes.raw)
    default: lanes.release()
    }
  }
}

// weir/misuse.h, of the life of objects: a release too many, a use after the
// last one, an unbalanced resume, lanes released with jobs that nobody can start.
// And of permits: a job that waits for what it holds itself.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct LifeMisuseTests {
    /// Each when the object is gone, and where something holds it besides, then
    /// too.
    @Test(arguments: Mistake.releases)
    func aReleaseTooMany(mistake: Mistake) async {
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

    @Test func jobsThatNobodyCanStart() async {
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

    /// Nobody holds a reference any more when the job submits another.
    @Test func aJobThatStrandsAnother() async {
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

    @Test func aReleaseUnderAWaitingThread() async {
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

    /// A handler may look at the object; what is said is one line.
    @Test func aHandlerThatReadsTheFigures() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        looked = LaneSet(width: 1, label: "swim\nmers")!
        weir_misuse_set_handler { sentence in
          let text = "weir: misuse: \(String(cString: sentence)), \(looked!.stats.width) lane\n"
          _ = text.withCString { write(2, $0, strlen($0)) }
        }
        weir_lanes_resume(looked!.raw)
      }
      expectSentence(result, naming: "the lanes \"swim?mers\"", saying: [", 1 lane"])
    }

    /// Every way in which a job can hold the rest: on a lane, on lanes that run on
    /// their caller, in work of weir_gate_async on either kind of queue.
    @Test(arguments: JobPlace.allCases)
    func aJobThatWaitsForWhatItHolds(place: JobPlace) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [place] in
        prepareToDie()
        place.deadlock()
      }
      expectSentence(
        result, naming: "the gate \"tickets\"", saying: ["holds", "of its 4", "itself"])
    }

    /// It comes to be so while it waits: another job gives back the rest.
    @Test func aJobThatComesToWaitForItself() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let gate = Gate(4, "tickets"), lanes = LaneSet(width: 1)!
        #expect(gate.attempt(1) == 0)
        lanes.async {
          _ = gate.wait(2)
          _ = gate.wait(3)
        }
        startThread {
          _ = eventually { gate.stats.waiting == 1 }
          gate.signal(1)
        }
        _ = lanes.wait(after(milliseconds: 20_000))
      }
      expectSentence(
        result, naming: "the gate \"tickets\"", saying: ["holds 2 of its 4", "itself"])
    }

    /// Where something goes on at the gate all the time, for longer than it takes
    /// to say that nothing does, the job is let wait; and the last of it helps.
    @Test func aGateThatChangesAllTheTime() async {
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

    /// What looks like it and is none.
    @Test func permitsThatOthersGiveBack() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(4, "tickets"), lanes = LaneSet(width: 2)!
        /* The job hands them on to a job, which gives them back. */
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
        /* It has given back what it took, by way of another thread. */
        lanes.async {
          #expect(gate.wait(3) == 0)
          let given = Latch(1)
          startSignal(gate, 2, given)
          #expect(given.wait())
          #expect(gate.wait(3) == 0)
          gate.signal(4)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        /* Another job holds some, and gives them back. */
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
        /* Who does not wait for ever comes back by himself. */
        lanes.async {
          #expect(gate.wait(4) == 0)
          #expect(gate.wait(1, after(milliseconds: 1)) == ETIMEDOUT)
          #expect(gate.wait(1, atOnce) == ETIMEDOUT && gate.attempt(1) == EAGAIN)
          gate.signal(4)
        }
        #expect(lanes.wait(after(milliseconds: 20_000)) == 0)
        #expect(gate.stats.in_use == 0)
        /* By a loop, by the notifications of a group and of lanes, by a block on
           a plain queue; and a resize. On one core a loop is a plain loop, in
           which no call helps the one before. */
        for way in (weir_lanes_default_width() > 1 ? 0 : 1)..<5 {
          let group: Passed<weir_group_t> = Passed(weir_group_create(nil)!)
          let others = LaneSet(width: 1)!
          let giveBack: @Sendable () -> Void = {
            _ = eventually { gate.stats.waiting == 1 }
            gate.signal(4)
          }
          lanes.async {
            #expect(gate.wait(4) == 0)
            switch way {
            case 0:
              weir_apply(2, 1, nil) { begin, _ in
                if begin == 0 { giveBack() } else { #expect(gate.wait(2) == 0) }
              }
            case 1: _ = weir_group_notify(group.it, globalQueue()) { _ in giveBack() }
            case 2: weir_lanes_notify(others.raw, globalQueue()) { giveBack() }
            case 3: async(globalQueue(), giveBack)
            default:
              startThread {
                _ = eventually { gate.stats.waiting == 1 }
                #expect(gate.resize(6) == 0)
              }
            }
            if way > 0 { #expect(gate.wait(2) == 0) }
            gate.signal(way == 4 ? 6 : 2)
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

nonisolated(unsafe) private var looked: LaneSet?

private func startSignal(_ gate: Gate, _ count: Int, _ given: Latch) {
  async(globalQueue()) {
    gate.signal(count)
    given.arrive()
  }
}

/// Where a job can be.
enum JobPlace: String, CaseIterable, Codable, Sendable {
  case lane, inline, work, block

  func deadlock() {
    let gate = Gate(4, "tickets"), patience = after(milliseconds: 20_000)
    switch self {
    case .lane, .inline:
      let lanes = LaneSet(width: self == .lane ? 1 : LaneSet.inline)!
      lanes.async {
        _ = gate.attempt(1)
        _ = gate.wait(2)
        _ = gate.wait(2)
      }
      _ = lanes.wait(patience)
    case .work, .block:
      let done = dispatch_semaphore_create(0)
      _ = weir_gate_async(gate.raw, 3, self == .work ? serialQueue() : concurrentQueue()) {
        _ = gate.wait(2)
      }
      _ = dispatch_semaphore_wait(done, patience)
    }
  }
}

/// A mistake by name, so that it can be made in another process.
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

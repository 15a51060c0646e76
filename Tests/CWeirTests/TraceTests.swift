// weir/trace.h: the events that an observer gets, their order, and that none comes after it is
// removed. The observer belongs to the whole process, so each test has a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct TraceTests {
    @Test(arguments: [1, 4, LaneSet.inline] as [UInt])
    func everyJobIsSubmittedStartedAndEnded(width: UInt) async {
      await #expect(processExitsWith: .success) { [width] in
        let log = TraceLog.install()
        let lanes = LaneSet(width: width, label: "traced")!
        let counted = width == LaneSet.inline ? 1 : Int(width)
        for _ in 0..<200 { lanes.async {} }
        #expect(lanes.wait() == 0)
        let events = log.events(of: "traced")
        #expect(events.count == 600 && events.allSatisfy { $0.count == 1 })
        #expect(events.count { $0.kind == WEIR_TRACE_SUBMIT } == 200)
        for job in UInt64(1)...200 {
          let own = events.filter { $0.job == job }
          #expect(own.map(\.kind) == [WEIR_TRACE_SUBMIT, WEIR_TRACE_START, WEIR_TRACE_END])
          #expect(own[1].lane == own[2].lane && 0..<counted ~= own[1].lane)
          #expect(own[0].time <= own[1].time && own[1].time <= own[2].time)
        }
        #expect(Set(events.map(\.object)) == [UnsafeRawPointer(lanes.raw)])
        lanes.release()
      }
    }

    @Test func aGateReportsItsGrants() async {
      await #expect(processExitsWith: .success) {
        let log = TraceLog.install()
        let gate = Gate(3, "gate"), served = Latch(1)
        #expect(gate.wait(2) == 0 && gate.attempt(1) == 0)
        #expect(gate.attempt(1) == EAGAIN && gate.wait(4) == EINVAL && gate.wait(0) == 0)
        #expect(gate.wait(1, after(milliseconds: 1)) == ETIMEDOUT)
        #expect(gate.startWaiter(3) { served.arrive() })
        gate.signal(3)
        #expect(served.wait())
        gate.signal(3)
        let told = log.events(of: "gate").map { "\($0.kind.rawValue) \($0.count)" }
        let wanted: [(weir_trace_kind_t, Int)] = [
          (WEIR_TRACE_ACQUIRED, 2), (WEIR_TRACE_ACQUIRED, 1), (WEIR_TRACE_WAIT, 1),
          (WEIR_TRACE_TIMED_OUT, 1), (WEIR_TRACE_WAIT, 3), (WEIR_TRACE_SIGNAL, 3),
          (WEIR_TRACE_WAKE, 3), (WEIR_TRACE_ACQUIRED, 3), (WEIR_TRACE_SIGNAL, 3),
        ]
        #expect(told == wanted.map { "\($0.0.rawValue) \($0.1)" })
        #expect(log.events(of: "gate").map(\.job) == [0, 0, 1, 1, 2, 0, 2, 2, 0])
        let lanes = log.events(of: "gate").map { $0.kind == WEIR_TRACE_WAKE ? 1 : 0 }
        #expect(log.events(of: "gate").map(\.lane) == lanes)
        gate.release()
      }
    }

    /// A WAIT records whether a thread waits, a WAKE whether a signal caused it.
    @Test func aGateReportsWaitsAndWakes() async {
      await #expect(processExitsWith: .success) {
        let log = TraceLog.install()
        let gate = Gate(1, "gate"), served = Latch(1)
        #expect(gate.attempt(1) == 0)
        #expect(weir_gate_request(gate.raw, 1, { _ in }, nil) == 0)
        #expect(weir_gate_async(gate.raw, 1, globalQueue()) {} == 0)
        #expect(gate.resize(3) == 0 && gate.stats.waiting == 0)
        #expect(eventually { gate.stats.in_use == 2 })
        #expect(gate.startWaiter(2) { served.arrive() })
        gate.signal(1)
        #expect(served.wait())
        gate.signal(3)
        let waits = log.events(of: "gate").filter { $0.kind == WEIR_TRACE_WAIT }
        let wakes = log.events(of: "gate").filter { $0.kind == WEIR_TRACE_WAKE }
        #expect(waits.map(\.lane) == [1, 1, 0])
        #expect(wakes.map(\.lane) == [0, 0, 1])
        gate.release()
      }
    }

    /// In the order of the times, there are never more permits in use than exist.
    @Test func signalsAreReportedBeforeTheWaitsTheyLetThrough() async {
      await #expect(processExitsWith: .success) {
        let log = TraceLog.install()
        let gate = Gate(1, "gate")
        let crew = Crew(3) { _ in
          for _ in 0..<100 where gate.wait(1) == 0 { gate.signal(1) }
        }
        #expect(crew.wait())
        let kinds = log.kinds(of: "gate").filter { $0 != WEIR_TRACE_WAIT && $0 != WEIR_TRACE_WAKE }
        #expect(kinds.count == 600)
        for (index, kind) in kinds.enumerated() {
          #expect(kind == (index % 2 == 0 ? WEIR_TRACE_ACQUIRED : WEIR_TRACE_SIGNAL))
        }
        gate.release()
      }
    }

    @Test func aRemovedObserverGetsNoEvent() async {
      await #expect(processExitsWith: .success) {
        let log = TraceLog.install()
        let gate = Gate(1, "gate")
        let lanes = LaneSet(width: 2, label: "traced")!
        lanes.async {}
        #expect(gate.attempt(1) == 0 && lanes.wait() == 0)
        let before = log.count
        #expect(before == 4)
        #expect(weir_trace_set_observer(nil) == log.observer)
        gate.signal(1)
        for _ in 0..<10 { lanes.async {} }
        #expect(lanes.wait() == 0 && log.count == before)
        #expect(weir_trace_set_observer(log.observer) == nil)
        #expect(gate.attempt(1) == 0 && log.count == before + 1)
        gate.signal(1)
        gate.release()
        lanes.release()
      }
    }
  }
}

/// An observer that keeps every event.
///
/// It is never freed.
private final class TraceLog: Sendable {
  struct Event: @unchecked Sendable {
    let kind: weir_trace_kind_t
    let object: UnsafeRawPointer?
    let label: String
    let job: UInt64
    let lane: Int
    let count: Int
    let time: UInt64
    let serial: UInt64
  }

  nonisolated(unsafe) let observer: UnsafePointer<weir_trace_observer_t>
  private let log = Locked<[Event]>([])

  private static let all = Locked<[TraceLog]>([])

  static func install() -> TraceLog {
    let log = TraceLog()
    weir_trace_set_observer(log.observer)
    return log
  }

  init() {
    let made = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<weir_trace_observer_t>.size, alignment: 8
    ).assumingMemoryBound(to: weir_trace_observer_t.self)
    observer = UnsafePointer(made)
    made.initialize(
      to: weir_trace_observer_t(
        context: nil,
        observe: { Unmanaged<TraceLog>.fromOpaque($0!).takeUnretainedValue().note($1.pointee) },
        reserved: (0, 0, 0, 0)))
    made.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    TraceLog.all.with { $0.append(self) }
  }

  private func note(_ event: weir_trace_event_t) {
    let copy = Event(
      kind: event.kind, object: event.object, label: String(cString: event.label), job: event.job,
      lane: event.lane, count: event.count, time: event.nanoseconds,
      serial: event.serial)
    log.with { $0.append(copy) }
  }

  var count: Int { log.now.count }
  func events(of label: String) -> [Event] { log.now.filter { $0.label == label } }
  func kinds(of label: String) -> [weir_trace_kind_t] { events(of: label).map(\.kind) }
}

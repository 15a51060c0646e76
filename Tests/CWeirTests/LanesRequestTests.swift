// weir/lanes.h without a thread that waits: requests for room in the backlog and for an idle moment,
// each decided exactly once. (The schedules of lanes_waiters.c race them.)
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct LanesRequestTests {
    static let noBacklog = Int(bitPattern: WEIR_LANES_NO_BACKLOG)

    /// Lanes with room accept at once, of every kind; closed ones refuse at once.
    @Test(arguments: zip([1, 2, LaneSet.inline, 1], [0, 3, 0, noBacklog]))
    func decidedAtOnce(width: UInt, backlog: Int) {
      let lanes = LaneSet(width: width, backlog: backlog)!, asked = (0..<2).map { _ in Asked() }
      weir_lanes_request_release(asked[0].request(lanes))
      #expect(asked[0].results == [0])
      #expect(lanes.wait() == 0 && asked[0].runs == 1)
      weir_lanes_close(lanes.raw)
      let late = asked[1].request(lanes)
      #expect(asked[1].results == [ECANCELED])
      #expect(weir_lanes_request_cancel(late) == EALREADY)
      weir_lanes_request_release(late)
      #expect(lanes.wait() == 0 && asked[1].runs == 0)
      lanes.release()
    }

    /// A cancelled request leaves no hole, whatever its place among threads and requests.
    @Test(arguments: 0..<4)
    func cancelledInEveryPlace(place: Int) {
      let lanes = LaneSet(width: 1, backlog: 1)!, ran = Locked<[Int]>([])
      weir_lanes_suspend(lanes.raw)
      lanes.async {}
      let asked = (0..<4).map { number in Asked { ran.with { $0.append(2 * number) } } }
      var requests: [weir_lanes_request_t] = []
      let over = Latch(4)
      for number in 0..<4 {
        requests.append(asked[number].request(lanes))
        startThread {
          lanes.async { ran.with { $0.append(2 * number + 1) } }
          over.arrive()
        }
        #expect(eventually { lanes.stats.blocked == 2 * (number + 1) })
      }
      #expect(asked.allSatisfy { $0.results.isEmpty })
      #expect(weir_lanes_request_cancel(requests[place]) == 0)
      #expect(asked[place].results == [ECANCELED])
      #expect(weir_lanes_request_cancel(requests[place]) == EALREADY)
      weir_lanes_resume(lanes.raw)
      #expect(over.wait() && lanes.wait() == 0)
      #expect(ran.now == (0..<8).filter { $0 != 2 * place })
      #expect(asked.map(\.results) == (0..<4).map { [$0 == place ? ECANCELED : 0] })
      for request in requests { weir_lanes_request_release(request) }
      lanes.release()
    }

    /// A close refuses all that wait. A cancel drops the queued jobs, and those that wait get room.
    @Test(arguments: [true, false], [2, noBacklog])
    func closeAndCancel(closes: Bool, backlog: Int) {
      let lanes = LaneSet(width: 1, backlog: backlog)!, go = Latch(1)
      #expect(lanes.occupy(go))
      let asked = (0..<6).map { _ in Asked() }
      for one in asked { weir_lanes_request_release(one.request(lanes)) }
      let room = backlog == 2 ? 2 : 0
      #expect(asked.map(\.results.count) == (0..<6).map { $0 < room ? 1 : 0 })
      #expect(lanes.attempt {} == EAGAIN)
      if closes { weir_lanes_close(lanes.raw) } else { _ = weir_lanes_cancel(lanes.raw) }
      let decided = closes ? 6 : 2 * room
      #expect(asked.map(\.results.count) == (0..<6).map { $0 < decided ? 1 : 0 })
      go.arrive()
      #expect(eventually { asked.allSatisfy { $0.results.count == 1 } })
      #expect(lanes.wait() == 0)
      #expect(asked.map(\.results) == (0..<6).map { [closes && $0 >= room ? ECANCELED : 0] })
      let stats = lanes.stats
      #expect(stats.dropped == (closes ? 0 : room))
      #expect(asked.map(\.runs).reduce(0, +) == (closes ? room : 6 - room))
      lanes.release()
    }

    /// A job of the lanes passes the submits that wait; its own request waits like any other.
    @Test func aJobDoesNotWait() {
      let lanes = LaneSet(width: 1, backlog: 1)!, go = Latch(1), over = Latch(1)
      let asked = Asked(), own = Asked()
      lanes.async {
        go.wait()
        #expect(lanes.async {} == 0)
        weir_lanes_request_release(own.request(lanes))
        over.arrive()
      }
      #expect(eventually { lanes.stats.running == 1 })
      lanes.async {}
      weir_lanes_request_release(asked.request(lanes))
      go.arrive()
      #expect(over.wait() && lanes.wait() == 0 && eventually { lanes.stats.finished == 5 })
      #expect(asked.runs == 1 && own.runs == 1)
      lanes.release()
    }

    /// Requests for an idle moment: decided at once, at the end of the last job, after the last
    /// dropped one, or by a cancel.
    @Test func idle() {
      let lanes = LaneSet(width: 2)!, go = Latch(1), asked = (0..<4).map { _ in Asked() }
      weir_lanes_request_release(asked[0].requestIdle(lanes))
      #expect(asked[0].results == [0])
      #expect(lanes.occupy(go))
      let requests = asked[1...].map { $0.requestIdle(lanes) }
      #expect(weir_lanes_request_cancel(requests[1]) == 0)
      #expect(asked.map(\.results) == [[0], [], [ECANCELED], []])
      go.arrive()
      #expect(eventually { asked.allSatisfy { $0.results.count == 1 } })
      #expect(weir_lanes_request_cancel(requests[0]) == EALREADY)
      #expect(asked.map(\.results) == [[0], [0], [ECANCELED], [0]])
      for request in requests { weir_lanes_request_release(request) }

      let last = Asked()
      weir_lanes_suspend(lanes.raw)
      let dropped = LaneJob { _ in }
      #expect(weir_lanes_async_f(lanes.raw, dropped.retained(), LaneJob.run) == 0)
      weir_lanes_request_release(last.requestIdle(lanes))
      #expect(last.results.isEmpty)
      #expect(weir_lanes_cancel(lanes.raw) == 1 && last.results == [0])
      dropped.drop()
      weir_lanes_resume(lanes.raw)
      lanes.release()
    }
  }
}

/// A request, its decisions, and the runs of its job.
private final class Asked: Sendable {
  private let state = Locked((results: [Int32](), runs: 0))
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void = {}) { self.body = body }

  var results: [Int32] { state.now.results }
  var runs: Int { state.now.runs }

  /// The tests keep the object until the job has run.
  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func request(_ lanes: LaneSet) -> weir_lanes_request_t {
    var request: weir_lanes_request_t?
    let error = weir_lanes_request_f(
      lanes.raw, context,
      { context, _ in
        let me = Unmanaged<Asked>.fromOpaque(context!).takeUnretainedValue()
        me.body()
        me.state.with { $0.runs += 1 }
      }, Asked.decided, &request)
    #expect(error == 0)
    return request!
  }

  func requestIdle(_ lanes: LaneSet) -> weir_lanes_request_t {
    var request: weir_lanes_request_t?
    #expect(weir_lanes_request_idle_f(lanes.raw, context, Asked.decided, &request) == 0)
    return request!
  }

  private static let decided: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = {
    let me = Unmanaged<Asked>.fromOpaque($0!).takeUnretainedValue()
    let result = $1
    me.state.with { $0.results.append(result) }
  }
}

// queues/lanes_width.c: lanes whose width changes while they work.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals
import CWeir
import TestSupport
import Testing

@_silgen_name("weir__lanes_create_variable")
private func createVariable(
  _ options: UnsafePointer<weir_lanes_options_t>, _ most: Int
) -> weir_lanes_t?

@_silgen_name("weir__lanes_set_width")
private func setWidth(_ lanes: weir_lanes_t, _ width: Int) -> Int

/// Lanes with a log of their contexts; from `firstNull` on, a lane has no context.
private final class VariableLanes: @unchecked Sendable {
  let contexts = LaneContexts(null: false)
  let working = Meter()
  private let firstNull: Int
  private(set) var raw: weir_lanes_t! = nil

  init(_ width: Int, most: Int, backlog: Int = 0, firstNull: Int = .max) {
    self.firstNull = firstNull
    var options = weir_lanes_options_t()
    options.width = width
    options.backlog = backlog
    options.user = Unmanaged.passUnretained(self).toOpaque()
    options.lane_create = { user, lane in
      let owner = Unmanaged<VariableLanes>.fromOpaque(user!).takeUnretainedValue()
      return lane < owner.firstNull ? owner.contexts.create(lane) : nil
    }
    options.lane_destroy = { LaneContexts.destroyed($0) }
    raw = createVariable(&options, most)
  }

  func submit(_ body: @escaping @Sendable () -> Void) {
    let job = LaneJob { [working] _ in
      working.enter()
      body()
      working.leave()
    }
    #expect(weir_lanes_async_f(raw, job.retained(), LaneJob.run) == 0)
  }

  var width: Int {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(raw, &stats, MemoryLayout.size(ofValue: stats))
    return Int(stats.width)
  }

  /// Waits, releases, and returns true if each context was destroyed once.
  func end() -> Bool {
    let error = weir_lanes_wait(raw, forever)
    weir_lanes_release(raw)
    return error == 0 && eventually { self.contexts.timesDestroyed.allSatisfy { $0 == 1 } }
  }
}

extension CWeirTests {
  @Suite(.serialized) struct LanesWidthTests {
    /// Lanes are made when the width first needs them, and kept.
    @Test func lanesAreMadeAsTheyAreNeeded() {
      let lanes = VariableLanes(2, most: 10)
      #expect(lanes.width == 2 && lanes.contexts.created.count == 2)
      #expect(setWidth(lanes.raw, 5) == 5 && lanes.contexts.created == [0, 1, 2, 3, 4])
      #expect(setWidth(lanes.raw, 1) == 1 && lanes.contexts.created.count == 5)
      #expect(setWidth(lanes.raw, 99) == 10 && lanes.contexts.created == Array(0..<10))
      #expect(lanes.end())
    }

    /// Queued jobs begin when the width rises: no submit has to follow.
    @Test func aGreaterWidthStartsQueuedJobs() {
      let lanes = VariableLanes(2, most: 12)
      let begun = Latch(2), all = Latch(12), go = Latch(1)
      for number in 0..<12 {
        lanes.submit {
          if number < 2 { begun.arrive() }
          all.arrive()
          go.wait()
        }
      }
      begun.wait()
      #expect(lanes.working.now == 2)
      #expect(setWidth(lanes.raw, 12) == 12)
      all.wait()
      #expect(lanes.working.now == 12)
      go.arrive()
      #expect(lanes.end())
    }

    /// Running jobs are not interrupted; after them no more run than allowed.
    @Test func aSmallerWidthHoldsForTheJobsThatFollow() {
      let lanes = VariableLanes(2, most: 8)
      #expect(setWidth(lanes.raw, 8) == 8)
      let all = Latch(8), go = Latch(1), late = Meter()
      for _ in 0..<8 {
        lanes.submit {
          all.arrive()
          go.wait()
        }
      }
      all.wait()
      #expect(setWidth(lanes.raw, 3) == 3)
      for _ in 0..<2000 {
        lanes.submit {
          late.enter()
          late.leave()
        }
      }
      go.arrive()
      #expect(lanes.end())
      #expect(late.most <= 3 && late.ever == 2000)
    }

    @Test func aLaneWithoutContextIsNotAdded() {
      let lanes = VariableLanes(2, most: 8, firstNull: 5)
      let nulls = LaneContexts.nulls
      #expect(setWidth(lanes.raw, 8) == 5 && lanes.width == 5)
      #expect(setWidth(lanes.raw, 8) == 5)
      let done = Meter()
      for _ in 0..<500 { lanes.submit { done.enter() } }
      #expect(lanes.end() && done.ever == 500 && lanes.working.most <= 5)
      #expect(LaneContexts.nulls == nulls)
    }
  }
}

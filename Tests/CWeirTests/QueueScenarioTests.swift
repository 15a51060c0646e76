// weir/queue.h and weir/lanes.h in the scenarios that libdispatch tests its queues with:
// dispatch_context_for_key, dispatch_overcommit, dispatch_pingpong, dispatch_starfish and
// dispatch_cascade.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct QueueScenarioTests {
    /// Contexts of the user under keys stand beside the queue's own, are found from a queue that
    /// targets it, are replaced, and end, each once; the finalizer gets the queue's own.
    @Test func contextsUnderKeysBesideTheQueuesOwn() async throws {
      try await onThread {
        let ends = Ends(), app = ends.context("app"), first = ends.context("first")
        let again = ends.context("again"), below = ends.context("below")
        let target = Passed(weir_queue_create("target", concurrentAttribute(), nil, nil)!)
        let queue = Passed(weir_queue_create("queue", nil, app.it, Ends.end)!)
        dispatch_queue_set_specific(target.it, Key.below.it, below.it, Ends.end)
        dispatch_set_target_queue(object(queue.it), target.it)
        async(queue.it) { set(queue.it, first.it) }
        async(queue.it) {
          #expect(dispatch_get_specific(Key.first.it) == first.it)
          #expect(dispatch_get_specific(Key.below.it) == below.it)
        }
        async(queue.it) { set(queue.it, again.it) }
        sync(queue.it) {
          #expect(dispatch_queue_get_specific(queue.it, Key.first.it) == again.it)
        }
        async(queue.it) { set(queue.it, nil) }
        sync(queue.it) { #expect(dispatch_queue_get_specific(queue.it, Key.first.it) == nil) }
        #expect(weir_queue_get_context(queue.it) == app.it)
        #expect(dispatch_get_context(object(queue.it)) == app.it)
        release(target.it)
        release(queue.it)
        #expect(eventually { ends.log.now.count == 4 })
        #expect(ends.log.now.sorted() == ["again", "app", "below", "first"])
      }
    }

    /// Each of 32 lanes has a thread at once, though the job on every other one never ends by itself.
    @Test func everyLaneHasAThreadAtOnce() async throws {
      try await onThread {
        let lanes = LaneSet(width: 32)!, running = Latch(32)
        for _ in 0..<32 {
          lanes.async {
            running.arrive()
            while !running.isOpen { sched_yield() }
          }
        }
        #expect(running.wait() && lanes.wait() == 0 && lanes.stats.peak == 32)
        lanes.release()
      }
    }

    /// Work of a group on one queue submits its successor on the other.
    @Test func pingPong() async throws {
      try await onThread {
        let group = Passed(weir_group_create("ping pong")!), players = [TestQueue(), TestQueue()]
        let last = Locked(0)
        hit(group, players, 0, last)
        #expect(weir_group_wait(group.it, forever) == 0)
        #expect(last.now == 100_000 && weir_group_outstanding(group.it) == 0)
        weir_group_release(group.it)
      }
    }

    /// The same on two lanes of width 1: a job submits the next one to the other.
    @Test func pingPongOnLanes() async throws {
      try await onThread {
        let group = Passed(weir_group_create("ping pong")!), last = Locked(0)
        let players = [LaneSet(width: 1, backlog: 1)!, LaneSet(width: 1, backlog: 1)!]
        hit(group, players, 0, last)
        #expect(weir_group_wait(group.it, forever) == 0 && last.now == 100_000)
        for player in players { player.release() }
        weir_group_release(group.it)
      }
    }

    /// Every queue sends a message to every queue, and counts the replies in its context.
    @Test(arguments: 1...3)
    func starfish(lap: Int) async throws {
      try await onThread {
        let count = 100, soup = globalQueue(), done = Latch(count)
        let queues = Passed(
          (0..<count).map { number in
            weir_queue_create(
              "node \(number)", nil, UnsafeMutableRawPointer(bitPattern: count), nil)!
          })
        for queue in queues.it {
          dispatch_suspend(object(queue))
          dispatch_set_target_queue(object(queue), soup)
        }
        for index in 0..<count {
          async(queues.it[index]) {
            for other in queues.it {
              async(other) { async(queues.it[index]) { reply(queues.it[index], done) } }
            }
          }
        }
        for queue in queues.it { dispatch_resume(object(queue)) }
        #expect(done.wait())
        for queue in queues.it { release(queue) }
      }
    }

    /// Every token passes through all queues, one after the other.
    @Test func cascade() async throws {
      try await onThread {
        let queues = (0..<80).map { _ in TestQueue() }, done = Latch(1000), steps = Meter()
        for _ in 0..<1000 { pass(queues, 0, steps, done) }
        #expect(done.wait() && steps.ever == 80_000)
      }
    }
  }
}

/// The names of contexts that have ended.
private final class Ends: Sendable {
  let log = Locked<[String]>([])

  private final class Named: Sendable {
    let name: String
    let ends: Ends
    init(_ name: String, _ ends: Ends) {
      self.name = name
      self.ends = ends
    }
  }

  func context(_ name: String) -> Passed<UnsafeMutableRawPointer> {
    Passed(Unmanaged.passRetained(Named(name, self)).toOpaque())
  }

  static let end: dispatch_function_t = { context in
    let named = Unmanaged<Named>.fromOpaque(context!).takeRetainedValue()
    named.ends.log.with { $0.append(named.name) }
  }
}

private func set(_ queue: dispatch_queue_t, _ context: UnsafeMutableRawPointer?) {
  dispatch_queue_set_specific(queue, Key.first.it, context, Ends.end)
}

private enum Key {
  static let first = Passed(UnsafeRawPointer(UnsafeMutablePointer<Int>.allocate(capacity: 1)))
  static let below = Passed(UnsafeRawPointer(UnsafeMutablePointer<Int>.allocate(capacity: 1)))
}

private func hit(
  _ group: Passed<weir_group_t>, _ players: [TestQueue], _ count: Int, _ last: Locked<Int>
) {
  if count == 100_000 { return last.with { $0 = count } }
  let error = weir_group_async(group.it, players[count % 2].it) {
    hit(group, players, count + 1, last)
    return 0
  }
  #expect(error == 0)
}

private func hit(
  _ group: Passed<weir_group_t>, _ players: [LaneSet], _ count: Int, _ last: Locked<Int>
) {
  if count == 100_000 { return last.with { $0 = count } }
  let error = weir_group_lanes(group.it, players[count % 2].raw) { _ in
    hit(group, players, count + 1, last)
    return 0
  }
  #expect(error == 0)
}

/// Runs on the queue, which counts down in its context.
private func reply(_ queue: dispatch_queue_t, _ done: Latch) {
  let left = Int(bitPattern: weir_queue_get_context(queue)) - 1
  #expect(weir_queue_set_context(queue, UnsafeMutableRawPointer(bitPattern: left)) == 0)
  if left == 0 { done.arrive() }
}

private func pass(_ queues: [TestQueue], _ place: Int, _ steps: Meter, _ done: Latch) {
  guard place < queues.count else { return done.arrive() }
  async(queues[place].it) {
    steps.enter()
    pass(queues, place + 1, steps, done)
  }
}

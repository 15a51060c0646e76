// weir/queue.h: a queue owns one context, and its finalizer runs exactly once with the last one,
// even if that is NULL.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct QueueTests {
    @Test func theFinalizerGetsTheLastContextExactlyOnce() {
      let log = FinalizerLog.shared
      let total = log.total
      for contexts in sequencesOfContexts() {
        let before = log.count(of: contexts.last!)
        let queue = weir_queue_create("owner", nil, contexts[0], FinalizerLog.note)!
        #expect(followsContexts(queue, contexts))
        release(queue)
        #expect(eventually { log.count(of: contexts.last!) == before + 1 })
      }
      #expect(log.total == total + sequencesOfContexts().count)
    }

    @Test(arguments: [true, false])
    func theFinalizerComesAfterTheLastJob(hasContext: Bool) {
      let context = hasContext ? FinalizerLog.a : nil
      let log = FinalizerLog.shared
      let before = log.total
      let queue = weir_queue_create("jobs", nil, context, FinalizerLog.note)!
      let gate = Latch(1)
      let ran = Meter()
      for _ in 0..<20 {
        async(queue) {
          gate.wait()
          ran.enter(log.total == before ? 1 : 1000)
        }
      }
      release(queue)
      gate.arrive()
      #expect(eventually { log.total == before + 1 })
      #expect(ran.ever == 20)
    }

    @Test func theFinalizerRunsOnTheTargetQueue() {
      for context in [FinalizerLog.a, nil] {
        let target = serialQueue()
        dispatch_queue_set_specific(target, FinalizerLog.key, FinalizerLog.a, nil)
        let before = FinalizerLog.shared.onTarget.now
        let queue = weir_queue_create("owner", nil, context, FinalizerLog.note)!
        dispatch_set_target_queue(object(queue), target)
        async(queue) {}
        release(queue)
        #expect(eventually { FinalizerLog.shared.onTarget.now == before + 1 })
        release(target)
      }
    }

    @Test func aJobMayReplaceTheContextOfItsQueue() {
      let queue = weir_queue_create("self", nil, FinalizerLog.a, FinalizerLog.note)!
      let passed = Passed(queue)
      for context in [nil, FinalizerLog.b, FinalizerLog.a, nil, FinalizerLog.b] {
        let wanted = Passed(context)
        let kept = Locked(false)
        sync(queue) {
          let error = weir_queue_set_context(passed.it, wanted.it)
          kept.with { $0 = error == 0 && weir_queue_get_context(passed.it) == wanted.it }
        }
        #expect(kept.now)
      }
      let before = FinalizerLog.shared.count(of: FinalizerLog.b)
      release(queue)
      #expect(eventually { FinalizerLog.shared.count(of: FinalizerLog.b) == before + 1 })
    }

    @Test func queuesThatWeirDidNotMakeAreRefused() {
      let foreign = dispatch_queue_create("foreign", nil)
      dispatch_set_context(object(foreign), FinalizerLog.a)
      let main = dispatch_queue_t(dlsym(nil, "_dispatch_main_q")!)
      let globals = [2, 0, -2, Int(Int16.min)].map { dispatch_get_global_queue($0, 0) }
      for queue in [foreign, main] + globals {
        #expect(weir_queue_get_context(queue) == nil)
        #expect(weir_queue_set_context(queue, FinalizerLog.b) == EINVAL)
        #expect(weir_queue_set_context(queue, nil) == EINVAL)
        #expect(weir_queue_get_context(queue) == nil)
      }
      #expect(dispatch_get_context(object(foreign)) == FinalizerLog.a)
      release(foreign)
    }

    /// Not the context of the target queue.
    @Test func theContextIsTheQueuesOwn() {
      let target = weir_queue_create("target", nil, FinalizerLog.a, nil)!
      let queue = weir_queue_create("owner", nil, nil, nil)!
      let foreign = dispatch_queue_create("foreign", nil)
      dispatch_set_target_queue(object(queue), target)
      dispatch_set_target_queue(object(foreign), target)
      #expect(weir_queue_get_context(queue) == nil)
      #expect(weir_queue_get_context(foreign) == nil)
      #expect(weir_queue_set_context(foreign, FinalizerLog.b) == EINVAL)
      #expect(weir_queue_get_context(target) == FinalizerLog.a)
      for each in [queue, foreign, target] { release(each) }
    }
  }
}

/// Every sequence of NULL and two contexts, of length one to four.
private func sequencesOfContexts() -> [[UnsafeMutableRawPointer?]] {
  var all: [[UnsafeMutableRawPointer?]] = [[nil], [FinalizerLog.a], [FinalizerLog.b]]
  var last = all
  for _ in 0..<3 {
    last = last.flatMap { sequence in
      [nil, FinalizerLog.a, FinalizerLog.b].map { sequence + [$0] }
    }
    all += last
  }
  return all
}

/// Sets each context in turn and reads it back in both ways.
private func followsContexts(
  _ queue: dispatch_queue_t, _ contexts: [UnsafeMutableRawPointer?]
) -> Bool {
  for (index, context) in contexts.enumerated() {
    if index > 0, weir_queue_set_context(queue, context) != 0 { return false }
    if weir_queue_get_context(queue) != context { return false }
    if context != nil, dispatch_get_context(object(queue)) != context { return false }
  }
  return true
}

/// The contexts that finalizers received, and how often.
private final class FinalizerLog: Sendable {
  static let shared = FinalizerLog()
  nonisolated(unsafe) static let a: UnsafeMutableRawPointer? = .allocate(
    byteCount: 8, alignment: 8)
  nonisolated(unsafe) static let b: UnsafeMutableRawPointer? = .allocate(
    byteCount: 8, alignment: 8)
  nonisolated(unsafe) static let key = UnsafeRawPointer(b!)

  private let calls = Locked<[UnsafeMutableRawPointer?: Int]>([:])
  let onTarget = Locked(0)

  static let note: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    if dispatch_get_specific(FinalizerLog.key) != nil {
      shared.onTarget.with { $0 += 1 }
    }
    shared.calls.with { $0[context, default: 0] += 1 }
  }

  func count(of context: UnsafeMutableRawPointer?) -> Int {
    calls.with { $0[context, default: 0] }
  }

  var total: Int { calls.with { $0.values.reduce(0, +) } }
}

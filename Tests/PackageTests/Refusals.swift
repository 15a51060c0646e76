// Code that must not compile: misuse of values that are consumed, borrowed or owned
// by a queue.

extension RefusalTests {
  static let permits = [
    Refusal(
      "releasing a permit twice", says: "'permit' consumed more than once",
      """
      let permit = try gate.acquire()
      permit.release()
      -permit.release()
      """),
    Refusal(
      "using a released permit", says: "'permit' used after consume",
      """
      let permit = try gate.acquire()
      +print(permit.count)
      permit.release()
      -print(permit.count)
      """),
    Refusal(
      "releasing a permit that was handed on", says: "'permit' consumed more than once",
      """
      let permit = try gate.acquire()
      let owned = permit.owned()
      -permit.release()
      +owned.release()
      _ = owned
      """),
    Refusal(
      "releasing a permit in each turn of a loop", says: "'permit' consumed in a loop",
      """
      -let permit = try gate.acquire()
      for _ in 1...2 {
      +  let permit = try gate.acquire()
        permit.release()
      }
      """),
    Refusal(
      "copying a permit", says: "'copy' cannot be applied to noncopyable types",
      """
      let permit = try gate.acquire()
      -let other = copy permit
      +let other = permit
      other.release()
      """),
    Refusal(
      "keeping permits in an array", says: "'Permit' does not conform to protocol 'Copyable'",
      """
      -let permits: [Permit] = []
      +let permits: [OwnedPermit] = []
      _ = permits
      """),
    Refusal(
      "consuming a permit in a closure that escapes",
      says: "'permit' cannot be consumed when captured by an escaping closure",
      """
      -let permit = try gate.acquire()
      +let permit = try gate.acquire().owned()
      DispatchQueue.global().async { permit.release() }
      """),
    Refusal(
      "consuming a permit in a task", in: .asyncFunction,
      says: "'permit' cannot be consumed when captured by an escaping closure",
      """
      -let permit = try await gate.acquire()
      +let permit = try await gate.acquire().owned()
      Task { permit.release() }
      """),
    Refusal(
      "ignoring that acquire may throw", says: "is not marked with 'try'",
      """
      -let permit = gate.acquire()
      +let permit = try gate.acquire()
      permit.release()
      """),
  ]

  static let memberships = [
    Refusal(
      "leaving a group twice", says: "'membership' consumed more than once",
      """
      let membership = group.enter()
      membership.leave()
      -membership.leave()
      """),
    Refusal(
      "leaving a group with an error as well", says: "'membership' consumed more than once",
      """
      let membership = group.enter()
      -membership.leave()
      membership.leave(throwing: CancellationError())
      """),
    Refusal(
      "leaving by a membership that was handed on", says: "'membership' consumed more than once",
      """
      let membership = group.enter()
      let owned = membership.owned()
      -membership.leave()
      +owned.leave()
      _ = owned
      """),
    Refusal(
      "leaving a group in a closure that escapes",
      says: "'membership' cannot be consumed when captured by an escaping closure",
      """
      -let membership = group.enter()
      +let membership = group.enter().owned()
      DispatchQueue.global().async { membership.leave() }
      """),
  ]

  static let contexts = [
    Refusal(
      "returning an OwnedQueue's object from sync", says: "does not conform to",
      """
      -_ = charts.sync { $0 }
      +_ = charts.sync { $0.points }
      """),
    Refusal(
      "returning an OwnedQueue's object from sync, async", in: .asyncFunction,
      says: "does not conform to",
      """
      -_ = await charts.sync { $0 }
      +_ = await charts.sync { $0.points }
      """),
    Refusal(
      "keeping an OwnedQueue's object outside of sync", says: "cannot be task-isolated at end",
      """
      -var kept: Chart?
      +var kept: [Int]?
      -charts.sync { chart in kept = chart }
      +charts.sync { chart in kept = chart.points }
      _ = kept
      """),
    Refusal(
      "keeping an OwnedQueue's object outside of sync, async", in: .asyncFunction,
      says: "'kept'",
      """
      var kept: Chart?
      -await charts.sync { chart in kept = chart }
      +await charts.sync { chart in chart.points = [] }
      kept = Chart()
      _ = kept
      """),
    Refusal(
      "keeping an OwnedQueue's object outside of async",
      says: "'kept'",
      """
      var kept: Chart?
      -charts.async { chart in kept = chart }
      +charts.async { chart in chart.points = [] }
      kept = Chart()
      _ = kept
      """),
    Refusal(
      "keeping an OwnedQueue's object in another object",
      says: "cannot be task-isolated at end",
      """
      let other = Chart()
      -charts.sync { other.next = $0 }
      +charts.sync { other.points = $0.points }
      other.next = nil
      """),
    Refusal(
      "keeping an OwnedQueue's object behind a lock", says: "cannot be task-isolated at end",
      """
      let kept = Mutex<Chart?>(nil)
      -charts.async { chart in kept.withLock { $0 = chart } }
      +charts.async { chart in kept.withLock { $0 = Chart() } }
      kept.withLock { $0 = nil }
      """),
    Refusal(
      "moving an object from one OwnedQueue to another", says: "cannot be task-isolated at end",
      """
      let others = OwnedQueue(label: "others", context: Chart())
      -charts.sync { chart in others.sync { $0 = chart } }
      +charts.sync { chart in others.sync { $0.points = [] } }
      """),
    Refusal(
      "handing an OwnedQueue's object to a job elsewhere",
      says: "capture of 'inner' with non-Sendable type 'Chart'",
      """
      charts.sync { chart in
        let inner = chart
      -  lanes.async { inner.points = [] }
      +  lanes.async {}
        inner.points = [1]
      }
      """),
    Refusal(
      "putting somebody's object into an OwnedQueue by sync",
      says: "cannot be task-isolated at end",
      """
      let chart = Chart()
      -charts.sync { $0 = chart }
      +charts.sync { $0 = Chart() }
      chart.points = []
      """),
    Refusal(
      "using an object that an OwnedQueue was given",
      says: "sending 'chart' risks causing data races",
      """
      let chart = Chart()
      +chart.points = []
      _ = OwnedQueue(label: "chart", context: chart)
      -chart.points = []
      """),
  ]

  /// What is lent for the time of a call.
  static let loans = [
    Refusal(
      "annotating a file with bytes that are lent",
      says: "cannot convert value of type 'UnsafeRawBufferPointer'",
      """
      -let annotate: FileProcessor<Void, Int64>.Annotate = { found in found.path }
      +let annotate: FileProcessor<Void, Int64>.Annotate = { found in Array(found.path) }
      _ = annotate
      """),
    Refusal(
      "keeping a file that a job was given", says: "'file' is borrowed and cannot be consumed",
      """
      _ = try FileProcessor { (file) throws(Errno) in
      -  let kept = file
      +  let kept = file.size
        _ = consume kept
      }
      """),
    Refusal(
      "keeping an entry that a walk has lent", says: "'entry' is borrowed and cannot be consumed",
      """
      FileWalk(".").visit { entry in
      -  let kept = entry
      +  let kept = entry.copy
        _ = consume kept
        return .next
      }
      """),
    Refusal(
      "handing a windowed task group to a task", in: .asyncFunction,
      says: "risks causing data races",
      """
      try await withWindowedTaskGroup(of: Int.self, limit: 2) { group in
      -  let other = group
      -  Task { print(other.isEmpty) }
      +  let other = group.isEmpty
      +  Task { print(other) }
      }
      """),
  ]
}

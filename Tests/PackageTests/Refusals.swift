// Code that must not compile: misuse of values that are consumed, borrowed or owned by a queue,
// closures that share mutable state, and blocking calls in async code.

extension RefusalTests {
  static let all = permits + contexts + loans + shared + calls

  private static let permits = [
    Refusal(
      "releasing a permit twice", says: "'permit' consumed more than once",
      """
      let permit = try gate.acquire()
      permit.release()
      -permit.release()
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
      "copying a permit", says: "'copy' cannot be applied to noncopyable types",
      """
      let permit = try gate.acquire()
      -let other = copy permit
      +let other = permit
      other.release()
      """),
    Refusal(
      "consuming a permit in a task", isAsync: true,
      says: "'permit' cannot be consumed when captured by an escaping closure",
      """
      -let permit = try await gate.acquire()
      +let permit = try await gate.acquire().owned()
      Task { permit.release() }
      """),
    Refusal(
      "leaving a group with an error as well", says: "'membership' consumed more than once",
      """
      let membership = group.enter()
      -membership.leave()
      membership.leave(throwing: CancellationError())
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

  private static let contexts = [
    Refusal(
      "returning an OwnedQueue's object from sync", says: "does not conform to",
      """
      -_ = charts.sync { $0 }
      +_ = charts.sync { $0.points }
      """),
    Refusal(
      "returning an OwnedQueue's object from sync, async", isAsync: true,
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
      "keeping an OwnedQueue's object behind a lock", says: "cannot be task-isolated at end",
      """
      let kept = Mutex<Chart?>(nil)
      -charts.async { chart in kept.withLock { $0 = chart } }
      +charts.async { chart in kept.withLock { $0 = Chart() } }
      kept.withLock { $0 = nil }
      """),
    Refusal(
      "putting an object that is used elsewhere into an OwnedQueue",
      says: "cannot be task-isolated at end",
      """
      let chart = Chart()
      -charts.sync { $0 = chart }
      +charts.sync { $0 = Chart() }
      chart.points = []
      """),
    Refusal(
      "keeping a Pool's object behind a lock", says: "cannot be task-isolated at end",
      """
      let pool = Pool(label: "charts", [Chart()])
      let kept = Mutex<Chart?>(nil)
      -try pool.withElement { chart in kept.withLock { $0 = chart } }
      +try pool.withElement { chart in kept.withLock { $0 = Chart() } }
      kept.withLock { $0 = nil }
      """),
    Refusal(
      "returning a Pool's object", isAsync: true,
      says: "'inout sending' parameter '$0' cannot be returned",
      """
      let pool = Pool(label: "charts", [Chart()])
      -print(try await pool.withElement { $0 }.points)
      +print(try await pool.withElement { $0.points })
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

  /// Values that are lent for the time of a call.
  private static let loans = [
    Refusal(
      "making an item of bytes that are lent",
      says: "cannot convert value of type 'UnsafeRawBufferPointer'",
      """
      -_ = [UInt8]().withUnsafeBytes { FileItem.note($0) }
      +_ = [UInt8]().withUnsafeBytes { FileItem.note(Array($0)) }
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
      "keeping bytes that a file has lent", says: "lifetime-dependent variable 'piece' escapes",
      """
      _ = try FileProcessor { (file) throws(Errno) in
        guard let piece = try file.read() else { return }
      -  lanes.async { print(piece[0]) }
      +  let first = piece[0]
      +  lanes.async { print(first) }
      }
      """),
    Refusal(
      "handing a windowed task group to a task", isAsync: true,
      says: "risks causing data races",
      """
      try await withWindowedTaskGroup(of: Int.self, limit: 2) { group in
      -  let other = group
      -  Task { other.cancelAll() }
      +  let other = try await group.next()
      +  Task { print(other ?? 0) }
      }
      """),
  ]

  /// Jobs that change a variable at the same time, and a job that shares an object.
  private static let shared =
    [
      ("concurrentLoop", "concurrentLoop(0..<9) { range in BODY }"),
      ("concurrentMap", "_ = (0..<9).concurrentMap { number -> Int in\n  BODY\n  return number\n}"),
      ("Lanes.async", "lanes.async { BODY }"),
      ("Gate.async", "try gate.async(on: .global()) { BODY }"),
      ("OwnedQueue.async", "numbers.async { number in BODY }"),
      ("WorkGroup.async", "group.async(on: lanes) { BODY }"),
      ("WeirTrace.setObserver", "WeirTrace.setObserver { event in BODY }"),
      (
        "FileProcessor",
        "_ = try FileProcessor { (file) throws(Errno) in\n  BODY\n  return file.size\n}"
      ),
      (
        "mapConcurrently",
        "_ = try await (0..<9).mapConcurrently(limit: 2) { number -> Int in\n  BODY\n  return number\n}"
      ),
      (
        "withWindowedTaskGroup",
        "try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in\n"
          + "  try await group.addTask { BODY }\n}"
      ),
    ].map { name, call in
      Refusal(
        "changing a variable from \(name)", isAsync: call.contains("await"),
        says: "mutation of captured var 'total' in concurrently-executing code",
        """
        var total = 0
        -\(call.replacing("BODY", with: "total += 1").replacing("\n", with: "\n-"))
        +\(call.replacing("BODY", with: "_ = 1").replacing("\n", with: "\n+"))
        total += 1
        """)
    } + [
      Refusal(
        "sharing an object with Lanes.async",
        says: "capture of 'chart' with non-Sendable type 'Chart' in a '@Sendable' closure",
        """
        let chart = Chart()
        -lanes.async { chart.points = [] }
        +lanes.async { Chart().points = [] }
        chart.points = [1]
        """)
    ]

  /// Blocking calls in async code, and async closures for the threads of a loop.
  private static let calls =
    [
      ("Gate.acquire", "let permit = try WAIT gate.acquire()\npermit.release()"),
      ("Gate.withPermit", "print(try WAIT gate.withPermit { 42 })"),
      ("Lanes.wait", "WAIT lanes.wait()"), ("WorkGroup.wait", "try WAIT group.wait()"),
      ("OwnedQueue.sync", "print(WAIT numbers.sync { $0 })"),
      ("concurrentLoop", "try WAIT concurrentLoop(0..<9) { _ in }"),
      (
        "concurrentReduce",
        "print(try WAIT concurrentReduce(0..<9, into: 0) { $0 += $1.count } combine: { $0 += $1 })"
      ),
      ("ChildProcess.init", "print(try WAIT ChildProcess([\"true\"]).processIdentifier)"),
      ("ChildProcess.run", "print(try WAIT ChildProcess.run([\"true\"]).terminationStatus)"),
    ].map { name, call in
      Refusal(
        "\(name) in async code", isAsync: true, says: "is 'async' but is not marked with 'await'",
        """
        -\(call.replacing("WAIT ", with: "").replacing("\n", with: "\n-"))
        +\(call.replacing("WAIT", with: "await").replacing("\n", with: "\n+"))
        """)
    } + [
      Refusal(
        "a time-out as a time", says: "a time-out is a duration, not a time",
        """
        -lanes.wait(timeout: .now() + .seconds(1))
        +lanes.wait(timeout: .seconds(1))
        """),
      Refusal(
        "a time-out as a time in async code", isAsync: true,
        says: "a time-out is a duration, not a time",
        """
        -try await gate.withPermit(timeout: .now() + .milliseconds(200)) {}
        +try await gate.withPermit(timeout: .milliseconds(200)) {}
        """),
      Refusal(
        "FileWalk as a sequence in async code", isAsync: true,
        says: "is unavailable from asynchronous contexts",
        """
        -_ = FileWalk(".").makeIterator()
        +for try await _ in FileWalk(".").entries {}
        """),
      Refusal(
        "WeirTrace.finish in async code", isAsync: true,
        says: "is unavailable from asynchronous contexts",
        """
        -WeirTrace.finish()
        +DispatchQueue.global().async { WeirTrace.finish() }
        """),
      Refusal(
        "an async transform of concurrentMap", isAsync: true,
        says: "for an async transform use mapConcurrently(limit:)",
        """
        -_ = try await [1, 2].concurrentMap { await numbers.sync { $0 } + $0 }
        +_ = try await [1, 2].mapConcurrently(limit: 2) { await numbers.sync { $0 } + $0 }
        """),
    ]
}

// Calls that must not compile: closures that share mutable state, and blocking calls
// in async code.

extension RefusalTests {
  /// Jobs that change a variable at the same time.
  static let variables =
    [
      ("concurrentLoop", "concurrentLoop(0..<9) { range in BODY }"),
      ("concurrentForEach", "(0..<9).concurrentForEach { number in BODY }"),
      (
        "concurrentMap",
        "_ = (0..<9).concurrentMap { number -> Int in\n  BODY\n  return number\n}"
      ),
      (
        "concurrentReduce",
        "_ = (0..<9).concurrentReduce(0) { one, other -> Int in\n  BODY\n  return one\n}"
      ),
      ("Lanes.async", "lanes.async { BODY }"),
      ("Lanes.notify", "lanes.notify(on: .global()) { BODY }"),
      ("Gate.async", "try gate.async(on: .global()) { BODY }"),
      ("OwnedQueue.async", "numbers.async { number in BODY }"),
      ("WorkGroup.async on a queue", "group.async(on: .global()) { BODY }"),
      ("WorkGroup.async on lanes", "group.async(on: lanes) { BODY }"),
      ("WorkGroup.async on an OwnedQueue", "group.async(on: numbers) { number in BODY }"),
      ("WorkGroup.notify", "group.notify(on: .global()) { error in BODY }"),
      ("Trace.setObserver", "Trace.setObserver { event in BODY }"),
      (
        "FileProcessor",
        "_ = try FileProcessor { (file) throws(Errno) in\n  BODY\n  return file.size\n}"
      ),
    ].map { name, call in changing(name, in: .function, call) }
    + [
      ("concurrentLoop, async", "try await concurrentLoop(0..<9) { range in BODY }"),
      ("concurrentForEach, async", "try await (0..<9).concurrentForEach { number in BODY }"),
      (
        "concurrentMap, async",
        "_ = try await (0..<9).concurrentMap { number -> Int in\n  BODY\n  return number\n}"
      ),
      (
        "mapConcurrently",
        "_ = try await (0..<9).mapConcurrently(limit: 2) { number -> Int in\n  BODY\n  return number\n}"
      ),
      (
        "mapConcurrently of an asynchronous sequence",
        "_ = try await FileWalk(\".\").entries.mapConcurrently(limit: 2) { _ -> Int in\n"
          + "  BODY\n  return 0\n}"
      ),
      (
        "concurrentlyMapped",
        "_ = FileWalk(\".\").entries.concurrentlyMapped(limit: 2) { _ -> Int in\n"
          + "  BODY\n  return 0\n}"
      ),
      (
        "withWindowedTaskGroup",
        "try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in\n"
          + "  try await group.addTask { BODY }\n}"
      ),
      ("OwnedQueue.sync, async", "await numbers.sync { number in BODY }"),
    ].map { name, call in changing(name, in: .asyncFunction, call) }

  private static func changing(
    _ name: String, in place: Refusal.Place, _ call: String
  ) -> Refusal {
    Refusal(
      "changing a variable from \(name)", in: place,
      says: "mutation of captured var 'total' in concurrently-executing code",
      """
      var total = 0
      -\(call.replacing("BODY", with: "total += 1").replacing("\n", with: "\n-"))
      +\(call.replacing("BODY", with: "_ = 1").replacing("\n", with: "\n+"))
      total += 1
      """)
  }

  /// Jobs that share an object.
  static let objects =
    [
      ("concurrentLoop", "concurrentLoop(0..<9) { range in BODY }"),
      (
        "concurrentMap",
        "_ = (0..<9).concurrentMap { number -> Int in\n  BODY\n  return number\n}"
      ),
      ("Lanes.async", "lanes.async { BODY }"),
      ("OwnedQueue.async", "numbers.async { number in BODY }"),
      ("WorkGroup.async", "group.async(on: lanes) { BODY }"),
    ].map { name, call in
      Refusal(
        "sharing an object with \(name)",
        says: "capture of 'chart' with non-Sendable type 'Chart' in a '@Sendable' closure",
        """
        let chart = Chart()
        -\(call.replacing("BODY", with: "chart.points = []").replacing("\n", with: "\n-"))
        +\(call.replacing("BODY", with: "Chart().points = []").replacing("\n", with: "\n+"))
        chart.points = [1]
        """)
    }

  /// Async closures for the threads of a loop: the message names the right method.
  static let asyncClosures = [
    Refusal(
      "an async transform of concurrentMap", in: .asyncFunction,
      says: "for an async transform use mapConcurrently(limit:)",
      """
      -_ = try await [1, 2].concurrentMap { await numbers.sync { $0 } + $0 }
      +_ = try await [1, 2].mapConcurrently(limit: 2) { await numbers.sync { $0 } + $0 }
      """),
    Refusal(
      "an async body of concurrentForEach", in: .asyncFunction,
      says: "for an async body use forEachConcurrently(limit:)",
      """
      -try await [1, 2].concurrentForEach { _ in await lanes.wait() }
      +try await [1, 2].forEachConcurrently(limit: 2) { _ in await lanes.wait() }
      """),
    Refusal(
      "an async job of Lanes.run", in: .asyncFunction,
      says: "to parameter expecting synchronous function type",
      """
      -_ = try await lanes.run { await numbers.sync { $0 } }
      +_ = try await lanes.run { 42 }
      """),
  ]

  /// Blocking calls, each with the name of its function. A test compares the names with
  /// the public interface.
  static let blocking =
    [
      ("Gate.acquire", "let permit = try WAIT gate.acquire()\npermit.release()"),
      (
        "Gate.acquire for a duration",
        "let permit = try WAIT gate.acquire(timeout: .seconds(1))\npermit.release()"
      ),
      ("Gate.withPermit for a duration", "print(try WAIT gate.withPermit(timeout: .zero) { 42 })"),
      (
        "Gate.withPermits for a duration",
        "print(try WAIT gate.withPermits(2, timeout: .zero) { 42 })"
      ),
      ("Lanes.wait for a duration", "WAIT lanes.wait(timeout: .zero)"),
      ("WorkGroup.wait for a duration", "try WAIT group.wait(timeout: .zero)"),
      (
        "Gate.acquire until a time on the wall",
        "let permit = try WAIT gate.acquire(wallTimeout: .distantFuture)\npermit.release()"
      ),
      ("Gate.withPermit", "print(try WAIT gate.withPermit { 42 })"),
      ("Gate.withPermits", "print(try WAIT gate.withPermits(2) { 42 })"),
      (
        "Gate.withPermits until a time on the wall",
        "print(try WAIT gate.withPermits(2, wallTimeout: .distantFuture) { 42 })"
      ),
      ("Lanes.wait", "WAIT lanes.wait()"),
      ("Lanes.wait until a time", "WAIT lanes.wait(timeout: .now())"),
      ("Lanes.wait until a time on the wall", "WAIT lanes.wait(wallTimeout: .now())"),
      ("WorkGroup.wait", "try WAIT group.wait()"),
      ("WorkGroup.wait until a time", "try WAIT group.wait(timeout: .now())"),
      ("WorkGroup.wait until a time on the wall", "try WAIT group.wait(wallTimeout: .now())"),
      ("OwnedQueue.sync", "print(WAIT numbers.sync { $0 })"),
      (
        "TraceRecorder.write",
        "try WAIT TraceRecorder().write(to: .standardError, format: .jsonLines)"
      ),
      ("concurrentLoop", "try WAIT concurrentLoop(0..<9) { _ in }"),
      ("RandomAccessCollection.concurrentForEach", "try WAIT (0..<9).concurrentForEach { _ in }"),
      ("RandomAccessCollection.concurrentMap", "print(try WAIT (0..<9).concurrentMap { $0 })"),
      (
        "RandomAccessCollection.concurrentReduce",
        "print(try WAIT [1].concurrentReduce(0) { $0 + $1 })"
      ),
      (
        "DescriptorBudget.withDescriptors",
        "print(try WAIT DescriptorBudget.withDescriptors(1) { 42 })"
      ),
      (
        "DescriptorBudget.retrying",
        "print(try WAIT DescriptorBudget.retrying { () throws(Errno) in 42 })"
      ),
      ("ChildProcess.wait", "print(try WAIT ChildProcess([\"true\"]).wait())"),
      (
        "ChildProcess.collect",
        "print(try WAIT ChildProcess([\"true\"]).collect { _, _ in } as Any)"
      ),
      (
        "FileProcessor.run",
        "let files = try FileProcessor { (file) throws(Errno) in file.size }\n"
          + "try WAIT files.run([]) { _ in }"
      ),
    ].map { name, call in
      Refusal(
        name, in: .asyncFunction, says: "is 'async' but is not marked with 'await'",
        """
        -\(call.replacing("WAIT ", with: "").replacing("\n", with: "\n-"))
        +\(call.replacing("WAIT", with: "await").replacing("\n", with: "\n+"))
        """)
    }
    + [
      ("FileWalk.visit", "FileWalk(\".\").visit { _ in .stop }"),
      ("FileWalk.makeIterator", "_ = FileWalk(\".\").makeIterator()"),
    ].map { name, call in
      Refusal(
        name, in: .asyncFunction, says: "is unavailable from asynchronous contexts",
        """
        -\(call)
        +DispatchQueue.global().async { \(call) }
        """)
    }
}

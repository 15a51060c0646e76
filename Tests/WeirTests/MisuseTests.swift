// Programmers' errors: a sentence that names the object, then a trap. Each is made in a process of
// its own. And waits at a gate that resemble an error but are none.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct MisuseTests {
  @Test(arguments: Mistake.all.map(\.name))
  func everyMistakeHasItsSentence(name: String) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
    ) { [name] in
      var none = rlimit()
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      try await Mistake.all.first { $0.name == name }?.make()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("weir: misuse: ") }
    // Two threads that wait for each other may find it at once.
    #expect(Set(lines).count == 1, "\(text)")
    let mistake = try #require(Mistake.all.first { $0.name == name })
    for words in mistake.words { #expect(lines.first?.contains(words) == true, "\(text)") }
    let status = try #require(result?.exitStatus)
    #expect([.signal(SIGILL), .signal(SIGTRAP)].contains(status))
  }
}

private struct Mistake {
  let name: String
  let words: [String]
  let make: () async throws -> Void

  init(_ name: String, _ words: String..., make: @escaping () async throws -> Void) {
    (self.name, self.words, self.make) = (name, words, make)
  }

  static var all: [Mistake] { numbers + waits + queues + mainQueue }

  static var numbers: [Mistake] {
    [
      Mistake("a gate of -1 permits", "\"few\"", "-1") { _ = Gate(label: "few", permits: -1) },
      Mistake("an acquire of -2", "\"few\"", "-2") {
        _ = try? await Gate(label: "few", permits: 1).acquire(-2).release()
      },
      Mistake("a gate resized to -3", "\"few\"", "resized to -3") {
        Gate(label: "few", permits: 1).permits = -3
      },
      Mistake("no width", "the lanes \"docks\" were given a width of 0; it is 1 to 200") {
        _ = Lanes(label: "docks", width: 0)
      },
      Mistake("201 lanes", "the lanes \"docks\" were given a width of 201; it is 1 to 200") {
        _ = Lanes(label: "docks", width: 201)
      },
      Mistake("no backlog", "the lanes \"docks\" were given a backlog of -1; it is 0 or more") {
        _ = Lanes(label: "docks", width: 1, backlog: -1)
      },
      Mistake("an empty pool", "the pool \"empty\" was given 0 elements") {
        _ = Pool(label: "empty", [Int]())
      },
      Mistake("a pool of values that is resized", "the pool \"values\" of values was resized") {
        Pool(label: "values", [1, 2]).count = 1
      },
      Mistake("no events", "a trace recorder needs to keep at least 1 event for each thread") {
        _ = TraceRecorder(eventsPerThread: 0)
      },
      Mistake("a stride of -3", "a stride of -3 iterations") {
        let stride: LoopStride = -3
        print(stride)
      },
      Mistake("no attempts", "0 attempts", "at least 1") {
        _ = RetryPolicy.attempts(0, delay: .zero)
      },
    ]
  }

  /// A scope does not end before its body, wherever the body runs.
  static var waits: [Mistake] {
    func nested(
      _ name: String, _ words: String = "1 more permit by a thread", permits: Int = 1,
      _ make: @escaping (Gate) async throws -> Void
    ) -> Mistake {
      Mistake(name, "the gate \"nested\"", words, "holds \(permits) of its \(permits)") {
        try await make(Gate(label: "nested", permits: permits))
      }
    }
    func crossed(_ name: String, _ make: @escaping (Gate) async throws -> Void) -> Mistake {
      Mistake(name, "\"crossed\"", "all who hold permits wait for each other") {
        try await make(Gate(label: "crossed", permits: 2))
      }
    }
    return [
      Mistake("a scope of a closed gate", "\"shut\"", "is closed", "use withPermits") {
        let gate = Gate(label: "shut", permits: 1)
        gate.close()
        startThread { gate.withPermit {} }
        await waitToDie()
      },
      nested("a task that waits for itself", "1 more permit by a task", permits: 2) { gate in
        try await gate.withPermit {
          try await gate.withPermit { try await gate.withPermit {} }
        }
      },
      nested("a map within its gate twice", "1 more permit by a task") { gate in
        try await gate.withPermit {
          _ = try await [1].mapConcurrently(limit: 1, within: [gate, gate]) { $0 }
        }
      },
      // Although another task could still release a permit, two are needed.
      Mistake("a task that needs two", "\"few\"", "2 more permits by a task", "holds 2 of its 3") {
        let gate = Gate(label: "few", permits: 3)
        let other = try await gate.acquire()
        try await gate.withPermits(2) {
          let permit = try await gate.acquire(2)
          permit.release()
        }
        other.release()
      },
      nested("a thread that waits for itself") { gate in
        startThread { gate.withPermit { gate.withPermit {} } }
        await waitToDie()
      },
      nested("a job on lanes that waits for itself", permits: 2) { gate in
        let lanes = Lanes(label: "jobs", width: 1)
        lanes.async { try? gate.withPermits(2) { gate.withPermit {} } }
        await lanes.wait()
      },
      nested("work of a gate that waits for itself") { gate in
        try gate.async(on: DispatchQueue(label: "queue")) { gate.withPermit {} }
        await waitToDie()
      },
      nested("a job on lanes within the gate") { gate in
        let lanes = Lanes(label: "jobs", width: 1, within: gate)
        lanes.async { gate.withPermit {} }
        await lanes.wait()
      },
      nested("a synchronous function that a task calls in its scope") { gate in
        @Sendable func synchronous() { gate.withPermit {} }
        try await gate.withPermit { synchronous() }
      },
      Mistake("a task that waits for its own element", "the gate \"connections\"") {
        let pool = Pool(label: "connections", [1])
        try await pool.withElement { _ in try await pool.withElement { _ in } }
      },
      Mistake("a job that waits for its own element", "\"connections\"", "permit by a thread") {
        let pool = Pool(label: "connections", [1])
        try await Lanes(label: "jobs", width: 1).run {
          try pool.withElement { _ in try pool.withElement { _ in } }
        }
      },
      crossed("threads that wait for each other") { gate in
        @Sendable func cross() {
          gate.withPermit {
            _ = eventuallyBlocking { gate.statistics.inUse == 2 }
            gate.withPermit {}
          }
        }
        startThread { cross() }
        startThread { cross() }
        await waitToDie()
      },
      crossed("tasks that wait for each other") { gate in
        try await (0..<4).forEachConcurrently(limit: 4, within: gate) { _ in
          // Both have begun before either asks for more.
          while gate.statistics.inUse < 2 { await Task.yield() }
          let permit = try await gate.acquire()
          permit.release()
        }
      },
    ]
  }

  static var queues: [Mistake] {
    typealias Queue = OwnedQueue<Int>
    func ownSync(
      _ name: String, isAbove: Bool = false,
      _ submit: @escaping @Sendable (_ queue: Queue, _ above: Queue, _ other: Queue) -> Void
    ) -> Mistake {
      Mistake(name, "the queue \"ledger\" in one of its own jobs would wait for itself") {
        let queue = OwnedQueue(label: isAbove ? "target" : "ledger", context: 0)
        let above = OwnedQueue(label: isAbove ? "ledger" : "above", target: queue, context: 0)
        submit(queue, above, OwnedQueue(label: "other", context: 0))
        await waitToDie()
      }
    }
    return [
      ownSync("sync in a job of the same queue") { queue, _, _ in
        queue.async { _ in queue.sync { $0 += 1 } }
      },
      ownSync("sync by way of another queue") { queue, _, other in
        queue.async { _ in other.sync { _ in queue.sync { $0 += 1 } } }
      },
      ownSync("sync on the target") { queue, above, _ in
        above.async { _ in queue.sync { $0 += 1 } }
      },
      ownSync("sync on a queue above", isAbove: true) { queue, above, _ in
        queue.async { _ in above.sync { $0 += 1 } }
      },
      Mistake(
        "a resume without a suspend",
        "the queue \"ledger\" was resumed more often than it was suspended"
      ) { OwnedQueue(label: "ledger", context: 0).resume() },
      Mistake(
        "the release of a suspended queue",
        "the queue \"ledger\" was let go while it was suspended"
      ) { OwnedQueue(label: "ledger", context: 0).suspend() },
    ]
  }

  /// A wait without end of the main thread for the main queue; the work is submitted before it, or
  /// meanwhile. A wait with a time-out ends.
  static var mainQueue: [Mistake] {
    [true, false].map { submitsFirst in
      Mistake(
        "a wait of the main thread for work that comes \(submitsFirst ? "before" : "meanwhile")",
        "the group \"window\" has work on the main queue, and the main thread"
      ) {
        // The main function of an exit test is async, and may have left the main thread.
        DispatchQueue.main.async {
          let group = WorkGroup(label: "window")
          let hold = group.enter().owned()
          if submitsFirst {
            group.async(on: .main) {}
            guard (try? group.wait(timeout: .milliseconds(1))) == .timedOut else { return }
          } else {
            startThread { group.async(on: .main) {} }
          }
          _ = try? group.wait()
          hold.leave()
        }
        await waitToDie()
      }
    }
  }

  /// What another thread is about to do to this process.
  private static func waitToDie() async { try? await Task.sleep(for: .seconds(60)) }
}

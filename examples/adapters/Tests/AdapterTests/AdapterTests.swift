// Each adapter in use.

import Dispatch
import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import ServiceLifecycle
import Synchronization
import Testing
import Weir

@testable import Adapters

/// A process has one observer, one metrics system and one misuse handler.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AdapterTests {
  @Test("A long wait is logged, and one that gives up")
  func waits() async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "waits") { _ in handler }
    WeirTrace.setObserver(waitLog(over: .zero, to: logger))
    defer { WeirTrace.setObserver(nil) }

    let gate = Gate(label: "slow", permits: 1)
    let permit = try await gate.acquire()
    async let waiting = gate.withPermit { 42 }
    while gate.statistics.waiting == 0 { await Task.yield() }
    permit.release()
    #expect(try await waiting == 42)
    let other = try await gate.acquire()
    await #expect(throws: TimeoutError.self) {
      try await gate.withPermit(timeout: .milliseconds(1)) {}
    }
    other.release()

    let lines = handler.entries.map(\.message.description)
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.hasPrefix("acquired after ") == true)
    #expect(lines.last?.hasPrefix("acquired") == false)
    let places = handler.entries.map(\.metadata["at"])
    #expect(places == ["slow", "slow"])
  }

  @Test("A wait within the limit is not logged")
  func shortWaits() async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "waits") { _ in handler }
    WeirTrace.setObserver(waitLog(over: .seconds(3600), to: logger))
    defer { WeirTrace.setObserver(nil) }
    let gate = Gate(label: "quick", permits: 1)
    _ = try await Array(0..<100).mapConcurrently(limit: 8, within: gate) { $0 }
    #expect(handler.entries.isEmpty)
  }

  @Test("Misuse is logged before the trap")
  func misuse() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        logMisuse()
        _ = Gate(label: "wrong", permits: -1)
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("critical") && text.contains(#"the gate "wrong""#), "\(text)")
  }

  private static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  @Test("The use of gates and lanes is reported, and events are counted")
  func statistics() async throws {
    let metrics = Self.metrics
    WeirTrace.setObserver(countEvents)
    defer { WeirTrace.setObserver(nil) }

    let gate = Gate(label: "gate", permits: 2)
    let permit = try await gate.acquire()
    gate.report()
    permit.release()
    #expect(try metrics.expectMeter("gate.in_use").lastValue == 1)
    #expect(try metrics.expectMeter("gate.waiting").lastValue == 0)

    let lanes = Lanes(label: "lanes", width: 1)
    lanes.suspend()
    for _ in 1...3 { lanes.async {} }
    lanes.report(as: "lanes")
    #expect(try metrics.expectMeter("lanes.queued").lastValue == 3)
    lanes.resume()
    await lanes.wait()
    #expect(metrics.counterTotal(label: "lanes.submit") == 3)
    #expect(metrics.counterTotal(label: "lanes.end") == 3)
  }

  @Test("A worker finishes its accepted requests after a shutdown")
  func worker() async throws {
    let (requests, taken) = AsyncStream<Int>.makeStream()
    let begun = Atomic(0)
    let mayEnd = DispatchSemaphore(value: 0)
    let done = Mutex<[Int]>([])
    let worker = Worker(lanes: Lanes(label: "worker", width: 2), requests: requests) { request in
      begun.add(1, ordering: .relaxed)
      mayEnd.wait()
      done.withLock { $0.append(request) }
    }
    let group = ServiceGroup(
      services: [worker], logger: Logger(label: "worker") { _ in SwiftLogNoOpLogHandler() })
    async let running: Void = group.run()

    for request in 1...4 { taken.yield(request) }
    while begun.load(ordering: .relaxed) < 2 || worker.lanes.statistics.queued < 2 {
      await Task.yield()
    }
    await group.triggerGracefulShutdown()
    while !worker.lanes.statistics.isClosed { await Task.yield() }
    taken.yield(5)
    // Later, so that a worker that does not wait fails the test.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
      for _ in 1...4 { mayEnd.signal() }
    }
    try await running
    #expect(done.withLock { $0.sorted() } == [1, 2, 3, 4])
  }
}

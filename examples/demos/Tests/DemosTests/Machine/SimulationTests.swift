// The rules of the simulated machine, which are those of libdispatch on Linux. DemoSimulationTests.swift
// compares the demos on both machines.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(20)))
struct SimulationTests {
  @Test("a serial queue has a thread of its own while concurrent blocks wait for one")
  func threadsOfTheirOwn() {
    let machine = SimulatedMachine()
    let starts = Mutex<[Double]>([])
    _ = machine.run {
      let shared = machine.makeQueue(label: "shared", kind: .concurrent)
      for _ in 0..<20 { shared.async { machine.sleep(10) } }
      for _ in 0..<300 {
        machine.makeQueue(label: "serial", kind: .serial).async {
          starts.withLock { $0.append((Double(machine.time) / 1e6).rounded() / 1e3 - 1) }
          machine.sleep(1)
        }
      }
    }
    #expect(
      starts.withLock { $0 } == Array(repeating: 0, count: 255) + Array(repeating: 1, count: 45))
  }

  @Test(
    "the pool begins with a thread a core, and grows by the seconds since its first block",
    arguments: [
      // The time after an empty block, and the starts.
      (0, [0, 0, 0, 1, 2, 2, 2, 2, 3]), (0.5, [0.5, 0.5, 1, 2, 2.5, 2.5, 3, 3, 4]),
    ] as [(Double, [Double])])
  func growth(delay: Double, seconds: [Double]) {
    let machine = SimulatedMachine()
    let starts = Mutex<[Double]>([])
    _ = machine.run {
      let shared = machine.makeQueue(label: "shared", kind: .concurrent)
      if delay > 0 { shared.async {} }
      machine.sleep(delay)
      for _ in 0..<9 {
        shared.async {
          starts.withLock { $0.append((Double(machine.time) / 1e6).rounded() / 1e3 - 1) }
          machine.sleep(2)
        }
      }
    }
    #expect(starts.withLock { $0 } == seconds)
  }

  @Test("a pool of five idle seconds begins anew")
  func idle() {
    for (pause, expected) in [(4.0, 3), (6.0, 2)] {
      let machine = SimulatedMachine()
      let starts = Mutex<[Double]>([])
      _ = machine.run {
        let shared = machine.makeQueue(label: "shared", kind: .concurrent)
        for _ in 0..<3 { shared.async { machine.sleep(0.25) } }
        machine.sleep(0.25 + pause)
        let begin = machine.time
        for _ in 0..<3 {
          shared.async {
            if machine.time - begin < 1000 { starts.withLock { $0.append(0) } }
            machine.sleep(0.25)
          }
        }
      }
      #expect(starts.withLock { $0.count } == expected, "\(pause)")
    }
  }

  @Test("what a suspended queue holds runs in its order, each caller of sync on its own thread")
  func suspension() {
    for kind in [QueueKind.serial, .concurrent] {
      let machine = SimulatedMachine()
      let order = Mutex<[Int]>([])
      let ownThreads = Mutex(0)
      let threads = Mutex<Set<pthread_t>>([])
      let stuck = machine.run {
        let queue = machine.makeQueue(label: "suspended", kind: kind)
        queue.suspend()
        for number in [1, 2] {
          queue.async {
            order.withLock { $0.append(number) }
            threads.withLock { _ = $0.insert(pthread_self()) }
          }
        }
        machine.makeQueue(label: "caller", kind: .serial).async {
          let caller = pthread_self()
          queue.sync {
            order.withLock { $0.append(3) }
            ownThreads.withLock { $0 += pthread_equal(caller, pthread_self()) != 0 ? 1 : 0 }
          }
        }
        machine.sleep(1)
        queue.async { order.withLock { $0.append(4) } }
        #expect(order.withLock { $0.isEmpty })
        queue.resume()
      }
      #expect(stuck == 0 && ownThreads.withLock { $0 } == 1)
      let numbers = order.withLock { $0 }
      // A backlog stays on its thread.
      #expect(kind != .serial || threads.withLock { $0.count } == 1)
      #expect(kind == .serial ? numbers == [1, 2, 3, 4] : numbers.sorted() == [1, 2, 3, 4])
    }
  }

  @Test("a concurrent loop returns after its blocks, some of which its caller runs")
  func loopReturnsLast() async {
    // Events of other tests would be in the log.
    await #expect(processExitsWith: .success) {
      let log = try simulated("loops", ["rows": "100", "stride": "4", "work": "10000"]).log
      let ends = log.events.filter { $0.kind == .end && $0.label == "block" }
      #expect(ends.count == 25 && ends.contains { $0.isMain } && ends.contains { !$0.isMain })
      let caller = try #require(log.events.first { $0.kind == .end && $0.label == "main" })
      #expect(ends.allSatisfy { $0.time < caller.time })
    }
  }

  @Test("a wait for a group that fills again is not ended by the times it was empty before")
  func groupFillsAgain() {
    let machine = SimulatedMachine()
    let results = Mutex<[Bool]>([])
    _ = machine.run {
      let group = machine.makeGroup()
      group.enter()
      machine.makeQueue(label: "waiter", kind: .serial).async {
        let isEmpty = group.wait(nanoseconds: nil)
        results.withLock { $0.append(isEmpty) }
      }
      machine.sleep(1)
      for _ in 0..<2 {
        group.leave()
        group.enter()
      }
      let isEmpty = group.wait(nanoseconds: 1_000_000_000)
      results.withLock { $0.append(isEmpty) }
    }
    #expect(results.withLock { $0 } == [true, false])
  }
}

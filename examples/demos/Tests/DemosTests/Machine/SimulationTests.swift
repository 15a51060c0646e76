// The simulated machine against the real one: random small programs, with the same rules for both.
//
// A sample by default; WEIR_TEST_SIMULATION=all for 200 programs and their table. The demos
// themselves are in DemoSimulationTests.swift.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(20)))
struct SimulationTests {
  private static let isWhole = getenv("WEIR_TEST_SIMULATION") != nil

  @Test("random programs keep the rules of libdispatch on both machines, and take the same time")
  func programs() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      // A thread of its own: that of a task is one of the few of a pool.
      try await onThread {
        var random = TestSupport.SeededGenerator(for: "simulation")
        for number in 1...(Self.isWhole ? 200 : 8) {
          compare(RandomProgram(&random, cores: RealMachine(speed: 1).cores), number)
        }
      }
    }
    if Self.isWhole, let output = result?.standardOutputContent {
      print(String(decoding: output, as: UTF8.self))
    }
  }

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
      let stuck = machine.run {
        let queue = machine.makeQueue(label: "suspended", kind: kind)
        queue.suspend()
        for number in [1, 2] { queue.async { order.withLock { $0.append(number) } } }
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

// MARK: - The comparison

/// Runs a program on both machines.
@available(*, noasync, message: "it blocks: run it on a thread of its own")
private func compare(_ program: RandomProgram, _ number: Int) {
  let cores = RealMachine(speed: 1).cores
  // Sleeps that take a little longer: where two blocks meet, either may be the first.
  let simulated = (0..<12).map { delay in
    let log = recorded(
      program, on: SimulatedMachine(cores: cores), mostDelay: Double(delay) / 1000,
      seed: UInt64(delay))
    return Summary(of: program, log, "simulated program \(number)")
  }
  // A real run can be late as a whole, if other programs use the cores.
  for attempt in 1...4 {
    let meter = LatenessMeter()
    let log = recorded(program, on: RealMachine(speed: 1))
    let isInTime = meter.stop()
    let real = Summary(of: program, log, "real program \(number)")
    let isAlike = real.isAmong(simulated)
    if !isAlike && !isInTime && attempt == 4 {
      return print("not compared, on a busy machine: program \(number)")
    }
    if isAlike || attempt == 4 {
      print(
        "program \(number), \(program.blockCount) blocks: simulated \(simulated[0]), real \(real)")
      #expect(isAlike, "program \(number): simulated \(simulated), real \(real)")
      return
    }
  }
}

/// The life of a block in a log. Times are in nanoseconds.
private struct Life {
  let queue: String
  let caller: Int
  let submitted: UInt64
  var isSync = false
  var thread = 0
  var start = UInt64.max
  var end = UInt64.max
}

/// The part of a run that can be compared.
private struct Summary: CustomStringConvertible {
  /// The most blocks at once for any time: of each queue, and of all of them.
  private var peaks: [Int] = []
  /// The most blocks at once for a time that is no accident.
  private var lastingPeaks: [Int] = []
  private let seconds: Double

  /// Expects of a run what libdispatch promises.
  init(of program: RandomProgram, _ log: TraceLog, _ name: String) {
    let lives = Self.lives(log, name)
    let last = lives.map(\.end).max() ?? 0
    seconds = Double(last) / 1e9
    #expect(lives.count == program.blockCount && last < .max, "\(name): all blocks ran")
    let ends = [log.events.first { $0.label == "notified" }, log.notes("group is empty").first]
    // A lane reports the end of a block after the block has left the group.
    let areLast = ends.allSatisfy { ($0?.time ?? 0) + 5_000_000 >= last }
    #expect(areLast, "\(name): the group is over last")
    for (place, kind) in program.kinds.enumerated() {
      let own = lives.filter { $0.queue == "queue \(place)" }
      add(own)
      if case .lanes(let width) = kind { #expect(peaks[place] <= width, "\(name): width") }
      if kind == .serial { Self.expectOneAfterTheOther(own, name) }
    }
    add(lives)
  }

  /// The blocks in the order of their starts.
  private static func lives(_ log: TraceLog, _ name: String) -> [Life] {
    var lives: [TraceLog.Job: Life] = [:]
    var open: [Int: Int] = [:]
    for event in log.events {
      let job = TraceLog.Job(event)
      switch event.kind {
      case .submit where event.label.hasPrefix("queue"):
        lives[job] = Life(queue: event.label, caller: event.thread, submitted: event.time)
      case .wait: lives[job]?.isSync = true
      case .start:
        if let life = lives[job] {
          #expect(
            life.isSync ? event.thread == life.caller : open[event.thread, default: 0] == 0,
            "\(name): sync runs on the caller's thread, async does not")
        }
        open[event.thread, default: 0] += 1
        lives[job]?.thread = event.thread
        lives[job]?.start = event.time
      case .end:
        open[event.thread, default: 0] -= 1
        lives[job]?.end = event.time
      default: break
      }
    }
    return lives.values.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  private mutating func add(_ lives: [Life]) {
    peaks.append(Self.peak(of: lives, nanoseconds: 0))
    lastingPeaks.append(Self.peak(of: lives, nanoseconds: 15_000_000))
  }

  private static func expectOneAfterTheOther(_ lives: [Life], _ name: String) {
    for (former, later) in zip(lives, lives.dropFirst()) {
      #expect(former.end <= later.start, "\(name): one block at a time")
      // A block is in the log a moment before it is in the queue.
      if !former.isSync && !later.isSync && later.submitted + 5_000_000 < former.end {
        #expect(former.thread == later.thread, "\(name): a backlog stays on its thread")
      }
    }
    for (index, life) in lives.enumerated() {
      let former = lives[..<index].filter { $0.caller == life.caller }
      #expect(
        former.allSatisfy { $0.submitted <= life.submitted }, "\(name): the order of a caller")
    }
  }

  /// The largest number of blocks that ran at once for more than a time.
  private static func peak(of lives: [Life], nanoseconds: UInt64) -> Int {
    let times = lives.flatMap { [$0.start, $0.end] }.sorted()
    return zip(times, times.dropFirst()).map { begin, end in
      end - begin > nanoseconds ? lives.count { $0.start <= begin && $0.end >= end } : 0
    }.max() ?? 0
  }

  /// True if a run is like some others: the peaks, and the time, which may be a quarter longer.
  func isAmong(_ others: [Summary]) -> Bool {
    let seconds = others.map(\.seconds)
    let range = (seconds.min() ?? 0) * 0.95...(seconds.max() ?? 0) * 1.25 + 0.05
    return range.contains(self.seconds)
      && peaks.indices.allSatisfy { index in
        lastingPeaks[index] <= others.map { $0.peaks[index] }.max() ?? 0
          && peaks[index] >= others.map { $0.lastingPeaks[index] }.min() ?? 0
      }
  }

  var description: String {
    "peaks \(peaks.map(String.init).joined(separator: " ")), \(Int(seconds * 1000)) ms"
  }
}

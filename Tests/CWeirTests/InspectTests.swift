// weir/inspect.h: the state of known gates, lanes and groups, with their waits, jobs and holders.
// An inspection shows the whole process, so each test has a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct InspectTests {
    @Test func objectsAreVisitedInTheOrderOfTheirCreation() async {
      await #expect(processExitsWith: .success) {
        let first = Gate(3, "first")
        let lanes = LaneSet(width: 2, label: "second")!
        let group = weir_group_create("third")!
        let last = Gate(0, "fourth")
        let seen = inspection()
        #expect(seen.map(\.label) == ["first", "second", "third", "fourth"])
        #expect(
          seen.map(\.kind) == [
            WEIR_INSPECT_GATE, WEIR_INSPECT_LANES, WEIR_INSPECT_GROUP, WEIR_INSPECT_GATE,
          ])
        #expect(seen.map(\.serial) == seen.map(\.serial).sorted())
        #expect(seen[0].address == UnsafeRawPointer(first.raw))
        weir_group_release(group)
        lanes.release()
        #expect(inspection().map(\.label) == ["first", "fourth"])
        first.release()
        last.release()
      }
    }

    /// Threads and a request, in the order of their service, with permits and times.
    @Test func theWaitersOfAGateAreSeen() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(3, "gate")
        #expect(gate.attempt(2) == 0)
        let served = Latch(2)
        #expect(gate.startWaiter(2) { served.arrive() })
        #expect(weir_gate_request_f(gate.raw, 3, nil, { _, _ in }, nil) == 0)
        usleep(20_000)
        #expect(gate.startWaiter(1) { served.arrive() })
        let seen = inspection()[0]
        #expect(seen.object.permits == 3 && seen.object.in_use == 2)
        #expect(seen.waits.map(\.count) == [2, 3, 1])
        #expect(seen.waits.allSatisfy { $0.reason == WEIR_INSPECT_PERMITS })
        #expect(seen.waits.map { $0.thread == 0 } == [false, true, false])
        #expect(seen.waits[0].thread != seen.waits[2].thread)
        #expect(seen.waits[0].nanoseconds >= seen.waits[1].nanoseconds)
        #expect(seen.waits[1].nanoseconds >= seen.waits[2].nanoseconds + 20_000_000)
        #expect(seen.holders.isEmpty && !seen.object.is_closed)
        for count in [2, 2, 3] { gate.signal(count) }
        served.wait()
        gate.close()
        #expect(inspection()[0].object.is_closed && inspection()[0].waits.isEmpty)
      }
    }

    /// The job that runs holds the permits that another job waits for.
    @Test func theHolderOfAPermitIsSeen() async {
      await #expect(processExitsWith: .success) {
        weir_inspect_begin()
        let gate = Gate(1, "gate")
        let lanes = LaneSet(width: 2, label: "lanes")!
        let go = Latch(1)
        let entered = Latch(1)
        for _ in 0..<3 {
          lanes.async {
            _ = gate.wait(1)
            entered.arrive()
            go.wait()
            gate.signal(1)
          }
        }
        entered.wait()
        #expect(eventually { gate.stats.waiting == 1 })
        usleep(30_000)
        let seen = inspection()
        let (ofGate, ofLanes) = (seen[0], seen[1])
        #expect(ofLanes.object.running == 2 && ofLanes.object.queued == 1)
        #expect(ofLanes.object.width == 2 && ofLanes.object.stalled >= 20_000_000)
        #expect(ofLanes.jobs.map(\.job).sorted() == [1, 2])
        #expect(Set(ofLanes.jobs.map(\.lane)) == [0, 1])
        #expect(ofLanes.jobs.allSatisfy { $0.nanoseconds >= 20_000_000 })
        #expect(ofGate.holders.count == 1 && ofGate.waits.count == 1)
        let holder = ofGate.holders[0]
        #expect(holder.count == 1 && !holder.is_certain && ofGate.lanesOfHolders == ["lanes"])
        let threads = Dictionary(uniqueKeysWithValues: ofLanes.jobs.map { ($0.job, $0.thread) })
        #expect(threads[holder.job] == holder.thread)
        #expect(Set(threads.values) == [holder.thread, ofGate.waits[0].thread])
        go.arrive()
        #expect(lanes.wait() == 0)
        #expect(inspection()[1].jobs.isEmpty && inspection()[0].holders.isEmpty)
      }
    }

    @Test func workOfAGateIsItsHolder() async {
      await #expect(processExitsWith: .success) {
        weir_inspect_begin()
        let gate = Gate(5, "gate")
        let queue = dispatch_queue_create("queue", nil)
        let go = Latch(1)
        let entered = Latch(1)
        inWork(gate, 3, queue) {
          entered.arrive()
          go.wait()
        }
        entered.wait()
        let holders = inspection()[0].holders
        #expect(holders.count == 1 && holders[0].count == 3 && holders[0].is_certain)
        #expect(holders[0].thread != 0 && holders[0].job == 0)
        #expect(inspection()[0].lanesOfHolders == [nil])
        go.arrive()
        #expect(gate.wait(5) == 0)
        #expect(inspection()[0].holders.isEmpty)
      }
    }

    @Test func threadsThatWaitForLanesAndGroupsAreSeen() async {
      await #expect(processExitsWith: .success) {
        let lanes = LaneSet(width: 1, backlog: 1, label: "lanes")!
        nonisolated(unsafe) let group = weir_group_create("group")!
        let go = Latch(1)
        let done = Latch(3)
        #expect(lanes.occupy(go))
        lanes.async {}
        weir_group_enter(group)
        startThread {
          lanes.async {}
          done.arrive()
        }
        #expect(eventually { lanes.stats.blocked == 1 })
        startThread {
          _ = lanes.wait()
          done.arrive()
        }
        startThread {
          _ = weir_group_wait(group, forever)
          done.arrive()
        }
        let global = dispatch_get_global_queue(0, 0)
        #expect(weir_group_notify_f(group, global, nil, { _, _ in }) == 0)
        #expect(eventually { inspection().map(\.waits.count) == [2, 1] })
        let seen = inspection()
        #expect(Set(seen[0].waits.map(\.reason)) == [WEIR_INSPECT_ROOM, WEIR_INSPECT_END])
        #expect(seen[1].waits[0].reason == WEIR_INSPECT_END)
        #expect(seen[1].object.outstanding == 1 && seen[1].object.notifications == 1)
        #expect(Set((seen[0].waits + seen[1].waits).map(\.thread)).count == 3)
        weir_group_leave(group)
        go.arrive()
        done.wait()
        #expect(eventually { inspection()[1].object.notifications == 0 })
        #expect(inspection().allSatisfy { $0.waits.isEmpty })
      }
    }

    /// A visit may end and create objects, and inspect.
    @Test func aVisitMayDoAnything() async {
      await #expect(processExitsWith: .success) {
        let gates = (0..<5).map { Gate(1, "\($0)") }
        let visits = Meter()
        let context = Unmanaged.passRetained(Box((gates, visits)))
        let error = weir_inspect_f(context.toOpaque()) { context, object in
          let box = Unmanaged<Box<([Gate], Meter)>>.fromOpaque(context!).takeUnretainedValue()
          if box.value.1.ever == 0 { box.value.0.forEach { $0.release() } }
          box.value.1.enter()
          #expect(inspection().isEmpty)
          #expect(object.pointee.permits == 1)
        }
        context.release()
        #expect(error == 0 && visits.ever == 5)
      }
    }

    /// Objects come and go, jobs run and wait, while two threads inspect.
    @Test func inspectionsDisturbNothing() async {
      await #expect(processExitsWith: .success) {
        let stop = Latch(1)
        let inspectors = Latch(2)
        let ended = Meter()
        for _ in 0..<2 {
          startThread {
            while !stop.isOpen {
              for seen in inspection() where seen.kind == WEIR_INSPECT_GATE {
                #expect(seen.object.in_use <= 2 && seen.waits.count <= 4)
                #expect(seen.holders.count <= 4)
              }
            }
            inspectors.arrive()
          }
        }
        for round in 0..<200 {
          let gate = Gate(2, "gate \(round)")
          let lanes = LaneSet(width: 4, backlog: 8, label: "lanes \(round)")!
          nonisolated(unsafe) let group = weir_group_create("group")!
          for job in 0..<20 {
            weir_group_enter(group)
            lanes.async {
              #expect(gate.wait(1 + job % 2) == 0)
              gate.signal(1 + job % 2)
              ended.enter()
              weir_group_leave(group)
            }
          }
          #expect(weir_group_wait(group, forever) == 0 && lanes.wait() == 0)
          gate.release()
          lanes.release()
          weir_group_release(group)
        }
        stop.arrive()
        inspectors.wait()
        #expect(ended.ever == 4000)
        #expect(eventually { inspection().isEmpty })
      }
    }

    @Test func theTextNamesAll() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(1, "a\n\"gate\"")
        let lanes = LaneSet(width: 1, label: "lanes")!
        let go = Latch(1)
        #expect(gate.attempt(1) == 0)
        #expect(gate.startWaiter(1) {})
        #expect(lanes.occupy(go))
        let lines = written().split(separator: "\n")
        #expect(lines.first?.contains(#/^weir: state of process \d+$/#) == true)
        let patterns = [
          #"^gate "a\\u000a\\"gate\\"": 1 of 1 permits in use, 1 waiting$"#,
          #"^  thread \d+ waits for 1, for 0\.\d{3} s$"#,
          #"^lanes "lanes": 1 of 1 jobs running, 0 queued$"#,
          #"^  job 1 on lane 0, thread \d+$"#,
        ]
        #expect(lines.count == patterns.count + 1)
        for (line, pattern) in zip(lines.dropFirst(), patterns) {
          #expect(try! Regex(pattern).firstMatch(in: String(line)) != nil, "\(line)")
        }
        gate.signal(1)
        go.arrive()
      }
    }

    /// On the signal too, while every thread of libdispatch waits and no descriptor is free; also
    /// if every other thread blocks the signal.
    @Test(arguments: [false, true])
    func aSignalWritesIt(isBlocked: Bool) async {
      await #expect(processExitsWith: .success) { [isBlocked] in
        #expect(weir_inspect_on_signal(0) == EINVAL && weir_inspect_on_signal(SIGKILL) == EINVAL)
        let gate = Gate(1, "stuck")
        #expect(gate.attempt(1) == 0)
        let lanes = LaneSet(width: 8, label: "lanes")!
        for _ in 0..<8 { lanes.async { _ = gate.wait(1) } }
        #expect(eventually { gate.stats.waiting == 8 })
        let output = pipeToStandardError()
        #expect(weir_inspect_on_signal(SIGQUIT) == 0 && weir_inspect_on_signal(SIGUSR2) == 0)
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        let former = limit.rlim_cur
        limit.rlim_cur = 0
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGQUIT)
        sigaddset(&set, SIGUSR2)
        if isBlocked { pthread_sigmask(SIG_BLOCK, &set, nil) }
        for number in [SIGQUIT, SIGUSR2] {
          kill(getpid(), number)
          let text = readUntil("lanes \"lanes\": 8 of 8 jobs running, 0 queued", from: output)
          #expect(text.contains("gate \"stuck\": 1 of 1 permits in use, 8 waiting\n"))
        }
        limit.rlim_cur = former
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      }
    }
  }
}

/// An object of an inspection.
private struct Seen {
  let object: weir_inspect_object_t
  let label: String
  let waits: [weir_inspect_wait_t]
  let jobs: [weir_inspect_job_t]
  let holders: [weir_inspect_holder_t]
  let lanesOfHolders: [String?]

  init(_ object: weir_inspect_object_t) {
    self.object = object
    label = String(cString: object.label)
    waits = Array(UnsafeBufferPointer(start: object.waits, count: object.wait_count))
    jobs = Array(UnsafeBufferPointer(start: object.jobs, count: object.job_count))
    holders = Array(UnsafeBufferPointer(start: object.holders, count: object.holder_count))
    lanesOfHolders = holders.map { $0.lanes.map { String(cString: $0) } }
  }

  var kind: weir_inspect_kind_t { object.kind }
  var serial: UInt64 { object.serial }
  var address: UnsafeRawPointer { object.object }
}

private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

private func inspection() -> [Seen] {
  let box = Box([Seen]())
  let error = weir_inspect_f(Unmanaged.passUnretained(box).toOpaque()) { context, object in
    Unmanaged<Box<[Seen]>>.fromOpaque(context!).takeUnretainedValue().value.append(
      Seen(object.pointee))
  }
  #expect(error == 0)
  return box.value
}

/// The text of weir_inspect_write.
private func written() -> String {
  var ends: [Int32] = [0, 0]
  #expect(pipe(&ends) == 0)
  #expect(weir_inspect_write(ends[1]) == 0)
  close(ends[1])
  defer { close(ends[0]) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = read(ends[0], &bytes, bytes.count)
  return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Lets standard error go to a pipe, and returns its reading end.
private func pipeToStandardError() -> Int32 {
  var ends: [Int32] = [0, 0]
  #expect(pipe(&ends) == 0)
  dup2(ends[1], 2)
  return ends[0]
}

/// Reads until there is a line with this beginning.
private func readUntil(_ end: String, from descriptor: Int32) -> String {
  var text = ""
  var bytes = [UInt8](repeating: 0, count: 65_536)
  while !text.contains(end) {
    let count = read(descriptor, &bytes, bytes.count)
    if count <= 0 { break }
    text += String(decoding: bytes[..<count], as: UTF8.self)
  }
  return text
}

/// Runs work of weir_gate_async.
private func inWork(
  _ gate: Gate, _ count: Int, _ queue: dispatch_queue_t, _ body: @escaping @Sendable () -> Void
) {
  let context = Unmanaged.passRetained(Box(body))
  let error = weir_gate_async_f(gate.raw, count, queue, context.toOpaque()) { context in
    Unmanaged<Box<@Sendable () -> Void>>.fromOpaque(context!).takeRetainedValue().value()
  }
  #expect(error == 0)
}

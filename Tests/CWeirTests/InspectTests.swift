// weir/inspect.h: the state of known gates, lanes and groups, with their waits, jobs and holders.
// An inspection shows the whole process, so each test has a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct InspectTests {
    @Test func objectsComeInTheOrderOfTheirCreation() async {
      await #expect(processExitsWith: .success) {
        expectState(["no gate, lanes, group, map or queue"])
        let first = Gate(3, "a\n\"gate\"")
        let lanes = LaneSet(width: 2, label: "second")!
        let group = weir_group_create("third")!
        let last = Gate(0, "fourth")
        let gates = [
          #"gate "a\\u000a\\"gate\\"": 0 of 3 permits in use"#,
          #"gate "fourth": 0 of 0 permits in use, paused"#,
        ]
        let others = [
          #"lanes "second": 0 of 2 jobs running, 0 queued"#, #"group "third": 0 outstanding"#,
        ]
        expectState([gates[0]] + others + [gates[1]])
        weir_group_release(group)
        lanes.release()
        expectState(gates)
        first.release()
        last.release()
      }
    }

    /// The name of a queue may be longer than the memory of a number.
    @Test func aLineOfAnyLengthIsSeen() async {
      await #expect(processExitsWith: .success) {
        let shown = weir_show(nil) { _, text in
          weir_show_line(text, String(repeating: "x", count: 600))
        }
        expectState([String(repeating: "x", count: 600)])
        weir_show_end(shown)
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
        expectState([
          #"gate "gate": 2 of 3 permits in use, 3 waiting"#, #"  thread \d+ waits for 2, for TIME"#,
          #"  a request waits for 3, for TIME"#, #"  thread \d+ waits for 1, for TIME"#,
        ])
        let times = written().matches(of: #/ for (\d+\.\d+) s/#).compactMap { Double($0.1) }
        #expect(times[0] >= times[1] && times[1] >= times[2] + 0.019)
        for count in [2, 2, 3] { gate.signal(count) }
        served.wait()
        gate.close()
        expectState([#"gate "gate": 1 of 3 permits in use, closed"#])
      }
    }

    /// The job that runs holds the permits that another job waits for.
    @Test func theHolderOfAPermitIsSeen() async {
      await #expect(processExitsWith: .success) {
        _ = written()  // from now on, times are known
        let gate = Gate(1, "gate"), lanes = LaneSet(width: 2, label: "lanes")!
        let go = Latch(1), entered = Latch(1)
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
        expectState([
          #"gate "gate": 1 of 1 permits in use, 1 waiting"#, #"  thread \d+ waits for 1, for TIME"#,
          #"  job [12] of "lanes" took 1, thread \d+, running for TIME"#,
          #"lanes "lanes": 2 of 2 jobs running, 1 queued, none began for TIME"#,
          #"  job [12] on lane 0, thread \d+, running for TIME"#,
          #"  job [12] on lane 1, thread \d+, running for TIME"#,
        ])
        let text = written()
        let threads = Dictionary(
          uniqueKeysWithValues: text.matches(of: #/job (\d) on lane \d, thread (\d+)/#).map {
            ($0.1, $0.2)
          })
        let holder = text.firstMatch(of: #/job (\d) of "lanes" took 1, thread (\d+)/#)
        let waiter = text.firstMatch(of: #/thread (\d+) waits/#)
        #expect(holder.map { threads[$0.1] == $0.2 } == true)
        #expect(Set(threads.values) == Set([holder?.2, waiter?.1].compactMap { $0 }))
        go.arrive()
        #expect(lanes.wait() == 0)
        expectState([
          #"gate "gate": 0 of 1 permits in use"#, #"lanes "lanes": 0 of 2 jobs running, 0 queued"#,
        ])
      }
    }

    @Test func workOfAGateIsItsHolder() async {
      await #expect(processExitsWith: .success) {
        _ = written()
        let gate = Gate(5, "gate"), queue = dispatch_queue_create("queue", nil)
        let go = Latch(1), entered = Latch(1)
        let error = weir_gate_async(gate.raw, 3, queue) {
          entered.arrive()
          go.wait()
        }
        #expect(error == 0)
        entered.wait()
        #expect(gate.attempt(1) == 0)
        expectState([
          #"gate "gate": 4 of 5 permits in use"#,
          #"  thread \d+ holds 3, for TIME"#, #"  other holders of 1"#,
        ])
        gate.signal(1)
        go.arrive()
        #expect(gate.wait(5) == 0)
        expectState([#"gate "gate": 5 of 5 permits in use"#])
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
        #expect(eventually { written().contains("waits for room") })
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
        #expect(eventually { written().matches(of: #/waits/#).count == 3 })
        let ofLanes = [
          #"  thread \d+ waits for room in the backlog, for TIME"#,
          #"  thread \d+ waits for the end, for TIME"#,
        ]
        expectState(
          [
            #"lanes "lanes": 1 of 1 jobs running, 1 queued(, none began for TIME)?"#,
            #"  job 1 on lane 0, thread \d+"#,
          ] + ofLanes
            + [#"group "group": 1 outstanding, notifications: 1"#, ofLanes[1]])
        weir_group_leave(group)
        go.arrive()
        done.wait()
        #expect(eventually { !written().contains("notifications") })
        #expect(!written().contains("waits"))
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
              for gate in written().matches(of: #/(\d+) of 2 permits in use/#) {
                #expect(Int(gate.1)! <= 2)
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
        expectState(["no gate, lanes, group, map or queue"])
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

/// Expects these patterns of the lines after the first one; TIME is a number of seconds.
private func expectState(_ patterns: [String]) {
  let lines = written().split(separator: "\n").map(String.init)
  #expect(lines[0].contains(#/^weir: state of process \d+$/#))
  #expect(lines.count == patterns.count + 1, "\(lines)")
  for (line, pattern) in zip(lines.dropFirst(), patterns) {
    let pattern = pattern.replacing("TIME", with: #"\d+\.\d{3} s"#)
    let match = try? Regex(pattern).wholeMatch(in: line)
    #expect(match != nil, "\(line)")
  }
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

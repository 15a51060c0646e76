// weir/misuse.h: each programmer's error that Weir detects gets a sentence that names the object,
// and then a trap. Each mistake is made in a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct MisuseTests {
    @Test(arguments: Mistake.all.map(\.name))
    func everyMistakeHasItsSentence(name: String) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [name] in
        prepareToDie()
        Mistake.named(name).make()
      }
      let mistake = Mistake.named(name)
      expectSentence(result, naming: mistake.subject, saying: mistake.words)
      // Swift users read it too.
      #expect(!errorText(result).contains("weir_"))
    }

    /// The replacement may read the object's statistics, the trap follows, and NULL resets it.
    @Test func theHandlerIsCalledAndTheTrapFollows() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        observed = LaneSet(width: 1, label: "swim\nmers")!
        let first = weir_misuse_set_handler { _ in _exit(0) }
        #expect(first == nil && weir_misuse_set_handler(nil) != nil)
        let usual = weir_misuse_set_handler { sentence in
          let text = "handled: \(String(cString: sentence)), \(observed!.stats.width) lane\n"
          _ = text.withCString { write(2, $0, strlen($0)) }
        }
        #expect(usual == nil)
        weir_lanes_resume(observed!.raw)
      }
      let text = errorText(result)
      #expect(text.contains("handled: the lanes \"swim?mers\"") && text.contains(", 1 lane"))
      #expect(!text.contains("weir: misuse:") && trapped(result))
    }
  }
}

nonisolated(unsafe) private var observed: LaneSet?

/// A mistake, the object that the sentence names, and other words of the sentence.
private struct Mistake {
  let name: String
  let subject: String
  let words: [String]
  let make: () -> Void

  init(_ name: String, of subject: String, _ words: String..., make: @escaping () -> Void) {
    (self.name, self.subject, self.words, self.make) = (name, subject, words, make)
  }

  static func named(_ name: String) -> Mistake { all.first { $0.name == name }! }

  static var all: [Mistake] { groups + gates + lanes + others + released + used + loops }

  static var groups: [Mistake] {
    [
      Mistake("a leave without an enter", of: "the group \"parcels\"", "left more often", "enter") {
        let group: weir_group_t = weir_group_create("parcels")!
        weir_group_enter(group)
        weir_group_leave(group)
        weir_group_leave(group)
      },
      Mistake("a leave of work", of: "\"parcels\"", "submitted to the group") {
        let group: weir_group_t = weir_group_create("parcels")!
        _ = weir_group_async(group, globalQueue()) { 0 }
        _ = weir_group_wait(group, forever)
        weir_group_leave(group)
      },
      Mistake("a long label", of: "the group \"longlonglong") {
        weir_group_leave(weir_group_create(String(repeating: "long", count: 1000))!)
      },
    ]
  }

  static var gates: [Mistake] {
    [
      Mistake("a signal too many", of: "the gate \"tickets\"", "3 of its 3", "2 were out") {
        let gate = Gate(3, "tickets")
        _ = gate.attempt(2)
        gate.signal(3)
      },
      Mistake("a release in a wait", of: "the gate \"tickets\"", "threads waited", "a reference") {
        let gate = Gate(1, "tickets")
        _ = gate.attempt(1)
        _ = gate.startWaiter(1) {}
        gate.release()
      },
      selfWait("serial work", of: serialQueue()),
      selfWait("concurrent work", of: concurrentQueue()),
    ]
  }

  /// The permits of work of weir_gate_async are its own until it ends.
  private static func selfWait(
    _ work: String, of queue: @autoclosure @escaping () -> dispatch_queue_t
  ) -> Mistake {
    Mistake(
      "\(work) that waits for itself", of: "the gate \"tickets\"", "holds", "of its 4", "itself"
    ) {
      let gate = Gate(4, "tickets")
      _ = weir_gate_async(gate.raw, 3, queue()) { _ = gate.wait(2) }
      waitToDie()
    }
  }

  static var lanes: [Mistake] {
    let name = "the lanes \"swimmers\""
    func set(_ width: UInt = 1) -> LaneSet { LaneSet(width: width, label: "swimmers")! }
    return [
      Mistake("lanes that wait for themselves", of: name, "own jobs", "notified") {
        let lanes = set(2)
        lanes.async { _ = lanes.wait() }
        _ = lanes.wait(after(milliseconds: 20_000))
      },
      Mistake("inline lanes that wait for themselves", of: name, "own jobs") {
        let lanes = set(LaneSet.inline)
        lanes.async { _ = lanes.wait() }
      },
      Mistake("a resume too many", of: name, "resumed more often", "one suspend") {
        let lanes = set()
        weir_lanes_suspend(lanes.raw)
        weir_lanes_resume(lanes.raw)
        weir_lanes_resume(lanes.raw)
      },
      Mistake("stranded jobs", of: name, "suspended", "2 jobs", "resume", "cancel") {
        let lanes = set()
        weir_lanes_suspend(lanes.raw)
        lanes.async {}
        lanes.async {}
        lanes.release()
      },
      Mistake("a job after the last release", of: name, "suspended", "1 jobs", "resume") {
        let lanes = set()
        let go = Latch(1), there = Latch(1)
        lanes.async {
          there.arrive()
          go.wait()
          lanes.async {}
        }
        there.wait()
        weir_lanes_suspend(lanes.raw)
        lanes.release()
        go.arrive()
        waitToDie()
      },
    ]
  }

  static var others: [Mistake] {
    [
      Mistake("a commit of more than was reserved", of: "the file processor", "reserved") {
        let processor = Processor(jobs: LaneSet.inline) { file in
          _ = weir_file_reserve(file.raw, 10)
          weir_file_commit(file.raw, 1 << 30)
          return 0
        }
        processor.run(Array("/proc/self/cmdline".utf8))
      },
      Mistake("a context in place of none", of: "a queue", "dispatch_set_context") {
        let queue: dispatch_queue_t = weir_queue_create("mine", nil, nil) { _ in }!
        dispatch_set_context(object(queue), UnsafeMutableRawPointer(strdup("a context of bytes")))
        release(queue)
        waitToDie()
      },
    ]
  }

  // MARK: the end of an object

  /// One release too many: also while permits, members or jobs keep the object alive.
  static var released: [Mistake] {
    objects.map { object in
      Mistake("\(object.name), released twice", of: "\"\(object.label)\"", "released more often") {
        let (release, _) = object.make()
        release()
        release()
      }
    }
  }

  private typealias Object = (
    name: String, label: String, make: () -> (release: () -> Void, raw: OpaquePointer)
  )

  private static var objects: [Object] {
    func gate(out: Int) -> (release: () -> Void, raw: OpaquePointer) {
      let gate = Gate(2, "tickets")
      _ = gate.attempt(out)
      return ({ gate.release() }, gate.raw)
    }
    func group(members: Int) -> (release: () -> Void, raw: OpaquePointer) {
      let group: weir_group_t = weir_group_create("parcels")!
      for _ in 0..<members { weir_group_enter(group) }
      return ({ weir_group_release(group) }, group)
    }
    func lanes(jobs: Int) -> (release: () -> Void, raw: OpaquePointer) {
      let lanes = LaneSet(width: 1, label: "swimmers")!
      if jobs > 0 { _ = lanes.occupy(Latch(1)) }
      return ({ lanes.release() }, lanes.raw)
    }
    return [
      ("a gate", "tickets", { gate(out: 0) }),
      ("a gate with permits out", "tickets", { gate(out: 1) }),
      ("a group", "parcels", { group(members: 0) }),
      ("a group with a member", "parcels", { group(members: 1) }),
      ("lanes", "swimmers", { lanes(jobs: 0) }),
      ("lanes with a job", "swimmers", { lanes(jobs: 1) }),
      (
        "a recorder", "",
        {
          let recorder: weir_trace_recorder_t = weir_trace_recorder_create(0)!
          return ({ weir_trace_recorder_release(recorder) }, recorder)
        }
      ),
      (
        "a request", "tickets",
        {
          var request: weir_gate_request_t?
          _ = weir_gate_request(Gate(2, "tickets").raw, 1, { _ in }, &request)
          return ({ [request] in weir_gate_request_release(request!) }, request!)
        }
      ),
    ]
  }

  /// Each use after the last release.
  static var used: [Mistake] {
    func use(
      _ name: String, _ object: String, _ call: @escaping (OpaquePointer) -> Void
    ) -> Mistake {
      let object = objects.first { $0.name == object }!
      return Mistake(
        "\(name) after the last release", of: "\"\(object.label)\"", "after its last release"
      ) {
        let (release, raw) = object.make()
        release()
        call(raw)
      }
    }
    return [
      use("wait", "a gate") { _ = weir_gate_wait($0, 1, forever) },
      use("try", "a gate") { _ = weir_gate_try($0, 1) },
      use("stats of a gate", "a gate") { _ = Gate(raw: $0).stats },
      use("close", "a gate") { weir_gate_close($0) },
      use("resize", "a gate") { _ = weir_gate_resize($0, 1) },
      use("work", "a gate") { _ = weir_gate_async($0, 1, globalQueue()) {} },
      use("request", "a gate") { _ = weir_gate_request($0, 1, { _ in }, nil) },
      use("retain", "a gate with permits out") { weir_gate_retain($0) },
      use("enter", "a group") { weir_group_enter($0) },
      use("member", "a group") { _ = weir_group_async($0, globalQueue()) { 0 } },
      use("wait for a group", "a group") { _ = weir_group_wait($0, atOnce) },
      use("submit", "lanes") { _ = weir_lanes_async($0) { _ in } },
      use("wait for lanes", "lanes") { _ = weir_lanes_wait($0, atOnce) },
      use("notify", "lanes") { weir_lanes_notify_f($0, globalQueue(), nil) { _ in } },
      use("notify of a block", "lanes") { weir_lanes_notify($0, globalQueue()) {} },
      use("stats of lanes", "lanes") {
        var stats = weir_lanes_stats_t()
        weir_lanes_stats($0, &stats, MemoryLayout.size(ofValue: stats))
      },
      use("cancel", "lanes") { _ = weir_lanes_cancel($0) },
      use("retain lanes", "lanes") { weir_lanes_retain($0) },
      use("stop", "a recorder") { weir_trace_recorder_stop($0) },
    ]
  }

  // MARK: loops onto a queue that the caller holds

  private static func serial(_ name: String, _ make: @escaping () -> Void) -> Mistake {
    Mistake("a loop on \(name)", of: "the serial queue \"lonely\"", "forever", "NULL", make: make)
  }

  private static func held(
    _ name: String, label: String = "lonely", _ make: @escaping () -> Void
  ) -> Mistake {
    Mistake(
      "a loop on \(name)", of: "the queue \"\(label)\"", "holds that queue", "forever", "NULL",
      make: make)
  }

  static var loops: [Mistake] {
    [
      serial("its own serial queue") { onto(weirQueue()) },
      serial("a queue with a service class") {
        onto(weirQueue(dispatch_queue_attr_make_with_qos_class(nil, 0x11, -3)))
      },
      serial("a queue with an autorelease frequency") {
        onto(weirQueue(dispatch_queue_attr_make_with_autorelease_frequency(nil, 1)))
      },
      serial("a queue that was made inactive") {
        let queue = weirQueue(dispatch_queue_attr_make_initially_inactive(nil))
        dispatch_activate(queue.it)
        onto(queue)
      },
      serial("the Weir queue below") {
        let queue = weirQueue(), upper = foreignQueue("other", onto: queue)
        sync(upper.it) { loop(queue.it) }
      },
      /* From inside a loop on the queue too, and with no iterations. */
      serial("a serial queue inside a loop on it") {
        let queue = weirQueue()
        weir_apply(1, 1, queue.it) { _, _ in
          _ = weir_apply_while(0, 1, queue.it) { _, _ in true }
        }
      },
      held("the Weir queue above") {
        let queue = weirQueue(), lower = foreignQueue("other")
        dispatch_set_target_queue(object(queue.it), lower.it)
        sync(lower.it) { loop(queue.it) }
      },
      held("a concurrent Weir queue in its barrier") {
        let queue = weirQueue(concurrentAttribute())
        barrier(queue.it) { loop(queue.it) }
      },
      held("a foreign serial queue") { onto(foreignQueue("lonely")) },
      held("a foreign serial queue on a worker") {
        let queue = foreignQueue("lonely")
        async(queue.it) { loop(queue.it) }
        waitToDie()
      },
      held("a foreign queue below") {
        let queue = foreignQueue("lonely")
        let upper = foreignQueue("other", concurrent: true, onto: queue)
        async(upper.it) { loop(queue.it) }
        waitToDie()
      },
      held("a foreign queue above") {
        let lower = foreignQueue("other")
        let queue = foreignQueue("lonely", concurrent: true, onto: lower)
        sync(lower.it) { loop(queue.it) }
      },
      held("a foreign concurrent queue in its barrier") {
        let queue = foreignQueue("lonely", concurrent: true)
        barrier(queue.it) { loop(queue.it) }
      },
      held("the main queue", label: "com.apple.main-thread") {
        let queue = Passed(dispatch_get_main_queue())
        async(queue.it) { loop(queue.it) }
        waitToDie()
      },
      held("a foreign queue inside a loop on none") {
        let queue = foreignQueue("lonely")
        sync(queue.it) { weir_apply(1, 1, nil) { _, _ in loop(queue.it) } }
      },
      held("a foreign queue inside a loop on it") {
        let queue = foreignQueue("lonely")
        weir_apply(1, 1, queue.it) { _, _ in loop(queue.it) }
      },
      held("a foreign queue, a reduction") {
        let queue = foreignQueue("lonely")
        sync(queue.it) {
          var sum = 0
          _ = weir_reduce(10, 1, queue.it, &sum, 8, { _, _, _ in }, { _, _ in })
        }
      },
      held("a foreign queue, a loop that stops") {
        let queue = foreignQueue("lonely")
        sync(queue.it) { _ = weir_apply_while(10, 0, queue.it) { _, _ in true } }
      },
    ]
  }
}

/* Weir declares it nowhere. */
@_silgen_name("dispatch_activate")
private func dispatch_activate(_ queue: dispatch_queue_t)

private func weirQueue(_ attribute: dispatch_queue_attr_t? = nil) -> Passed<dispatch_queue_t> {
  Passed(weir_queue_create("lonely", attribute, nil, nil)!)
}

private func barrier(_ queue: dispatch_queue_t, _ body: @escaping () -> Void) {
  dispatch_barrier_sync_f(queue, Job(body).retained(), Job.run)
}

private func loop(_ queue: dispatch_queue_t) {
  weir_apply(10, 1, queue) { _, _ in }
}

private func onto(_ queue: Passed<dispatch_queue_t>) {
  sync(queue.it) { loop(queue.it) }
}

// weir/misuse.h: each programmer's error that Weir detects gets a sentence that names the object,
// and then a trap. Each test makes its mistake in a process of its own.
import CWeir
import Glibc
import Testing

extension CWeirIndependentTests {
  @Suite struct MisuseTests {
    @Test func aLeaveWithoutAnEnter() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let group: weir_group_t = weir_group_create("parcels")!
        weir_group_enter(group)
        weir_group_leave(group)
        weir_group_leave(group)
      }
      expectSentence(result, naming: "the group \"parcels\"", saying: ["left more often", "enter"])
    }

    @Test func aLeaveOfWorkSubmittedByAsync() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let group: weir_group_t = weir_group_create("parcels")!
        _ = weir_group_async(group, globalQueue()) { 0 }
        _ = weir_group_wait(group, forever)
        weir_group_leave(group)
      }
      expectSentence(result, naming: "\"parcels\"", saying: ["weir_group_async"])
    }

    @Test(arguments: [1, 2, 3])
    func aSignalOfMoreThanIsInUse(out: Int) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) { [out] in
        prepareToDie()
        let gate = Gate(3, "tickets")
        _ = gate.attempt(out)
        gate.signal(out + 1)
      }
      expectSentence(
        result, naming: "the gate \"tickets\"", saying: ["\(out + 1) of its 3", "\(out) were out"])
    }

    @Test func lanesThatWaitForThemselves() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lanes = LaneSet(width: 2, label: "swimmers")!
        lanes.async { _ = lanes.wait() }
        _ = lanes.wait(after(milliseconds: 20_000))
      }
      expectSentence(result, naming: "the lanes \"swimmers\"", saying: ["own jobs", "notify"])
    }

    @Test func inlineLanesThatWaitForThemselves() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lanes = LaneSet(width: LaneSet.inline, label: "swimmers")!
        lanes.async { _ = lanes.wait() }
      }
      expectSentence(result, naming: "the lanes \"swimmers\"", saying: ["own jobs"])
    }

    @Test func aLoopOntoItsOwnSerialQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = Passed(weir_queue_create("lonely", nil, nil, nil)!)
        sync(queue.it) { weir_apply(10, 1, queue.it) { _, _ in } }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["forever", "NULL"])
    }

    /// From inside a loop on the queue too, and with no iterations.
    @Test func aLoopInsideALoopOnASerialQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = Passed(weir_queue_create("lonely", nil, nil, nil)!)
        weir_apply(1, 1, queue.it) { _, _ in
          _ = weir_apply_while(0, 1, queue.it) { _, _ in true }
        }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["loop"])
    }

    @Test func aGateReleasedTooOften() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let gate = Gate(1, "tickets")
        _ = gate.attempt(1) /* keeps the gate alive */
        gate.release()
        gate.release()
      }
      expectSentence(result, naming: "the gate \"tickets\"", saying: ["released more often"])
    }

    @Test func aGateRetainedAfterItsLastRelease() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let gate = Gate(1, "tickets")
        _ = gate.attempt(1)
        gate.release()
        weir_gate_retain(gate.raw)
      }
      expectSentence(result, naming: "the gate \"tickets\"", saying: ["after its last release"])
    }

    @Test func aJobThatCommitsMoreThanItReserved() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let processor = Processor(jobs: LaneSet.inline) { file in
          _ = weir_file_reserve(file.raw, 10)
          weir_file_commit(file.raw, 1 << 30)
          return 0
        }
        processor.run(Array("/proc/self/cmdline".utf8))
      }
      expectSentence(result, naming: "the file processor", saying: ["reserved"])
    }

    @Test func aLabelOfAnyLengthFits() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let group = String(repeating: "long", count: 1000).withCString { weir_group_create($0) }!
        weir_group_leave(group)
      }
      expectSentence(result, naming: "the group \"longlonglong", saying: [])
    }

    @Test func theHandlerIsCalledAndTheTrapFollows() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let usual = weir_misuse_set_handler { sentence in
          let text = "handled: \(String(cString: sentence))\n"
          _ = text.withCString { write(2, $0, strlen($0)) }
        }
        #expect(usual == nil)
        let group: weir_group_t = weir_group_create("parcels")!
        weir_group_leave(group)
      }
      let text = errorText(result)
      #expect(text.contains("handled: the group \"parcels\""))
      #expect(!text.contains("weir: misuse:"))
      #expect(trapped(result))
    }

    @Test func theHandlerCanBeReset() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let mine: @convention(c) (UnsafePointer<CChar>) -> Void = { _ in _exit(0) }
        weir_misuse_set_handler(mine)
        #expect(weir_misuse_set_handler(nil) != nil)
        #expect(weir_misuse_set_handler(nil) == nil)
        let group: weir_group_t = weir_group_create("parcels")!
        weir_group_leave(group)
      }
      expectSentence(result, naming: "the group \"parcels\"", saying: [])
    }
  }
}

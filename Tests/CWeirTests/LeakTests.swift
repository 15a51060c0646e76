// Thousands of objects of each kind, created and released: every context reaches its finalizer, and
// the memory in use does not grow. (The address sanitizer finds single leaks.)
// swift-format-ignore-file: NeverForceUnwrap
import CTestSupport
import CWeir
import Glibc
import Testing

extension CWeirTests {
  @Suite struct LeakTests {
    @Test func gates() async {
      await #expect(processExitsWith: .success) {
        expectNoGrowth {
          let gate = Gate(3, "gate")
          #expect(gate.attempt(2) == 0)
          gate.signal(2)
          gate.release()
        }
      }
    }

    /// Requests that are granted, cancelled, refused, and ended by a close.
    @Test func requests() async {
      await #expect(processExitsWith: .success) {
        let answers = Meter()
        expectNoGrowth {
          let gate = Gate(1, "gate")
          var requests = [weir_gate_request_t?](repeating: nil, count: 4)
          for place in requests.indices {
            let error = weir_gate_request(
              gate.raw, place == 3 ? 2 : 1, { _ in answers.enter() }, &requests[place])
            #expect(error == 0)
          }
          #expect(weir_gate_request_cancel(requests[1]!) == 0)
          gate.close()
          gate.signal(1)
          for request in requests { weir_gate_request_release(request!) }
          gate.release()
        }
        #expect(answers.ever == 4 * repetitions)
      }
    }

    @Test func asynchronousWork() async {
      await #expect(processExitsWith: .success) {
        let ran = Meter(), queue = Passed(serialQueue())
        expectNoGrowth {
          let gate = Gate(1, "gate")
          for _ in 0..<3 {
            let error = weir_gate_async(gate.raw, 1, queue.it) { ran.enter() }
            #expect(error == 0)
          }
          gate.release()
          sync(queue.it) {}
          sync(queue.it) {}
          sync(queue.it) {}
        }
        #expect(eventually { ran.ever == 3 * repetitions })
      }
    }

    @Test func groups() async {
      await #expect(processExitsWith: .success) {
        let queue = Passed(serialQueue())
        expectNoGrowth {
          let group: weir_group_t = weir_group_create("group")!
          let error = weir_group_async(group, queue.it) { 0 }
          #expect(error == 0)
          weir_group_enter(group)
          weir_group_leave(group)
          #expect(weir_group_wait(group, forever) == 0)
          weir_group_release(group)
        }
      }
    }

    @Test(arguments: [false, true])
    func queues(null: Bool) async {
      await #expect(processExitsWith: .success) { [null] in
        expectNoGrowth {
          let context = null ? nil : UnsafeMutableRawPointer(bitPattern: 8)
          release(weir_queue_create("queue", nil, context) { _ in finalized.enter() }!)
        }
        #expect(eventually { finalized.ever == repetitions })
      }
    }

    /// Jobs that run, are dropped and are refused; with blocks, drop functions and groups.
    @Test(arguments: [2, LaneSet.inline])
    func lanes(width: UInt) async {
      await #expect(processExitsWith: .success) { [width] in
        let ran = Meter()
        expectNoGrowth {
          var options = weir_lanes_options_t()
          options.width = Int(bitPattern: width)
          options.lane_create = { _, _ in nil }
          options.lane_destroy = { _ in finalized.enter() }
          let lanes: weir_lanes_t = weir_lanes_create(&options)!
          let group: weir_group_t = weir_group_create(nil)!
          var errors = [weir_lanes_async(lanes) { _ in ran.enter() }]
          errors.append(weir_lanes_wait(lanes, forever))
          weir_lanes_suspend(lanes)
          errors.append(weir_lanes_async(lanes) { _ in ran.enter() })
          errors.append(weir_group_lanes(group, lanes) { _ in 1 })
          #expect(errors == [0, 0, 0, 0])
          #expect(weir_lanes_cancel(lanes) == 2)
          #expect(weir_group_wait(group, forever) == ECANCELED)
          weir_lanes_close(lanes)
          let late = weir_lanes_try_async(lanes) { _ in ran.enter() }
          #expect(late == ECANCELED)
          weir_lanes_resume(lanes)
          weir_group_release(group)
          weir_lanes_release(lanes)
        }
        let lanes = width == LaneSet.inline ? 1 : 2
        #expect(eventually { finalized.ever == lanes * repetitions })
        #expect(ran.ever == repetitions)
      }
    }
  }
}

private let repetitions = 4000
private let finalized = Meter()

/// Runs `body` 4,000 times, and compares the memory in use at the end with that after the first
/// thousand, which fill pools and the graveyard of objects.
private func expectNoGrowth(_ body: () -> Void) {
  for _ in 0..<1000 { body() }
  usleep(50_000) /* libdispatch frees some memory late */
  let before = test_bytes_in_use()
  for _ in 1000..<repetitions { body() }
  #expect(
    eventually { test_bytes_in_use() <= before + 75_000 },
    "\(before) bytes, and then \(test_bytes_in_use())")
}

// Lanes as a task executor: blocking tasks reach the width of the lanes at once, and are
// never dropped.

import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesExecutorTests {
  @Test("sixty-four tasks that block run sixteen at a time on sixteen lanes")
  func width() async {
    let lanes = Lanes(label: "blocking", width: 16)
    let state = Shared((now: 0, most: 0, all: 0))
    let meeting = Rendezvous(of: 16)
    await withTaskExecutorPreference(lanes) {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<64 {
          group.addTask {
            state.change {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            // They come at once, or these would wait for one another in vain.
            if number < 16 { #expect(meeting.arrive()) }
            usleep(1000)
            state.change {
              $0.now -= 1
              $0.all += 1
            }
          }
        }
      }
    }
    #expect(state.value.most == 16 && state.value.all == 64)
    #expect(lanes.statistics.peak == 16)
  }

  @Test("steps and jobs start in order, and a cancel drops only the jobs")
  func orderBesideJobs() async {
    let lanes = Lanes(label: "beside", width: 1)
    let seen = Shared<[Int]>([])
    lanes.suspend()
    let first = Task(executorPreference: lanes) { seen.change { $0.append(1) } }
    lanes.async { seen.change { $0.append(2) } }
    let second = Task(executorPreference: lanes) { seen.change { $0.append(3) } }
    lanes.async { seen.change { $0.append(4) } }
    #expect(lanes.statistics.queued == 4)
    #expect(lanes.cancel() == 2)
    lanes.async { seen.change { $0.append(5) } }
    lanes.resume()
    await first.value
    await second.value
    await lanes.wait()
    #expect(seen.value == [1, 3, 5])
  }

  @Test("a task that was resumed elsewhere returns to a lane")
  func waits() async throws {
    let lanes = Lanes(label: "waiting", width: 2)
    let queue = OwnedQueue(label: "owned", context: 0)
    try await withTaskExecutorPreference(lanes) {
      await queue.sync { $0 += 1 }
      #expect(isOnLane(of: "waiting"))
      try await Task.sleep(for: .milliseconds(1))
      #expect(isOnLane(of: "waiting"))
      try await WorkGroup(label: "group").wait()
      #expect(isOnLane(of: "waiting"))
    }
  }

  @Test("a task keeps its lanes, to its end")
  func lastReference() async {
    for _ in 0..<200 {
      let task: Task<Int, Never>
      do {
        let lanes = Lanes(label: "forgotten", width: 2)
        task = Task(executorPreference: lanes) {
          var steps = 0
          for _ in 0..<10 {
            await Task.yield()
            steps += 1
          }
          return steps
        }
      }
      #expect(await task.value == 10)
    }
  }
}

/// True if the current code runs on a lane of the lanes with this label.
func isOnLane(of label: String) -> Bool {
  String(cString: queueLabel(nil)).hasPrefix("\(label).lane-")
}

/// `dispatch_queue_get_label`, which Dispatch hides from Swift; for nil, the label of the
/// current queue.
@_silgen_name("dispatch_queue_get_label")
private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>

// When the system refuses new threads: files are read on the caller's thread, and lanes run on the
// threads that exist.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct ThreadsTests {
    @Test(arguments: [1, 2, 64] as [UInt])
    func theCallerReadsTheFiles(jobs: UInt) async throws {
      let tree = Tree()
      for number in 0..<300 { tree.file("d\(number % 7)-\(number)", Array("\(number)".utf8)) }
      tree.file("big", [UInt8](repeating: 1, count: 3_000_000))
      _ = try Shell.run(["chmod", "-R", "a+rX", tree.root.shown])
      await #expect(processExitsWith: .success) {
        [root = tree.root as [UInt8], jobs = jobs as UInt] in
        alarm(40)
        let lanes: LaneContexts
        do {
          let processor = Processor(jobs: jobs, batchSize: 3)
          lanes = processor.lanes
          #expect((try? filesBelow(root))?.count == 301)
          allowNoMoreThreads()
          #expect(processor.run(root) == 0)
          #expect(processor.results.count == 301 && processor.results.allSatisfy { $0.isDone })
          #expect(processor.run(root) == 0)
        }
        #expect(lanes.all.count == Int(jobs) && lanes.timesDestroyed.allSatisfy { $0 == 1 })
      }
    }

    @Test func aRunningLaneRunsAllJobs() async {
      await #expect(processExitsWith: .success) {
        alarm(40)
        let lanes = LaneSet(width: 4)!, begun = Latch(1), go = Latch(1), done = Latch(50)
        lanes.async {
          begun.arrive()
          go.wait()
        }
        #expect(begun.wait())
        allowNoMoreThreads()
        // No submit waits for a thread.
        for _ in 0..<50 { lanes.async { done.arrive() } }
        #expect(lanes.stats.running == 1 && lanes.stats.queued == 50)
        go.arrive()
        #expect(done.wait() && lanes.wait() == 0)
        #expect(lanes.stats.peak == 1)
        lanes.release()
      }
    }
  }
}

/// Keeps this process from creating threads. The limit does not apply to root, so root becomes
/// another user first.
private func allowNoMoreThreads() {
  if geteuid() == 0 { setuid(64_999) }
  var none = rlimit()
  setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none)
  var thread = pthread_t()
  #expect(pthread_create(&thread, nil, { $0 }, nil) == EAGAIN)
}

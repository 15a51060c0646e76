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
        // No submit waits for a thread, but the first for a while.
        for _ in 0..<50 { lanes.async { done.arrive() } }
        #expect(lanes.stats.running == 1 && lanes.stats.queued == 50)
        go.arrive()
        #expect(done.wait() && lanes.wait() == 0)
        #expect(lanes.stats.peak == 1)
        lanes.release()
      }
    }

    /// The running job waits for the job that got no thread, and nothing else happens at the lanes.
    @Test(arguments: Shortage.allCases)
    func aJobWithoutAThreadGetsOneLater(shortage: Shortage) async {
      await #expect(processExitsWith: .success) { [shortage] in
        alarm(40)
        let lanes = LaneSet(width: 2)!, group = Passed(weir_group_create("jobs")!)
        let begun = Latch(1), second = Latch(1), short = Latch(1), submitted = Latch(1)
        lanes.async {
          begun.arrive()
          #expect(second.wait())
        }
        startThread {
          _ = short.wait()
          if shortage != .brief { _ = submitted.wait() }
          usleep(100_000)
          allowThreads()
        }
        #expect(begun.wait())
        allowNoMoreThreads()
        short.arrive()
        #expect(
          weir_group_lanes(group.it, lanes.raw) { _ in
            second.arrive()
            return 0
          } == 0)
        submitted.arrive()
        if shortage == .group { #expect(weir_group_wait(group.it, forever) == 0) }
        if shortage == .lanes { #expect(lanes.wait() == 0) }
        #expect(second.wait() && lanes.wait() == 0)
      }
    }
  }
}

/// A shortage of threads that ends during the submit, or during a wait for the group or the lanes.
enum Shortage: String, CaseIterable, Codable, Sendable {
  case brief, group, lanes
}

/// Keeps this process from creating threads. The limit does not apply to root, so root becomes
/// another user first.
private func allowNoMoreThreads() {
  if geteuid() == 0 { setuid(64_999) }
  limitThreads(0)
  var thread = pthread_t()
  #expect(pthread_create(&thread, nil, { $0 }, nil) == EAGAIN)
}

private func allowThreads() { limitThreads(nil) }

/// Sets the soft limit of processes, nil for the hard one.
private func limitThreads(_ count: UInt?) {
  let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
  var limit = rlimit()
  getrlimit(resource, &limit)
  limit.rlim_cur = count ?? limit.rlim_max
  #expect(setrlimit(resource, &limit) == 0)
}

// weir/files.h: statistics, and the limits on descriptors.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  /// Statistics and limits on descriptors, mostly each in a process of its own.
  @Suite struct FilesLimitsTests {
    @Test(arguments: widths)
    func statisticsAddUp(jobs: UInt) throws {
      var random = Random("statistics \(jobs)")
      let tree = Tree()
      tree.fill(&random, entries: 400, filesUpTo: 200)
      tree.fifo("some fifo")
      let found = try find(tree.root)
      let processor = Processor(jobs: jobs, batchSize: 5) { file in
        file.size % 5 == 4 ? EIO : file.summarize()
      }
      #expect(processor.run(tree.root) == 0)
      let statistics = processor.statistics, results = processor.results
      #expect(statistics.files == results.count { $0.outcome == WEIR_FILE_DONE })
      #expect(statistics.failed == results.count { $0.outcome == WEIR_FILE_FAILED })
      #expect(statistics.special == 1 && results.count(where: \.isSpecial) == 1)
      #expect(statistics.links == found.count { $0.type == UInt8(ascii: "l") })
      #expect(statistics.directories == found.count { $0.type == UInt8(ascii: "d") })
      #expect(
        statistics.files + statistics.failed == found.count { $0.type == UInt8(ascii: "f") })
      #expect(statistics.bytes == results.reduce(0) { $0 + $1.bytes })
      #expect(
        statistics.lanes == (jobs > 200 ? 1 : jobs) && statistics.lanes_peak <= statistics.lanes)
      #expect(statistics.descriptors_peak <= 2 * statistics.lanes + 2 * 18)
    }

    /// Jobs count the descriptors that are open below the root.
    @Test(arguments: [1, 2, 3, 5])
    func noMoreDescriptorsAreOpenThanAllowed(descriptors: Int) async {
      await #expect(processExitsWith: .success) { [descriptors] in
        let tree = Tree()
        for name in ["a", "b", "c"] {
          tree.directory(name)
          for number in 0..<40 { tree.file("\(name)/\(number)", [1, 2, 3]) }
        }
        let most = Locked(0)
        let processor = Processor(jobs: 4, batchSize: 10, descriptors: descriptors) { file in
          let open = openDescriptors(below: tree.root.shown)
          most.with { $0 = max($0, open.lanes + max(0, open.walk - 2)) }
          return file.summarize()
        }
        #expect(processor.run(tree.root) == 0 && processor.results.allSatisfy(\.isDone))
        #expect(processor.results.count == 120)
        #expect(most.now >= 1 && most.now <= descriptors)
        #expect(processor.statistics.descriptors_peak <= descriptors)
        #expect(openDescriptors(below: tree.root.shown) == (0, 0))
      }
    }

    /// The limit is relative to the descriptors that are open in the beginning, since their
    /// number depends on the way the tests are run.
    @Test(arguments: [4, 8, 12, 24])
    func aSmallLimitOfTheProcessIsEnough(more: Int) async {
      await #expect(processExitsWith: .success) { [more] in
        settleDescriptors()
        let limit = Int(openDescriptorNumbers().max() ?? 2) + 1 + more
        var random = Random("small limit")
        let tree = Tree()
        tree.fill(&random, entries: 200, filesUpTo: 100)
        let files = try! filesBelow(tree.root)
        #expect(setDescriptorLimit(limit))
        let budget = weir_descriptor_budget(), most = Locked(0)
        let processor = Processor(jobs: 16, batchSize: 4) { file in
          let open = openDescriptors(below: tree.root.shown)
          most.with { $0 = max($0, open.lanes + max(0, open.walk - 2)) }
          return file.summarize()
        }
        #expect(processor.run(tree.root) == 0)
        #expect(processor.paths == files && processor.results.allSatisfy(\.isDone))
        #expect(most.now <= budget && processor.statistics.descriptors_peak <= budget)
        _ = setDescriptorLimit(256) /* for the removal of the tree */
      }
    }

    /// The job that calls run holds a permit, and others hold the rest.
    @Test func aJobThatHoldsAPermitCanCancelItsRun() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree(), budget = Gate(raw: weir_descriptor_gate())
        tree.file("a")
        #expect(weir_descriptor_set_budget(4) == 0 && budget.wait(3) == 0)
        let processor = Processor(jobs: 1), ended = Locked<Int32?>(nil)
        let lanes = LaneSet(width: 1)!
        lanes.async {
          #expect(budget.wait(1) == 0)
          let error = processor.run(tree.root)
          budget.signal(1)
          ended.with { $0 = error }
        }
        #expect(eventually { budget.stats.waiting == 1 })
        processor.cancel()
        #expect(eventually { ended.now == ECANCELED })
        budget.signal(3)
        lanes.release()
      }
    }

    @Test func everyPermitIsReleased() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        for number in 0..<100 { tree.file("\(number)", [1]) }
        let count = Meter()
        for jobs in widths {
          for stop in [0, 1, 20] {
            let itself = Locked<Processor?>(nil)
            let processor = Processor(jobs: jobs, batchSize: 3, descriptors: 4) { file in
              count.enter()
              if stop > 0, count.ever % stop == 0 { itself.now?.cancel() }
              return 0
            }
            itself.with { $0 = processor }
            processor.run(tree.root, tree.root / "missing")
            #expect(Gate(raw: weir_descriptor_gate()).stats.in_use == 0)
            itself.with { $0 = nil }
          }
        }
        #expect(openDescriptors(below: tree.root.shown) == (0, 0))
      }
    }
  }
}

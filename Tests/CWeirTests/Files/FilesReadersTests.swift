// weir/files.h: the number of lanes that follows the storage (jobs_max). The storage is simulated by
// jobs that sleep: they wait, and the cores are idle.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

private func tree(files: Int, directories: Int = 4) -> Tree {
  let tree = Tree()
  for number in 0..<directories { tree.directory("d\(number)") }
  for number in 0..<files {
    tree.file(
      "d\(number % directories)/f\(100_000 + number)",
      [UInt8](repeating: UInt8(number & 0xFF), count: number % 50))
  }
  return tree
}

/// Waits as for storage that takes a millisecond, then reads.
private let slow: @Sendable (OpenFile) -> Int32 = { file in
  usleep(1000)
  return file.summarize()
}

extension CWeirFilesTests {
  @Suite(.serialized) struct FilesReadersTests {
    @Test func waitingLanesGetMore() {
      let tree = tree(files: 6000)
      let processor = Processor(jobs: 2, jobsMax: 32, job: slow)
      #expect(processor.lanes.created.count == 2)
      #expect(processor.run(tree.root) == 0)
      let statistics = processor.statistics
      #expect(processor.working.most > 16 && statistics.lanes == 32)
      #expect(statistics.lanes_peak > 16 && statistics.lanes_peak <= 32)
      #expect((2...32).contains(statistics.readers))
      #expect(statistics.readers_reason != WEIR_READERS_AS_GIVEN)
      #expect(processor.lanes.created == Array(0..<processor.lanes.created.count))
      #expect(processor.lanes.created.count <= 32)
      let plain = Processor(jobs: 1)
      #expect(plain.run(tree.root) == 0)
      #expect(plain.results == processor.results && processor.torn.ever == 0)
      #expect(processor.delivering.most == 1)
    }

    /// Without jobs_max the number is that of the options, however long the jobs wait.
    @Test(arguments: [1, 3] as [UInt]) func aFixedNumberStays(jobs: UInt) {
      let tree = tree(files: 300)
      let processor = Processor(jobs: jobs, job: slow)
      #expect(processor.run(tree.root) == 0)
      #expect(processor.working.most <= Int(jobs) && processor.lanes.created.count == Int(jobs))
      #expect(processor.statistics.lanes == jobs && processor.statistics.readers == jobs)
      #expect(processor.statistics.readers_reason == WEIR_READERS_AS_GIVEN)
    }

    /// Two batches are enough for many readers: lanes hand on parts of theirs.
    @Test func aSmallTreeKeepsManyLanesBusy() {
      let tree = tree(files: 128, directories: 2)
      let processor = Processor(jobs: 8, jobsMax: 64) { file in
        usleep(8000)
        return file.summarize()
      }
      #expect(processor.run(tree.root) == 0)
      #expect(processor.working.most > 4)
      let plain = Processor(jobs: 1)
      #expect(plain.run(tree.root) == 0)
      #expect(plain.results == processor.results && processor.torn.ever == 0)
    }

    /// A later run begins with the first number, and its lanes are those of the run before.
    @Test func aRunBeginsWithTheFirstNumber() {
      let slowTree = tree(files: 3000), fast = tree(files: 5)
      let root = fast.root, atFirst = Meter()
      let processor = Processor(jobs: 2, jobsMax: 8, batchSize: 1) { file in
        guard file.path.starts(with: root) else { return slow(file) }
        atFirst.enter()
        defer { atFirst.leave() }
        return slow(file)
      }
      for _ in 0..<2 {
        #expect(processor.run(slowTree.root) == 0)
        #expect(processor.statistics.lanes == 8)
        #expect(processor.run(fast.root) == 0)
        #expect(processor.statistics.lanes == 2 && processor.statistics.readers == 2)
      }
      #expect(atFirst.most <= 2)
      #expect(processor.lanes.created.count <= 8)
    }

    /// Three quarters of the descriptors, with two for each lane.
    @Test func theDescriptorsLimitTheLanes() {
      let tree = tree(files: 1500)
      let processor = Processor(jobs: 2, jobsMax: 64, descriptors: 16, job: slow)
      #expect(processor.run(tree.root) == 0)
      #expect(processor.results.count == 1500 && processor.results.allSatisfy(\.isDone))
      #expect(processor.statistics.lanes == 6 && processor.statistics.descriptors_peak <= 16)
      let few = Processor(jobs: 4, jobsMax: 64, descriptors: 1, job: slow)
      #expect(few.run(tree.root) == 0 && few.statistics.lanes == 4)
    }

    @Test func aCancelDeliversABeginning() {
      let tree = tree(files: 4000)
      let itself = Locked<Processor?>(nil), count = Meter()
      let processor = Processor(jobs: 2, jobsMax: 32) { file in
        count.enter()
        if count.ever >= 2500 { itself.now?.cancel() }
        return slow(file)
      }
      itself.with { $0 = processor }
      #expect(processor.run(tree.root) == ECANCELED)
      let plain = Processor(jobs: 1)
      #expect(plain.run(tree.root) == 0)
      #expect(processor.results.count < 4000)
      #expect(processor.results == Array(plain.results.prefix(processor.results.count)))
      itself.with { $0 = nil }
    }

    /// A device with fewer readers than lanes keeps its limit.
    @Test func aDeviceKeepsItsReaders() {
      let tree = tree(files: 600), path = strdup(String(decoding: tree.root, as: UTF8.self))!
      defer { free(path) }
      var source = weir_files_source_t()
      source.path = UnsafePointer(path)
      source.readers = 2
      let processor = Processor(jobs: 2, jobsMax: 32, batchSize: 8, job: slow)
      #expect(processor.run(sources: [source]) == 0)
      #expect(processor.working.most <= 2 && processor.results.count == 600)
    }

    @Test func tooManyLanesAreRefused() {
      var options = weir_files_options_t()
      options.job = { _, _, _ in 0 }
      options.jobs_max = 201
      #expect(weir_files_create(&options) == nil && errno == EINVAL)
      options.jobs = 8
      options.jobs_max = 2 /* less than jobs: no limit below it */
      let made = weir_files_create(&options)
      #expect(made != nil)
      if let made { weir_files_release(made) }
    }
  }
}

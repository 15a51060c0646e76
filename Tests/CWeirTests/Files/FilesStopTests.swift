// weir/files.h: a run that is cancelled, or ended by its delivery or by admit, delivers a beginning
// and waits for nothing.
import CWeir
import Glibc
import TestSupport
import Testing

/* The library's own way to another grace, which no header declares. */
@_silgen_name("weir__files_set_grace")
private func setGrace(_ files: weir_files_t, _ nanoseconds: UInt64)

/// How a job reads: by weir_file_read, by weir_file_read_at, or without regard to errors.
enum Reading { case pieces, parts, careless }

extension CWeirFilesTests {
  /// Runs that end early.
  @Suite struct FilesStopTests {
    @Test(arguments: widths, [1, 5, 64])
    func aCancelledRunDeliversABeginning(jobs: UInt, batchSize: Int) throws {
      let tree = Tree()
      for number in 0..<200 { tree.file("f\(1000 + number)", [1]) }
      let files = try filesBelow(tree.root)
      for stop in [1, 2, 37, 150] {
        let done = Meter(), itself = Locked<Processor?>(nil)
        let processor = Processor(jobs: jobs, batchSize: batchSize) { _ in
          done.enter()
          if done.ever >= stop { itself.now!.cancel() }
          return 0
        }
        itself.with { $0 = processor }
        #expect(processor.run(tree.root) == ECANCELED)
        let delivered = processor.paths
        #expect(delivered == Array(files.prefix(delivered.count)))
        #expect(done.ever < stop + Int(min(jobs, 16)) + 1)
        if jobs == 1 || jobs > 200 { #expect(delivered.count == stop && done.ever == stop) }
        itself.with { $0 = nil }
      }
    }

    /// The job of the first file waits until later ones are done, and then cancels: between them
    /// there is a file that no lane has read.
    @Test func nothingIsDeliveredAfterAGap() {
      let tree = Tree(), others = Latch(4), itself = Locked<Processor?>(nil)
      for number in 0..<40 { tree.file("f\(100 + number)") }
      let first = tree.root / "f100"
      let processor = Processor(jobs: 2, batchSize: 2) { file in
        guard file.path == first else {
          others.arrive()
          return 0
        }
        defer { itself.now?.cancel() }
        return others.wait() ? 0 : ETIMEDOUT
      }
      itself.with { $0 = processor }
      #expect(processor.run(tree.root) == ECANCELED)
      #expect(processor.paths == [first] && processor.results.allSatisfy(\.isDone))
      itself.with { $0 = nil }
    }

    /// Others are done when the delivery refuses the first.
    @Test func nothingIsDeliveredAfterAnError() {
      let tree = Tree(), others = Latch(4), calls = Meter()
      for number in 0..<40 { tree.file("f\(100 + number)") }
      let first = tree.root / "f100"
      let job: @Sendable (OpenFile) -> Int32 = { file in
        if file.path != first { others.arrive() }
        return file.path != first || others.wait() ? 0 : ETIMEDOUT
      }
      let refuse: @Sendable ([Processor.Result]) -> Int32 = { _ in
        calls.enter()
        return ENOSPC
      }
      let processor = Processor(jobs: 2, batchSize: 1, job: job, deliver: refuse)
      #expect(processor.run(tree.root) == ENOSPC)
      #expect(calls.ever == 1 && processor.paths == [first])
    }

    /// A file of a terabyte without a byte on the disk. The job cancels the run in the middle.
    @Test(arguments: widths, [Reading.pieces, .parts, .careless])
    func aFileThatTakesLongIsGivenUp(jobs: UInt, reading: Reading) {
      let tree = Tree(), itself = Locked<Processor?>(nil), reads = Meter()
      tree.file("a", [1])
      let long = tree.file("b")
      tree.file("c", [2])
      #expect(long.c { truncate($0, 1 << 40) } == 0)
      let processor = Processor(jobs: jobs, batchSize: 64) { file in
        guard file.path == long else { return file.summarize() }
        file.write([9])
        while true {
          if reads.ever == 2 { itself.now?.cancel() }
          let error = reading == .parts ? file.part(at: 0, 10).error : file.piece().error
          if error != 0 { return reading == .careless ? 0 : error }
          reads.enter()
          if reads.ever > 20 { return EIO }
        }
      }
      itself.with { $0 = processor }
      setGrace(processor.raw, 0)
      #expect(processor.run(tree.root) == ECANCELED && reads.ever == 2)
      #expect(processor.paths == [tree.root / "a"] && processor.results.allSatisfy(\.isDone))
      #expect(processor.torn.ever == 0)
      #expect(processor.statistics.failed == 0 && processor.statistics.changed == 0)
      itself.with { $0 = nil }
    }

    /// Until the grace is over, an open file is read to its end.
    @Test func anOpenFileMayEndAfterACancel() {
      let tree = Tree(), itself = Locked<Processor?>(nil), size = 5 << 20
      let path = tree.file("f", [UInt8](repeating: 1, count: size))
      letFilesAge()
      let processor = Processor(jobs: 1) { file in
        let (error, bytes) = file.piece()
        itself.now?.cancel()
        let (next, rest) = file.whole()
        return error == 0 && bytes.count + rest.count == size ? next : EIO
      }
      itself.with { $0 = processor }
      setGrace(processor.raw, 1 << 60)
      #expect(processor.run(tree.root) == ECANCELED)
      #expect(processor.paths == [path] && processor.results.allSatisfy(\.isDone))
      itself.with { $0 = nil }
    }

    /// Another holder of the permits releases them only after the run has ended.
    @Test(arguments: [1, 2, 5])
    func aCancelledRunWaitsForNoDescriptors(others: Int) async {
      await #expect(processExitsWith: .success) { [others] in
        let tree = Tree(), budget = Gate(raw: weir_descriptor_gate())
        tree.file("a")
        tree.file("b")
        #expect(weir_descriptor_set_budget(others) == 0)
        #expect(budget.wait(others) == 0)
        let processor = Processor(jobs: 1), ended = Locked<Int32?>(nil)
        startThread {
          let error = processor.run(tree.root / "missing", tree.root)
          ended.with { $0 = error }
        }
        #expect(eventually { budget.stats.waiting == 1 })
        processor.cancel()
        #expect(eventually { ended.now == ECANCELED })
        #expect(budget.stats.in_use == others && budget.stats.waiting == 0)
        #expect(processor.paths == [tree.root / "missing"] && processor.working.ever == 0)
        budget.signal(others)
        #expect(processor.run(tree.root) == 0 && processor.results.count == 2)
        #expect(budget.stats.in_use == 0)
      }
    }

    /// The delivery takes all permits, and refuses when the next batch waits for one.
    @Test func anErrorOfTheDeliveryEndsTheWaitForDescriptors() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree(), budget = Gate(raw: weir_descriptor_gate())
        for number in 0..<9 { tree.file("\(number)") }
        #expect(weir_descriptor_set_budget(2) == 0)
        let hasTaken = Latch(1), asked = Meter(), ended = Locked<Int32?>(nil)
        let processor = Processor(
          jobs: 1, batchSize: 1,
          deliver: { _ in
            guard budget.attempt(2) == 0 else { return EAGAIN }
            hasTaken.arrive()
            return eventually { budget.stats.waiting == 1 } ? ENOSPC : ETIMEDOUT
          },
          admit: {
            asked.enter()
            return asked.ever == 1 || hasTaken.wait() ? 0 : ETIMEDOUT
          })
        startThread {
          let error = processor.run(tree.root)
          ended.with { $0 = error }
        }
        #expect(eventually { ended.now == ENOSPC })
        #expect(budget.stats.in_use == 2 && budget.stats.waiting == 0)
      }
    }

    /// `admit` may wait for every descriptor of the budget.
    @Test(arguments: widths, [1, 4])
    func descriptorsAreReleasedWhileAdmitWaits(jobs: UInt, budget: Int) async {
      await #expect(processExitsWith: .success) { [jobs, budget] in
        let tree = Tree(), gate = Gate(raw: weir_descriptor_gate())
        for number in 0..<50 { tree.file("\(number)") }
        #expect(weir_descriptor_set_budget(budget) == 0)
        let processor = Processor(
          jobs: jobs, batchSize: 1,
          admit: {
            guard gate.wait(budget, after(milliseconds: 30_000)) == 0 else { return ETIMEDOUT }
            gate.signal(budget)
            return 0
          })
        #expect(processor.run(tree.root) == 0 && processor.results.count == 50)
        #expect(gate.stats.in_use == 0)
      }
    }
  }
}

// weir/files.h: a paused run opens no files, and loses none.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesPauseTests {
    /// A job pauses the run: open files are finished, and no other is opened while another
    /// processor reads a whole tree.
    @Test(arguments: widths, [1, 64])
    func nothingIsOpenedDuringAPause(jobs: UInt, batchSize: Int) {
      var random = Random("pause")
      let tree = Tree(), other = Tree()
      for number in 0..<200 { tree.file("f\(1000 + number)", [UInt8(number)]) }
      other.fill(&random, entries: 60, filesUpTo: 100)
      let itself = Locked<Processor?>(nil), count = Meter(), ended = Locked<Int32?>(nil)
      let isDue = Once()
      let processor = Processor(jobs: jobs, batchSize: batchSize) { file in
        count.enter()
        // Two lanes may pass the fiftieth at once.
        if count.ever >= 50 && isDue.take() { itself.now?.pause() }
        return file.summarize()
      }
      itself.with { $0 = processor }
      startThread {
        let error = processor.run(tree.root)
        ended.with { $0 = error }
      }
      #expect(eventually { count.ever >= 50 && processor.working.now == 0 })
      let lanes = jobs > 200 ? 1 : Int(jobs)
      for _ in 0..<3 {
        #expect(Processor(jobs: 2).run(other.root) == 0)
        #expect(count.ever <= 50 + lanes && processor.statistics.opened <= 50 + lanes)
        #expect(ended.now == nil)
      }
      processor.pause()  // does not add up
      processor.resume()
      #expect(eventually { ended.now == 0 })
      #expect(processor.results.count == 200 && processor.results.allSatisfy(\.isDone))
      #expect(processor.output == (0..<200).flatMap { summary(of: [UInt8($0)]) })
      itself.with { $0 = nil }
    }

    @Test(arguments: widths)
    func aCancelEndsAPause(jobs: UInt) {
      let tree = Tree()
      for number in 0..<200 { tree.file("f\(1000 + number)", [1]) }
      let itself = Locked<Processor?>(nil), count = Meter(), ended = Locked<Int32?>(nil)
      let isDue = Once()
      let processor = Processor(jobs: jobs, batchSize: 3) { file in
        count.enter()
        // Two lanes may pass the fiftieth at once.
        if count.ever >= 50 && isDue.take() { itself.now?.pause() }
        return file.summarize()
      }
      itself.with { $0 = processor }
      startThread {
        let error = processor.run(tree.root)
        ended.with { $0 = error }
      }
      #expect(eventually { count.ever >= 50 && processor.working.now == 0 })
      processor.cancel()
      #expect(eventually { ended.now == ECANCELED })
      let paths = (0..<200).map { tree.root / "f\(1000 + $0)" }
      #expect(processor.paths == Array(paths.prefix(processor.results.count)))
      #expect(processor.results.count < 100)
      // The pause stays: the next run waits for its end.
      ended.with { $0 = nil }
      startThread {
        let error = processor.run(tree.root)
        ended.with { $0 = error }
      }
      #expect(eventually { processor.statistics.opened == 0 && processor.statistics.found > 0 })
      processor.resume()
      #expect(eventually { ended.now == 0 } && processor.paths == paths)
      itself.with { $0 = nil }
    }
  }
}

/// A flag that one caller takes.
private final class Once: Sendable {
  private let isTaken = Locked(false)

  func take() -> Bool {
    isTaken.with { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }
}

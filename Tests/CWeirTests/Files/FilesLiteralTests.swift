// weir/files.h: WEIR_FILES_LITERAL treats names as open and read do, and reads shared pipes in
// turn.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesLiteralTests {
    @Test(arguments: [LaneSet.inline, 1, 2] as [UInt])
    func aNameIsTreatedAsOpenDoes(jobs: UInt) {
      let tree = Tree()
      let plain = tree.file("plain", [1, 2, 3])
      var excluded = stat()
      #expect(plain.c { stat($0, &excluded) } == 0)
      let fifo = tree.fifo("fifo")
      startThread {
        let descriptor = fifo.c { open($0, O_WRONLY) }
        write(descriptor, "abcd", 4)
        close(descriptor)
      }
      let paths = [
        tree.directory("d"), plain, fifo, tree.socket("socket"), Path("/dev/null"),
        tree.root / "missing", [], tree.link("link", to: "plain"), plain / "below",
      ]
      let processor = Processor(
        jobs: jobs, flags: WEIR_FILES_LITERAL.rawValue, exclude: [excluded])
      #expect(processor.run(paths) == 0)
      let results = processor.results
      #expect(results.map(\.path) == paths && results.allSatisfy(\.named))
      for (index, error) in [(0, EISDIR), (3, ENXIO), (5, ENOENT), (6, ENOENT), (8, ENOTDIR)] {
        #expect(results[index].hasFailed(with: error), "\(paths[index].shown)")
      }
      #expect([1, 2, 4, 7].allSatisfy { results[$0].isDone })
      #expect(results.map(\.bytes) == [0, 3, 4, 0, 0, 0, 0, 3, 0])
      #expect(processor.statistics.directories == 0 && processor.statistics.excluded == 0)
    }

    @Test(arguments: [LaneSet.inline, 1, 2, 4] as [UInt])
    func namesOfOnePipeAreReadInTurn(jobs: UInt) {
      let tree = Tree()
      let plain = tree.file("plain", [7])
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0)
      let bytes = [UInt8](repeating: 5, count: 40_000)
      #expect(write(ends[1], bytes, bytes.count) == bytes.count)
      close(ends[1])
      defer { close(ends[0]) }
      let name = Path("-"), link = Array("/dev/fd/\(ends[0])".utf8)
      let processor = Processor(jobs: jobs, batchSize: 1, flags: WEIR_FILES_LITERAL.rawValue)
      let items: [Item] = [
        .file(plain), .path(link), .descriptor(ends[0], name), .file(link), .path(plain),
      ]
      #expect(processor.run(items: items) == 0)
      #expect(processor.results.map(\.bytes) == [1, 40_000, 0, 0, 1])
      #expect(processor.results.allSatisfy { $0.isDone })
    }

    @Test func aFileThatIsNotRegularIsReadAlone() {
      let tree = Tree()
      let plain = tree.file("plain", [7])
      let jobs = Locked(0), wrong = Locked(0), shared = Meter()
      let processor = Processor(jobs: 4, batchSize: 1, flags: WEIR_FILES_LITERAL.rawValue) {
        file in
        shared.enter()
        let before = jobs.with {
          $0 += 1; return $0 - 1
        }
        let isAlone = file.path != Path("/dev/null") || (before % 21 == 20 && shared.now == 1)
        usleep(200)
        if !isAlone || (file.path == Path("/dev/null") && shared.now != 1) {
          wrong.with { $0 += 1 }
        }
        shared.leave()
        return 0
      }
      let group = [Path](repeating: plain, count: 20) + [Path("/dev/null")]
      #expect(processor.run(Array(repeatElement(group, count: 5).joined())) == 0)
      #expect(wrong.now == 0 && jobs.now == 105)
    }
  }
}

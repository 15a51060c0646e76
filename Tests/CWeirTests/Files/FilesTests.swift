// weir/files.h: every file is delivered once, in order, for any number of lanes;
// errors come in their places; the calls of a job.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  static let widths = [LaneSet.inline, 1, 2, 16] as [UInt]

  @Suite struct FilesTests {
    @Test(arguments: widths, [1, 2, 64])
    func everyFileIsDeliveredOnceInTheOrderOfTheWalk(jobs: UInt, batchSize: Int) throws {
      var random = Random("every file")
      let tree = Tree()
      tree.fill(&random, entries: 300, filesUpTo: 500)
      let files = try filesBelow(tree.root)
      let processor = Processor(jobs: jobs, batchSize: batchSize)
      #expect(processor.run(tree.root) == 0)
      #expect(processor.paths == files)
      #expect(processor.output == files.flatMap { summary(of: contents(of: $0)) })
      #expect(
        processor.results.allSatisfy { $0.isDone && !$0.named && $0.type == WEIR_ENTRY_FILE })
      #expect(processor.batches.allSatisfy { 1...batchSize ~= $0.count })
      #expect(processor.delivering.most <= 1 && processor.torn.ever == 0)
      #expect(processor.working.ever == files.count)
      #expect(jobs > 200 ? processor.working.most <= 1 : processor.working.most <= jobs)
    }

    @Test(arguments: widths)
    func unorderedDeliversTheSameOneAtATime(jobs: UInt) throws {
      var random = Random("unordered")
      let tree = Tree()
      tree.fill(&random, entries: 300, filesUpTo: 100)
      let processor = Processor(jobs: jobs, batchSize: 3, flags: WEIR_FILES_UNORDERED.rawValue)
      #expect(processor.run(tree.root) == 0)
      let files = try filesBelow(tree.root)
      #expect(processor.paths.sorted(by: precedes) == files)
      #expect(processor.delivering.most <= 1 && processor.torn.ever == 0)
    }

    /// Large files split batches.
    @Test(arguments: widths, [1, 5, 64])
    func largeFilesAmongSmallOnesChangeNothing(jobs: UInt, batchSize: Int) throws {
      let tree = Tree()
      for number in 0..<60 {
        let size = number % 7 == 3 ? (1 << 20) + number : number * 10
        tree.file("f\(100 + number)", [UInt8](repeating: UInt8(number), count: size))
      }
      let processor = Processor(jobs: jobs, batchSize: batchSize) { file in
        var length = 0
        while case let (error, bytes) = file.piece(), error == 0, !bytes.isEmpty {
          length += bytes.count
        }
        return file.write(Array("\(file.path.suffix(3)) \(length)\n".utf8))
      }
      #expect(processor.run(tree.root) == 0)
      let files = try filesBelow(tree.root)
      #expect(processor.paths == files && processor.torn.ever == 0)
      #expect(processor.results.map { Int($0.bytes) } == files.map { sizeOf($0) })
      #expect(
        processor.output == files.flatMap { Array("\($0.suffix(3)) \(sizeOf($0))\n".utf8) })
    }

    @Test func sourcesAreProcessedInTheirOrder() {
      let tree = Tree()
      for name in ["b", "a"] {
        tree.directory(name)
        tree.file("\(name)/2")
        tree.file("\(name)/1")
      }
      let single = tree.file("single"), missing = tree.root / "missing"
      let link = tree.link("link", to: "a")
      let processor = Processor(jobs: 2, batchSize: 2)
      #expect(
        processor.run(tree.root / "b", single, missing, tree.root / "a/", link, single) == 0)
      #expect(
        processor.paths == [
          tree.root / "b/1", tree.root / "b/2", single, missing, tree.root / "a/1",
          tree.root / "a/2", link / "1", link / "2", single,
        ])
      #expect(
        processor.results.map(\.named) == [
          false, false, true, true, false, false, false, false, true,
        ])
      #expect(processor.run([]) == 0 && processor.results.isEmpty)
    }

    @Test func theTypeOfANamedFileDecidesItsOutcome() {
      let tree = Tree()
      let plain = tree.file("plain", [1, 2, 3])
      let processor = Processor()
      let paths = [
        tree.fifo("fifo"), tree.socket("socket"), Path("/dev/null"), tree.root / "missing",
        tree.link("dangling", to: "nowhere"), tree.link("loop", to: "loop"),
        tree.link("good", to: "plain"), plain, Path(""), plain / "below",
        tree.link("tofifo", to: "fifo"),
      ]
      #expect(processor.run(paths) == 0)
      let results = processor.results
      #expect(results.map(\.path) == paths && results.allSatisfy(\.named))
      #expect(results[0].isSpecial && results[0].type == WEIR_ENTRY_FIFO)
      #expect(results[1].isSpecial && results[1].type == WEIR_ENTRY_SOCKET)
      #expect(results[2].isSpecial && results[2].type == WEIR_ENTRY_CHARACTER_DEVICE)
      for (index, error) in [(3, ENOENT), (4, ENOENT), (5, ELOOP), (8, ENOENT), (9, ENOTDIR)] {
        #expect(results[index].hasFailed(with: error), "\(paths[index].shown)")
      }
      #expect(results[6].isDone && results[7].isDone && results[6].bytes == 3)
      #expect(results[10].isSpecial && results[10].type == WEIR_ENTRY_FIFO)
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func theTypeOfAFileInAWalkDecidesItsOutcome(jobs: UInt) {
      let tree = Tree()
      for name in ["a", "d", "f"] { tree.file(name, [7]) }
      tree.fifo("b")
      tree.link("c", to: "a")
      tree.socket("e")
      tree.link("g", to: "nowhere")
      let plain = Processor(jobs: jobs)
      #expect(plain.run(tree.root) == 0)
      #expect(plain.paths.map { $0.last! } == Array("abdef".utf8))
      #expect(plain.results[1].isSpecial && plain.results[3].isSpecial)
      #expect(plain.statistics.links == 2 && plain.statistics.special == 2)
      let following = Processor(jobs: jobs, flags: WEIR_FILES_FOLLOW.rawValue)
      #expect(following.run(tree.root) == 0)
      #expect(following.paths.map { $0.last! } == Array("abcdefg".utf8))
      #expect(following.results[2].isDone && following.results[6].hasFailed(with: ENOENT))
      #expect(following.statistics.links == 0 && following.statistics.failed == 1)
    }

    @Test(arguments: widths)
    func anErrorOfAJobFailsItsFileAndDropsTheOutput(jobs: UInt) {
      let tree = Tree()
      for number in 0..<50 { tree.file("f\(100 + number)", [UInt8](repeating: 1, count: number)) }
      let processor = Processor(jobs: jobs, batchSize: 7) { file in
        file.write(Array("a line of \(file.size)\n".utf8))
        return file.size % 3 == 0 ? EBADMSG : 0
      }
      #expect(processor.run(tree.root) == 0)
      for (number, result) in processor.results.enumerated() {
        #expect(
          number % 3 == 0
            ? result.hasFailed(with: EBADMSG)
            : result.isDone && result.output == Array("a line of \(number)\n".utf8))
      }
      #expect(processor.results.count == 50 && processor.torn.ever == 0)
      #expect(processor.statistics.failed == 17 && processor.statistics.files == 33)
    }

    /// A path may lead to another file than the walk has found there.
    ///
    /// With inline lanes the order is known: the job of the first file replaces the others.
    @Test func aFileReplacedBetweenWalkAndOpenIsClassifiedAgain() {
      let tree = Tree()
      for name in ["0", "1gone", "2fifo", "3link", "4dir", "5"] { tree.file(name, [1]) }
      let processor = Processor(jobs: LaneSet.inline) { file in
        guard file.path.last == UInt8(ascii: "0") else { return 0 }
        for name in ["1gone", "2fifo", "3link", "4dir"] {
          _ = (tree.root / name).c { unlink($0) }
        }
        tree.fifo("2fifo")
        tree.link("3link", to: "5")
        tree.directory("4dir")
        return 0
      }
      #expect(processor.run(tree.root) == 0)
      let results = processor.results
      #expect(results.count == 6 && results[0].isDone && results[5].isDone)
      #expect(results[1].hasFailed(with: ENOENT))
      #expect(results[2].isSpecial && results[2].type == WEIR_ENTRY_FIFO)
      #expect(results[3].hasFailed(with: ELOOP))
      #expect(results[4].hasFailed(with: EISDIR))
      #expect(processor.statistics.failed == 3 && processor.statistics.files == 2)
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func unreadableDirectoriesAreDeliveredInTheirPlace(jobs: UInt) {
      let tree = Tree()
      tree.file("a")
      tree.directory("b")
      tree.link("b/up", to: "..")
      tree.file("c")
      let processor = Processor(jobs: jobs, batchSize: 1, flags: WEIR_FILES_FOLLOW.rawValue)
      #expect(processor.run(tree.root) == 0)
      #expect(processor.paths == [tree.root / "a", tree.root / "b/up", tree.root / "c"])
      #expect(processor.results[1].hasFailed(with: ELOOP))
      #expect(processor.results[1].type == WEIR_ENTRY_DIRECTORY)
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func excludedFilesAreSkipped(jobs: UInt) {
      let tree = Tree()
      for name in ["a", "b", "c", "d"] { tree.file(name, [1, 2]) }
      let excluded = ["b", "d"].map { statusOf(tree.root / $0) }
      let processor = Processor(jobs: jobs, batchSize: 2, exclude: excluded)
      #expect(processor.run(tree.root) == 0)
      #expect(processor.paths == [tree.root / "a", tree.root / "c"])
      #expect(processor.statistics.excluded == 2 && processor.statistics.files == 2)
    }

    @Test(arguments: [LaneSet.inline, 3] as [UInt])
    func aProcessorCanRunAgain(jobs: UInt) {
      var random = Random("again")
      let tree = Tree(), other = Tree()
      tree.fill(&random, entries: 80, filesUpTo: 500)
      other.file("only", [1])
      let processor = Processor(jobs: jobs, batchSize: 4)
      #expect(processor.run(tree.root) == 0)
      let first = processor.results, statistics = processor.statistics
      #expect(processor.run(other.root) == 0 && processor.results.count == 1)
      #expect(processor.statistics.files == 1 && processor.statistics.bytes == 1)
      #expect(processor.statistics.directories == 1 && processor.statistics.links == 0)
      #expect(processor.run(tree.root) == 0 && processor.results == first)
      #expect(
        processor.statistics.files == statistics.files
          && processor.statistics.bytes == statistics.bytes)
      #expect(processor.statistics.links == statistics.links)
      #expect(processor.lanes.created.count == (jobs == 3 ? 3 : 1))
    }

    @Test func laneContextsAreDestroyedWithTheProcessor() {
      var processor: Processor? = Processor(jobs: 4)
      let lanes = processor!.lanes
      processor!.run(Path("/dev/null"))
      #expect(lanes.created.sorted() == [0, 1, 2, 3])
      processor = nil
      #expect(eventually { lanes.timesDestroyed == [1, 1, 1, 1] })
    }

    @Test func oneRunAtATime() {
      let tree = Tree()
      let path = tree.file("f")
      let answer = Locked<Int32>(0), itself = Locked<Processor?>(nil)
      let processor = Processor(jobs: 2) { _ in
        let error = weir_files_run(itself.now!.raw, [], 0)
        answer.with { $0 = error }
        return 0
      }
      itself.with { $0 = processor }
      #expect(processor.run(path) == 0 && answer.now == EBUSY)
      #expect(processor.results.count == 1 && processor.run(path) == 0)
      itself.with { $0 = nil }
    }

    @Test func invalidOptionsAndSourcesAreRefused() {
      var options = weir_files_options_t()
      errno = 0
      #expect(weir_files_create(&options) == nil && errno == EINVAL)
      options.job = { _, _, _ in 0 }
      options.jobs = 201
      errno = 0
      #expect(weir_files_create(&options) == nil && errno == EINVAL)
      let processor = Processor()
      let source = "x".withCString {
        var source = weir_files_source_t()
        source.kind = .init(9)
        source.path = $0
        return source
      }
      #expect(processor.run(sources: [source]) == EINVAL)
      #expect(processor.run(Path("/dev/null")) == 0)
    }
  }

  /// The calls that a job makes on its file.
  @Suite struct FileJobTests {
    @Test func aJobSeesItsFile() {
      let tree = Tree()
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
      let path = tree.file("big", bytes)
      let seen = Locked<[UInt8]>([]), fits = Locked(true)
      let processor = Processor(jobs: 1) { file in
        let start = lseek(file.descriptor, 0, SEEK_CUR)
        fits.with { $0 = file.path == path && file.size == bytes.count && start == 0 }
        while case let (error, piece) = file.piece(), error == 0, !piece.isEmpty {
          fits.with { $0 = $0 && piece.count <= 1 << 20 }
          seen.with { $0 += piece }
        }
        return file.piece().bytes.isEmpty ? 0 : EIO
      }
      #expect(processor.run(path) == 0 && seen.now == bytes && fits.now)
      #expect(
        processor.results[0].bytes == bytes.count && processor.statistics.bytes == bytes.count)
    }

    @Test func outputIsReservedAndCommittedInPieces() {
      let tree = Tree()
      for number in 0..<20 { tree.file("f\(10 + number)") }
      let processor = Processor(jobs: 2, batchSize: 6) { file in
        for size in [0, 1, 10, 5000, 3] {
          guard let room = weir_file_reserve(file.raw, size + 100) else { return ENOMEM }
          memset(room, Int32(file.path.last!), size)
          weir_file_commit(file.raw, size)
        }
        return 0
      }
      #expect(processor.run(tree.root) == 0 && processor.torn.ever == 0)
      for result in processor.results {
        #expect(result.output == [UInt8](repeating: result.path.last!, count: 5014))
      }
    }

    @Test func anImpossibleSizeOfOutputIsRefused() {
      let tree = Tree()
      tree.file("f")
      let processor = Processor(jobs: 1) { file in
        guard file.write([1, 2, 3]) == 0 else { return EIO }
        for size in [Int.max, Int.max - 2, -1, -50] where weir_file_reserve(file.raw, size) != nil {
          return EFBIG
        }
        return 0
      }
      #expect(processor.run(tree.root) == 0)
      #expect(processor.results.map(\.output) == [[1, 2, 3]])
    }

    @Test func aDescriptorIsReadFromItsOffsetAndNotClosed() {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let writer = ends[1]
      startThread {
        for _ in 0..<100 { _ = write(writer, [UInt8](repeating: 9, count: 5000), 5000) }
        close(writer)
      }
      let processor = Processor()
      #expect(processor.run(descriptor: ends[0], name: "the pipe") == 0)
      let expected = summary(of: [UInt8](repeating: 9, count: 500_000))
      #expect(processor.output == expected && processor.results[0].type == WEIR_ENTRY_FIFO)
      #expect(processor.results[0].path == Path("the pipe") && processor.results[0].named)
      #expect(fcntl(ends[0], F_GETFD) >= 0)
      close(ends[0])
      #expect(processor.run(descriptor: -1, name: "none") == 0)
      #expect(processor.results[0].hasFailed(with: EBADF))
      let tree = Tree()
      let file = tree.file("f", [1, 2, 3, 4]).c { open($0, O_RDONLY) }
      lseek(file, 3, SEEK_SET)
      #expect(processor.run(descriptor: file, name: "f") == 0)
      #expect(processor.output == summary(of: [4]))
      close(file)
    }
  }
}

// weir/files.h: every file once, in order whatever the number of lanes, within
// the descriptors that are allowed; errors in their places; runs that stop.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  static let widths = [LaneSet.inline, 1, 2, 16] as [UInt]

  @Suite struct FilesTests {
    @Test(arguments: widths, [1, 2, 64])
    func everyFileIsDeliveredOnceInTheOrderOfTheWalk(jobs: UInt, stride: Int) async throws {
      try await onThread {
        var random = Random("every file")
        let tree = Tree()
        tree.fill(&random, entries: 300, filesUpTo: 500)
        let files = try filesBelow(tree.root)
        let processor = Processor(jobs: jobs, stride: stride)
        #expect(processor.run(tree.root) == 0)
        #expect(processor.paths == files)
        #expect(processor.output == files.flatMap { summary(of: contents(of: $0)) })
        #expect(
          processor.results.allSatisfy { $0.isDone && !$0.named && $0.type == WEIR_ENTRY_FILE })
        #expect(processor.batches.allSatisfy { 1...stride ~= $0.count })
        #expect(processor.delivering.most <= 1 && processor.torn.ever == 0)
        #expect(processor.working.ever == files.count)
        #expect(jobs > 200 ? processor.working.most <= 1 : processor.working.most <= jobs)
      }
    }

    @Test(arguments: widths)
    func unorderedDeliversTheSameOneAtATime(jobs: UInt) async throws {
      try await onThread {
        var random = Random("unordered")
        let tree = Tree()
        tree.fill(&random, entries: 300, filesUpTo: 100)
        let processor = Processor(jobs: jobs, stride: 3, flags: WEIR_FILES_UNORDERED.rawValue)
        #expect(processor.run(tree.root) == 0)
        let files = try filesBelow(tree.root)
        #expect(processor.paths.sorted(by: precedes) == files)
        #expect(processor.delivering.most <= 1 && processor.torn.ever == 0)
      }
    }

    /// Strides are split where files are big.
    @Test(arguments: widths, [1, 5, 64])
    func bigFilesAmongSmallOnesChangeNothing(jobs: UInt, stride: Int) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<60 {
          let size = number % 7 == 3 ? (1 << 20) + number : number * 10
          tree.file("f\(100 + number)", [UInt8](repeating: UInt8(number), count: size))
        }
        let processor = Processor(jobs: jobs, stride: stride) { file in
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
    }

    @Test func sourcesAreProcessedInTheirOrder() async throws {
      try await onThread {
        let tree = Tree()
        for name in ["b", "a"] {
          tree.directory(name)
          tree.file("\(name)/2")
          tree.file("\(name)/1")
        }
        let single = tree.file("single"), missing = tree.root / "missing"
        let link = tree.link("link", to: "a")
        let processor = Processor(jobs: 2, stride: 2)
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
    }

    @Test func whatANamedThingIsDecidesWhatBecomesOfIt() async throws {
      try await onThread {
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
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func whatAWalkFindsIsSortedOut(jobs: UInt) async throws {
      try await onThread {
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
    }

    @Test(arguments: widths)
    func aJobsErrorIsTheFilesAndItsOutputIsDropped(jobs: UInt) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<50 { tree.file("f\(100 + number)", [UInt8](repeating: 1, count: number)) }
        let processor = Processor(jobs: jobs, stride: 7) { file in
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
    }

    /// What a path leads to may have changed since the walk saw it.
    ///
    /// On the caller's thread the order is known: the first file's job does it.
    @Test func whatHappensBetweenTheWalkAndTheOpening() async throws {
      try await onThread {
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
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func directoriesThatCannotBeReadComeInTheirPlace(jobs: UInt) async throws {
      try await onThread {
        let tree = Tree()
        tree.file("a")
        tree.directory("b")
        tree.link("b/up", to: "..")
        tree.file("c")
        let processor = Processor(jobs: jobs, stride: 1, flags: WEIR_FILES_FOLLOW.rawValue)
        #expect(processor.run(tree.root) == 0)
        #expect(processor.paths == [tree.root / "a", tree.root / "b/up", tree.root / "c"])
        #expect(processor.results[1].hasFailed(with: ELOOP))
        #expect(processor.results[1].type == WEIR_ENTRY_DIRECTORY)
      }
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func filesThatAreExcludedArePassedOver(jobs: UInt) async throws {
      try await onThread {
        let tree = Tree()
        for name in ["a", "b", "c", "d"] { tree.file(name, [1, 2]) }
        let excluded = ["b", "d"].map { statusOf(tree.root / $0) }
        let processor = Processor(jobs: jobs, stride: 2, exclude: excluded)
        #expect(processor.run(tree.root) == 0)
        #expect(processor.paths == [tree.root / "a", tree.root / "c"])
        #expect(processor.statistics.excluded == 2 && processor.statistics.files == 2)
      }
    }

    @Test(arguments: [LaneSet.inline, 3] as [UInt])
    func theSameProcessorCanRunAgain(jobs: UInt) async throws {
      try await onThread {
        var random = Random("again")
        let tree = Tree(), other = Tree()
        tree.fill(&random, entries: 80, filesUpTo: 500)
        other.file("only", [1])
        let processor = Processor(jobs: jobs, stride: 4)
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
    }

    @Test func contextsOfLanesEndWithTheProcessor() async throws {
      try await onThread {
        var processor: Processor? = Processor(jobs: 4)
        let lanes = processor!.lanes
        processor!.run(Path("/dev/null"))
        #expect(lanes.created.sorted() == [0, 1, 2, 3])
        processor = nil
        #expect(eventually { lanes.timesDestroyed == [1, 1, 1, 1] })
      }
    }

    @Test func oneRunAtATime() async throws {
      try await onThread {
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
    }

    @Test func whatIsNotUnderstoodIsRefused() async throws {
      try await onThread {
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
  }

  /// What a job can ask of its file.
  @Suite struct FileJobTests {
    @Test func aJobSeesItsFile() async throws {
      try await onThread {
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
    }

    @Test func outputIsReservedAndCommittedInPieces() async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<20 { tree.file("f\(10 + number)") }
        let processor = Processor(jobs: 2, stride: 6) { file in
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
    }

    @Test func whatDoesNotFitIsRefused() async throws {
      try await onThread {
        let tree = Tree()
        tree.file("f")
        let processor = Processor(jobs: 1) { file in
          guard file.write([1, 2, 3]) == 0 else { return EIO }
          for size in [Int.max, Int.max - 2, -1, -50] where weir_file_reserve(file.raw, size) != nil
          {
            return EFBIG
          }
          return 0
        }
        #expect(processor.run(tree.root) == 0)
        #expect(processor.results.map(\.output) == [[1, 2, 3]])
      }
    }

    @Test func aDescriptorIsReadFromWhereItStandsAndNotClosed() async throws {
      try await onThread {
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

  /// Runs that end early.
  @Suite struct FilesStopTests {
    @Test(arguments: widths, [1, 5, 64])
    func whatIsDeliveredAfterACancelIsABeginning(jobs: UInt, stride: Int) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<200 { tree.file("f\(1000 + number)", [1]) }
        let files = try filesBelow(tree.root)
        for stop in [1, 2, 37, 150] {
          let done = Meter(), itself = Locked<Processor?>(nil)
          let processor = Processor(jobs: jobs, stride: stride) { _ in
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
    }

    /// The first file's job waits until later ones are done, and then cancels:
    /// between it and them there is one that nobody has read.
    @Test func nothingIsDeliveredBehindAGap() async throws {
      try await onThread {
        let tree = Tree(), others = Latch(4), itself = Locked<Processor?>(nil)
        for number in 0..<40 { tree.file("f\(100 + number)") }
        let first = tree.root / "f100"
        let processor = Processor(jobs: 2, stride: 2) { file in
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
    }

    /// Others are done when the first is delivered, and it is refused.
    @Test func nothingIsDeliveredAfterAnError() async throws {
      try await onThread {
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
        let processor = Processor(jobs: 2, stride: 1, job: job, deliver: refuse)
        #expect(processor.run(tree.root) == ENOSPC)
        #expect(calls.ever == 1 && processor.paths == [first])
      }
    }

    @Test func aCancelWithoutARunDoesNothing() async throws {
      try await onThread {
        let tree = Tree()
        let path = tree.file("f")
        let processor = Processor()
        processor.cancel()
        #expect(processor.run(path) == 0 && processor.results.count == 1)
        processor.cancel()
        #expect(processor.run(path) == 0 && processor.results.count == 1)
      }
    }

    /// They are somebody else's, who does not give them back before the run has
    /// ended.
    @Test(arguments: [1, 2, 5])
    func aRunThatIsCancelledWaitsForNoDescriptors(others: Int) async {
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

    /// The delivery takes what there is, and refuses when the next stride waits.
    @Test func anErrorOfTheDeliveryEndsTheWaitForDescriptors() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree(), budget = Gate(raw: weir_descriptor_gate())
        for number in 0..<9 { tree.file("\(number)") }
        #expect(weir_descriptor_set_budget(2) == 0)
        let hasTaken = Latch(1), asked = Meter(), ended = Locked<Int32?>(nil)
        let processor = Processor(
          jobs: 1, stride: 1,
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

    @Test(arguments: widths)
    func beforeEachStrideTheCallerIsAsked(jobs: UInt) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<100 { tree.file("f\(100 + number)") }
        let asked = Meter()
        let processor = Processor(
          jobs: jobs, stride: 5,
          admit: {
            asked.enter()
            return asked.ever == 8 ? ENOSPC : 0
          })
        let files = try filesBelow(tree.root)
        #expect(processor.run(tree.root) == ENOSPC && asked.ever == 8)
        #expect(processor.paths == Array(files.prefix(processor.results.count)))
        #expect(processor.results.count <= 35 && processor.working.ever <= 35)
        #expect(processor.run(tree.root) == 0 && asked.ever == 8 + 20)
        #expect(processor.paths == files)
      }
    }

    /// Who is waited for there may need every descriptor that Weir has.
    @Test(arguments: widths, [1, 4])
    func descriptorsComeBackWhileTheCallerIsAsked(jobs: UInt, budget: Int) async {
      await #expect(processExitsWith: .success) { [jobs, budget] in
        let tree = Tree(), gate = Gate(raw: weir_descriptor_gate())
        for number in 0..<50 { tree.file("\(number)") }
        #expect(weir_descriptor_set_budget(budget) == 0)
        let processor = Processor(
          jobs: jobs, stride: 1,
          admit: {
            guard gate.wait(budget, after(milliseconds: 30_000)) == 0 else { return ETIMEDOUT }
            gate.signal(budget)
            return 0
          })
        #expect(processor.run(tree.root) == 0 && processor.results.count == 50)
        #expect(gate.stats.in_use == 0)
      }
    }

    @Test(arguments: widths, [0, WEIR_FILES_UNORDERED.rawValue])
    func anErrorOfTheDeliveryEndsTheRun(jobs: UInt, flags: UInt32) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<300 { tree.file("f\(1000 + number)") }
        let calls = Meter()
        let processor = Processor(
          jobs: jobs, stride: 3, flags: flags,
          deliver: { _ in
            calls.enter()
            return calls.ever == 4 ? ENOSPC : 0
          })
        #expect(processor.run(tree.root) == ENOSPC)
        #expect(calls.ever == 4 && processor.working.ever < 300)
        #expect(processor.run(tree.root / "f1000") == 0)
      }
    }
  }

  /// The figures and the descriptors, each in a process of its own.
  @Suite struct FilesLimitsTests {
    @Test(arguments: widths)
    func theFiguresAddUp(jobs: UInt) async throws {
      try await onThread {
        var random = Random("statistics \(jobs)")
        let tree = Tree()
        tree.fill(&random, entries: 400, filesUpTo: 200)
        tree.fifo("some fifo")
        let found = try find(tree.root)
        let processor = Processor(jobs: jobs, stride: 5) { file in
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
    }

    @Test func thePeakOfTheLanesIsThisRuns() async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<8 { tree.file("f\(number)") }
        let together = Latch(4)
        let processor = Processor(jobs: 4, stride: 1) { _ in
          together.arriveAndWait()
          return 0
        }
        #expect(processor.run(tree.root) == 0 && processor.statistics.lanes_peak == 4)
        #expect(processor.run(tree.root / "f1") == 0 && processor.statistics.lanes_peak == 1)
      }
    }

    /// Seen from inside: what is open below the root, while jobs run.
    @Test(arguments: [1, 2, 3, 5])
    func noMoreDescriptorsAreOpenThanAllowed(descriptors: Int) async {
      await #expect(processExitsWith: .success) { [descriptors] in
        let tree = Tree()
        for name in ["a", "b", "c"] {
          tree.directory(name)
          for number in 0..<40 { tree.file("\(name)/\(number)", [1, 2, 3]) }
        }
        let most = Locked(0)
        let processor = Processor(jobs: 4, stride: 10, descriptors: descriptors) { file in
          let open = openDescriptors(below: tree.root.shown)
          most.with { $0 = max($0, open.walk > 1 ? 1000 : open.lanes) }
          return file.summarize()
        }
        #expect(processor.run(tree.root) == 0 && processor.results.allSatisfy(\.isDone))
        #expect(processor.results.count == 120)
        #expect(most.now >= 1 && most.now <= descriptors)
        #expect(processor.statistics.descriptors_peak <= descriptors)
        #expect(openDescriptors(below: tree.root.shown) == (0, 0))
      }
    }

    /// So many more than are open in the beginning, which are not the same with
    /// every way of running the tests.
    @Test(arguments: [4, 8, 12, 24])
    func aSmallLimitOfTheProcessIsEnough(more: Int) async {
      await #expect(processExitsWith: .success) { [more] in
        let limit = Int(openDescriptorNumbers().max() ?? 2) + 1 + more
        var random = Random("small limit")
        let tree = Tree()
        tree.fill(&random, entries: 200, filesUpTo: 100)
        let files = try! filesBelow(tree.root)
        #expect(setDescriptorLimit(limit))
        let budget = weir_descriptor_budget(), most = Locked(0)
        let processor = Processor(jobs: 16, stride: 4) { file in
          let open = openDescriptors(below: tree.root.shown)
          most.with { $0 = max($0, open.walk > 1 ? 1000 : open.lanes) }
          return file.summarize()
        }
        #expect(processor.run(tree.root) == 0)
        #expect(processor.paths == files && processor.results.allSatisfy(\.isDone))
        #expect(most.now <= budget && processor.statistics.descriptors_peak <= budget)
        _ = setDescriptorLimit(256) /* for the removal of the tree */
      }
    }

    /// Though the job that runs it holds a permit, and others the rest.
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

    @Test func everyPermitComesBack() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        for number in 0..<100 { tree.file("\(number)", [1]) }
        let count = Meter()
        for jobs in widths {
          for stop in [0, 1, 20] {
            let itself = Locked<Processor?>(nil)
            let processor = Processor(jobs: jobs, stride: 3, descriptors: 4) { file in
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

/// The regular files below a root, in the order of the walk.
func filesBelow(_ root: Path) throws -> [Path] {
  try find(root, ["-type", "f"]).map(\.path).sorted(by: precedes)
}

private func sizeOf(_ path: Path) -> Int { Int(statusOf(path).st_size) }

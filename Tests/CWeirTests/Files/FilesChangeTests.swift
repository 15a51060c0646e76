// weir/files.h: a file that changes while it is read is reported as changed, and an unchanged one
// is not, however young it is; errors of reading are reported.
// swift-format-ignore-file: NeverForceUnwrap
import CTestSupport
import CWeir
import Glibc
import TestSupport
import Testing

/// An act of another program on a file while it is read.
enum Meddling: CaseIterable, Sendable {
  case rewrite, rewriteKeepingTime, append, truncate, empty
  case remove, replace
  case chmod, nameMore, readToo
  /// The two that leave the status of a file that only got another mode, or name.
  case rewriteAndChmod, rewriteAndName

  /// True if the outcome of the file is a change. Another mode or name cannot be told from a write.
  var isChange: Bool { self != .readToo }
  var isRemoval: Bool { self == .remove || self == .replace }

  func act(on path: Path) {
    var status = stat()
    _ = path.c { stat($0, &status) }
    let file = path.c { open($0, O_RDWR) }
    defer { close(file) }
    switch self {
    case .rewrite: pwrite(file, "!", 1, 0)
    case .rewriteKeepingTime:
      pwrite(file, "!", 1, 0)
      futimens(file, [status.st_atim, status.st_mtim])
    case .append: pwrite(file, "!", 1, status.st_size)
    case .truncate: ftruncate(file, status.st_size / 2)
    case .empty: ftruncate(file, 0)
    case .remove: _ = path.c { unlink($0) }
    case .replace:
      let other = path + Array(".new".utf8)
      close(other.c { open($0, O_WRONLY | O_CREAT, 0o644) })
      _ = path.c { path in other.c { rename($0, path) } }
    case .chmod: fchmod(file, 0o600)
    case .nameMore: _ = path.c { old in (path + Array(".more".utf8)).c { link(old, $0) } }
    case .readToo: _ = contents(of: path)
    case .rewriteAndChmod:
      Meddling.rewriteKeepingTime.act(on: path)
      Meddling.chmod.act(on: path)
    case .rewriteAndName:
      Meddling.rewriteKeepingTime.act(on: path)
      Meddling.nameMore.act(on: path)
    }
  }
}

/// How a job reads before the file changes.
enum FirstRead: CaseIterable, Sendable {
  case piece, descriptor, part, partOpenedLate

  func read(_ file: OpenFile) -> Int32 {
    var byte: UInt8 = 0
    switch self {
    case .piece: return file.piece().error
    case .descriptor: return Glibc.read(file.descriptor, &byte, 1) == 1 ? 0 : EIO
    case .part, .partOpenedLate: return file.part(at: 0, 100).error
    }
  }
}

extension CWeirFilesTests {
  @Suite struct FilesChangeTests {
    static let big = [UInt8](repeating: 7, count: 2_500_000)

    /// Between two pieces of a file that takes several; or after the job has read some bytes by
    /// itself, or at an offset, and reads no more.
    @Test(arguments: Meddling.allCases, FirstRead.allCases)
    func aChangeDuringTheReadIsReported(meddling: Meddling, first: FirstRead) {
      for jobs in first == .piece ? [LaneSet.inline, 3] : [1] {
        let tree = Tree()
        let paths = (10..<22).map { tree.file("f\($0)", FilesChangeTests.big) }
        let flags = first == .partOpenedLate ? WEIR_FILES_OPEN_LATE.rawValue : 0
        let processor = Processor(jobs: jobs, batchSize: 4, flags: flags) { file in
          let error = first.read(file)
          meddling.act(on: file.path)
          return error != 0 ? error : first == .piece ? file.measure() : file.write([1])
        }
        #expect(processor.run(paths) == 0 && processor.torn.ever == 0)
        #expect(processor.paths == paths)
        for result in processor.results {
          #expect(
            meddling.isChange
              ? result.hasChanged(removed: meddling.isRemoval) : result.isDone && result.size > 0,
            "\(meddling): \(result.outcome) \(result.error)")
        }
        let changed = meddling.isChange ? UInt64(paths.count) : 0
        #expect(processor.statistics.changed == changed && processor.statistics.failed == 0)
        #expect(processor.statistics.files == UInt64(paths.count) - changed)
      }
    }

    /// A file without a known type is read first where its descriptor stays. If the descriptor
    /// cannot be moved then, the next bytes would be the wrong ones.
    @Test func aSeekThatFailsIsAnErrorAndNoOtherContent() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        let path = tree.file("f", FilesChangeTests.big)
        letFilesAge()
        #expect(test_refuse_calls(test_call_lseek, EIO) == 0)
        let lent = Meter()
        let reading = Processor(jobs: 1)
        let lending = Processor(jobs: 1) { file in
          let error = file.piece().error
          if error != 0 { return error }
          if file.descriptor >= 0 { lent.enter() }
          return file.piece().error
        }
        for processor in [reading, lending] {
          #expect(processor.run(items: [.file(path)]) == 0)
          #expect(processor.results.map { $0.hasFailed(with: EIO) } == [true])
        }
        #expect(lent.ever == 0)
      }
    }

    /// A stat that fails does not show that a file without names was removed.
    @Test func aStatThatFailsIsAnErrorAndNoRemoval() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        let path = tree.file("f", FilesChangeTests.big)
        let processor = Processor(jobs: 1) { file in
          let error = file.summarize()
          _ = path.c { unlink($0) }
          // Of the calls of stat, only those by a path have no flags.
          #expect(test_refuse_calls_with(test_call_fstatat, 3, 0, EIO) == 0)
          return error
        }
        #expect(processor.run(path) == 0)
        #expect(processor.results.map { $0.hasFailed(with: EIO) } == [true])
      }
    }
  }

  /// Files that do not change.
  @Suite struct FilesUnchangedTests {
    /// They are read in the tick in which they were written.
    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func filesThatWereJustWrittenAreDone(jobs: UInt) {
      for round in 0..<10 {
        let tree = Tree()
        let sizes = [0, 1, 5000, (1 << 20) + 5]
        let paths = sizes.map {
          tree.file("f\($0)", [UInt8](repeating: UInt8(round), count: $0))
        }
        let processor = Processor(jobs: jobs)
        #expect(processor.run(paths) == 0)
        #expect(processor.results.allSatisfy { $0.isDone })
        #expect(processor.output == paths.flatMap { summary(of: contents(of: $0)) })
        #expect(processor.results.map { Int($0.size) } == sizes)
      }
    }

    /// They are a few milliseconds old.
    @Test func unchangedFilesAreReadOnce() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        for number in 0..<200 { tree.file("f\(number)", [UInt8](repeating: 1, count: 1000)) }
        let future = timespec(tv_sec: 4_000_000_000, tv_nsec: 0)
        _ = (tree.root / "f0").c { utimensat(AT_FDCWD, $0, [future, future], 0) }
        letFilesAge()
        let processor = Processor(jobs: 2)
        let before = bytesReadByProcess()
        #expect(processor.run(tree.root) == 0)
        let read = bytesReadByProcess() - before
        #expect((200_000..<201_000).contains(read), "\(read)")
        #expect(processor.results.allSatisfy(\.isDone) && processor.results.count == 200)
        #expect(
          processor.statistics.bytes == 200_000 && processor.statistics.bytes_expected == 200_000)
        #expect(processor.statistics.opened == 200)
      }
    }

    /// Files of /proc: their sizes say nothing, and they differ from one read to the next.
    @Test func filesOfProcAreDone() {
      let processor = Processor(jobs: 2)
      let paths = [
        "/proc/self/status", "/proc/version", "/proc/sys/kernel/random/uuid", "/proc/uptime",
        "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/self/stat",
      ].map { Path(Array($0.utf8)) }.filter { $0.c { access($0, R_OK) } == 0 }
      #expect(processor.run(paths) == 0 && paths.count >= 4)
      #expect(processor.results.allSatisfy { $0.isDone && !$0.output.isEmpty })
      #expect(processor.run(Path("/proc/sys/kernel/random")) == 0)
      #expect(processor.statistics.changed == 0 && processor.statistics.files > 0)
    }

    /// The path of a temporary file without a name leads to that file.
    @Test func filesWithoutANameAreDone() {
      let tree = Tree()
      let path = tree.file("f", [1, 2, 3])
      let file = path.c { open($0, O_RDWR) }
      _ = path.c { unlink($0) }
      let processor = Processor(jobs: 1)
      #expect(processor.run(Array("/proc/self/fd/\(file)".utf8)) == 0)
      #expect(processor.results[0].isDone && processor.output == summary(of: [1, 2, 3]))
      #expect(processor.run(descriptor: file, name: "f") == 0)
      #expect(processor.results[0].isDone && processor.output == summary(of: [1, 2, 3]))
      close(file)
    }

    @Test func aChangeIsReportedForADescriptorSource() {
      let tree = Tree()
      let path = tree.file("f", FilesChangeTests.big)
      for meddling in Meddling.allCases where meddling != .nameMore {
        tree.file("f", FilesChangeTests.big)
        let file = path.c { open($0, O_RDONLY) }
        let processor = Processor(jobs: 1) { opened in
          let (error, _) = opened.piece()
          meddling.act(on: path)
          return error != 0 ? error : opened.measure()
        }
        #expect(processor.run(descriptor: file, name: "f") == 0)
        let result = processor.results[0]
        // A removed file has another status, and is not reported as removed.
        #expect(meddling.isChange ? result.hasChanged() : result.isDone, "\(meddling)")
        close(file)
      }
    }

    /// The order of a job's calls changes nothing.
    @Test func aJobMayAskInAnyOrder() {
      let tree = Tree()
      let bytes = (0..<2_100_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
      let path = tree.file("f", bytes), small = tree.file("g", [5, 6])
      for order in 0..<6 {
        let processor = Processor(jobs: 1) { file in
          if order == 1 { _ = file.size }
          if order == 2 { _ = file.remembered }
          if order == 3 { _ = file.descriptor }
          if order >= 4 { _ = (file.remembered, order == 4 ? file.size : 0, file.descriptor) }
          let start = order >= 3 ? lseek(file.descriptor, 0, SEEK_CUR) : 0
          let (error, read) = file.whole()
          return error != 0 || start != 0 ? EIO : file.write(summary(of: read))
        }
        for isKnown in [true, false] {  // before it is opened
          let error =
            isKnown
            ? processor.run(path, small) : processor.run(items: [.file(path), .file(small)])
          #expect(error == 0)
          #expect(processor.output == summary(of: bytes) + summary(of: [5, 6]), "\(order)")
          #expect(processor.results.map(\.bytes) == [2_100_000, 2], "\(order)")
        }
      }
    }

    /// Reading ahead takes nothing out of a FIFO.
    @Test func nothingIsReadFromAnItemThatIsNoFile() {
      let tree = Tree()
      let fifo = tree.fifo("fifo")
      let ends = (fifo.c { open($0, O_RDONLY | O_NONBLOCK) }, fifo.c { open($0, O_WRONLY) })
      defer { _ = (close(ends.0), close(ends.1)) }
      #expect(write(ends.1, "12345", 5) == 5)
      let processor = Processor(jobs: 1)
      #expect(processor.run(items: [.file(fifo), .file(tree.root), .file(tree.root / "0")]) == 0)
      #expect(processor.results[0].isSpecial && processor.results[0].type == WEIR_ENTRY_FIFO)
      #expect(processor.results[1].hasFailed(with: EISDIR))
      #expect(processor.results[2].hasFailed(with: ENOENT))
      var bytes = [UInt8](repeating: 0, count: 10)
      #expect(read(ends.0, &bytes, 10) == 5)
    }

    /// The job returns 0 without a call, for files that are not to be read.
    @Test func theOutcomeDoesNotDependOnTheJobAsking() {
      let tree = Tree()
      for name in ["0", "1fifo", "2gone", "3"] { tree.file(name, [1]) }
      let excluded = statusOf(tree.root / "3")
      let processor = Processor(jobs: LaneSet.inline, exclude: [excluded]) { file in
        if file.path.last == UInt8(ascii: "0") {
          _ = (tree.root / "1fifo").c { unlink($0) }
          tree.fifo("1fifo")
        }
        return file.write([1, 2, 3])
      }
      #expect(processor.run(tree.root) == 0 && processor.results.count == 3)
      #expect(processor.results[0].isDone && processor.results[2].isDone)
      #expect(processor.results[1].isSpecial && processor.results[1].type == WEIR_ENTRY_FIFO)
      #expect(processor.statistics.excluded == 1 && processor.statistics.special == 1)
    }
  }

  /// Errors of reading.
  @Suite struct FilesReadErrorTests {
    /// The memory of this process is a file with holes: reading fails there.
    @Test func anErrorInTheMiddleFailsTheFile() {
      let length = 3 << 20
      let memory = mmap(nil, length * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)!
      munmap(memory + length, length)
      defer { munmap(memory, length) }
      let file = open("/proc/self/mem", O_RDONLY)
      defer { close(file) }
      lseek(file, Int(bitPattern: memory), SEEK_SET)
      let pieces = Meter()
      let processor = Processor(jobs: 1) { opened in
        while true {
          let (error, bytes) = opened.piece()
          if error != 0 || bytes.isEmpty { return error }
          pieces.enter()
          opened.write(bytes)
        }
      }
      #expect(processor.run(descriptor: file, name: "memory") == 0)
      #expect(processor.results[0].hasFailed(with: EIO) && pieces.ever == 3)
      #expect(processor.statistics.failed == 1 && processor.statistics.files == 0)
      #expect(processor.run(Path("/proc/self/mem")) == 0)
      #expect(processor.results[0].hasFailed(with: EIO))
    }
  }
}

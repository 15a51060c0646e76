// weir/files.h: WEIR_FILES_OPEN_LATE opens a file when its job first needs it;
// weir_file_stat_path asks for the status of an unopened file.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

private let late = WEIR_FILES_OPEN_LATE.rawValue

/// The first call of a job on its file.
enum FirstTouch: CaseIterable, Sendable {
  case reading, remembering, taking, asking, askingForPathStatus

  func touch(_ file: OpenFile) -> Int32 {
    switch self {
    case .reading: return file.summarize()
    case .remembering: return file.summarizeOnce()
    case .taking: return file.descriptor < 0 ? EBADF : file.summarize()
    case .asking: return file.size < 0 ? EIO : file.summarize()
    case .askingForPathStatus:
      let (error, status) = file.pathStatus()
      let whole = file.summarize()
      // The file that has this status is the one that is read, if any is.
      return whole != 0 ? whole : status.st_size == file.size ? error : EILSEQ
    }
  }
}

extension CWeirFilesTests {
  @Suite struct FilesOpenLateTests {
    /// The oracle is the same run without the flag.
    @Test(arguments: FirstTouch.allCases, [LaneSet.inline, 16] as [UInt])
    func resultsAreTheSameOpenedLateOrNot(touch: FirstTouch, jobs: UInt) {
      var random = Random("late \(touch) \(jobs)")
      let tree = Tree()
      _ = tree.fillWithNames(&random, files: 25, namesUpTo: 3)
      let excluded = statusOf(tree.file("excluded", [1, 2]))
      let items: [Item] = [
        .path(tree.root), .file(tree.root), .file(tree.fifo("fifo")), .path(tree.root / "fifo"),
        .file(tree.socket("socket")), .file(tree.root / "missing"), .path(tree.root / "excluded"),
        .file(tree.root / "excluded"), .file(tree.link("link", to: "nowhere")),
        .file(tree.link("good", to: "excluded")), .file([]), .file(tree.root + [0]),
        .file(Path("/dev/null")),
      ]
      letFilesAge()
      let runs = [0, WEIR_FILES_FOLLOW.rawValue].map { other in
        [0, late].map { flags in
          let processor = Processor(
            jobs: jobs, batchSize: 1 + random.below(20), flags: flags | other, exclude: [excluded]
          ) { touch.touch($0) }
          #expect(processor.run(items: items) == 0 && processor.torn.ever == 0)
          return (processor.results, processor.statistics)
        }
      }
      for run in runs {
        #expect(difference(run[1].0.map(Came.init), run[0].0.map(Came.init)) == nil)
        let (first, late) = (run[0].1, run[1].1)
        #expect(late.files == first.files && late.failed == first.failed)
        #expect(late.special == first.special && late.excluded == first.excluded)
        #expect(late.bytes == first.bytes && late.linked == first.linked && late.unread == 0)
        #expect(touch == .askingForPathStatus || late.opened == first.opened)
      }
    }

    /// The names lead to no files, which a job that makes no call does not notice.
    @Test(arguments: widths)
    func aJobWithoutACallHasNothingOpened(jobs: UInt) throws {
      let tree = Tree()
      let paths = (0..<200).map { tree.root / "nothing \($0)" }
      let processor = Processor(jobs: jobs, flags: late) { file in
        #expect(weir_file_note(file.raw, nil) == nil)
        return file.write(file.path)
      }
      let watch = try OpenWatch(tree.root)
      #expect(processor.run(items: paths.map { .file($0) }) == 0)
      #expect(processor.results.allSatisfy { $0.isDone && $0.size == 0 && $0.bytes == 0 })
      #expect(processor.output == paths.flatMap { $0 } && processor.paths == paths)
      let statistics = processor.statistics
      #expect(statistics.unread == 200 && statistics.files == 200 && statistics.opened == 0)
      // In a walk, only the directory itself is opened.
      let file = tree.file("there", [1])
      _ = watch.opened()
      #expect(processor.run(tree.root, file) == 0 && processor.paths == [file, file])
      #expect(watch.opened() == [])
      #expect(processor.statistics.unread == 2 && processor.statistics.opened == 0)
    }

    /// The oracles are stat and lstat.
    @Test(arguments: [0, WEIR_FILES_FOLLOW.rawValue], [LaneSet.inline, 2] as [UInt])
    func theStatusOfThePathIsThatOfTheSystem(flags: UInt32, jobs: UInt) throws {
      var random = Random("look \(flags)")
      let tree = Tree()
      tree.fill(&random, entries: 200, filesUpTo: 300)
      let depth = tree.chain([UInt8](repeating: 0x64, count: 200), depth: 30)
      #expect(depth > PATH_MAX)
      let processor = Processor(jobs: jobs, flags: flags | late) { file in
        let (error, status) = file.pathStatus()
        return error != 0 ? error : file.write(seen(status))
      }
      let watch = try OpenWatch(tree.root)
      #expect(processor.run(tree.root) == 0)
      #expect(watch.opened() == [])
      let done = processor.results.filter(\.isDone)
      #expect(done.count > 60 && done.count { $0.path.count > PATH_MAX } >= 5)
      for result in done where result.path.count < PATH_MAX {
        let status = statusOf(result.path)
        #expect(result.output == seen(status) && result.size == UInt64(status.st_size))
      }
      #expect(processor.statistics.unread == done.count && processor.statistics.opened == 0)
    }

    /// The job decides about a path that has no status.
    @Test func aFailedStatReportsWhyAndDecidesNothing() {
      let tree = Tree()
      let file = tree.file("file")
      let errors = Locked<[Int32]>([])
      let processor = Processor(jobs: 1, flags: late) { file in
        let error = file.pathStatus().error
        errors.with { $0.append(error) }
        return 0
      }
      #expect(
        processor.run(items: [
          .file(tree.root / "missing"), .file(file / "below"), .file([]),
          .file(tree.link("loop", to: "loop")), .file(file + [slash]),
        ]) == 0)
      #expect(errors.now == [ENOENT, ENOTDIR, ENOENT, ELOOP, ENOTDIR])
      #expect(processor.results.allSatisfy(\.isDone) && processor.statistics.unread == 5)
    }

    /// The outcome is that of an open, though the job returns 0.
    @Test func aFileWhoseStatusIsNotReadableIsNotOpened() throws {
      let tree = Tree()
      let excluded = tree.file("excluded", [1]), swapped = tree.file("swapped", [1])
      for number in 10..<20 { tree.file("f\(number)", [1]) }
      let modes = Locked<[Path: [mode_t]]>([:])
      let processor = Processor(jobs: 1, flags: late, exclude: [statusOf(excluded)]) { file in
        if file.path.suffix(3) == Array("f10".utf8) {
          _ = swapped.c { unlink($0) }
          tree.link(swapped, to: excluded)
        }
        let first = file.pathStatus(), again = file.pathStatus()
        modes.with { $0[file.path] = [first.status.st_mode, again.status.st_mode] }
        #expect(first.error == 0 && again.error == 0)
        let isPlain = first.status.st_mode & S_IFMT == S_IFREG && file.path != excluded
        #expect((file.piece().error == 0) == isPlain)
        return file.write([1])
      }
      let fifo = tree.fifo("z fifo"), socket = tree.socket("z socket")
      let directory = tree.directory("z directory")
      let watch = try OpenWatch(tree.root)
      #expect(
        processor.run(
          items: [.path(tree.root)] + [fifo, socket, directory].map { .file($0) }) == 0)
      // A walk delivers special files without a job.
      #expect(processor.paths.count == 11 + 2 + 3 && !processor.paths.contains(excluded))
      let last = processor.results.suffix(3)
      #expect(last.map(\.outcome) == [WEIR_FILE_SPECIAL, WEIR_FILE_SPECIAL, WEIR_FILE_FAILED])
      #expect(last.last?.hasFailed(with: EISDIR) == true)
      let link = processor.results.first { $0.path == swapped }
      #expect(link?.hasFailed(with: ELOOP) == true)
      #expect(processor.statistics.excluded == 1 && processor.statistics.opened == 10)
      #expect(Set(watch.opened()) == Set((10..<20).map { Array("f\($0)".utf8) }))
      #expect(
        modes.now.count == 15 && modes.now.values.allSatisfy { $0[0] == $0[1] && $0[0] != 0 })
    }

    /// The path may lead to another file when it is opened.
    @Test func aFileIsClassifiedAgainWhenOpened() {
      let tree = Tree()
      let plain = tree.file("plain", [1, 2, 3])
      let processor = Processor(jobs: 1, flags: late) { file in
        guard file.pathStatus().status.st_size == 3 else { return EIO }
        _ = plain.c { unlink($0) }
        tree.directory(plain)
        return file.summarize() == EISDIR ? 0 : EIO
      }
      #expect(processor.run(items: [.file(plain)]) == 0)
      #expect(processor.results.first?.hasFailed(with: EISDIR) == true)
      #expect(processor.results.first?.type == WEIR_ENTRY_DIRECTORY)
    }

    /// The status that the path had before is not that of a file.
    @Test func afterAFailedOpenThereIsNoDescriptorAndNoStatus() {
      let tree = Tree()
      let plain = tree.file("plain", [1, 2, 3])
      let seen = Locked<[Int]>([])
      let processor = Processor(jobs: 1, flags: late) { file in
        let first = file.pathStatus()
        _ = plain.c { unlink($0) }
        let descriptor = file.descriptor
        let isZero = withUnsafeBytes(of: weir_file_status(file.raw).pointee) { bytes in
          bytes.allSatisfy { $0 == 0 }
        }
        let second = file.pathStatus()
        seen.with {
          $0 = [Int(first.error), first.status.st_size, Int(descriptor)]
          $0 += [isZero ? 0 : 1, Int(second.error)]
        }
        return 0
      }
      #expect(processor.run(items: [.file(plain)]) == 0)
      #expect(seen.now == [0, 3, -1, 0, Int(ENOENT)])
      #expect(processor.results.first?.hasFailed(with: ENOENT) == true)
    }
  }
}

/// The compared part of a result, without the name by which a file with several was read.
private struct Came: Equatable {
  let path: Path
  let outcome: weir_file_outcome_t
  let error: Int32
  let type: weir_entry_type_t
  let size: UInt64
  let output: [UInt8]

  init(_ result: Processor.Result) {
    (path, outcome, error) = (result.path, result.outcome, result.error)
    (type, size, output) = (result.type, result.size, result.output)
  }
}

/// The compared part of a status.
private func seen(_ status: stat) -> [UInt8] {
  let times = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ctim.tv_nsec)"
  return Array(
    "\(status.st_mode) \(status.st_dev) \(status.st_ino) \(status.st_size) \(times)\n".utf8)
}

/// The files that are opened in a directory, by inotify.
final class OpenWatch: Sendable {
  private let descriptor: Int32

  init(_ directory: Path) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK))
    try #require(descriptor >= 0)
    #expect(directory.c { inotify_add_watch(descriptor, $0, UInt32(IN_OPEN)) } >= 0)
  }

  deinit { close(descriptor) }

  func opened() -> [Path] {
    var names: [Path] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while case let got = read(descriptor, &bytes, bytes.count), got > 0 {
      var at = 0
      while at < got {
        let event = bytes.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
        }
        let begin = at + MemoryLayout<inotify_event>.size
        at = begin + Int(event.len)
        if event.mask & UInt32(IN_ISDIR) == 0 {
          names.append(Array(bytes[begin..<at].prefix { $0 != 0 }))
        }
      }
    }
    return names
  }
}

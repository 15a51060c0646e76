// weir/files.h: a directory that becomes a symbolic link during a run leads no file out of its
// tree.
import CTestSupport
import CWeir
import Glibc
import TestSupport
import Testing

/// A tree whose directory `d` a job exchanges for a link to another tree, with files of the same
/// names.
private struct Exchange: Sendable {
  let tree = Tree(), elsewhere = Tree()
  static let names = ["d/e/f1", "d/e/f2", "d/e/f3", "d/g/f4", "d/h"]

  init() {
    for root in [tree, elsewhere] {
      for name in ["d", "d/e", "d/g"] { root.directory(name) }
    }
    tree.file("a")
    for name in Exchange.names {
      tree.file(name, [1])
      elsewhere.file(name, [2, 2])
    }
    letFilesAge()
  }

  var paths: [Path] { Exchange.names.map { tree.root / $0 } }

  func exchange() {
    let directory = tree.root / "d"
    let error = directory.c { from in (tree.root / "z").c { rename(from, $0) } }
    #expect(error == 0)
    tree.link(directory, to: elsewhere.root / "d")
  }

  /// Runs with a job that exchanges the directory when it gets the file at `path`.
  func run(
    at path: Path, batchSize: Int, flags: UInt32, byInode: Bool = false
  ) -> [Path: Processor.Result] {
    let processor = Processor(jobs: LaneSet.inline, batchSize: batchSize, flags: flags) { file in
      if file.path == path { exchange() }
      if flags & WEIR_FILES_OPEN_LATE.rawValue != 0 {
        let error = file.pathStatus().error
        if error != 0 { return error }
      }
      return file.summarize()
    }
    let error = tree.root.withSource(byInode: byInode) { processor.run(sources: [$0]) }
    #expect(error == 0)
    let results = processor.results.filter { $0.type != WEIR_ENTRY_DIRECTORY }
    return Dictionary(uniqueKeysWithValues: results.map { ($0.path, $0) })
  }
}

extension Path {
  /// Calls with the path as a source.
  fileprivate func withSource<T>(byInode: Bool, _ body: (weir_files_source_t) -> T) -> T {
    c { path in
      var source = weir_files_source_t()
      source.path = path
      source.flags = byInode ? WEIR_SOURCE_BY_INODE.rawValue : 0
      return body(source)
    }
  }
}

extension Processor.Result {
  /// True if the file was neither read nor taken for one of another tree.
  fileprivate var isRefused: Bool {
    (hasFailed(with: ELOOP) || hasFailed(with: ENOTDIR)) && bytes == 0 && size <= 1
  }
}

private let flags = [0, WEIR_FILES_OPEN_LATE.rawValue]

/// The directory is exchanged after the walk: every file below it is refused.
private func checkExchangeAfterTheWalk(_ flags: UInt32, byInode: Bool) {
  let files = Exchange()
  let first = files.tree.root / "a"
  let results = files.run(at: first, batchSize: 64, flags: flags, byInode: byInode)
  #expect(results[first]?.isDone == true && results.count == 1 + files.paths.count)
  for path in files.paths {
    // In the order of the inodes some may be read before the exchange.
    let result = results[path]
    let isEarly = byInode && result?.isDone == true && result?.size == 1
    #expect(isEarly || result?.isRefused == true, "\(path.shown)")
  }
}

/// The directory is exchanged when one of its files is read, and each file is a batch.
private func checkExchangeDuringTheWalk(_ flags: UInt32) {
  let files = Exchange()
  let results = files.run(at: files.paths[0], batchSize: 1, flags: flags)
  // A file that is opened late is opened after the exchange.
  let isLate = flags & WEIR_FILES_OPEN_LATE.rawValue != 0
  #expect(isLate || results[files.paths[0]]?.isDone == true)
  for path in files.paths.dropFirst(isLate ? 0 : 1) {
    // The walk has not read all directories yet.
    if let result = results[path] { #expect(result.isRefused, "\(path.shown)") }
  }
  #expect(results[files.paths[2]] != nil)
}

extension CWeirFilesTests {
  @Suite struct FilesBeneathTests {
    @Test(arguments: flags, [false, true])
    func filesBelowADirectoryThatBecameALinkAreRefused(flags: UInt32, byInode: Bool) async throws {
      try await onThread { checkExchangeAfterTheWalk(flags, byInode: byInode) }
    }

    @Test(arguments: flags)
    func batchesAfterADirectoryBecameALinkAreRefused(flags: UInt32) async throws {
      try await onThread { checkExchangeDuringTheWalk(flags) }
    }

    /// The kernel does not have openat2, or a sandbox forbids it.
    @Test(arguments: [ENOSYS, EPERM])
    func theSameHoldsWithoutOpenat2(error: Int32) async {
      await #expect(processExitsWith: .success) { [error] in
        let tree = Tree()
        var random = Random("without openat2")
        tree.fill(&random, entries: 200, filesUpTo: 50)
        _ = tree.chain([UInt8](repeating: 0x64, count: 255), depth: 20)
        let before = Processor(jobs: 2), after = Processor(jobs: 2)
        before.run(tree.root)
        #expect(test_refuse_calls(test_call_openat2, error) == 0)
        after.run(tree.root)
        #expect(after.results == before.results && after.results.allSatisfy(\.isDone))
        for flags in flags {
          for byInode in [false, true] { checkExchangeAfterTheWalk(flags, byInode: byInode) }
          checkExchangeDuringTheWalk(flags)
        }
      }
    }

    /// A directory that a batch has open stays the one that the walk has found.
    @Test func anOpenDirectoryStays() {
      let files = Exchange()
      let results = files.run(at: files.paths[0], batchSize: 64, flags: 0)
      for path in files.paths.prefix(3) {
        #expect(results[path]?.output == summary(of: [1]), "\(path.shown)")
      }
      for path in files.paths.dropFirst(3) { #expect(results[path]?.isRefused == true) }
    }

    /// The target of a link is read below the root too.
    @Test func theTargetOfALinkIsNotReadElsewhere() {
      let files = Exchange()
      files.tree.link("d/e/f9", to: "own")
      files.elsewhere.link("d/e/f9", to: "foreign")
      let results = files.run(
        at: files.paths[0], batchSize: 1, flags: WEIR_FILES_WHOLE_TREE.rawValue)
      #expect(results[files.tree.root / "d/e/f9"]?.isRefused == true)
    }

    /// What the user names may lead through links, as may the files of WEIR_FILES_FOLLOW.
    @Test func linksOfTheRootAreFollowed() {
      let files = Exchange(), names = Tree()
      names.link("l", to: files.tree.root.shown)
      names.directory("n")
      names.link("n/d", to: (files.tree.root / "d").shown)
      for root in [names.root / "l/d", names.root / "l//d/", names.root / "n/d"] {
        let processor = Processor()
        #expect(processor.run(root) == 0)
        #expect(processor.results.allSatisfy(\.isDone) && processor.results.count == 5)
        #expect(processor.results.allSatisfy { $0.output == summary(of: [1]) })
      }
      let following = Processor(flags: WEIR_FILES_FOLLOW.rawValue)
      #expect(following.run(names.root) == 0)
      #expect(following.results.allSatisfy(\.isDone) && following.results.count == 11)
    }

    /// Two descriptors are enough for one lane and for the walk, one after the other.
    @Test func twoDescriptorsAreEnough() async {
      await #expect(processExitsWith: .success) {
        let files = Exchange()
        let taken = takeDescriptors(leaving: 2)
        let results = [1, 64].map {
          files.run(at: files.tree.root / "nowhere", batchSize: $0, flags: 0)
        }
        taken.forEach { close($0) }
        for result in results { #expect(result.count == 6 && result.values.allSatisfy(\.isDone)) }
      }
    }
  }
}

// weir/files.h: WEIR_FILES_WHOLE_TREE delivers directories and links; annotate gives notes during a
// walk.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

private let wholeTree = WEIR_FILES_WHOLE_TREE.rawValue

/// The compared part of a result.
private struct Met: Equatable {
  let path: Path
  let outcome: weir_file_outcome_t
  let type: weir_entry_type_t
  let output: [UInt8]

  init(_ result: Processor.Result) {
    (path, outcome, type) = (result.path, result.outcome, result.type)
    output = result.output
  }

  init(_ path: Path, _ letter: UInt8, output: [UInt8]) {
    self.path = path
    switch letter {
    case UInt8(ascii: "d"): (outcome, type) = (WEIR_FILE_DIRECTORY, WEIR_ENTRY_DIRECTORY)
    case UInt8(ascii: "l"): (outcome, type) = (WEIR_FILE_LINK, WEIR_ENTRY_SYMLINK)
    case UInt8(ascii: "f"): (outcome, type) = (WEIR_FILE_DONE, WEIR_ENTRY_FILE)
    default: (outcome, type) = (WEIR_FILE_SPECIAL, WEIR_ENTRY_FIFO)
    }
    self.output = output
  }
}

/// Returns the entries that find reports, in order, with the expected results.
private func expected(_ root: Path, _ more: [String] = []) throws -> [Met] {
  try find(root, more).sorted { precedes($0.path, $1.path) }.map { path, letter in
    switch letter {
    case UInt8(ascii: "f"): Met(path, letter, output: summary(of: contents(of: path)))
    case UInt8(ascii: "l"): Met(path, letter, output: target(of: path))
    default: Met(path, letter, output: [])
    }
  }
}

private func target(of path: Path) -> [UInt8] {
  var bytes = [CChar](repeating: 0, count: 5000)
  let length = path.c { readlink($0, &bytes, bytes.count) }
  return bytes.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
}

extension Tree {
  /// Fills the tree at random, with links that lead anywhere and a FIFO.
  fileprivate func fillWithLinks(_ random: inout Random) {
    fill(&random, entries: 150, filesUpTo: 100)
    for number in 0..<40 {
      let target = random.bytes(1 + random.below(number == 7 ? 4095 : 100)).map { max($0, 1) }
      link(root / "link \(random.below(10_000)) \(number)", to: target)
    }
    link("to a directory", to: ".")
    fifo("fifo")
  }
}

extension CWeirFilesTests {
  @Suite struct FilesTreeTests {
    /// The oracles are find and readlink.
    @Test(arguments: widths, [1, 64])
    func everythingIsDeliveredInItsPlace(jobs: UInt, batchSize: Int) throws {
      var random = Random("whole trees \(jobs) \(batchSize)")
      let tree = Tree()
      tree.fillWithLinks(&random)
      let processor = Processor(jobs: jobs, batchSize: batchSize, flags: wholeTree)
      let all = try expected(tree.root)
      #expect(processor.run(tree.root) == 0)
      #expect(difference(processor.results.map(Met.init), all) == nil)
      #expect(processor.torn.ever == 0, "where links lead to is among a batch's output")
      #expect(processor.results.map(\.named) == [true] + all.dropFirst().map { _ in false })
      let statistics = processor.statistics, links = all.count { $0.outcome == WEIR_FILE_LINK }
      let directories = all.count { $0.outcome == WEIR_FILE_DIRECTORY }
      #expect(statistics.links == links && links > 40 && statistics.directories == directories)
      #expect(statistics.found == all.count - links - directories)
      #expect(statistics.files + statistics.special == statistics.found && statistics.failed == 0)
    }

    @Test func limitsOfTheWalkHoldForDirectoriesAndLinks() throws {
      var random = Random("limits of whole trees")
      let tree = Tree()
      tree.fillWithLinks(&random)
      for depth in 1...3 {
        let processor = Processor(flags: wholeTree, maxDepth: depth)
        #expect(processor.run(tree.root) == 0)
        let all = try expected(tree.root, ["-maxdepth", "\(depth)"])
        #expect(difference(processor.results.map(Met.init), all) == nil, "\(depth)")
      }
      let filtered = Processor(flags: wholeTree, filters: [.exclude("link*"), .exclude("n*/")])
      #expect(filtered.run(tree.root) == 0)
      let walked = walk(tree.root, [.exclude("link*"), .exclude("n*/")]).entries
      #expect(filtered.paths == walked.map(\.path))
    }

    /// A followed link is its target, or a failure if that is missing.
    @Test func followedLinksAreNotDelivered() {
      let tree = Tree()
      tree.file(tree.directory("d") / "f", [1])
      tree.link("l", to: "d")
      tree.link("n", to: "nowhere")
      let processor = Processor(flags: wholeTree | WEIR_FILES_FOLLOW.rawValue)
      #expect(processor.run(tree.root, tree.root / "l", tree.root / "d/f") == 0)
      let root = tree.root
      #expect(
        processor.paths == [root, root / "d", root / "d/f", root / "l", root / "l/f", root / "n"]
          + [root / "l", root / "l/f", root / "d/f"])
      let directories: [Bool] = processor.results.map { $0.outcome == WEIR_FILE_DIRECTORY }
      #expect(directories == [true, true, false, true, false, false, true, false, false])
      #expect(processor.results[5].hasFailed(with: ENOENT))
      #expect(processor.results.map(\.source) == [0, 0, 0, 0, 0, 0, 1, 1, 2])
      let named = (0..<9).filter { processor.results[$0].named }
      #expect(named == [0, 6, 8])
    }

    /// The path is longer than the limit of the system.
    @Test func linksAreReadAtAnyDepth() throws {
      let tree = Tree()
      _ = tree.chain([UInt8](repeating: 0x64, count: 250), depth: 20)
      let deepest = try find(tree.root, ["-type", "d"]).map(\.path).max { $0.count < $1.count }!
      #expect(deepest.count > PATH_MAX)
      var at = tree.root.c { open($0, O_RDONLY) }
      for _ in 0..<20 {
        let next = [UInt8](repeating: 0x64, count: 250).c { openat(at, $0, O_RDONLY) }
        close(at)
        at = next
      }
      #expect(
        Array("there".utf8).c { there in Array("link".utf8).c { symlinkat(there, at, $0) } } == 0)
      close(at)
      let processor = Processor(flags: wholeTree)
      #expect(processor.run(tree.root) == 0)
      let link = processor.results.first { $0.outcome == WEIR_FILE_LINK }
      #expect(link?.path == deepest / "link" && link?.output == Array("there".utf8))
    }
  }

  @Suite struct FilesAnnotateTests {
    /// annotate is called once for each file with a job, in order, and the note is delivered with
    /// the file.
    @Test(arguments: widths, [1, 64])
    func everyFileHasItsNote(jobs: UInt, batchSize: Int) {
      var random = Random("notes \(jobs) \(batchSize)")
      let tree = Tree(), asked = Locked<[Found]>([])
      tree.fillWithLinks(&random)
      let processor = Processor(
        jobs: jobs, batchSize: batchSize, flags: wholeTree, job: { $0.write($0.note) },
        annotate: { found in
          asked.with { $0.append(found) }
          return note(on: found.path)
        })
      let single = tree.file("zzz", [1])
      #expect(processor.run(single, tree.root, tree.root / "nothing", tree.root) == 0)
      let files = processor.results.filter(\.isDone)
      #expect(asked.now.map(\.path) == files.map(\.path))
      #expect(asked.now.map(\.source) == files.map(\.source))
      #expect(Set(files.map(\.source)) == [0, 1, 3])
      #expect(files.allSatisfy { $0.note == note(on: $0.path) ?? [] && $0.output == $0.note })
      #expect(processor.results.allSatisfy { $0.isDone || $0.note.isEmpty })
      #expect(asked.now.map { $0.depth == 0 } == files.map(\.named))
      #expect(asked.now.allSatisfy { $0.type == WEIR_ENTRY_FILE })
      // Each visit of a directory has a number of its own.
      for (one, next) in zip(asked.now, asked.now.dropFirst()) where one.source == next.source {
        let isBeside = parent(of: one.path) == parent(of: next.path)
        #expect(isBeside || one.directory != next.directory)
      }
      #expect(Set(asked.now.map(\.directory)).count > 5)
    }

    /// Names from items and lists have the index of their source.
    @Test func sourcesAreNumberedInTheirOrder() {
      let tree = Tree(), asked = Locked<[Found]>([])
      let file = tree.file("f", [1]), other = tree.file("g", [1])
      let list = tree.file("list", file + [10] + other + [10]).c { open($0, O_RDONLY) }
      defer { close(list) }
      let processor = Processor(annotate: { found in
        asked.with { $0.append(found) }
        return []
      })
      let items = ItemFeed([.file(other), .path(file)])
      var names = weir_files_source_t()
      names.kind = WEIR_SOURCE_LIST
      names.descriptor = list
      names.separator = 10
      let title: StaticString = "list"
      names.path = UnsafeRawPointer(title.utf8Start).assumingMemoryBound(to: CChar.self)
      withExtendedLifetime(items) {
        #expect(processor.run(sources: [items.source, names]) == 0)
      }
      #expect(asked.now.map(\.path) == [other, file, file, other])
      #expect(asked.now.map(\.source) == [0, 0, 1, 1])
      #expect(processor.results.map(\.source) == [0, 0, 1, 1])
      #expect(processor.results.allSatisfy { $0.note.isEmpty })
    }
  }
}

/// Returns some bytes that depend on the path, or nil.
private func note(on path: Path) -> [UInt8]? {
  let sum = path.reduce(7) { $0 &* 31 &+ Int($1) }
  return sum % 4 == 0 ? nil : [UInt8](repeating: UInt8(sum & 255), count: sum & 15)
}

private func parent(of path: Path) -> Path {
  path.lastIndex(of: slash).map { Array(path[..<$0]) } ?? []
}

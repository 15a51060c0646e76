// FileWalk: each entry once, in one order, with exact bytes, in both forms; skipped
// directories; and reading ahead that ends.

import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct FileWalkTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private struct Found: Sendable, Equatable {
    let path: [UInt8]
    let name: [UInt8]
    let depth: Int
    let type: FileWalk.EntryType
    let error: Errno?

    init(_ entry: FileWalk.Entry) {
      (path, name, depth) = (entry.pathBytes, Array(entry.name), entry.depth)
      (type, error) = (entry.type, entry.error)
    }
  }

  @Test("both forms find each name once, in the order of bytes", arguments: 0..<4)
  func forms(round: Int) async throws {
    var random = SeededGenerator(for: "walk \(round)")
    let files = try directory.fill("tree", files: 400, using: &random) { $0.name() }
      .map { directory.path($0) }
    let root = directory.path("tree")
    let walk = FileWalk(bytes: root)
    let found = try await onThread { walk.map(Found.init) }
    var read: [Found] = []
    for try await entry in walk.entries { read.append(Found(entry)) }
    #expect(difference(found, read) == nil)
    #expect(difference(found.filter { $0.type == .file }.map(\.path), files) == nil)
    #expect(difference(found.map(\.path), found.map(\.path).sorted(by: precedesInWalk)) == nil)
    for entry in found {
      #expect(
        entry.path.starts(with: root) && entry.path.reversed().starts(with: entry.name.reversed()))
      #expect(entry.depth == entry.path.dropFirst(root.count).count { $0 == UInt8(ascii: "/") })
    }
  }

  @Test("an unreadable directory is an entry with an error, and the contents of others are skipped")
  func failuresAndSkips() async throws {
    for name in ["a", "b", "c"] {
      try directory.makeDirectory(name)
      try directory.write("x", to: "\(name)/f")
    }
    try directory.link("back", to: ".")
    let (root, none) = (directory.path, FilePath(directory.text + "/none"))
    try await onThread {
      #expect(FileWalk(none).map(\.error) == [.noSuchFileOrDirectory])
      let empty = Array(FileWalk(bytes: []))
      #expect(empty.map(\.error) == [.noSuchFileOrDirectory] && empty[0].pathBytes.isEmpty)
      let loop = FileWalk(bytes: root, .followsSymbolicLinks).filter { $0.error != nil }
      #expect(loop.map(\.error) == [.tooManySymbolicLinkLevels])
      var seen: [String] = []
      var entries = FileWalk(bytes: root).makeIterator()
      while let entry = entries.next() {
        let name = String(decoding: entry.name, as: UTF8.self)
        seen.append("\(name) \(entry.type)")
        // A file has nothing to skip.
        if name == "b" || name == "f" { entries.skipContents() }
      }
      #expect(
        seen.dropFirst() == [
          "a directory", "f file", "b directory", "back symbolicLink", "c directory", "f file",
        ])
    }
  }

  @Test("reading ahead is bounded, and ends when the consumer leaves or is cancelled")
  func readingAhead() async throws {
    for outer in 0..<40 {
      try directory.makeDirectory("d\(outer + 10)")
      for inner in 0..<100 { try directory.write("", to: "d\(outer + 10)/f\(inner)") }
    }
    let walk = FileWalk(bytes: directory.path)
    var entries = walk.entries.makeAsyncIterator()
    #expect(try await entries.next()?.depth == 0)
    // What is far ahead has not been read: so it can still change.
    for _ in 0..<200 { await Task.yield() }
    try directory.makeDirectory("z")
    try directory.write("", to: "d49/zzz")
    var count = 1
    var last: [UInt8] = []
    while let entry = try await entries.next() {
      count += 1
      last = entry.pathBytes
    }
    #expect(count == 1 + 40 * 101 + 1)
    #expect(last == directory.path("d49/zzz"))
    for after in [0, 1, 100, 1000] {
      var seen = 0
      for try await _ in walk.entries {
        seen += 1
        if seen > after { break }
      }
      let task = Task {
        var seen = 0
        for try await _ in walk.entries {
          seen += 1
          if seen > after { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}

// The comparison of files with equal digests, and the bytes that a removal frees. The groups are in the
// transcripts duplicates/groups.t and trees.t, and files that change in RaceTests.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesTests {
  @Test("the comparison separates files with equal digests, at any byte")
  func collisions() async throws {
    var random = SeededGenerator(for: "collisions")
    let directory = try TemporaryDirectory()
    let window = DuplicatesComparison.window
    for size in [1, 4096, window, window + 1, 2 * window + 77] {
      let base = random.bytes(size)
      // The offset of the changed byte of each file, if any.
      let places = [nil, size - 1, nil, 0, size - 1, size / 2, nil, 0]
      let files = try places.enumerated().map { index, place in
        var content = base
        if let place { content[place] ^= 1 }
        let name = "\(size).\(index)"
        try directory.write(content, to: name.utf8)
        return try file(directory.path(name))
      }
      let expected = places.map { place in
        places.firstIndex { $0 == place || size == 1 && ($0 == nil) == (place == nil) } ?? 0
      }
      let verdicts = try await onThread {
        try DuplicatesComparison(countBytes: { _ in }, isCanceled: { false })
          .compare(files.count) { files[$0] }
      }
      let parts = verdicts.map { verdict -> Int in
        guard case .part(let part) = verdict else { return -1 }
        return Int(part)
      }
      let firsts = parts.map { part in parts.firstIndex(of: part) ?? 0 }
      #expect(firsts == expected, "\(size)")
    }
  }

  @Test("files can be removed or replaced before they are compared")
  func comparingWhatChanged() async throws {
    let directory = try TemporaryDirectory()
    let content = Array(repeating: UInt8(3), count: DuplicatesComparison.window + 5)
    let names = ["first", "b", "c", "d"]
    for name in names { try directory.write(content, to: name.utf8) }
    let files = try names.map { try file(directory.path($0)) }
    unlink(directory.text + "/first")
    unlink(directory.text + "/c")
    try directory.write(content, to: "c".utf8)
    let read = Shared(0)
    let verdicts = try await onThread {
      try DuplicatesComparison(
        countBytes: { count in read.change { $0 += count } }, isCanceled: { false }
      )
      .compare(files.count) { files[$0] }
    }
    #expect(verdicts == [.failed(.noSuchFileOrDirectory), .part(0), .changed, .part(0)])
    #expect(read.value >= 2 * content.count && read.value <= 3 * content.count)
    // Whatever replaces a file is not read, and counts as changed.
    for script in ["mkfifo b", "mkdir b", "ln -s /dev/zero b", "ln -s . b"] {
      unlink(directory.text + "/b")
      rmdir(directory.text + "/b")
      let making = Command("sh", "-c", "cd \"$1\" && \(script)", "sh", directory.text)
      #expect(try await making.run().status == 0)
      let read = Shared(0)
      let verdicts = try await onThread {
        try DuplicatesComparison(
          countBytes: { count in read.change { $0 += count } }, isCanceled: { false }
        )
        .compare(2) { files[$0 == 0 ? 1 : 3] }
      }
      #expect(verdicts == [.changed, .part(0)], "\(script)")
      #expect(read.value <= content.count)
    }
    #expect(throws: Errno.canceled) {
      try DuplicatesComparison(countBytes: { _ in }, isCanceled: { true })
        .compare(files.count) { files[$0] }
    }
  }

  private func file(_ path: [UInt8]) throws -> DuplicatesComparison.File {
    let metadata = Shared<DuplicatesMetadata?>(nil)
    var options = FileProcessorOptions()
    options.opensLate = true
    options.isInline = true
    let finder = try FileProcessor(options) { (file) throws(Errno) in
      let found = DuplicatesMetadata(try file.pathStatus())
      metadata.change { $0 = found }
    }
    try finder.run([.path(bytes: path)]) { _ in }
    return DuplicatesComparison.File(path: path + [0], metadata: try #require(metadata.value))
  }

  // MARK: Shared blocks

  @Test("a piece is freed once, and only if all its references are known and go")
  func freedBlocks() {
    func file(_ extents: [(UInt64, UInt64, UInt64)], system: UInt64 = 1) -> FileBlocks {
      FileBlocks(
        allocated: 10_000,
        extents: extents.map { .init(offset: $0.0, place: $0.1, length: $0.2) }, system: system)
    }
    func shared(_ files: [FileBlocks]) -> [UInt64] {
      FreedBlocks.unfreed(files, size: 10_000) { $0 == 0 }.map(\.shared)
    }
    let whole = file([(0, 1 << 20, 4096), (4096, 9 << 20, 8192)])
    let alone = file([])
    #expect(shared([whole, whole, alone]).dropFirst() == [10_000, 0])
    // With each other only: one of them is freed. With nobody that was found: none.
    #expect(shared([alone, whole, whole]).dropFirst() == [0, 10_000])
    #expect(shared([alone, whole]).dropFirst() == [10_000])
    #expect(shared([alone, file([(0, 1 << 20, 4096)])]).dropFirst() == [4096])
    // In part, with other borders, and on another file system.
    #expect(shared([whole, file([(0, 1 << 20, 2048), (2048, 5, 0)])]).dropFirst() == [2048])
    #expect(
      shared([file([(0, 1 << 20, 10_000)]), file([(4096, (1 << 20) + 4096, 8192)])]).dropFirst()
        == [5904])
    let elsewhere = file([(0, 1 << 20, 4096)], system: 2)
    #expect(shared([alone, elsewhere, elsewhere, whole]).dropFirst() == [0, 4096, 10_000])
    let last = UInt64.max
    #expect(shared([alone, file([(0, last, last), (last, 0, last)])]).dropFirst() == [0])
    // Names elsewhere hold all, also for those that share the blocks.
    var named = whole
    named.hasOtherNames = true
    let held = FreedBlocks.unfreed([alone, named, whole, alone], size: 10_000) { $0 == 0 }
    #expect(held.dropFirst().map(\.shared) == [10_000, 10_000, 0])
    #expect(held.dropFirst().map(\.isWhole) == [true, true, false])
    let hole = FreedBlocks.unfreed([alone, FileBlocks(allocated: 4096)], size: 10_000) { $0 == 0 }
    #expect(hole[1] == UnfreedBytes(holes: 5904))
  }
}

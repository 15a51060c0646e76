// Sources: paths that keep their bytes, descriptors, and excluded files.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(2)))
struct FileSourceTests {
  @Test("a source has the name and descriptor that it was created with")
  func parts() {
    let bytes: [UInt8] = [0x61, 0xFF, 0x0A]
    let input = FileDescriptor.standardInput
    let open = FileSource.descriptor(input, name: bytes)
    #expect(open.openDescriptor == input && open.nameBytes == bytes)
    for source in [
      FileSource.path(bytes: bytes), .list(input, name: bytes), .list(bytes: bytes),
    ] { #expect(source.openDescriptor == nil && source.nameBytes == bytes) }
    let items = FileSource.items { nil }
    #expect(items.openDescriptor == nil && items.nameBytes.isEmpty)
  }

  @Test("a path keeps its bytes")
  func bytesOfPaths() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a")
    try directory.makeDirectory("a/b")
    try directory.write("x", to: "a/b/f")
    let copier = try makeCopier()
    for (given, found) in [
      ("a//b/", "a//b/f"), ("a//b", "a//b/f"), ("a/./b/../b", "a/./b/../b/f"), ("a", "a/b/f"),
      ("a//b//", "a//b//f"), ("a//b///f", "a//b///f"), ("./a", "./a/b/f"),
    ] {
      let run = try await copier.collecting([directory.source(given)])
      #expect(run.paths == [directory.path(found)])
    }
  }

  @Test("a string names a source, a walk and a storage, as a FilePath does")
  func strings() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.write("x", to: "d/f")
    let root = directory.text + "//d/"
    let run = try await makeCopier().collecting([
      .tree(root), .path(root), .file(root + "f"), .file(FilePath(root + "f")),
      .tree("/weir/no such file"),
    ])
    let path = directory.path("d/f")
    #expect(run.paths == [path, path, path, path, Array("/weir/no such file".utf8)])
    #expect(run.results.map(\.isNamed) == [false, false, true, true, true])
    try await onThread {
      #expect(FileWalk(root).map(\.path) == FileWalk(FilePath(root)).map(\.path))
      let storages = try (Storage(of: root), Storage(of: FilePath(root)))
      #expect(storages.0.fileSystem == storages.1.fileSystem)
    }
    // The natural program, in one expression.
    for try await file in try FileProcessor(job: { file in
      var count = 0
      while let piece = try file.read() { count += piece.count }
      if count > 1 { throw OwnError(number: count) }
      return count
    }).results(of: .tree(root)) {
      guard case .done(1) = file.outcome else {
        Issue.record("it is \(file.outcome)")
        continue
      }
    }
  }

  @Test("names of any bytes are kept")
  func anyBytes() async throws {
    var random = SeededGenerator(for: "any")
    let directory = try TemporaryDirectory()
    var names = Set((1...255).filter { $0 != 0x2F && $0 != 0x2E }.map { [UInt8($0)] })
    names.formUnion(random.names(200))
    names.formUnion([[0xFF, 0xFE], [0xC3], Array("é".utf8), [0xED, 0xA0, 0x80]])
    let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
    for name in sorted { try directory.write(name, to: name) }
    let copier = try makeCopier { $0.jobs = 4 }
    let walked = try await copier.collecting([.path(bytes: directory.path)])
    #expect(difference(walked.paths, sorted.map { directory.path($0) }) == nil)
    #expect(difference(walked.results.map(\.output), sorted) == nil)
    let named = try await copier.collecting(
      sorted.reversed().map { .path(bytes: directory.path($0)) })
    #expect(difference(named.results.map(\.output), sorted.reversed()) == nil)
  }

  @Test("a path ends at a NUL")
  func endsAtNUL() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let run = try await makeCopier().collecting([.path(bytes: directory.path("a") + [0, 0x62])])
    #expect(run.paths == [directory.path("a")])
  }

  @Test("excluded files are skipped under any name, and counted")
  func excluded() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write(name, to: name) }
    #expect(WeirLibC.link(directory.text + "/b", directory.text + "/b2") == 0)
    let file = try FileDescriptor.open(FilePath(directory.text + "/b"), .readOnly)
    defer { try? file.close() }
    let null = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? null.close() }
    let copier = try makeCopier { $0.excluded = [null, file, FileDescriptor(rawValue: 999_999)] }
    let run = try await copier.collecting([.path(bytes: directory.path)])
    #expect(String(decoding: run.output, as: UTF8.self) == "ac")
    #expect(run.results.count == 2 && run.statistics.excluded == 2 && run.statistics.files == 2)
  }
}

// Sources: paths that keep their bytes, descriptors, and excluded files.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileSourceTests {
  @Test("a string names a source and a walk, as a FilePath does")
  func strings() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.write("x", to: "d/f")
    let root = directory.text + "//d/"
    let run = try await makeCopier().collecting([
      .tree(root), .path(FilePath(root)), .file(root + "f"), .file(FilePath(root + "f")),
      .tree("/weir/no such file"),
    ])
    let path = directory.path("d/f")
    #expect(run.paths == [path, path, path, path, Array("/weir/no such file".utf8)])
    #expect(run.results.map(\.isNamed) == [false, false, true, true, true])
    try await onThread {
      #expect(FileWalk(FilePath(root)).map(\.path) == [FilePath(root), FilePath(root + "f")])
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

  @Test("a source of one file refuses a directory, and names the source that walks it")
  func directoryAsFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    try directory.makeFIFO("fifo")
    let copier = try makeCopier()
    var outcomes: [String] = []
    for name in ["", "/f", "/none", "/fifo"] {
      for try await file in copier.results(of: .file(directory.text + name)) {
        #expect(file.isNamed)
        outcomes.append("\(file.outcome)")
      }
    }
    #expect(
      outcomes == [
        "failed(is a directory; use .tree to read its files)", "done()",
        "failed(No such file or directory)", "special",
      ])
    // A source can run again.
    let source = FileSource.file(directory.text + "/f")
    let runs = try await [copier.collecting([source]), copier.collecting([source, source])]
    #expect(runs.map(\.output) == [[0x78], [0x78, 0x78]])
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

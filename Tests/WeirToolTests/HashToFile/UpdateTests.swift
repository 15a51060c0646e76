// weir hash --update: reads only changed files, reports the changes, and keeps the rest.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct UpdateTests {
  private func hash(_ arguments: String..., in directory: TemporaryDirectory) async throws
    -> Outcome
  {
    try await weir([Array("hash".utf8)] + arguments.map { Array($0.utf8) }, in: directory).run()
  }

  /// A command line that reads a descriptor.
  struct Described: Sendable {
    let names: String
    /// The name in the manifest.
    let name: String
    /// The number of other files that are read.
    var others = 0
    /// True for a file, false for a pipe.
    var isFile = false
  }

  @Test(
    "a descriptor is compared by its content, whatever it is open on",
    arguments: [
      Described(names: "-", name: "-"), Described(names: "", name: "-"),
      Described(names: "/dev/stdin", name: "/dev/stdin"),
      Described(names: "/dev/fd/0", name: "/dev/fd/0"),
      Described(names: "-", name: "-", isFile: true),
      Described(names: "a - b", name: "-", others: 2),
      Described(names: "--files-from l /dev/stdin b", name: "/dev/stdin", others: 3),
    ], ["text", "mtree"])
  func descriptor(_ described: Described, format: String) async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, to: name) }
    try directory.write("b\na\n", to: "l")
    func update(_ content: String) async throws -> String {
      let command = "\"$0\" hash -o M --format \(format) --update \(described.names)"
      let script =
        described.isFile
        ? "printf %s \"$1\" > t && \(command) < t" : "printf %s \"$1\" | \(command)"
      let result = try await shell(script, content, in: directory).run()
      #expect(result.status == 0)
      return result.outputText
    }
    func counts(_ replaced: Int) -> String {
      "\(described.others) files not read, 1 read, \(replaced) replaced, 0 new, 0 gone\n"
    }
    _ = try await update("same")
    let before = directory.content("M")
    #expect(try await update("same") == counts(0))
    // The record of a file contains its time.
    if format == "text" || !described.isFile { #expect(directory.content("M") == before) }
    #expect(try await update("some") == "\(described.name): edited\n" + counts(1))
    #expect(try await update("some") == counts(0))
    #expect(directory.content("M") != before)
  }

  @Test("of new files with its content, a gone record has moved to that of its last component")
  func movedByName() async throws {
    let directory = try TemporaryDirectory()
    let script = """
      mkdir t v; echo x >t/1; echo y >t/2; $0 hash -o M t; cp t/1 v/0; mv t/1 v/1
      $0 hash --update -o M t v | head -2
      """
    let outcome = try await shell(script, in: directory).run()
    #expect(outcome.outputText == "v/0: new\nt/1: moved to v/1\n", "\(outcome.errorText)")
  }

  @Test("a missing PATH replaces nothing", arguments: ["text", "mtree"])
  func mistyped(format: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("a", to: "t/a")
    try directory.write("b", to: "b")
    symlink("none", directory.text + "/broken")
    _ = try await hash("-o", "M", "--format", format, "t", "b", in: directory)
    let names = directory.names(beginningWith: "")
    let before = names.map { directory.content($0) }
    for (path, error) in [
      ("tt", "No such file or directory"), ("b/t", "Not a directory"),
      ("broken", "No such file or directory"), ("", "No such file or directory"),
    ] {
      let result = try await hash(
        "-o", "M", "--format", format, "--update", "b", path, in: directory)
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(
        result.errorText
          == "weir: \(path.isEmpty ? "''" : path): \(error); nothing was updated, "
          + "omit it if it was removed for good\n")
      #expect(directory.names(beginningWith: "") == names)
      #expect(names.map { directory.content($0) } == before)
    }
    let rest = try await hash("-o", "M", "--format", format, "--update", "b", in: directory)
    #expect(rest.outputText == "t/a: gone\n1 file not read, 0 read, 0 replaced, 0 new, 1 gone\n")
    // The files of a list may come and go.
    try directory.write("b\nc\n", to: "l")
    try directory.write("c", to: "c")
    _ = try await hash("-o", "L", "--files-from", "l", "t", in: directory)
    unlink(directory.text + "/c")
    let list = try await hash("-o", "L", "--update", "--files-from", "l", "t", in: directory)
    #expect(list.status == 1)
    #expect(list.outputText == "c: gone\n2 files not read, 0 read, 0 replaced, 0 new, 1 gone\n")
  }

  @Test(
    "if nothing could be read, the manifest is left as it is", arguments: ["--replace", "--update"])
  func nothingRead(option: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    _ = try await hash("-o", "M", "a", in: directory)
    let names = directory.names(beginningWith: "M")
    let before = names.map { directory.content($0) }
    try directory.write("none\nno\n", to: "list")
    let arguments = ["hash", "-o", "M", "--files-from", "list", option]
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 3)
    #expect(
      result.errorLines.last == "weir: M: is left unchanged, since nothing could be read")
    #expect(directory.names(beginningWith: "M") == names)
    #expect(names.map { directory.content($0) } == before)
  }

  @Test("an update does not replace the algorithm silently", arguments: ["text", "mtree"])
  func otherAlgorithm(format: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    _ = try await hash("-a", "sha512", "-o", "M", "--format", format, "a", in: directory)
    let before = directory.content("M")
    let refused = try await hash("-o", "M", "--format", format, "--update", "a", in: directory)
    #expect(refused.status == 2 && directory.content("M") == before)
    #expect(
      refused.errorLines == [
        "weir: M: has digests of sha512; to keep them, add -a sha512; to replace them, -a sha256"
      ])
    let kept = try await hash(
      "-a", "sha512", "-o", "M", "--format", format, "--update", "a", in: directory)
    #expect(kept.outputText == "1 file not read, 0 read, 0 replaced, 0 new, 0 gone\n")
  }
}

// weir hash --update: reads only changed files, reports the changes, and keeps the rest.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct UpdateTests {
  private func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

  private func hash(_ arguments: String..., in directory: TemporaryDirectory) async throws
    -> Outcome
  {
    try await weir([Array("hash".utf8)] + arguments.map { Array($0.utf8) }, in: directory).run()
  }

  /// Writes other content of the same size, and restores the time.
  private func rot(_ name: [UInt8], in directory: TemporaryDirectory) throws {
    let name = text(name)
    var status = stat()
    try #require(stat(directory.text + "/" + name, &status) == 0 && status.st_size > 0)
    var content = try #require(directory.content(name))
    content[content.count / 2] ^= 1
    try directory.write(content, to: name.utf8)
    try directory.setTime(name, status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
  }

  @Test(
    "after random changes of a random tree, report and manifest are right, and no more is read",
    arguments: [
      ["-a", "sha256"], ["-a", "md5,xxh128"], ["--format", "mtree"], ["-z", "-j", "1"],
    ])
  func random(options: [String]) async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "update \(options)")
    let files = try directory.fill("t", files: 300, using: &random)
    for file in files { try directory.setTime(text(file), 1_600_000_000_000_000_000) }
    let arguments = options.map { Array($0.utf8) } + words("-o", "M", "t")
    #expect(try await weir(words("hash") + arguments, in: directory).run().status == 0)
    var expected: [(name: [UInt8], line: String)] = []
    var gone: [String] = []
    for (index, file) in files.enumerated() {
      let name = text(file)
      switch Int.random(in: 0..<30, using: &random) {
      case 0:
        try directory.write("changed \(index)".utf8, to: file)
        expected.append((file, "\(name): edited"))
      case 1:
        try directory.setTime(name, 1_600_000_000_000_000_001)
        expected.append((file, "\(name): touched"))
      case 2:
        unlink(directory.text + "/" + name)
        gone.append("\(name): gone")
      case 3:
        try directory.write("".utf8, to: file + Array("-n".utf8))
        expected.append((file + Array("-n".utf8), "\(name)-n: new"))
      default: break
      }
    }
    expected.sort { precedesInWalk($0.name, $1.name) }
    let result = try await weir(
      words("hash", "--update", "--summary") + arguments, in: directory
    ).run()
    #expect(result.status == (gone.isEmpty ? 0 : 1))
    let lines = result.outputText.split(separator: "\n").map(String.init)
    #expect(lines.dropLast().filter { !$0.hasSuffix(": gone") } == expected.map(\.line))
    #expect(lines.filter { $0.hasSuffix(": gone") } == gone)
    let new = expected.count { $0.line.hasSuffix(": new") }
    let replaced = expected.count { $0.line.hasSuffix(": edited") }
    let touched = expected.count - new - replaced
    let total = files.count - gone.count + new
    #expect(
      lines.last
        == "\(total - expected.count) \(total - expected.count == 1 ? "file" : "files") not read, "
        + "\(expected.count) read, \(replaced) replaced, \(new) new, \(gone.count) gone"
        + (touched > 0 ? ", \(touched) touched" : ""))
    #expect(readAndKnown(result)?.read == expected.count)
    // Without the records of the gone files it is the manifest of a new run.
    let ended = try await weir(
      words("hash", "--update", "--accept-gone") + arguments, in: directory
    )
    .run()
    #expect(ended.status == 0)
    let updated = directory.content("M")
    let records = directory.content("M.mtree")
    directory.removeOutput()
    #expect(try await weir(words("hash") + arguments, in: directory).run().status == 0)
    #expect(updated == directory.content("M"))
    if let records {
      let again = try #require(directory.content("M.mtree"))
      #expect(
        records.split(separator: 0x0A).dropFirst() == again.split(separator: 0x0A).dropFirst())
    }
  }

  @Test(
    "rot is found if another digest has to be read; the old record stays until it is accepted")
  func rot() async throws {
    for format in ["text", "mtree"] {
      let directory = try TemporaryDirectory()
      var random = SeededGenerator(for: "update rot")
      let files = try directory.fill("t", files: 40, using: &random)
        .filter { directory.content(text($0))?.isEmpty == false }
      let other = try await hash("-o", "M", "--format", format, "t", in: directory)
      other.expectSilence()
      let before = try #require(directory.content("M"))
      try rot(files[7], in: directory)
      let name = text(files[7])
      // A file that is not read is not verified.
      let blind = try await hash("-o", "M", "--format", format, "--update", "t", in: directory)
      #expect(blind.outputText == "40 files not read, 0 read, 0 replaced, 0 new, 0 gone\n")
      #expect(directory.content("M") == before && blind.status == 0)
      for round in 0..<3 {
        // Each run reports it again, until it is accepted or repaired.
        let result = try await hash(
          "-o", "M", "--format", format, "--update", "-a", round == 2 ? "md5" : "sha256,md5", "t",
          in: directory)
        #expect(result.status == 1)
        #expect(result.outputText.hasPrefix("\(name): rot\(round == 0 ? "" : " since ")"))
        #expect(result.outputText.hasSuffix(", 0 replaced, 0 new, 0 gone, 1 rotten\n"))
        let manifest = String(decoding: directory.content("M") ?? [], as: UTF8.self)
        let lines = manifest.split(separator: "\n").filter { $0.contains(name) }
        let old = String(decoding: before, as: UTF8.self).split(separator: "\n")
          .first { $0.contains(name) && $0.contains("sha256=") || $0.hasSuffix("  \(name)") }
        if format == "mtree" {
          #expect(lines == [try #require(old)])
        } else {
          // Its former MD5 is unknown: the line stays unchanged.
          let digest = try #require(old).prefix(64)
          #expect(lines.map(String.init) == ["SHA256 (\(name)) = \(digest)"])
        }
      }
      let accepted = try await hash(
        "-o", "M", "--format", format, "--update", "--accept-rot", "-a", "sha256,md5", "t",
        in: directory)
      #expect(accepted.status == 0 && accepted.outputText.hasPrefix("\(name): rot since "))
      #expect(accepted.lines.first.map { text(Array($0)).hasSuffix(", accepted") } == true)
      let updated = directory.content("M")
      directory.removeOutput()
      _ = try await hash("-o", "M", "--format", format, "-a", "sha256,md5", "t", in: directory)
      #expect(updated == directory.content("M"))
    }
  }

  @Test("an interrupted update continues, and keeps rot and its other findings")
  func resumed() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "update resumed")
    let files = try directory.fill("t", files: 120, using: &random)
      .filter { directory.content(text($0))?.isEmpty == false }
    _ = try await hash("-o", "M", "t", in: directory)
    let (manifest, records) = (directory.content("M"), directory.content("M.mtree"))
    try rot(files[3], in: directory)
    try directory.write("edited".utf8, to: files[5])
    unlink(directory.text + "/" + text(files[9]))
    try directory.write("".utf8, to: files[11] + Array("-n".utf8))
    let arguments = ["-o", "M", "--update", "-a", "sha256,md5", "t"].map { Array($0.utf8) }
    let whole = try await weir(words("hash") + arguments, in: directory).run()
    #expect(whole.status == 1 && whole.lines.count == 5)
    let (updated, partial) = (directory.content("M"), try #require(directory.content("M.mtree")))
    for _ in 0..<6 {
      directory.removeOutput()
      try directory.write(manifest ?? [], to: Array("M".utf8))
      try directory.write(records ?? [], to: Array("M.mtree".utf8))
      let length = Int.random(in: 0...partial.count, using: &random)
      try directory.write(partial.prefix(length), to: Array("M.partial".utf8))
      let result = try await weir(words("hash", "--resume") + arguments, in: directory).run()
      #expect(result.status == 1 && result.lines.dropLast() == whole.lines.dropLast())
      // The dates of open points are those of the run.
      func undated(_ records: [UInt8]?) -> [ArraySlice<UInt8>] {
        (records ?? []).split(separator: 0x0A).filter { !$0.starts(with: "#weir ".utf8) }
      }
      #expect(directory.content("M") == updated)
      #expect(undated(directory.content("M.mtree")) == undated(partial))
    }
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

  @Test(
    "rot stays known when its file goes, and ends with a word or when it is accepted",
    arguments: ["text", "mtree"])
  func knownRot(format: String) async throws {
    let directory = try TemporaryDirectory()
    let outcome = try await shell(
      """
      W=$0; hash() { "$W" hash -o M "$@" t | sed 's/ since [-0-9]*//; /files* /d'; echo; }
      rot() { touch -r "$1" r; tr abc xyz <"$1" >x; cat x >"$1"; touch -r r "$1"; }
      mkdir t; for i in a b c k; do echo $i >t/$i; done; "$W" hash -o M -a md5 --format \(format) t
      rot t/a; rot t/b; rot t/c; hash -a md5,sha256 --update --quiet
      hash -a md5,sha256 --resume
      rm t/a t/c; echo edited >t/b; hash -a md5,sha256 --update --dry-run --accept-gone
      hash -a md5,sha256 --update --quiet --accept-gone
      hash -a md5,sha256 --update --accept a
      hash -a md5,sha256 --update --accept /t/c; hash -a md5,sha256 --update --quiet
      """, in: directory
    ).run()
    // With --resume alone and nothing to continue, no run begins that forgets.
    #expect(
      outcome.outputText == """
        t/a: rot
        t/b: rot
        t/c: rot

        t/a: rot
        t/b: rot
        t/c: rot

        t/a: gone
        t/b: rot
        t/c: gone

        t/a: gone
        t/b: edited, was rot
        t/c: gone

        t/a: gone, accepted
        t/c: gone

        t/c: gone, accepted



        """, "\(outcome.errorText)")
  }
}

// weir hash --output: the manifest appears complete or not at all, whatever fails.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutputFileTests {
  private func tree(_ files: Int, for test: String) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: test)
    try directory.fill("t", files: files, using: &random) { $0.name() }
    // Longer than a random name, which can be any.
    try directory.link("t/link to nowhere", to: "no where")
    return directory
  }

  @Test(
    "the manifest equals standard output byte for byte, and nothing is reported",
    arguments: [[], ["--tag"], ["-z"], ["-amd5,sha1"], ["-axxh3", "-j1"], ["--format", "mtree"]])
  func same(options: [String]) async throws {
    let directory = try tree(300, for: "same output")
    let arguments = options.map { Array($0.utf8) } + words("t", "t/link to nowhere/..")
    let expected = try await weir(words("hash") + arguments, in: directory).run()
    let result = try await weir(words("hash", "--output", "M") + arguments, in: directory).run()
    #expect(result.status == expected.status && result.output.isEmpty)
    #expect(result.errors == expected.errors)
    let isMtree = options.contains("mtree")
    var made = try #require(directory.content("M"))
    if isMtree {
      // Except comments for a later run.
      made =
        Array(
          made.split(separator: 0x0A).filter {
            !$0.starts(with: "#weir source".utf8) && !$0.starts(with: "#weir run".utf8)
          }
          .joined(separator: [0x0A])) + [0x0A]
    }
    #expect(made == expected.output)
    #expect(directory.names(beginningWith: "M") == (isMtree ? ["M"] : ["M", "M.mtree"]))
  }

  @Test("a failed run leaves the output unchanged")
  func failures() async throws {
    let directory = try tree(20, for: "output failures")
    try directory.makeDirectory("d")
    try directory.makeFIFO("p")
    try directory.write("old", to: "M")
    try directory.write("precious", to: "F.old")
    for name in ["N.mtree", "O.partial"] { try directory.makeDirectory(name) }
    for (name, target) in [("L.partial", "elsewhere"), ("one", "other"), ("other", "one")] {
      try directory.link(name, to: target)
    }
    let foreign = "was not written by weir and is left unchanged; choose another name\n"
    // NAME.partial and NAME.mtree fit into 255 bytes, NAME.partial.next does not.
    let long = String(repeating: "n", count: 245)
    let before = directory.names(beginningWith: "")
    for (name, message) in [
      ("N", "weir: N.mtree: Is a directory\n"), ("O", "weir: O.partial: \(foreign)"),
      ("L", "weir: L.partial: \(foreign)"), ("F", "weir: F.old: \(foreign)"),
      (long, "weir: \(long).partial.next: File name too long\n"),
      ("one", "weir: one: Too many levels of symbolic links\n"),
      ("d", "weir: d: Is a directory\n"), ("d/.", "weir: d/.: Is a directory\n"),
      ("no/ne", "weir: no/ne: No such file or directory\n"),
      (
        "p",
        "weir: p: is not a regular file and cannot be replaced\n"
      ), ("", "weir: '': No such file or directory\n"), ("M/", "weir: M/: Not a directory\n"),
      ("new/", "weir: new/: Is a directory\n"),
    ] {
      let result = try await weir("hash", "--output", name, "t", in: directory).run()
      #expect(result.status == 2 && result.errorText == message && result.output.isEmpty)
    }
    let noList = try await weir("hash", "-o", "M", "--files-from", "none", in: directory).run()
    #expect(noList.status == 2 && noList.errorText == "weir: none: No such file or directory\n")
    #expect(directory.content("M") == Array("old".utf8))
    #expect(directory.names(beginningWith: "") == before)
  }

  @Test("an output that is a link to a link is made and replaced where they lead")
  func links() async throws {
    let result = try await scripted(
      """
      echo a >a; mkdir d; ln -s d/L M; ln -s N d/L; $0 hash -o M a; cat M
      echo b >a; $0 hash --replace -o M a; cat d/N; ls; ls d
      """)
    #expect(
      result.outputText == """
        87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a
        0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  a
        M
        a
        d
        L
        N
        N.mtree

        """)
  }

  @Test("impossible combinations of options are usage errors")
  func usage() async throws {
    let directory = try TemporaryDirectory()
    for (arguments, message) in [
      (["-o", "-"], "--output takes the name of a file; omit it for standard output"),
      (["--resume"], "--resume needs --output FILE"),
      (["--update"], "--update needs --output FILE"),
      (["--accept-rot"], "--accept-rot needs --output FILE"),
      (
        ["-oM", "--accept-rot"], "--accept-rot needs --update, since nothing is compared without it"
      ),
      (
        ["-oM", "--format", "json"],
        "--output supports --format text and mtree only, and json with --update: the errors and "
          + "the summary of json are not recorded"
      ),
      (["--dry-run"], "--dry-run needs --output FILE"),
      (["-oM", "--quiet"], "--quiet needs --update, since nothing is compared without it"),
      (
        ["-oM", "--update", "--replace"],
        "--update and --replace exclude each other: the second forgets FILE"
      ),
      (
        ["-oM", "--unordered"],
        "--output keeps the order of the files, which --resume relies on; "
          + "omit --unordered"
      ),
    ] {
      let result = try await weir(
        words("hash") + arguments.map { Array($0.utf8) }, in: directory
      ).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message); see weir hash --help\n")
    }
    #expect(directory.names(beginningWith: "M").isEmpty)
  }

  private static let digits = "0123456789abcdef0123456789abcdef"

  @Test(
    "a file is replaced only if it is a manifest in an exact sense",
    arguments: [
      ("\(digits)  x", true), ("\(digits) *x", true), ("\(digits) x", true),
      ("\\\(digits)  x", true), ("\u{FEFF}\(digits)  x", true),
      ("# c\n\n\(digits)  x", true), ("MD5 (x) = \(digits)", true), ("0123456789abcdef  x", true),
      ("; by cksfv\nx 0A234567", true), ("#mtree v2.0", true), ("%%%% HASHDEEP-1.0", true),
      ("/set type=file\nx size=3", true), ("./x size=3 md5=\(digits)", true), ("\n\n", true),
      ("invoice 20240101", false), ("invoice 20240101\nother 2024010a", false),
      ("; mine\ninvoice 20240101", false), ("; mine\nx 0A234567\nother words", false),
      ("20240101  invoice", false), ("2024010112345678 invoice", false),
      ("01234567890123456789012345678901 x", false), (digits, false), ("be  or not", false),
      ("MD5 of x", false), ("/usr/bin/x mode=0755", false), ("a text\n\(digits)  x", false),
    ])
  func exact(text: String, isManifest: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.write(text + "\n", to: "M")
    let outcome = try await weir("hash", "--replace", "-o", "M", "a", in: directory).run()
    #expect(outcome.status == (isManifest ? 0 : 2), "\(text): \(outcome.errorText)")
    if isManifest { return }
    #expect(outcome.errorText.hasPrefix("weir: M: is not a manifest and is left unchanged"))
    #expect(directory.content("M").map { $0.elementsEqual((text + "\n").utf8) } == true)
  }

  @Test(
    "the record of a file that the update writes is kept, and the file is named once",
    arguments: [(">>t/log", "e"), ("2>>t/log", "t/log"), (">/dev/null --report t/log", "e")])
  func written(words: String, messages: String) async throws {
    let outcome = try await scripted(
      """
      mkdir t; : >t/log; echo a >t/a; $0 hash -o M t; cp M before
      $0 hash --update --quiet -o M t 2>e \(words); echo $?; cmp M before
      grep -c 'weir: t/log: written by this run, and not read' \(messages)
      """)
    #expect(outcome.outputText == "0\n1\n", "\(outcome.outputText) \(outcome.errorText)")
  }

  @Test("of two runs on one output, the second names the first and ends")
  func held() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "-o", "M", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    let second = weir("hash", "-o", "M", "a", in: directory)
    let resumed = weir("hash", "-o", "M", "--resume", "a", in: directory)
    let (pid, results) = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(directory.hasBegun() && child.inquire { !$0.contains(", 1 B, ") })
      let results = [try second.runBlocking(), try resumed.runBlocking()]
      child.closeInput()
      #expect(try child.finish(limit: 40).status == 0)
      return (child.pid, results)
    }
    let tool = String(decoding: weirPath, as: UTF8.self)
    for result in results {
      #expect(result.status == 2)
      #expect(
        result.errorText
          == "weir: M.partial: another run is writing it: process \(pid), \(tool) hash -o M a -\n")
    }
    #expect(directory.recorded().isEmpty && directory.content("M") != nil)
  }

  @Test(
    "a limit on file sizes is an error, and leaves no silent half trace",
    .enabled(if: bytesInUse() > 0, "a sanitizer needs room of its own"))
  func sizeLimit() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let trace = try await shell(
      "ulimit -f 1; exec \"$0\" hash --trace T a", in: directory
    ).run()
    #expect(trace.status == 2 && trace.signal == nil)
    #expect(trace.errorLines == ["weir: T: File too large; the trace in it is incomplete"])
    let names = try await shell("ls -A", in: directory).run()
    #expect(names.outputText == "T\na\n")
    // Children have the default action.
    let child = try await shell(
      "ulimit -f 1; exec \"$0\" run a -- sh -c 'exec head -c 99999 /dev/zero > big'", in: directory
    ).run()
    #expect(child.errorText.contains("was ended by signal \(SIGXFSZ)"), "\(child.errorText)")
  }

  @Test("works at ulimit -n 8", arguments: [["-j1"], ["-j4"]])
  func fewDescriptors(options: [String]) async throws {
    let directory = try tree(100, for: "few descriptors")
    // The shell has no descriptor left for a redirection.
    func hash(_ words: String) async throws -> Outcome {
      let jobs = options.joined(separator: " ")
      let script = "ulimit -n 8; exec \"$0\" hash -o M \(words) \(jobs) t"
      return try await shell(script, in: directory).run()
    }
    var report = ""
    for words in ["", "--resume", "--update", "--resume --update"] {
      if words.contains("--resume") {
        let records = try #require(directory.content("M.mtree"))
        let end = records[..<(records.count / 2)].lastIndex(of: 0x0A) ?? 0
        let begun = String(decoding: records[...end], as: UTF8.self)
          .replacing(" path=", with: words.contains("--update") ? " update=yes path=" : " path=")
        try directory.write(begun, to: "M.partial")
      }
      let result = try await hash(words)
      result.expectSilence()
      report = result.outputText
    }
    let expected = try await weir("hash", "t", in: directory).run()
    #expect(directory.content("M") == expected.output)
    #expect(report == "100 files not read, 0 read, 0 replaced, 0 new, 0 gone\n")
  }
}

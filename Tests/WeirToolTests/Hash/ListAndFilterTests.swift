// Lists of names, filters, and the depth of walks.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct ListAndFilterTests {
  private func names(_ result: Outcome) -> [String] {
    result.lines.map { String(decoding: $0.dropFirst(34), as: UTF8.self) }
  }

  @Test("lists and paths in any mix keep the given order")
  func mix() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c", "d", "e"] { try directory.write(name, to: name) }
    try directory.makeDirectory("t")
    for name in ["t/y", "t/x"] { try directory.write(name, to: name) }
    try directory.write("b\nt", to: "lines")
    try directory.write("c\0t/y\0", to: "nul")
    var command = weir(
      "hash", "-amd5", "a", "--files-from", "lines", "e", "--files0-from=nul", "-j2",
      "--files-from=-", "a", in: directory)
    command.input = .bytes(Array("d\na\n".utf8))
    let result = try await command.run()
    result.expectSilence()
    #expect(names(result) == ["a", "b", "t/x", "t/y", "e", "c", "t/y", "d", "a", "a"])
  }

  @Test("names in a list are used unchanged, and errors stand in their places")
  func literal() async throws {
    let directory = try TemporaryDirectory()
    for name in ["-", "--tag", " a ", "z"] { try directory.write(name, to: name) }
    var command = weir("hash", "-amd5", "--files-from", "-", in: directory)
    command.input = .bytes(Array("-\n\n--tag\nnone\n a \nz".utf8))
    let result = try await command.run()
    #expect(result.status == 3 && names(result) == ["./-", "--tag", " a ", "z"])
    #expect(
      result.errorLines == [
        "weir: '': No such file or directory", "weir: none: No such file or directory",
        "weir: 4 files read, 2 could not be read",
      ])
  }

  @Test("a listed link to a directory is skipped, one on the command line or to a file is read")
  func listedLinks() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("x", to: "t/f")
    try directory.link("l", to: "t")
    try directory.link("lf", to: "t/f")
    for (list, separator) in [("--files-from", "\n"), ("--files0-from", "\0")] {
      for (options, expected) in [
        ([], ["t/f", "lf"]), (["--follow"], ["t/f", "l/f", "lf"]), (["l"], ["l/f", "t/f", "lf"]),
      ] {
        var command = weir(
          words("hash", "-amd5", "--summary") + (options + [list, "-"]).map { Array($0.utf8) },
          in: directory)
        command.input = .bytes(Array("t/f\(separator)l\(separator)lf".utf8))
        let result = try await command.run()
        #expect(result.status == 0 && names(result) == expected)
        #expect(
          result.errorText.contains("1 symbolic link skipped") != options.contains("--follow"))
      }
    }
    // The same rule for the other verbs: an mtree manifest has the link, a plan has not.
    for (verb, count) in [(["count"], 3), (["hash", "--format=mtree"], 7)] {
      var command = weir(verb.map { Array($0.utf8) } + words("--files-from", "-"), in: directory)
      command.input = .bytes(Array("t/f\nl\nlf\n".utf8))
      let result = try await command.run()
      #expect(result.status == 0 && result.lines.count == count)
    }
    var command = weir(
      "plan", "--files-from", "-", "--shards", "1", "--output", "P", in: directory)
    command.input = .bytes(Array("t/f\nl\nlf\n".utf8))
    let planned = try await command.run()
    #expect(planned.outputText.contains("files          2\n"))
  }

  @Test("a list is read as it arrives: its files are hashed before it ends")
  func slowList() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, to: name) }
    var command = weir("hash", "--files-from", "-", in: directory)
    command.input = .bytes(Array("a\nb\n".utf8))
    let asked = command
    let result = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.filter { $0 == 0x0A }.count == 2 })
      return try child.finish(limit: 40)
    }
    result.expectSilence()
  }

  @Test("a list that cannot be opened ends the run with 2, a read error counts as a failed file")
  func noList() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try directory.makeDirectory("t")
    for name in ["none", "/dev/fd/77"] {
      let reason = name == "none" ? "No such file or directory" : "Bad file descriptor"
      let result = try await weir("hash", "a", "--files-from", name, in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(name): \(reason)\n")
    }
    let result = try await weir("hash", "a", "--files-from", "t", "a", in: directory).run()
    #expect(result.status == 3 && result.lines.count == 2)
    #expect(result.errorLines.first == "weir: t: Is a directory")
  }

  static let filters: [([String], [String])] = [
    ([], ["a.c", "a.o", "d/b.c", "d/b.o", "d/e/a.c", "d/e/é.o"]),
    (["--exclude", "*.o"], ["a.c", "d/b.c", "d/e/a.c"]),
    (["--include=*.c"], ["a.c", "d/b.c", "d/e/a.c"]),
    (["--exclude", "*.o", "--include", "b.o"], ["a.c", "d/b.c", "d/b.o", "d/e/a.c"]),
    (["--include", "b.o", "--exclude", "*.o"], []),
    (["--exclude", "d/"], ["a.c", "a.o"]),
    (["--exclude", "e"], ["a.c", "a.o", "d/b.c", "d/b.o"]),
    (["--exclude", "/a.c"], ["a.o", "d/b.c", "d/b.o", "d/e/a.c", "d/e/é.o"]),
    (["--exclude", "d/*.c"], ["a.c", "a.o", "d/b.o", "d/e/a.c", "d/e/é.o"]),
    (["--exclude", "**.c"], ["a.o", "d/b.o", "d/e/é.o"]),
    (["--max-depth", "1"], ["a.c", "a.o"]),
    (["--max-depth=2", "--exclude", "?.o"], ["a.c", "d/b.c"]),
  ]

  @Test("filters select the entries of a walk", arguments: filters)
  func filter(options: [String], expected: [String]) async throws {
    let directory = try TemporaryDirectory()
    for name in ["t", "t/d", "t/d/e"] { try directory.makeDirectory(name) }
    for name in ListAndFilterTests.filters[0].1 { try directory.write(name, to: "t/\(name)") }
    let words = words("hash", "-amd5", "-Ct", ".") + options.map { Array($0.utf8) }
    let result = try await weir(words, in: directory).run()
    // An empty manifest is remarked on, and no failure.
    #expect(result.status == 0)
    #expect(
      result.errorText == (expected.isEmpty ? "weir: 0 files read, 6 skipped by filters\n" : ""))
    #expect(names(result) == expected.map { "./\($0)" })
    // A named file is not filtered.
    let named = try await weir(words + [Array("a.o".utf8)], in: directory).run()
    #expect(names(named).last == "a.o")
  }

  @Test("only one of many lists is open at a time")
  func manyLists() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in 0..<50 { try directory.write("\(name)", to: "t/\(name)") }
    for list in 0..<9 { try directory.write("t\n", to: "L\(list)") }
    let result = try await shell(
      """
      ulimit -n 8
      exec "$0" hash --trace trace $(for list in L*; do echo --files-from $list; done)
      """, in: directory
    ).run()
    result.expectSilence()
    #expect(result.lines.count == 9 * 50)
  }

  @Test(
    "a trace does not overwrite an input, or the records of a manifest",
    arguments: ["hash a", "hash --files-from=a", "check M"])
  func traceOfInput(command: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("precious", to: "a")
    let result = try await shell(
      "$0 hash -o M a; case '\(command)' in check*) ln -f M.mtree a ;; esac; cp a c; $0 \(command) --trace ./a; echo $?; cmp a c",
      in: directory
    ).run()
    #expect(result.outputText == "2\n")
    #expect(result.errorLines == ["weir: ./a: is an input, and --trace would overwrite it"])
  }

  @Test("the file of standard error is skipped")
  func messages() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("a", to: "t/a")
    let script = "mkfifo t/f; \"$0\" hash -amd5 t 2> t/messages; cat t/messages >&2"
    let result = try await shell(script, in: directory).run()
    #expect(names(result) == ["t/a"])
    #expect(result.errorLines == ["weir: t/f: skipped: is a FIFO"])
  }

  @Test("patterns are bytes")
  func bytes() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("x".utf8, to: Array("t/".utf8) + [0xFF, 0x61])
    try directory.write("x".utf8, to: Array("t/".utf8) + [0xFE, 0x61])
    let result = try await weir(
      words("hash", "-z", "t", "--exclude") + [[0xFF, 0x2A]], in: directory
    ).run()
    result.expectSilence()
    #expect(result.output.contains(0xFE) && !result.output.contains(0xFF))
  }
}

// weir check with the records beside a manifest, M.mtree.

import TestSupport
import Testing

@Suite
struct CheckRecordsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["edited", "gone", "rotten", "same", "touched"] {
      try directory.write("content of \(name)", to: "d/\(name)")
    }
    try directory.write("odd", to: "d/new\nline")
  }

  private func change() async throws {
    let script = """
      printf x >> d/edited; rm d/gone; touch -r d/rotten ref; printf X | dd of=d/rotten conv=notrunc
      touch -r ref d/rotten; touch -d 2001-01-01 d/touched
      """
    #expect(try await shell(script, in: directory).run().status == 0)
  }

  private static let verdicts = [
    "d/edited: FAILED (edited)", "d/gone: FAILED (missing)", "\\d/new\\nline: OK",
    "d/rotten: FAILED (rot)", "d/same: OK", "d/touched: OK (touched)",
  ]

  @Test(
    "a link in the place of a file that a walk has found differs; a named or followed one is read")
  func links() async throws {
    let script = """
      mkdir t t/d; echo 1 >t/f; echo 2 >t/d/g; ln -s f t/l; ln -s t u
      $0 hash -o M t; $0 hash -o N u/ t/l; $0 hash --follow -o F t; sha256sum t/f >S
      for m in N F; do $0 check --quiet $m; echo $?; done
      mv t/f o; ln -s ../o t/f; mv t/d p; ln -s ../p t/d
      for m in M M.mtree N S; do $0 check --quiet $m; echo $?; done
      mkdir v v/d; echo 3 >v/d/f; ln -s d v/l; $0 hash -o V v v/l/f; $0 check --quiet V; echo $?
      """
    let result = try await shell(script, in: directory).run()
    let (f, g) = ("t/f: FAILED (is a symbolic link)\n", "t/d/g: FAILED (is a symbolic link)\n")
    let named = (g + f).replacing("t/", with: "u/")
    #expect(result.outputText == "0\n0\n\(g)\(f)1\n\(g)\(f)1\n\(named)1\n0\n0\n")
  }

  @Test(
    "the records tell rot from an edit, by the names and the order of the manifest",
    arguments: [[], ["--tag"], ["-a", "md5,blake3"], ["--zero"], ["-a", "xxh128"]])
  func verdicts(options: [String]) async throws {
    _ = try await weir(["hash", "-o", "M"] + options + ["d"], in: directory).run()
    try await change()
    let zero = options.filter { $0 == "--zero" }
    let run = try await weir(["check", "M"] + zero, in: directory).run()
    let count = options.contains("md5,blake3") ? 2 : 1
    let expected = CheckRecordsTests.verdicts.flatMap { repeatElement($0, count: count) }
    #expect(run.outputText.split(separator: "\n").map(String.init) == expected)
    #expect(run.status == 1)
    let shards = try await (0..<3).asyncMap { shard in
      try await weir(["check", "--shard", "\(shard)/3", "M"] + zero, in: directory).run()
        .outputText.split(separator: "\n").map(String.init)
    }
    #expect(shards.flatMap(\.self).sorted() == expected.sorted())
  }

  @Test("the records beside a manifest whose name is a link are those of its file")
  func link() async throws {
    let script = """
      mkdir real; ln -s real/M M; $0 hash -o M d; printf X >d/same; touch -d @1 d/same
      $0 check --quiet M; $0 check --quiet --audit . -C . M
      """
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "d/same: FAILED (edited)\nd/same: FAILED (edited)\n")
  }

  @Test("a file below what became a file is missing in each format")
  func notDirectory() async throws {
    let script = """
      mkdir d/s; cp d/same d/s; $0 hash d/s >M; $0 hash --format mtree d/s >T; rm -r d/s; echo >d/s
      for m in M T; do $0 check --format json $m | grep -o '/same".*"status":"missing"' | wc -l; done
      """
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "1\n1\n")
  }

  @Test("other content of a pipe is no rot, whatever the record of standard input is")
  func pipe() async throws {
    let script = "$0 hash -o M - <d/same; echo x | $0 check M; $0 check M <d/same"
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "-: FAILED\n-: OK\n")
  }

  @Test("records are used as far as they agree with the manifest, and a sentence says so")
  func disagreement() async throws {
    _ = try await weir("hash", "-o", "M", "d", in: directory).run()
    _ = try await shell("sed -i 2d M", in: directory).run()
    try await change()
    let run = try await weir("check", "M", in: directory).run()
    let lines = run.outputText.split(separator: "\n")
    let verdicts = ["d/edited: FAILED (edited)", "\\d/new\\nline: OK", "d/rotten: FAILED"]
    #expect(lines.map(String.init) == verdicts + ["d/same: OK", "d/touched: OK"])
    #expect(run.errorText.contains("weir: M: line 2 and what follows differ from M.mtree"))
    for script in ["printf nonsense > M.mtree", "rm M.mtree", "mkfifo M.mtree"] {
      _ = try await shell("rm -f M.mtree; \(script)", in: directory).run()
      let plain = try await weir("check", "M", in: directory).run()
      #expect(plain.outputText == run.outputText.replacing(" (edited)", with: ""))
      let isNamed = plain.errorText.contains("M.mtree: cannot be read or has no records of M")
      #expect(isNamed == !script.hasPrefix("rm"))
    }
  }

  @Test("another digest than that of the records is a difference, a line less is none")
  func contradiction() async throws {
    let script = """
      $0 hash -o M d; cp M N; sed -i 2d M; $0 check --quiet M; echo $?; cp N M
      digest=$(echo other >d/same; sha256sum <d/same | cut -c1-64)
      sed -i "s,^.*  d/same,$digest  d/same," M; $0 check --quiet M; echo $?
      $0 plan -o P --shards 2 d >/dev/null
      for shard in 0 1; do $0 check --quiet --plan P --shard $shard/2 --out D M; echo $?; done
      $0 merge --plan P D; echo $?
      """
    let run = try await shell(script, in: directory).run()
    // The first shard reports what concerns the manifest as a whole.
    #expect(run.outputText == "0\n1\n1\n0\n1\n", "\(run.errorText)")
    let isNamed = { (line: String) in run.errorText.contains("M: line \(line) and what follows") }
    #expect(isNamed("2") && isNamed("5"), "\(run.errorText)")
  }

  @Test("a manifest that does not exist or is UTF-16 is a usage error that names the way out")
  func unusable() async throws {
    let missing = try await weir("check", "nope", in: directory).run()
    #expect(missing.status == 2 && missing.errorText == "weir: nope: No such file or directory\n")
    for form in ["LE", "BE"] {
      let mark = form == "LE" ? "\\377\\376" : "\\376\\377"
      let script = "{ printf '\(mark)'; sha256sum d/same | iconv -t UTF-16\(form); } > U"
      _ = try await shell(script, in: directory).run()
      let run = try await weir("check", "U", in: directory).run()
      #expect(run.status == 2)
      let text = "weir: U: is UTF-16; convert it with iconv -f UTF-16 -t UTF-8\n"
      #expect(run.errorText == text)
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<R>(_ body: (Element) async throws -> R) async rethrows -> [R] {
    var results: [R] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}

// weir check with a budget, and with a state that remembers what was proved.

import Glibc
import TestSupport
import Testing

@Suite
struct CheckStateTests {
  private let directory: TemporaryDirectory

  init() async throws {
    directory = try TemporaryDirectory()
    for number in 1...6 {
      let content = [UInt8](repeating: UInt8(number), count: 100 * number)
      try directory.write(content, to: "f\(number)".utf8)
    }
    _ = try await shell("sha256sum f* > S", in: directory).run()
  }

  private func check(_ options: String...) async throws -> Outcome {
    try await weir(["check"] + options + ["S"], in: directory).run()
  }

  private func verified(_ run: Outcome) -> String {
    run.outputText.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
      .joined(separator: " ")
  }

  private var lines: [Substring] {
    String(decoding: directory.content("ST") ?? [], as: UTF8.self).split(separator: "\n")
  }

  @Test("a budget ends a run in the order of the manifest, and is no failure")
  func budget() async throws {
    let run = try await check("--max-bytes", "650", "--summary")
    #expect(verified(run) == "f1 f2 f3" && run.status == 0)
    #expect(run.errorText.hasPrefix("weir: 3 of 6 lines: 3 right; the rest next time; 600 B"))
    #expect(try await check("--max-bytes", "650").errorText.isEmpty)
    // The first file may have any size, and no smaller one comes before a larger one.
    #expect(verified(try await check("--max-bytes", "1")) == "f1")
    let slow = try await check("--max-time", "0.000001", "--summary")
    #expect(verified(slow) == "f1" && slow.status == 0)
    #expect(slow.errorText.hasPrefix("weir: 1 of 6 lines: 1 right; the rest next time"))
    let options = ["--max-bytes", "650", "--state", "ST", "--oldest-first", "--format", "json"]
    let json = try await weir(["check"] + options + ["S"], in: directory).run()
    let summary = try #require(try Schema(of: "check").objects(json.output).last)
    #expect(summary["postponed"] as? Int == 3 && summary["bytes"] as? Int == 600)
    #expect(summary["never_proved"] as? Int == 3 && summary["proved_before"] as? Int == 0)
    let oldest = try #require(summary["oldest_proof"] as? String)
    #expect(lines.contains { $0.hasPrefix(oldest) })
  }

  @Test(
    "missing files use up no bytes, and a run that verified nothing is no success",
    arguments: ["--max-bytes 1", "--max-bytes 1 --oldest-first --state ST"])
  func missing(options: String) async throws {
    let script = "rm f*; $0 check --ignore-missing \(options) M"
    _ = try await shell("$0 hash -o M f*", in: directory).run()
    let gone = try await shell(script, in: directory).run()
    #expect(gone.status == 1 && gone.errorText == "weir: M: no file was verified\n")
    try directory.write([UInt8](repeating: 6, count: 600), to: "f6".utf8)
    let one = try await shell("$0 check --ignore-missing \(options) S", in: directory).run()
    #expect(verified(one) == "f6" && one.status == 0)
  }

  @Test("a run whose time is over after files that are missing is no success")
  func missingInTime() async throws {
    let script = "(head -n 3 S; sleep 8; tail -n 3 S) | $0 check --ignore-missing --max-time 4"
    let run = try await shell("rm f*; " + script, in: directory).run()
    #expect(run.status == 1 && run.errorText == "weir: no file was verified\n")
  }

  @Test("--resume leaves out what the round has proved, and a round ends when all was verified")
  func resume() async throws {
    try directory.write("wrong", to: "f2")
    #expect(verified(try await check("--state", "ST", "--max-bytes", "650")) == "f1 f2 f3")
    let second = try await check("--state", "ST", "--resume", "--summary")
    // What failed is verified again, so that the status is that of the round.
    #expect(verified(second) == "f2 f4 f5 f6" && second.status == 1)
    #expect(second.errorText.contains("2 lines proved before in this round"))
    #expect(!lines[0].contains("round="))
    #expect(verified(try await check("--state", "ST", "--resume")) == "f1 f2 f3 f4 f5 f6")
  }

  @Test("a round that begins in the future, by a wrong clock, is not continued")
  func futureRound() async throws {
    _ = try await check("--state", "ST", "--max-bytes", "150")
    let script = "sed -i 's/ round=[^ ]*/ round=2036-01-01T00:00:00Z/' ST"
    _ = try await shell(script, in: directory).run()
    #expect(lines[0].contains("round=2036"))
    var all: Set<String> = []
    for _ in 1...6 {
      all.insert(verified(try await check("--state", "ST", "--resume", "--max-bytes", "150")))
    }
    #expect(all.count > 2, "\(all)")
  }

  @Test("an interrupted run names the command that continues it, and keeps what it proved")
  func interruption() async throws {
    try directory.makeFIFO("wait")
    try directory.write("\(String(repeating: "0", count: 64))  -\n", to: "W")
    var command = weir("check", "--state", "ST", "--max-time", "1h", "S", "W", in: directory)
    command.input = .file(directory.path("wait"), O_RDWR)
    let run = try await onThread { [command] in
      let child = try Child(command)
      _ = child.collect(limit: 20) { output, _ in output.count >= 6 * 7 }
      kill(child.pid, SIGTERM)
      return try child.finish(limit: 20)
    }
    #expect(run.signal == SIGTERM)
    #expect(
      run.errorText.contains(
        "ST has what was proved; to continue: weir check --resume --state ST --max-time 1h S W"),
      "\(run.errorText)")
    #expect(lines.count { $0.hasPrefix("2") } == 6)
  }

  @Test("a damaged state, that of other manifests and any other file are errors, and stay")
  func damage() async throws {
    _ = try await check("--state", "ST")
    let whole = try #require(directory.content("ST"))
    let text = String(decoding: whole, as: UTF8.self)
    let begin = text.split(separator: "\n", omittingEmptySubsequences: false)
    let wayOut = "; restore it, or remove it: every line then counts as never proved\n"
    for (content, reason) in [
      (begin.dropLast(2).joined(separator: "\n"), "is damaged: it has 4 of 6 lines" + wayOut),
      (
        text.replacing("-                    ", with: "2026-02-30T00:00:00Z ", maxReplacements: 1),
        "is damaged: line 3 cannot be read" + wayOut
      ),
      ("precious", "was not written by weir and is left unchanged; choose another name\n"),
      (
        text.replacing(/[0-9a-f]{64}/) { _ in String(repeating: "0", count: 64) },
        "has no line of these manifests; name another state, or remove this one\n"
      ),
    ] {
      try directory.write(content, to: "ST")
      let run = try await check("--state", "ST")
      #expect(run.status == 2 && run.errorText == "weir: ST: \(reason)", "\(run.errorText)")
      #expect(directory.content("ST").map { $0.starts(with: content.utf8) } == true)
    }
    // What a kill and a crash leave after the whole lines.
    let line = "2020-01-01T00:00:00Z -                    \(String(repeating: "0", count: 64))  x"
    for tail in ["2026-01-", "\0\0\0\0", "\0\0\n\(line)\n", "\(line)\n2026"] {
      try directory.write(whole + Array(tail.utf8), to: "ST".utf8)
      #expect(try await check("--state", "ST").status == 0)
      #expect(lines.count == 8)
    }
  }

  @Test("a manifest that cannot be read forgets nothing, and two runs exclude each other")
  func safety() async throws {
    _ = try await check("--state", "ST")
    let before = lines.dropFirst(2)
    let script = "mv S S.away; $0 check --state ST S; mv S.away S"
    _ = try await shell(script, in: directory).run()
    #expect(lines.filter { $0.first != "#" } == Array(before))
    let locked = try await shell("flock ST $0 check --state ST S", in: directory).run()
    #expect(locked.status == 2 && locked.errorText.contains("ST: another run is writing it"))
  }

  @Test("the proofs of one directory are refused in another one, unless all names are absolute")
  func directories() async throws {
    _ = try await shell(
      "mkdir 'A b' B; cp f* 'A b'; cp f* B; sha256sum \"$PWD\"/f* >absolute", in: directory
    ).run()
    func check(in place: String, state: String, _ manifest: String) async throws -> Outcome {
      let options = ["--resume", "--state", state, "--max-bytes", "650", "-C", place]
      return try await weir(["check"] + options + [manifest], in: directory).run()
    }
    // Without proofs no directory counts.
    #expect(try await check(in: "B", state: "ST", "none").status == 2)
    #expect(verified(try await check(in: "A b", state: "ST", "S")) == "f1 f2 f3")
    let before = directory.content("ST")
    let other = try await check(in: "B", state: "ST", "S")
    #expect(other.status == 2 && other.output.isEmpty)
    let reason = "ST: has the proofs of another directory, '"
    #expect(
      other.errorText.contains(reason)
        && other.errorText.hasSuffix("/A b'; name another state\n"), "\(other.errorText)")
    #expect(directory.content("ST") == before)
    // A state of weir 0.15 has no directory.
    _ = try await shell("sed -i '1s/ directory=.*//' ST", in: directory).run()
    #expect(verified(try await check(in: "B", state: "ST", "S")) == "f4")
    #expect(lines[0].contains(" round=") && lines[0].hasSuffix("/B"), "\(lines[0])")
    for place in ["A b", "B"] {
      #expect(try await check(in: place, state: "absolute.state", "absolute").status == 0)
    }
  }

  @Test(
    "a run that finds no line leaves the proofs as they are, and says so",
    arguments: ["$0 check --state ST -a md5 S", ": >S; $0 check --state ST S"])
  func unused(script: String) async throws {
    _ = try await check("--state", "ST", "--max-bytes", "650")
    let before = directory.content("ST")
    let run = try await shell(script, in: directory).run()
    #expect(run.status == 1 && run.errorText.contains("no properly formatted checksum lines"))
    let message = "weir: no line with a digest was found; the state keeps its proofs\n"
    #expect(run.errorText.hasSuffix(message))
    #expect(directory.content("ST") == before)
  }

  @Test("a failure whose line has left the manifests is named once, also with --quiet")
  func droppedFailure() async throws {
    let damage = #"""
      n=$(printf 'n\nl\\e'); printf x >"$n"; sha256sum f* n* >S; $0 check --quiet --state ST S
      for name in f2 f3 "$n"; do printf y >"$name"; done; $0 check --status --state ST S; echo $?
      """#
    #expect(try await shell(damage, in: directory).run().outputText == "1\n")
    // f2 and the other are recorded as they are, and f3 has another name.
    let record = #"""
      mv f3 g3; sed '/f2$/d; /^\\/d; s/f3$/g3/' S >T; sha256sum f2 n* >>T; mv T S
      """#
    try await shell(record, in: directory).run().expectSilence()
    let run = try await check("--quiet", "--state", "ST")
    #expect(run.status == 1 && run.outputText == "g3: FAILED\n")
    let end = ", and the expected digest is in no list any more; unless it was edited or accepted, "
    let said = run.errorLines.filter { $0.hasSuffix(end + "restore it from a copy") }
    let names = Set(said.map { $0.prefix { $0 != "2" } })
    #expect(names == ["weir: f", #"weir: 'n'$'\n''l\e': failed at "#], "\(run.errorText)")
    let next = try await check("--quiet", "--state", "ST")
    #expect(next.outputText == "g3: FAILED\n" && !next.errorText.contains("failed at"))
  }

  @Test("an edit or a missing file that an update records is no damage, and rot that is touched is")
  func editedFailure() async throws {
    let script = """
      $0 hash -o M f*; echo edit >f1; touch -d 2020-01-01 f1; mv f2 g2
      touch -r f3 time; printf '\\4%.0s' $(seq 300) >f3; touch -r time f3
      $0 check --status --state ST M; echo $?; touch f3; $0 check --status --state ST M; echo $?
      $0 hash --update --quiet --accept-gone -o M f[1345] g2; echo $?
      $0 check --quiet --state ST M; echo $?
      """
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "1\n1\n0\n0\n", "\(run.outputText)")
    let said = run.errorLines.filter { $0.contains("failed at") }
    #expect(said.map { $0.prefix(22) } == ["weir: f3: failed at 20"], "\(run.errorText)")
  }

  @Test("of several lines of a key, as a kill leaves them, the latest counts")
  func latest() async throws {
    _ = try await check("--state", "ST")
    _ = try await shell(
      "grep ' f[12]$' ST >new; sed -i 's/^2[0-9]*-/2001-/' ST; cat new >>ST", in: directory
    ).run()
    let run = try await check("--state", "ST", "--oldest-first", "--max-bytes", "650")
    #expect(verified(run) == "f3")
    #expect(lines.filter { $0.hasPrefix("2001-") }.map { $0.suffix(2) } == ["f4", "f5", "f6"])
  }

  @Test("a time in the future is no proof")
  func future() async throws {
    _ = try await check("--state", "ST")
    _ = try await shell("sed -i 's/^2[0-9]*-/2099-/' ST", in: directory).run()
    let run = try await check("--state", "ST", "--oldest-first", "--max-bytes", "1", "--summary")
    #expect(run.errorText.contains("5 lines were never proved"))
  }

  @Test(
    "options that exclude each other are refused",
    arguments: [
      "--oldest-first", "--resume", "--no-read --state ST", "--no-read --from-disk",
      "--no-read --max-bytes 1", "--audit . --state ST", "--audit . --max-time 1",
      "--audit . --no-read", "--shard 0/2 --state ST",
    ])
  func usage(options: String) async throws {
    let words = options.split(separator: " ").map(String.init)
    let run = try await weir(["check"] + words + ["S"], in: directory).run()
    #expect(run.status == 2 && run.errorText.hasPrefix("weir: "))
    #expect(directory.content("ST") == nil)
    let input = try await weir("check", "--state", "ST", in: directory).run()
    #expect(input.status == 2)
  }
}

// weir check BAG/: what a bag has to be, in both ways.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BagCheckTests {
  @Test("a valid bag has no fault", arguments: BagCase.valid)
  func valid(bag: BagCase) async throws {
    let result = try await check(bag)
    #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
    #expect(result.errorText.isEmpty && !result.outputText.contains("FAILED"))
  }

  @Test("a fault of a bag is found and named", arguments: BagCase.invalid)
  func invalid(bag: BagCase) async throws {
    let result = try await check(bag)
    #expect(result.status == bag.status, "\(result.outputText)\(result.errorText)")
  }

  @Test(
    "names in another form of Unicode, and a byte order mark, are no fault; a lost bagit.txt is")
  func spellings() async throws {
    let script = """
      mkdir b; echo a >"b/$(printf 'caf\\303\\251')"; echo b >b/x; $0 hash --bagit b; rm b/tagmanifest*
      sed -i "s/$(printf '\\303\\251')/$(printf 'e\\314\\201')/" b/manifest-sha512.txt
      sed -i "1s/^/$(printf '\\357\\273\\277')/" b/manifest-sha512.txt; $0 check b; echo $?
      mkdir c; echo 1 >c/a; echo 2 >c/A; $0 hash --bagit c; $0 check --quiet c; echo $?
      echo c >b/data/x; $0 check --quiet b; echo $?; rm b/bagit.txt; $0 hash --bagit b; echo $?; ls b
      """
    let result = try await scripted(script)
    let files = "b/data/caf\u{E9}: OK\nb/data/x: OK\n0\n0\nb/data/x: FAILED\n1\n"
    #expect(result.outputText == files + "2\nbag-info.txt\ndata\nmanifest-sha512.txt\n")
    #expect(result.errorText.contains("has manifest-sha512.txt, but no bagit.txt"))
    #expect(result.errorText.contains("warning: data/A and data/a differ only in case or in the"))
  }

  private func check(_ bag: BagCase) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    let made = try await BagCase.make(bag.change, in: directory)
    try #require(made.status == 0, "\(made.errorText)")
    let result = try await weir("check", "b/", in: directory).run()
    let all = result.outputText + result.errorText
    for part in bag.says { #expect(all.contains(part), "\(all)") }
    #expect(!result.wasLate && !all.contains("secret: OK"))
    return result
  }

  @Test("a name that leaves the bag is never opened", .enabled("strace", straceWorks))
  func unopened() async throws {
    let directory = try TemporaryDirectory()
    let change = """
      ln -s ../../secret data/l; ln -s ../.. data/d; payload ../secret data/../../secret data/l data/d/secret
      md5sum ../secret >>tagmanifest-md5.txt
      """
    #expect(try await BagCase.make(change, in: directory).status == 0)
    let result = try await other(
      "strace", words("-f", "-e", "trace=open,openat,openat2") + [weirPath] + words("check", "b"),
      in: directory
    ).run()
    #expect(result.status == 1 && result.errorText.contains("a.txt\""))
    let opened = result.errorLines.filter { $0.contains("open") && !$0.contains("O_PATH") }
    #expect(!opened.contains { $0.contains("secret\"") || $0.contains("data/l\"") })
    // A path from the working directory could lead through a directory that became a link.
    #expect(!opened.contains { $0.contains("\"b/data/") && !$0.contains("O_DIRECTORY") })
  }

  @Test("a file of several manifests is one line and one read, whatever their order and the lanes")
  func reads() async throws {
    let directory = try TemporaryDirectory()
    let change = "tac manifest-md5.txt >x; mv x manifest-md5.txt; tags"
    #expect(try await BagCase.make(change, in: directory).status == 0)
    let names =
      ["bag-info.txt", "bagit.txt", "data/a.txt", "data/sub/b.txt"]
      + ["manifest-md5.txt", "manifest-sha256.txt"]
    let lines = names.map { "b/\($0): OK\n" }.joined()
    for jobs in ["1", "7"] {
      let result = try await weir("check", "-j", jobs, "--summary", "b", in: directory).run()
      #expect(result.status == 0 && result.outputText == lines)
      #expect(result.errorText.hasPrefix("weir: 6 lines: 6 right;"), "\(result.errorText)")
    }
    let relative = try await weir("check", "-C", "b", ".", in: directory).run()
    let dotted = names.map { "./\($0): OK\n" }.joined()
    #expect(relative.status == 0 && relative.outputText == dotted)
  }

  @Test("a payload that cannot be read as a whole has no sum to compare")
  func unreadable() async throws {
    let directory = try TemporaryDirectory()
    #expect(try await BagCase.make("", in: directory).status == 0)
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all" : ""
    let result = try await shell(
      "$0 hash --bagit b; chmod 0 b/data/sub; chown -R 65534 . 2>/dev/null; \(user) \"$0\" check --quiet b",
      in: directory
    ).run()
    #expect(result.status == 3 && !result.outputText.contains("Oxum"), "\(result.outputText)")
  }

  @Test("a bag whose manifest or declaration cannot be read is not judged by it")
  func unreadableManifest() async throws {
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all" : ""
    for file in ["manifest-*", "manifest-md5.txt", "bagit.txt"] {
      let directory = try TemporaryDirectory()
      #expect(try await BagCase.make("", in: directory).status == 0)
      let result = try await shell(
        "chmod 0 b/\(file); chown -R 65534 . 2>/dev/null; \(user) \"$0\" check --quiet b",
        in: directory
      ).run()
      #expect(result.status == 3 && !result.outputText.contains("in no"), "\(result.outputText)")
      #expect(!result.errorText.contains("NOT met"), "\(result.errorText)")
    }
  }

  @Test("bags stand beside manifests, and their JSON is valid")
  func beside() async throws {
    let directory = try TemporaryDirectory()
    #expect(try await BagCase.make("rm data/a.txt; echo x >data/x", in: directory).status == 0)
    #expect(try await shell("sha256sum secret >S", in: directory).run().status == 0)
    let result = try await weir("check", "--format", "json", "S", "b", in: directory).run()
    #expect(result.status == 1)
    let text = result.outputText
    #expect(text.contains(#""path":{"text":"b/data/x"},"status":"failed","manifest":{"text":"b"}"#))
    #expect(text.contains(#""message":"is in no manifest""#))
    #expect(try Schema(of: "check").objects(result.output).count == 12)
    let quiet = try await weir("check", "--status", "b", in: directory).run()
    #expect(quiet.status == 1 && quiet.output.isEmpty)
    let audit = try await weir("check", "--audit", ".", "b", in: directory).run()
    #expect(audit.status == 2)
    #expect(audit.errorText.contains("--audit does not apply to b, a directory"))
    // A directory named - is not standard input.
    let input = try await shell("mkdir ./-; sha256sum -z S | $0 check -z -", in: directory).run()
    #expect(input.status == 0 && input.outputText == "S: OK\n", "\(input.errorText)")
  }

  @Test("random bags: the check says what a plain comparison says")
  func random() async throws {
    var random = SeededGenerator(for: "bags")
    for _ in 0..<12 {
      let directory = try TemporaryDirectory()
      let files = try directory.fill("t", files: 40, using: &random)
      #expect(
        try await weir("hash", "--bagit", "t", "-a", "md5,sha512", in: directory).run().status == 0)
      var expected: Set<[UInt8]> = []
      for file in files {
        let name = Array("t/data/".utf8) + file.dropFirst(2)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          try directory.write(random.bytes(1000), to: name)
          expected.insert(name)
        case 1:
          let new = name + Array(".new".utf8)
          try directory.write([], to: new)
          expected.insert(new)
        case 2:
          #expect(unlink(terminated(directory.path(name))) == 0)
          expected.insert(name)
        default: break
        }
      }
      let result = try await weir("check", "--quiet", "t", in: directory).run()
      let found = Set(
        result.lines.map { line in
          Array(line[..<(line.lastIndex(of: UInt8(ascii: ":")) ?? line.startIndex)])
        }
      ).filter { $0.starts(with: "t/data/".utf8) }
      #expect(found == expected && result.status == (expected.isEmpty ? 0 : 1))
    }
  }
}

// --report and --metrics: their contents, their refusals, and kills.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct ReportTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b"] { try directory.write("\(name)\n", to: "t/\(name)") }
  }

  /// Returns the report, which has to match the schema.
  private func report(_ name: String = "R") throws -> [String: Any] {
    let content = try #require(directory.content(name))
    let value = try JSONSerialization.jsonObject(with: Data(content))
    #expect(try Schema(of: "report").faults(of: value).isEmpty, "\(value)")
    return try #require(value as? [String: Any])
  }

  @Test("a report matches the schema and the run, for every verb and exit status")
  func verbs() async throws {
    let made = try await shell(
      "sha256sum t/* > M; sed 's/^......../00000000/' M > D; : > empty", in: directory
    )
    .run()
    made.expectSilence()
    let sum = try await shell("sha256sum < D | cut -c 1-64", in: directory).run().outputText
    for (words, status, verdict, counts) in [
      ("hash t", 0, "ok", ["files": 2]), ("hash t none", 3, "unreadable", ["unreadable": 1]),
      ("hash -o new t", 0, "ok", ["files": 2]), ("hash --resume", 2, "failed", [:]),
      ("check M", 0, "ok", ["ok": 2]), ("check D", 1, "different", ["failed": 2]),
      ("check -C t --audit . M", 4, "new or moved", ["moved": 2]),
      ("count t", 0, "ok", ["files": 2]), ("duplicates t", 0, "ok", ["groups": 0]),
      ("run t -- false", 1, "different", ["failed": 2]), ("run t", 2, "failed", [:]),
      ("check none", 2, "failed", [:]),
    ] as [(String, Int, String, [String: Int])] {
      var all = words.split(separator: " ").map(String.init)
      all.insert(contentsOf: ["--report", "R"], at: 1)
      let result = try await weir(all, in: directory).run()
      #expect(result.status == Int32(status), "\(words): \(result.errorText)")
      // A mistake in the command line is found before the run.
      if words == "hash --resume" || words == "run t" { continue }
      let report = try report()
      #expect(report["status"] as? Int == status, "\(words)")
      #expect(report["verdict"] as? String == verdict, "\(words)")
      let command = report["command"] as? [[String: String]]
      #expect(command?.compactMap { $0["text"] } == ["weir"] + all)
      let found = report["counts"] as? [String: Int] ?? [:]
      for (name, value) in counts { #expect(found[name] == value, "\(words): \(found)") }
      if words == "check D" {
        let manifests = report["manifests"] as? [[String: Any]]
        #expect(manifests?.first?["sha256"] as? String == String(sum.dropLast()))
        let failure = (report["failures"] as? [[String: Any]])?.last
        let expected = failure?["expected"] as? String
        let computed = failure?["computed"] as? String
        #expect(expected?.prefix(8) == "00000000")
        #expect(expected?.dropFirst(8) == computed?.dropFirst(8))
      }
    }
  }

  @Test("metrics are gauges with one name and kind each, and the numbers of the report")
  func metrics() async throws {
    let made = try await shell("sha256sum t/* > M; rm t/b", in: directory).run()
    made.expectSilence()
    let name = "a \"b\\c.prom"
    let result = try await weir(
      "check", "--status", "--report", "R", "--metrics", name, "M", in: directory
    ).run()
    #expect(result.status == 1)
    let counts = try #require(try report()["counts"] as? [String: Int])
    let lines = String(
      decoding: directory.content(name) ?? [], as: UTF8.self
    ).split(separator: "\n").map(String.init)
    let labels = #"run="a \"b\\c",verb="check""#
    #expect(lines.contains("weir_exit_status{\(labels)} 1"))
    for (kind, value) in counts {
      #expect(lines.contains("weir_items{\(labels),kind=\"\(kind)\"} \(value)"), "\(kind)")
    }
    let form = /weir_[a-z_]+\{[^\n]*\} [0-9]+(\.[0-9]{3})?/
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: form) != nil, "\(line)")
    }
    let samples = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "}" } }
    #expect(Set(samples).count == samples.count)
  }

  @Test(
    "kill -9 at any call leaves the old report or a whole new one",
    .enabled("strace has to work", straceWorks))
  func kills() async throws {
    let made = try await shell("sha256sum t/* > M", in: directory).run()
    made.expectSilence()
    let check = words("check", "--status", "--report", "R", "M")
    try await weir(check, in: directory).run().expectSilence()
    var kills = 0
    for call in ["openat", "write", "fsync", "rename", "close", "exit_group"] {
      for number in 1...12 {
        let options = "inject=\(call):signal=SIGKILL:when=\(number)"
        let result = try await other(
          "strace", words("-f", "-o", "/dev/null", "-e", options) + [weirPath] + check,
          in: directory
        ).run()
        if result.signal != SIGKILL { break }
        kills += 1
        let report = try report()
        #expect(report["verdict"] as? String == "ok", "\(call) \(number)")
      }
    }
    #expect(kills > 10)
  }
}

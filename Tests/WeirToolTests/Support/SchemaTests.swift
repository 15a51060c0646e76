// JSON output: its schemas in docs/schema, and its content.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct SchemaTests {
  /// Returns the bytes of a name in JSON.
  private func name(_ object: [String: Any]) throws -> [UInt8] {
    let path = try #require(object["path"] as? [String: String])
    if let text = path["text"] { return Array(text.utf8) }
    return try Array(#require(Data(base64Encoded: path["bytes"] ?? "!")))
  }

  @Test("files, errors and skipped files are in order, and match the schema")
  func order() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "c", "e"] { try directory.write(name, to: name) }
    try directory.makeDirectory("t")
    try directory.write("x", to: "t/x")
    try directory.makeFIFO("t/f")
    try directory.makeFIFO("p")
    let schema = try Schema(of: "hash")
    for option in [
      "-amd5", "-amd5,sha512,xxh3", "-amd5,blake3,blake2b-256,sm3,sha3-256,sha512/256",
    ] {
      let result = try await weir(
        "hash", "--format", "json", option, "a", "none", "c", "t", "p", "e", in: directory
      ).run()
      #expect(result.status == 3)
      let objects = try schema.objects(result.output)
      #expect(
        objects.compactMap { $0["type"] as? String } == [
          "file", "error", "file", "skipped", "file", "error", "file", "summary",
        ])
      #expect(
        try objects.dropLast().map { String(decoding: try name($0), as: UTF8.self) } == [
          "a", "none", "c", "t/f", "t/x", "p", "e",
        ])
      let digests = try #require(objects[0]["digests"] as? [String: String])
      #expect(digests["md5"] == "0cc175b9c0f1b6a831c399e269772661")
      #expect(digests.count == option.split(separator: ",").count)
      #expect(objects[1]["message"] as? String == "No such file or directory")
      let summary = try #require(objects.last)
      #expect(summary["files"] as? Int == 4 && summary["unreadable"] as? Int == 1)
      #expect(summary["special"] as? Int == 2 && summary["complete"] as? Bool == true)
      #expect(result.errorLines.count == 4)  // messages are said all the same
    }
  }

  @Test("the output of run matches its schema, and its pieces are the output of commands")
  func runObjects() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeFIFO("t/p")
    try directory.write("abc", to: "t/a")
    // Characters across pieces, and bytes that are no characters.
    let text = String(repeating: "äöü€𝄞", count: 20_000)
    try directory.write(text.utf8 + [0xFF, 0xC3], to: "odd".utf8)
    let script = "cat odd; echo err >&2; cat odd >&2; case $1 in t/a) exit 3;; esac"
    let result = try await weirRun(
      ["--format", "json", "--timeout", "40", "t", "b"], script, in: directory
    ).run()
    #expect(result.status == 1)
    let objects = try Schema(of: "run").objects(result.output)
    let types = objects.map { $0["type"] as? String ?? "" }
    #expect(types.filter { $0 != "output" } == ["command", "skipped", "command", "summary"])
    for (stream, begin) in [("stdout", ""), ("stderr", "err\n")] {
      var bytes: [UInt8] = []
      for object in objects where object["stream"] as? String == stream {
        guard object["command"] as? Int == 2, let data = object["data"] as? [String: String]
        else { continue }
        bytes += data["text"].map { Array($0.utf8) } ?? []
        bytes += data["bytes"].flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? []
      }
      #expect(difference(bytes, Array(begin.utf8) + Array(text.utf8) + [0xFF, 0xC3]) == nil)
    }
    let failed = objects.filter { $0["type"] as? String == "command" }
      .compactMap { $0["status"] as? Int }
    #expect(failed == [3, 0] && objects.last?["failed"] as? Int == 1)
    let texts = objects.filter { $0["type"] as? String == "output" }
      .filter { ($0["data"] as? [String: String])?["text"] != nil }
    #expect(texts.count >= objects.count - 4 - 8, "only ends are no text")
  }

  @Test("the output of check matches its schema")
  func check() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "a")
    try directory.makeFIFO("p")
    let good = "b1946ac92492d2347c6235b4d2611184"
    let bad = String(good.reversed())
    try directory.write(
      "\(good)  a\n\(bad)  a\n\(good)  none\nnothing\n\(good)  p\n", to: "M")
    let result = try await weir("check", "--format", "json", "M", "gone", in: directory).run()
    let schema = try Schema(of: "check")
    let objects = try schema.objects(result.output)
    #expect(
      objects.prefix(5).map { $0["status"] as? String } == [
        "ok", "failed", "missing", nil, "unreadable",
      ])
    #expect(objects.last?["type"] as? String == "summary" && result.status == 1)
  }

  @Test("JSON preserves any name", arguments: [0x0A, 0x00] as [UInt8])
  func names(separator: UInt8) async throws {
    var random = SeededGenerator(for: "json names")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let names = random.names(1500)
    for name in names { try directory.write([], to: Array("t/".utf8) + name) }
    let zero = separator == 0 ? ["-z"] : []
    let result = try await weir(
      words("hash", "-axxh64", "--format=json", "t") + zero.map { Array($0.utf8) }, in: directory
    ).run()
    result.expectSilence()
    let schema = try Schema(of: "hash")
    let objects = try schema.objects(result.output, separator: separator)
    #expect(objects.count == names.count + 1)
    let read = try objects.dropLast().map { try name($0) }
    #expect(difference(read, names.map { Array("t/".utf8) + $0 }) == nil)
  }
}

// weir duplicates: the groups, compared with jdupes, the formats, signals and exit statuses.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesCommandTests {
  /// A group as a set of names.
  private typealias Group = Set<[UInt8]>

  /// Parses the output of --zero or `jdupes -0`.
  private func groups(zero output: [UInt8]) -> [[[UInt8]]] {
    var groups: [[[UInt8]]] = [[]]
    for name in output.split(separator: 0, omittingEmptySubsequences: false).map(Array.init) {
      if name.isEmpty { groups.append([]) } else { groups[groups.count - 1].append(name) }
    }
    return groups.filter { !$0.isEmpty }
  }

  /// Parses lines of text: each file with its names.
  private func groups(text output: [UInt8]) -> [[[[UInt8]]]] {
    var groups: [[[[UInt8]]]] = []
    var isOpen = false
    for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init) {
      if line.isEmpty {
        isOpen = false
      } else if line.starts(with: "# ".utf8) {
        #expect(!isOpen)
        groups.append([])
        isOpen = true
      } else if line.starts(with: "= ".utf8) {
        let files = groups[groups.count - 1].count
        groups[groups.count - 1][files - 1].append(unescaped(Array(line.dropFirst(2))))
      } else {
        groups[groups.count - 1].append([unescaped(line)])
      }
    }
    return groups
  }

  private func unescaped(_ line: [UInt8]) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    guard line.first == backslash else { return line }
    var name: [UInt8] = []
    var bytes = line.dropFirst().makeIterator()
    while let byte = bytes.next() {
      guard byte == backslash else {
        name.append(byte)
        continue
      }
      switch bytes.next() {
      case UInt8(ascii: "n"): name.append(0x0A)
      case UInt8(ascii: "r"): name.append(0x0D)
      case let other: name.append(other ?? 0)
      }
    }
    return name
  }

  /// Makes a tree of unusual names: copies, near copies, hard links, empty files, and cycles
  /// of symbolic links.
  private func plant(_ directory: TemporaryDirectory, _ random: inout SeededGenerator) throws {
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/deep")
    try directory.makeDirectory("t/deep/er")
    let places = ["t/", "t/deep/", "t/deep/er/"].map { Array($0.utf8) }
    let contents = (0..<20).map { _ in
      random.bytes(Int(random.next() % 3 == 0 ? random.next() % 90_000 : random.next() % 200))
    }
    var made: [[UInt8]] = []
    for name in random.names(300) {
      let path = places[Int(random.next() % 3)] + name
      guard !made.contains(path),
        !["deep", "er", "loop"].contains(String(decoding: name, as: UTF8.self))
      else { continue }
      switch random.next() % 10 {
      case 0 where !made.isEmpty:
        let from = directory.path(made[Int(random.next() % UInt64(made.count))])
        let script = "ln -- \"$1\" \"$2\""
        let linking = Command(
          Array("sh".utf8),
          [Array("-c".utf8), Array(script.utf8), [0x73], from, directory.path(path)])
        guard try linking.runBlocking().status == 0 else { continue }
      case 1:
        var content = contents[Int(random.next() % 20)]
        if !content.isEmpty { content[content.count - 1] ^= 1 }
        try directory.write(content, to: path)
      default:
        try directory.write(contents[Int(random.next() % 20)], to: path)
      }
      made.append(path)
    }
    try directory.link("t/loop", to: "..")
    try directory.link("t/deep/loop", to: "../deep")
    try directory.makeFIFO("t/deep/fifo")
  }

  @Test("a file is listed under its own name, not that of a link to it, at any depth")
  func deepLink() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("same", to: "g")
    let part = String(repeating: "d", count: 100)
    let way = try await directory.makeDeep("t", part, levels: 50, "printf same > f; ln -s f a")
    for limit in [8, 1024] {
      let script = "ulimit -n \(limit); exec \"$0\" duplicates --follow \"$@\""
      for options in ["--hard-links", "--verify"] {
        let result = try await shell(script, options, "t", "t/\(part)/..", "g", in: directory).run()
        result.expectSilence()
        #expect(
          result.outputText == "# 2 files of 4 bytes: 4 bytes could be saved\n\(way)/f\ng\n\n")
      }
    }
  }

  @Test("text, --zero and JSON have the same groups, and preserve any name")
  func forms() async throws {
    var random = SeededGenerator(for: "duplicates forms")
    let directory = try TemporaryDirectory()
    try plant(directory, &random)
    for name in ["# 2 files", "= a", "\\", "\\n", "=b", "#c", " d"] {
      try directory.write("odd", to: "t/" + name)
    }
    let asked = words("duplicates", "-C", "t", "--files0-from", "-", "--min-size=0", "--hard-links")
    // As a list, so that lines begin with the unusual names.
    let list = try await shell("find t -type f -printf '%P\\0'", in: directory).run().output
    func run(_ more: [String]) async throws -> Outcome {
      var command = weir(asked + more.map { Array($0.utf8) }, in: directory)
      command.input = .bytes(list)
      return try await command.run()
    }
    let text = try await run([])
    text.expectSilence()
    let files = groups(text: text.output)
    let zero = try await run(["--zero"])
    #expect(groups(zero: zero.output) == files.map { $0.flatMap { $0 } })
    #expect(zero.output.suffix(2) == [0, 0] && text.output.suffix(2) == [0x0A, 0x0A])
    let named = Set(files.flatMap { $0 }.flatMap { $0 })
    #expect(named.isSuperset(of: ["# 2 files", "= a", "\\", "=b", "#c"].map { Array($0.utf8) }))
    #expect(text.outputText.contains("\n\\= a\n") && text.outputText.contains("\n\\# 2 files\n"))
    let schema = try Schema(of: "duplicates")
    for (option, separator) in [([String](), UInt8(0x0A)), (["-z"], 0)] {
      let json = try await run(["--format=json"] + option)
      let objects = try schema.objects(json.output, separator: separator)
      let read = try objects.dropLast().map { object in
        try #require(object["files"] as? [[String: [[String: String]]]]).map { file in
          try #require(file["paths"]).map { path in
            try path["text"].map { Array($0.utf8) }
              ?? Array(#require(Data(base64Encoded: path["bytes"] ?? "!")))
          }
        }
      }
      #expect(read == files)
      let savings = objects.dropLast().compactMap { $0["saving"] as? Int }
      #expect(savings == savings.sorted(by: >))
      let summary = try #require(objects.last)
      #expect(summary["groups"] as? Int == files.count && summary["complete"] as? Bool == true)
      #expect(summary["saving"] as? Int == savings.reduce(0, +))
      #expect(summary["hard_links"] as? Int == files.joined().reduce(0) { $0 + $1.count - 1 })
    }
  }

  @Test("a run over files whose sizes have no sum in 64 bits is ended by a signal alone")
  func exabytes() async throws {
    // Only tmpfs has such files. Swift's report on a trap would last until the signal.
    let script = """
      export SWIFT_BACKTRACE=enable=no
      d=$(mktemp -d /dev/shm/weir.XXXXXX) && truncate -s 9223372036854775807 $d/1 $d/2 $d/3 &&
        { timeout --preserve-status -s INT 2 $0 duplicates $d; echo $?; } || echo 130; rm -rf $d
      """
    let result = try await scripted(script)
    #expect(result.outputText == "130\n", "\(result.errorText)")
  }

  @Test("at any ulimit -n the output is complete, the same, and silent", arguments: [8, 9, 12, 33])
  func limit(_ limit: Int) async throws {
    var random = SeededGenerator(for: "duplicates limit \(limit)")
    let directory = try TemporaryDirectory()
    try plant(directory, &random)
    try Command("rm", directory.text + "/t/deep/fifo").runBlocking().expectSilence()
    let whole = try await weir("duplicates", "t", in: directory).run()
    for (jobs, option) in [("1", "--verify"), ("30", "--progress=never"), ("7", "--verify")] {
      let script = "ulimit -n \(limit); exec \"$0\" duplicates --jobs \"$1\" \"$2\" t t/deep"
      let result = try await shell(script, jobs, option, in: directory).run()
      result.expectSilence()
      #expect(difference(result.output, whole.output) == nil)
    }
  }

  @Test("at any moment of a signal, the run is complete exactly if all groups are written")
  func signalAnywhere() async throws {
    var random = SeededGenerator(for: "duplicates signal")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let pairs = 150
    for pair in 0..<pairs {
      let content = random.bytes([100, 40_000, 80_000, 500_000][pair % 4])
      for copy in 0..<2 { try directory.write(content, to: "t/\(pair).\(copy)".utf8) }
    }
    for round in 0..<40 {
      let asked = weir(
        "duplicates", "--format=json", round % 2 == 0 ? "--verify" : "--hard-links", "t",
        in: directory)
      // At any moment.
      let pause = UInt32(random.next() % 300_000)
      let result = try await onThread {
        let child = try Child(asked)
        usleep(pause)
        kill(child.pid, SIGTERM)
        return try child.finish(limit: 40)
      }
      #expect(!result.wasLate)
      // A signal before the start ends the process at once.
      guard let last = result.lines.last else { continue }
      let summary = try #require(
        JSONSerialization.jsonObject(with: Data(last)) as? [String: Any])
      let groups = result.lines.count - 1
      #expect(summary["type"] as? String == "summary" && summary["groups"] as? Int == groups)
      #expect(summary["complete"] as? Bool == (groups == pairs))
      #expect(summary["unreadable"] as? Int == 0)
      let isSaidWhole = result.errorText.contains("the run was complete all the same")
      let isSaidCut = result.errorText.contains("the rest is missing")
      #expect(!isSaidWhole || groups == pairs)
      #expect(isSaidCut == (groups < pairs))
    }
  }
}

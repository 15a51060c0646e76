// A random search over updates: trees, changes, and the order and spelling of PATHs and lists,
// against a dictionary.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct UpdateSearchTests {
  private static let count = runsWholeTables ? 400 : 80
  private static let updatesPerTree = 10

  @Test("no update forgets rot or drops a record, whatever the order and spelling of its PATHs")
  func random() async throws {
    var random = SeededGenerator(for: "update search")
    let digests = try await UpdateTree.digests()
    for round in 0..<(Self.count / Self.updatesPerTree) {
      var tree = try UpdateTree(digests, using: &random)
      for step in 0...Self.updatesPerTree {
        if step > 0 { try tree.change(using: &random) }
        let failure = try await tree.run(isUpdate: step > 0, using: &random)
        if let failure {
          Issue.record(
            "round \(round), update \(step): \(failure)\n\(tree.history.joined(separator: "\n"))")
          break
        }
      }
    }
  }
}

/// A tree of files, and what its manifest must say.
private struct UpdateTree {
  private struct File {
    var content: Int
    var time: Int
  }

  private struct Record: Equatable {
    var content: Int
    var time: Int
    var isRotten = false
    /// True if the record has a digest of the second algorithm.
    var hasSecond = false
  }

  private struct Request {
    var words: [String]
    var roots: Set<String>
    /// True if a file can have several records.
    var overlaps = false
  }

  private(set) var history: [String] = []
  private let directory: TemporaryDirectory
  private let digests: [String]
  private let format: [String]
  private var files: [String: File] = [:]
  private var records: [String: Record] = [:]
  private var hadOverlap = false
  private var clock = 1_600_000_000_000_000_000

  private static let roots = ["t", "u", "v"]
  private static let contents = 40

  private static func content(_ number: Int) -> String { "content \(100 + number)" }

  /// The digests of all contents.
  static func digests() async throws -> [String] {
    let directory = try TemporaryDirectory()
    for number in 0..<contents { try directory.write(content(number), to: "\(100 + number)") }
    let outcome = try await weir("hash", "-a", "xxh64", ".", in: directory).run()
    return outcome.outputText.split(separator: "\n").map { String($0.prefix(16)) }
  }

  init(_ digests: [String], using random: inout SeededGenerator) throws {
    self.digests = digests
    directory = try TemporaryDirectory()
    format = [[], ["--zero"], ["--format", "mtree"], []].randomElement(using: &random) ?? []
    try directory.makeDirectory("w")
    for root in UpdateTree.roots {
      for name in [root, root + "/a", root + "/a/b"] { try directory.makeDirectory("w/" + name) }
      for _ in 0..<Int.random(in: 1...5, using: &random) { try add(below: root, using: &random) }
      try write(root + "/stays", 0)
    }
  }

  // MARK: Changes

  private mutating func write(_ name: String, _ content: Int) throws {
    clock += 1_000_000_001
    files[name] = File(content: content, time: clock)
    try put(name)
  }

  private func put(_ name: String) throws {
    guard let file = files[name] else { return }
    try directory.write(UpdateTree.content(file.content), to: "w/" + name)
    try directory.setTime("w/" + name, file.time)
  }

  private mutating func add(below root: String, using random: inout SeededGenerator) throws {
    let parent = ["", "/a", "/a/b", "/a-"].randomElement(using: &random) ?? ""
    let separator = parent == "/a-" ? "" : "/"
    try write(
      root + parent + separator + "f\(Int.random(in: 0..<9, using: &random))",
      Int.random(in: 0..<UpdateTree.contents, using: &random))
  }

  mutating func change(using random: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      guard let name = files.keys.sorted().randomElement(using: &random) else { return }
      let content = Int.random(in: 0..<UpdateTree.contents, using: &random)
      let kind = Int.random(in: 0..<6, using: &random)
      history.append("  \(["rot", "rot", "repair", "edit", "remove", "add"][kind]) \(name)")
      switch kind {
      case 0, 1: files[name]?.content = content
      case 2:
        guard let record = records[name] else { continue }
        files[name] = File(content: record.content, time: record.time)
      case 3: try write(name, content)
      case 4 where !name.hasSuffix("stays"):
        files[name] = nil
        unlink(directory.text + "/w/" + name)
      default: try add(below: UpdateTree.roots.randomElement(using: &random) ?? "t", using: &random)
      }
      try put(name)
    }
  }

  // MARK: Runs

  private func spelled(_ name: String, using random: inout SeededGenerator) -> String {
    [
      name, "./" + name, ".//" + name, directory.text + "/w/" + name, name, name,
      "././" + name,
    ].randomElement(using: &random) ?? name
  }

  private func request(isWhole: Bool, using random: inout SeededGenerator) throws -> Request {
    var roots = UpdateTree.roots.shuffled(using: &random)
    let isPart = !isWhole && Int.random(in: 0..<5, using: &random) == 0
    if isPart { roots.removeLast(Int.random(in: 1...2, using: &random)) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where !isPart:
      return Request(words: [[".", "./", directory.text + "/w//"][clock % 3]], roots: Set(roots))
    case 1, 2:
      let names = files.keys.filter { roots.contains(String($0.prefix { $0 != "/" })) }.sorted()
      let lines = (Bool.random(using: &random) ? names : names.shuffled(using: &random)).map {
        spelled($0, using: &random)
      }
      let cut = Int.random(in: 0...lines.count, using: &random)
      var words: [String] = []
      for (number, part) in [lines[..<cut], lines[cut...]].enumerated() {
        let list = "l\(clock % 1000).\(number)"
        try directory.write(part.map { $0 + "\n" }.joined(), to: list)
        words += ["--files-from", list]
      }
      return Request(words: words, roots: Set(roots))
    case 3:
      try directory.write(spelled(roots[0], using: &random) + "\n", to: "l")
      return Request(
        words: roots.dropFirst().map { spelled($0, using: &random) } + ["--files-from", "l"],
        roots: Set(roots))
    default:
      var words = roots.map {
        spelled($0, using: &random)
          + (["", "", "/", "//", "/."].randomElement(using: &random) ?? "")
      }
      let overlaps = Int.random(in: 0..<6, using: &random) == 0
      if overlaps {
        words.insert(roots[0] + "/a", at: Int.random(in: 0...words.count, using: &random))
      }
      return Request(words: words, roots: Set(roots), overlaps: overlaps)
    }
  }

  /// Makes or updates the manifest. Returns the first difference from what is expected.
  mutating func run(isUpdate: Bool, using random: inout SeededGenerator) async throws -> String? {
    let request = try request(isWhole: !isUpdate, using: &random)
    let takesSecond = Int.random(in: 0..<3, using: &random) == 0
    let acceptsRot = isUpdate && Int.random(in: 0..<12, using: &random) == 0
    let permitsAll =
      hadOverlap || request.overlaps || Int.random(in: 0..<3, using: &random) == 0
    var words = ["hash", "-C", directory.text + "/w", "-o", directory.text + "/M"] + format
    words += ["-a", takesSecond ? "xxh64,md5" : "xxh64"]
    if isUpdate { words.append("--update") }
    if acceptsRot { words.append("--accept-rot") }
    if isUpdate && permitsAll { words += ["--max-gone", "100%"] }
    words += request.words
    history.append(words.joined(separator: " "))
    let outcome = try await weir(words.map { Array($0.utf8) }, in: directory).run()
    let (expected, status) = expectation(
      request, takesSecond: takesSecond, acceptsRot: acceptsRot, permitsAll: permitsAll)
    history.append("  \(outcome.status ?? -1): \(outcome.outputText)\(outcome.errorText)")
    guard outcome.status == status else { return "status \(status) expected" }
    if status == 2 {
      if !outcome.output.isEmpty { return "a refused update reports changes" }
    } else {
      records = expected
      hadOverlap = request.overlaps
    }
    return difference()
  }

  private func expectation(
    _ request: Request, takesSecond: Bool, acceptsRot: Bool, permitsAll: Bool
  ) -> ([String: Record], status: Int32) {
    var expected: [String: Record] = [:]
    for (name, file) in files where request.roots.contains(String(name.prefix { $0 != "/" })) {
      var record = Record(content: file.content, time: file.time, hasSecond: takesSecond)
      if let old = records[name] {
        let isKnown = old.time == file.time
        let isRead =
          !isKnown || old.isRotten || acceptsRot || takesSecond && !old.hasSecond
        if !isRead {
          record.content = old.content
        } else if isKnown && old.content != file.content && !acceptsRot {
          record = old
          record.isRotten = true
        }
      }
      expected[name] = record
    }
    let gone = records.filter { expected[$0.key] == nil }
    let losesRot = gone.contains { $0.value.isRotten && files[$0.key] != nil }
    if !permitsAll && gone.count * 2 > records.count || losesRot && !acceptsRot {
      return (records, 2)
    }
    return (expected, expected.values.contains(where: \.isRotten) ? 1 : 0)
  }

  /// Compares the records of the manifest with the expected ones.
  private func difference() -> String? {
    let name = format.contains("mtree") ? "M" : "M.mtree"
    let text = String(decoding: directory.content(name) ?? [], as: UTF8.self)
    let place = String(directory.text.dropFirst()) + "/w/"
    var found: [String: String] = [:]
    var isRotten = false
    for line in text.split(separator: "\n") {
      if line == "#weir rot" { isRotten = true }
      guard line.contains(" type=file "),
        let digest = line.split(separator: " ").first(where: { $0.hasPrefix("xxh64=") })
      else { continue }
      var parts = line.prefix { $0 != " " }.replacing(place, with: "").split(separator: "/")
      parts.removeAll { $0 == "." }
      found[parts.joined(separator: "/")] =
        digest.dropFirst(6) + (isRotten ? " rot" : "")
      isRotten = false
    }
    for (name, record) in records {
      let wanted = digests[record.content] + (record.isRotten ? " rot" : "")
      if found[name] != wanted { return "\(name): \(found[name] ?? "no record"), not \(wanted)" }
    }
    return found.count == records.count ? nil : "\(found.keys.sorted()): too many records"
  }
}

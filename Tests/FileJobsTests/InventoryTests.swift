// The parts of an inventory: keys of names, sorted runs, moves.

import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.timeLimit(.minutes(10)))
struct InventoryTests {
  // MARK: Names

  /// Returns the key of a name, by a model of the rules.
  private func modelKey(_ name: [UInt8], roots: [String]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let parts = name.split(separator: slash).filter { Array($0) != Array(".".utf8) }
    let joined = Array(parts.joined(separator: [slash]))
    guard name.first == slash else { return joined }
    for root in roots {
      let rootParts = root.utf8.split(separator: slash).map(Array.init).filter { $0 != [0x2E] }
      if parts.map(Array.init).starts(with: rootParts) {
        return Array(parts.dropFirst(rootParts.count).joined(separator: [slash]))
      }
    }
    return [slash] + joined
  }

  /// Returns the name of the key that a writer writes.
  private func key(_ name: [UInt8], _ writer: KeyWriter) -> [UInt8] {
    #expect(name.withUnsafeBytes { writer.write($0) })
    return EntryKey.name(of: writer.key)
  }

  @Test("all spellings of a name have one key")
  func keys() {
    var random = SeededGenerator(for: "inventory keys")
    let roots = ["/srv/data", "/", "//r/.//s/"]
    for (name, expected) in [
      ("", ""), (".", ""), ("./", ""), ("a", "a"), ("./a", "a"), (".//a//b/", "a/b"),
      ("a/./b", "a/b"), ("../a", "../a"), ("a/../b", "a/../b"), ("/srv/data/x", "x"),
      ("/srv/data", ""), ("/srv//./data//x/y", "x/y"), ("/srv/database", "/srv/database"),
      (".a", ".a"), ("a.", "a."), ("a/.", "a"), ("...", "..."), ("/", "/"), ("./-", "-"),
    ] {
      let got = key(Array(name.utf8), KeyWriter(below: [Array("/srv/data/".utf8)]))
      #expect(got == Array(expected.utf8), "\(name)")
    }
    let pieces = ["a", "b", ".", "..", "", "srv", "data", "r", "s", ".x", "data2"]
    // What a name shares with the one before is not written again.
    let writers = (
      KeyWriter(below: [Array(roots[0].utf8)]),
      KeyWriter(below: [Array(roots[0].utf8), Array(roots[2].utf8)])
    )
    for round in 0..<5_000 {
      let count = Int.random(in: 0...7, using: &random)
      var name = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined(separator: "/")
      if Bool.random(using: &random) { name = "/" + name }
      // One root in every second round, two in the others.
      let some = round % 2 == 0 ? Array(roots[0...0]) : [roots[0], roots[2]]
      let writer = round % 2 == 0 ? writers.0 : writers.1
      let got = key(Array(name.utf8), writer)
      #expect(got == modelKey(Array(name.utf8), roots: some), "\(name) of \(some)")
    }
    let all = KeyWriter(below: [[UInt8(ascii: "/")]])
    #expect(key(Array("/a/b".utf8), all) == Array("a/b".utf8))
  }

  // MARK: Sorts

  @Test("records come out in order, whatever they share, and whatever the memory is")
  func sorts() throws {
    var random = SeededGenerator(for: "inventory sorts")
    let directory = try TemporaryDirectory()
    for round in 0..<30 {
      let pool = (0..<4).map { _ in random.bytes(Int(random.next() % 300)) }
      var records = (0..<Int(random.next() % 400)).map { _ in
        (pool.randomElement(using: &random) ?? []).prefix(Int(random.next() % 300))
          + random.bytes(Int(random.next() % 9))
      }
      if round % 3 == 0 { records.sort { $0.lexicographicallyPrecedes($1) } }
      let runs = SortedRuns(memory: 1 << (8 + round % 12), in: directory.path)
      for record in records { try record.withUnsafeBytes { try runs.append($0) } }
      try runs.finish()
      let reader = runs.makeReader()
      for record in records.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let next = try #require(try reader.next())
        #expect(next.elementsEqual(record), "\(round)")
      }
      #expect(try reader.next() == nil)
    }
  }

  // MARK: Moves

  private struct File {
    let content: UInt8
    let name: String

    var base: Substring { name.split(separator: "/").last ?? "" }
  }

  /// Returns the new name of each file of A, by a model of the rules. Content 0 is empty.
  private func modelMoves(_ a: [File], _ b: [File]) -> [Int?] {
    var moved = [Int?](repeating: nil, count: a.count)
    for needsName in [true, false] {
      for (index, file) in a.enumerated() where moved[index] == nil {
        if !needsName && file.content == 0 { continue }
        moved[index] = b.indices.first {
          b[$0].content == file.content && !moved.contains($0)
            && (!needsName || b[$0].base == file.base)
        }
      }
    }
    return moved
  }

  @Test("a file becomes a new one with its content, by preference its last component")
  func moves() throws {
    var random = SeededGenerator(for: "inventory moves")
    let algorithm = try #require(DigestAlgorithm("xxh64"))
    let empty = try Digest(algorithm).bytes(of: [])
    for _ in 0..<500 {
      func files(_ begin: String) -> [File] {
        (0..<Int.random(in: 0...12, using: &random)).map { number in
          File(
            content: UInt8.random(in: 0...3, using: &random),
            name: "\(begin)\(number < 10 ? "0" : "")\(number)/"
              + String("abc".randomElement(using: &random) ?? "a"))
        }
      }
      let (a, b) = (files("a"), files("b"))
      let findings = Findings(in: SortSpace())
      let keys = KeyWriter()
      for (file, side) in a.map({ ($0, Side.a) }) + b.map({ ($0, Side.b) }) {
        var digests: [UInt8] = []
        let digest = file.content == 0 ? empty : [UInt8](repeating: file.content, count: 8)
        digest.withUnsafeBytes { digests.append(EntryDigest(algorithm, $0)) }
        let entry = digests.withUnsafeBytes { digests in
          var entry = InventoryEntry(.file)
          entry.digests = digests
          return entry.bytes
        }
        _ = Array(file.name.utf8).withUnsafeBytes { keys.write($0) }
        try entry.withUnsafeBytes { entry in
          var entries = Sides(UnsafeRawBufferPointer.empty, .empty)
          entries[side] = entry
          try findings.append(Finding(keys.key, a: entries.a, b: entries.b))
        }
      }
      try findings.finish()
      let moves = try Moves.find(in: findings, SortSpace(), check: {})
      var found: [String: String] = [:]
      try findings.forEach(moves) { finding, part in
        if case .pair(let name) = part {
          found[String(decoding: finding.shownName, as: UTF8.self)] = String(
            decoding: name, as: UTF8.self)
        }
      }
      let expected = modelMoves(a, b)
      for (file, place) in zip(a, expected) {
        #expect(found[file.name] == place.map { b[$0].name }, "\(file) \(a) \(b)")
      }
      #expect(found.count == expected.compactMap(\.self).count)
    }
  }
}

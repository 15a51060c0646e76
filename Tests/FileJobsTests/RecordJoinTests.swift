// The join of records with a walk, against a table of all names; parsing and merging of
// records.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RecordJoinTests {
  /// Returns the content of the record that a join finds for each file.
  private func join(
    _ records: [Recorded], with files: [Recorded], isInStep: Bool = false
  ) throws -> [UInt8?] {
    let directory = try TemporaryDirectory()
    let descriptor = try open(lines(of: records), as: "records", in: directory)
    defer { close(descriptor) }
    var join = RecordJoin(
      RecordReader(FileDescriptor(rawValue: descriptor), unreadable: .failure),
      isInStep: isInStep)
    return try files.map { file in
      let found = try file.name.withUnsafeBytes { try join.find($0, source: file.source) }
      return found.flatMap { record in
        record.pointee.line.digests.digest(.sha256)?[0]
      }
    }
  }

  /// Removes some records and adds others, in the order of a walk.
  private func changed(
    _ records: [Recorded], _ others: [Recorded], using random: inout SeededGenerator
  ) -> [Recorded] {
    let kept = records.filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
    let known = Set(records.map(\.name))
    let new = others.filter { !known.contains($0.name) && Bool.random(using: &random) }
    return (kept + new).sorted {
      $0.source == $1.source ? precedesInWalk($0.name, $1.name) : $0.source < $1.source
    }
  }

  private func tree(_ sources: Int, using random: inout SeededGenerator) -> [Recorded] {
    (0..<sources).flatMap { source in
      walk(
        ["z", "./a", "b//", "."][source], files: Int.random(in: 0...120, using: &random),
        using: &random
      )
      .map {
        Recorded(source: source, name: $0, content: UInt8.random(in: 0...200, using: &random))
      }
    }
  }

  @Test("below a path every recorded file is found, whatever has come and gone")
  func ordered() throws {
    var random = SeededGenerator(for: "join")
    for _ in 0..<15 {
      let sources = Int.random(in: 1...4, using: &random)
      let records = tree(sources, using: &random)
      let files = changed(records, tree(sources, using: &random), using: &random)
      let known = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0.content) })
      let found = try join(records, with: files, isInStep: true)
      #expect(found == files.map { known[$0.name] })
    }
  }

  @Test("in a list every recorded file is found, in any order and spelling")
  func lists() throws {
    var random = SeededGenerator(for: "join lists")
    for _ in 0..<6 {
      let records = random.names(300).shuffled(using: &random).map {
        Recorded(source: 1, name: $0, content: UInt8.random(in: 0...200, using: &random))
      }
      let known = Dictionary(
        records.map { (RecordNames.canonical($0.name), $0.content) },
        uniquingKeysWith: { a, _ in a })
      var files = records.filter { _ in Int.random(in: 0..<6, using: &random) > 0 }
      for name in random.names(60) where known[RecordNames.canonical(name)] == nil {
        files.insert(
          Recorded(source: 0, name: name, content: 0),
          at: Int.random(in: 0...files.count, using: &random))
      }
      for index in files.indices where Int.random(in: 0..<4, using: &random) == 0 {
        files[index].name = Array("./".utf8) + files[index].name
      }
      for files in [files, files.shuffled(using: &random)] {
        #expect(
          try join(records, with: files)
            == files.map { known[RecordNames.canonical($0.name)] })
      }
    }
  }

  @Test("in a list no record is lost by a gap, new names or a moved name")
  func gaps() throws {
    func named(_ begin: String, _ count: Int) -> [Recorded] {
      (0..<count).map {
        Recorded(
          source: 0, name: Array("\(begin)/\($0 * 7919 % 100_003)".utf8), content: UInt8($0 % 200))
      }
    }
    let (one, two, three) = (named("a", 300), named("b", 5000), named("c", 6000))
    let known = one + two + three
    for (records, files) in [
      (known, one + three), (three, two + three), (known, [three[5990]] + one + two),
      (known, one + [two[4990]] + three), (one + three, one + two + three),
    ] {
      let contents = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0.content) })
      #expect(try join(records, with: files) == files.map { contents[$0.name] })
    }
  }

  @Test(
    "the canonical form of a name differs in spelling only",
    arguments: [
      ("u", "u"), ("./u", "u"), ("u/", "u"), (".//u/./a//b/.", "u/a/b"), (".", ""), ("./", ""),
      ("/", "/"), ("//a/.", "/a"), ("a/../b", "a/../b"), ("-", "-"), ("./-", "./-"), (".-", ".-"),
      ("...", "..."), ("d/-", "d/-"),
    ])
  func canonical(name: String, form: String) {
    #expect(RecordNames.canonical(Array(name.utf8)) == Array(form.utf8))
  }

  @Test("names are ordered by components, not by bytes")
  func order() {
    var random = SeededGenerator(for: "walk order")
    for _ in 0..<2000 {
      let (one, other) = (random.name(), random.name())
      let left = one + (Bool.random(using: &random) ? [0x2F] + other : [])
      let right = (Bool.random(using: &random) ? one : other) + [0x2F] + random.name()
      let order = left.withUnsafeBytes { left in
        right.withUnsafeBytes { WalkOrder.compare(left, $0) }
      }
      #expect((order < 0) == precedesInWalk(left, right) && (order == 0) == (left == right))
    }
  }

  // MARK: Unfinished records

  @Test("reading stops at a cut line, zeros or garbage, and all records before it are read")
  func ends() throws {
    var random = SeededGenerator(for: "ends of records")
    let directory = try TemporaryDirectory()
    let all = tree(2, using: &random)
    let bytes = lines(of: all)
    for _ in 0..<12 {
      let cut = Int.random(in: 0...bytes.count, using: &random)
      let whole = bytes[..<cut].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let tails: [[UInt8]] = [
        [], [UInt8](repeating: 0, count: 700), random.bytes(300),
        [UInt8](repeating: 0, count: 64) + bytes.suffix(200),
      ]
      for tail in tails {
        let descriptor = try open(Array(bytes[..<cut]) + tail, as: "cut", in: directory)
        defer { close(descriptor) }
        let found = try records(in: descriptor)
        #expect(Array(all.prefix(found.count)) == found)
        let entries = String(decoding: bytes[..<whole], as: UTF8.self).split(separator: "\n")
          .filter { $0.contains(" type=file ") }.count
        #expect(found.count == entries)
      }
    }
  }

  @Test("the merge of two unfinished runs keeps all records, also if it is repeated")
  func merge() throws {
    var random = SeededGenerator(for: "adoption")
    for round in 0..<20 {
      let directory = try TemporaryDirectory()
      let sources = Int.random(in: 1...3, using: &random)
      let first = tree(sources, using: &random)
      var walked = changed(first, tree(sources, using: &random), using: &random)
      for index in walked.indices where Bool.random(using: &random) {
        walked[index].content = 201 + UInt8(round % 40)
      }
      let header = Array("#mtree v2.0 weir 1 run path=t\n".utf8)
      let all = header + lines(of: walked)
      let cut = round == 0 ? header.count : Int.random(in: 0...all.count, using: &random)
      let former = try open(header + lines(of: first), as: "first", in: directory)
      let present = try open(Array(all[..<cut]), as: "second", in: directory)
      defer {
        close(former)
        close(present)
      }
      let second = try records(in: present)
      let merge = RecordMerge(
        first: FileDescriptor(rawValue: former), second: FileDescriptor(rawValue: present),
        isInStep: true)
      try merge.run()
      // The rest: the records of the first run after the last file of the second.
      let rest = first.filter { record in
        guard let last = second.last else { return true }
        return record.source == last.source
          ? precedesInWalk(last.name, record.name) : record.source > last.source
      }
      #expect(try records(in: present) == second + rest, "round \(round)")
      let whole = try size(of: present)
      // Again, and again after an interruption.
      try merge.run()
      #expect(try records(in: present) == second + rest)
      #expect(try size(of: present) == whole)
      ftruncate(present, off_t(Int.random(in: min(cut, whole)...whole, using: &random)))
      try merge.run()
      #expect(try records(in: present) == second + rest)
    }
  }

  private func size(of descriptor: Int32) throws -> Int {
    var status = stat()
    try #require(fstat(descriptor, &status) == 0)
    return Int(status.st_size)
  }
}

// The join of records with a walk, against a table of all names; parsing and merging of
// records.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(2)))
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

  // MARK: Lines

  @Test("the fast line parser agrees with the mtree parser, or leaves the line unchanged")
  func lineParser() throws {
    var random = SeededGenerator(for: "quick lines")
    let fast = RecordLineParser()
    var taken = 0
    for round in 0..<4000 {
      let name = Bool.random(using: &random) ? random.name() : Array("a/b\(round)".utf8)
      let algorithms = DigestAlgorithm.listed.shuffled(using: &random).prefix(round % 4)
      let digests = algorithms.map { algorithm -> UnsafeMutableRawBufferPointer in
        let memory = UnsafeMutableRawBufferPointer.allocate(
          byteCount: algorithm.byteCount, alignment: 1)
        memory.copyBytes(from: random.bytes(algorithm.byteCount))
        return memory
      }
      defer { digests.forEach { $0.deallocate() } }
      let writer = MtreeLine(Array(algorithms))
      let size = random.next() >> UInt64(Int.random(in: 0..<64, using: &random))
      let time = FileTime(
        seconds: Int64.random(in: -5...(1 << 40), using: &random), nanoseconds: Int32(round))
      var line = [UInt8](unsafeUninitializedCapacity: 4000) { memory, count in
        count = name.withUnsafeBytes { name in
          writer.write(
            name: name, size: size, time: time,
            digests: digests.map { UnsafeRawBufferPointer($0) },
            to: UnsafeMutableRawBufferPointer(memory))
        }
      }
      line.removeLast()
      // In every third line one byte is changed.
      if round % 3 == 0 && !line.isEmpty {
        line[Int.random(in: 0..<line.count, using: &random)] =
          random.next().description.utf8.first ?? 0
      }
      let isBare = Bool.random(using: &random)
      let parser = MtreeParser()
      if isBare { parse("#weir bare", parser) }
      var other = line
      let parsed = line.withUnsafeBytes { bytes -> [String]? in
        guard let found = fast.parse(bytes, isBare: isBare) else { return nil }
        // The name may have escapes that weir does not write.
        #expect(written(again: found, as: writer) == line.drop { $0 != 0x20 })
        return words(found)
      }
      guard let parsed else { continue }
      taken += 1
      let expected = other.withUnsafeMutableBytes { bytes -> [String] in
        guard case .entry(let entry) = parser.parse(bytes) else { return [] }
        return words(entry)
      }
      #expect(parsed == expected)
    }
    #expect(taken > 500)
  }

  private func parse(_ text: String, _ parser: MtreeParser) {
    var bytes = Array(text.utf8)
    bytes.withUnsafeMutableBytes { _ = parser.parse($0) }
  }

  /// Returns the part after the name of a line that ``MtreeLine`` writes from the values of a
  /// parsed one. It is the same line that it writes from that part.
  private func written(again line: RecordLine, as writer: MtreeLine) -> ArraySlice<UInt8> {
    func bytes(_ write: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: writer.capacity(nameCount: line.name.count)) {
        memory, count in count = write(UnsafeMutableRawBufferPointer(memory))
      }
    }
    let algorithms = line.digests.algorithms
    let digests = algorithms.compactMap { line.digests.digest($0) }
    let whole = bytes { memory in
      withBuffers(digests[...], []) { digests in
        MtreeLine(algorithms).write(
          name: line.name, size: line.size, time: line.time, digests: digests, to: memory)
      }
    }
    #expect(bytes { MtreeLine.write(name: line.name, rest: line.digests.rest, to: $0) } == whole)
    #expect(line.digests.rest(with: algorithms).elementsEqual(line.digests.rest))
    return whole.dropLast().drop { $0 != 0x20 }
  }

  private func withBuffers<R>(
    _ digests: ArraySlice<[UInt8]>, _ buffers: [UnsafeRawBufferPointer],
    _ body: ([UnsafeRawBufferPointer]) -> R
  ) -> R {
    guard let first = digests.first else { return body(buffers) }
    return first.withUnsafeBytes { withBuffers(digests.dropFirst(), buffers + [$0], body) }
  }

  private func words(_ line: RecordLine) -> [String] {
    [
      "\(Array(line.name))", "\(String(describing: Optional(EntryType.file)))",
      "\(String(describing: line.size))", "\(String(describing: line.time))",
    ] + line.digests.algorithms.map { "\($0.name) \(line.digests.digest($0) ?? [])" }
  }

  private func words(_ entry: MtreeEntry) -> [String] {
    [
      "\(Array(entry.name))", "\(String(describing: entry.type))",
      "\(String(describing: entry.size))", "\(String(describing: entry.time))",
    ] + entry.digests.map { "\($0.algorithm.name) \(Array($0.bytes))" }
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

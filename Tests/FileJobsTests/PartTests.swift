// The parts of shards: every record comes back, and a file that is not whole is never taken
// for one that is.

import FileJobs
import Glibc
import TestSupport
import Testing

/// A record as a value.
private struct Record: Equatable {
  let payload: [UInt8]
  let items: Int
  let check: UInt32
  let verdict: PartVerdict

  static func random(
    _ random: inout SeededGenerator, max: Int, items: ClosedRange<Int> = 1...3
  ) -> Record {
    Record(
      payload: random.bytes(Int.random(in: 0...max, using: &random)),
      items: Int.random(in: items, using: &random),
      check: UInt32.random(in: 0 ... .max, using: &random),
      verdict: [.success, .difference, .unreadable][Int.random(in: 0...2, using: &random)])
  }
}

extension PartReader {
  fileprivate func rest() throws(Fault) -> [Record] {
    var records: [Record] = []
    while let record = try next() {
      records.append(
        Record(
          payload: Array(record.payload), items: record.items, check: record.nameCheck,
          verdict: record.verdict))
    }
    return records
  }
}

extension PartWriter {
  fileprivate func append(_ record: Record) throws(Fault) {
    try append(record.payload, items: record.items, nameCheck: record.check, record.verdict)
  }
}

struct PartTests {
  private let directory: TemporaryDirectory
  private let file: PartFile

  init() throws {
    directory = try TemporaryDirectory()
    file = PartFile(in: directory.path, shard: 3, of: 64)
  }

  /// The names in the directory.
  private var entries: [String] { directory.names(beginningWith: "") }

  private func header(_ words: [[UInt8]] = [], attempt: Int = 1) -> PartHeader {
    PartHeader(
      plan: String(repeating: "a", count: 64), shard: 3, shards: 64, verb: "hash", words: words,
      engine: "slurm array 20_3", attempt: attempt)
  }

  @Test("no cut, no changed byte and no added byte goes unnoticed")
  func damage() throws {
    var random = SeededGenerator(for: "part damage")
    let writer = try PartWriter(file, header(), resumes: false)
    for index in 0..<12 {
      try writer.append(Record.random(&random, max: 16))
      if index % 4 == 3 { try writer.flush() }
    }
    _ = try writer.finish()
    let whole = try #require(directory.content(file.name))
    func isFaulty(_ bytes: [UInt8], _ what: String) throws {
      try directory.write(bytes, to: file.name.utf8)
      #expect(throws: Fault.self, "\(what)") {
        let reader = try PartReader(file.path)
        _ = try reader.rest()
        // The first line is covered by the SHA-256; a changed attempt would go unnoticed.
        if reader.header != header() { throw Fault(file.path, .isNo("part")) }
      }
    }
    for count in 0..<whole.count { try isFaulty(Array(whole[..<count]), "cut at \(count)") }
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      try isFaulty(bytes, "changed at \(place)")
    }
    try isFaulty(whole + [0], "one more byte")
    try isFaulty(whole + whole, "twice")
  }

  @Test("an attempt that was cut anywhere is continued after its last whole block")
  func resume() throws {
    var random = SeededGenerator(for: "part resume")
    let records = (0..<12).map { _ in Record.random(&random, max: 16) }
    let first = try PartWriter(file, header(), resumes: false)
    var ends: [(bytes: Int, records: Int)] = []
    for (index, record) in records.enumerated() {
      try first.append(record)
      if index % 3 == 2 {
        try first.flush()
        ends.append((try #require(directory.content(entries[0])).count, index + 1))
      }
    }
    let attempt = entries[0]
    let content = try #require(directory.content(attempt))
    for count in 0...content.count {
      for name in entries { unlink("\(directory.text)/\(name)") }
      // A crash of the machine may leave zeros at the end.
      let tail = count % 2 == 0 ? [] : [UInt8](repeating: 0, count: 100)
      try directory.write(Array(content[..<count]) + tail, to: attempt.utf8)
      let writer = try PartWriter(file, header(attempt: 2), resumes: true)
      // Zeros may be what was cut off.
      let isWhole = { (end: Int) in
        end <= count || end <= count + tail.count && content[count..<end].allSatisfy { $0 == 0 }
      }
      let known = ends.last { isWhole($0.bytes) }?.records ?? 0
      #expect(writer.totals.records == UInt64(known), "cut at \(count)")
      for record in records[known...] { try writer.append(record) }
      #expect(try writer.finish() == .first)
      #expect(try PartReader(file.path).rest() == records)
      #expect(entries == [file.name])
    }
  }

  @Test("an attempt of another command or plan is not continued")
  func otherAttempt() throws {
    var random = SeededGenerator(for: "part other")
    let first = try PartWriter(file, header(), resumes: false)
    try first.append(Record.random(&random, max: 10))
    first.abandon()
    let second = try PartWriter(file, header([Array("--tag".utf8)]), resumes: true)
    #expect(second.totals.records == 0)
    let third = try PartWriter(file, header(), resumes: true)
    #expect(third.totals.records == 1)
    second.abandon()
    third.abandon()
  }

  @Test("of two attempts the first is the part, the second is dropped, and nothing is left")
  func race() throws {
    var random = SeededGenerator(for: "part race")
    let one = try PartWriter(file, header(), resumes: false)
    let other = try PartWriter(file, header(attempt: 2), resumes: false)
    #expect(entries.count == 2)
    try one.append(Record.random(&random, max: 10))
    for _ in 0..<3 { try other.append(Record.random(&random, max: 10)) }
    #expect(try other.finish() == .first)
    let part = directory.content(file.name)
    #expect(try one.finish() == .late)
    #expect(directory.content(file.name) == part)
    #expect(entries == [file.name])
  }

  @Test("an attempt of another command that ends later is an error, and no success")
  func raceOfCommands() throws {
    let one = try PartWriter(file, header(), resumes: false)
    let other = try PartWriter(file, header([Array("--tag".utf8)]), resumes: false)
    #expect(try one.finish() == .first)
    #expect(throws: Fault.self) { try other.finish() }
    #expect(try PartReader(file.path).header == header())
  }

  @Test("a FIFO among the parts is no part, and holds nothing up")
  func fifo() throws {
    try directory.makeFIFO(file.name)
    #expect(throws: Fault(file.path, .isNo("part"))) { _ = try PartReader(file.path) }
  }

  @Test("names of parts and attempts are recognized, and no others")
  func names() {
    let name = file.name
    #expect(name == "shard-00003-of-00064.part")
    #expect(PartFile(name: name, in: directory.path)?.shard == 3)
    #expect(PartFile(name: "\(name).tmp.host.17.1", in: directory.path)?.shards == 64)
    for other in [
      "shard-3-of-64.part", "shard-00064-of-00064.part", "shard-00003-of-00064.part2",
      "\(name).old",
      "shard-00003-of-00064.parts", "", "x", "\(name) (copy)",
    ] {
      #expect(PartFile(name: other, in: directory.path) == nil, "\(other)")
    }
  }
}

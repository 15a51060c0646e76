// Plans and lists of workers: what is read is written again alike, and pieces do not matter.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum PlanProperty {
  static func check(_ input: inout FuzzInput) throws {
    let choice = input.byte()
    let text = input.all()
    switch choice & 3 {
    case 0: try checkRecords(text, capacity: 1 + Int(choice >> 2))
    case 1: try checkFile(text)
    case 2: try checkWhole(text, shards: 1 + Int(choice >> 2))
    default: try checkNames(text)
    }
  }

  /// A record as bytes.
  private static func written(_ record: PlanRecord) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: record.capacity)
    let count = bytes.withUnsafeMutableBytes { record.write(to: $0) }
    try expect(count <= bytes.count, "the capacity of a record")
    return Array(bytes[..<count])
  }

  private static func checkRecords(_ text: [UInt8], capacity: Int) throws {
    var expected: [[UInt8]] = []
    var begin = 0
    var isMalformed = false
    while begin < text.count {
      let rest = Array(text[begin...])
      let attempt = try rest.withExactCopy { memory -> Int in
        switch PlanRecord.read(UnsafeRawBufferPointer(memory)) {
        case .incomplete: return 0
        case .malformed: return -1
        case .record(let parsed):
          try expect(
            try written(parsed.record)[...] == rest[..<parsed.count], "a record is written alike")
          return parsed.count
        }
      }
      if attempt <= 0 {
        isMalformed = true
        break
      }
      expected.append(Array(rest[..<attempt]))
      begin += attempt
    }
    // Through a file, in pieces of any size.
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    let input = PlanRecordInput(
      file.descriptor, name: [], offset: 0, length: UInt64(text.count), digest: nil,
      capacity: capacity)
    for record in expected {
      guard let same = try input.next() else { throw Finding("a record is missing") }
      try expect(try written(same) == record, "another record in pieces")
    }
    do {
      try expect(try input.next() == nil, "a record too many")
      try expect(!isMalformed, "damage is not found")
    } catch is Fault {
      try expect(isMalformed, "damage where there is none")
    }
  }

  /// Any file: a plan, or nothing.
  private static func checkFile(_ text: [UInt8]) throws {
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    do { try readPlan(file.path) } catch is Fault {}
    if let object = JSONValue(text) {
      if let header = PlanHeader(object) {
        try expect(
          JSONValue(header.json).flatMap { PlanHeader($0) } == header, "another header of a plan")
      }
    }
  }

  /// Reads a plan to its end.
  private static func readPlan(_ path: [UInt8]) throws {
    let reader = try PlanReader(path)
    while let record = try reader.next() { _ = record.path.count }
  }

  /// Records with the header that they should have are a plan.
  private static func checkWhole(_ text: [UInt8], shards: Int) throws {
    var totals = PlanHeader(shards: shards, strategy: .size, root: Array("/".utf8))
    var (begin, isPlan) = (0, true)
    text.withUnsafeBytes { memory in
      while begin < memory.count,
        case .record(let parsed) = PlanRecord.read(
          UnsafeRawBufferPointer(rebasing: memory[begin...]))
      {
        let record = parsed.record
        if record.hasShard != (record.shard != nil) || record.shard ?? 0 >= shards {
          isPlan = false
          break
        }
        totals.add(record)
        begin += parsed.count
      }
    }
    isPlan = isPlan && begin == text.count
    // Numbers above 2^63 are clamped in a header, and are no totals of a plan.
    if max(totals.bytes, totals.shardBytes.max() ?? 0) > UInt64(Int64.max) { isPlan = false }
    let file = FuzzFile(try PlanBuilder.plan(text, totals))
    var count: UInt64 = 0
    do {
      let reader = try PlanReader(file.path)
      while let record = try reader.next() { count += record.path.count >= 0 ? 1 : 0 }
      try expect(isPlan && count == totals.entries, "no plan is accepted")
    } catch is Fault {
      try expect(!isPlan, "a plan is refused")
    }
  }

  private static func checkNames(_ text: [UInt8]) throws {
    let name = String(decoding: text, as: UTF8.self)
    if let file = PartFile(name: name, in: []) {
      try expect(name.hasPrefix(file.name), "another part's name")
    }
  }
}

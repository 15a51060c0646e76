// Plans and lists of workers: what is read is written again alike, and pieces do not matter.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum PlanProperty {
  static func check(_ input: inout FuzzInput) throws {
    let choice = input.byte()
    let text = input.all()
    switch choice & 3 {
    case 0: try checkRecords(text)
    case 1: try checkFile(text)
    case 2: try checkWhole(text, shards: 1 + Int(choice >> 2))
    default: try checkNames(text)
    }
  }

  private static func written(_ record: PlanEntry) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: record.capacity)
    let count = bytes.withUnsafeMutableBytes { record.write(to: $0) }
    try expect(count <= bytes.count, "the capacity of a record")
    return Array(bytes[..<count])
  }

  private static func checkRecords(_ text: [UInt8]) throws {
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    let input = PlanEntryInput(file.descriptor, name: [])
    var again: [UInt8] = []
    do {
      while let record = try input.next() { again += try written(record) }
      try expect(again == text, "records are written alike")
    } catch is Fault {
      try expect(text.starts(with: again), "the records before the damage are written alike")
    }
  }

  private static func checkFile(_ text: [UInt8]) throws {
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    do { try readPlan(file.path) } catch is Fault {}
    if let object = JSONValue(text) {
      if let header = PlanHeader(object) {
        try expect(
          JSONValue(header.text).flatMap { PlanHeader($0) } == header, "another header of a plan")
      }
    }
  }

  private static func readPlan(_ path: [UInt8]) throws {
    let reader = try PlanReader(path)
    while let record = try reader.next() { _ = record.path.count }
  }

  /// Records with the header that they should have are a plan.
  private static func checkWhole(_ text: [UInt8], shards: Int) throws {
    var totals = PlanHeader(shards: shards, strategy: .size, root: Array("/".utf8))
    let records = FuzzFile(text)
    defer { withExtendedLifetime(records) {} }
    let input = PlanEntryInput(records.descriptor, name: [])
    var isPlan = true
    do {
      while isPlan, let record = try input.next() {
        isPlan = record.hasShard == (record.shard != nil) && record.shard ?? 0 < shards
        if isPlan { totals.add(record) }
      }
    } catch {
      isPlan = false
    }
    // Numbers above 2^63 are clamped in a header, and are no totals of a plan.
    if max(totals.bytes, totals.shardBytes.max() ?? 0) > UInt64(Int64.max) { isPlan = false }
    let bytes = try PlanBuilder.plan(text, totals)
    let file = FuzzFile(bytes)
    var count: UInt64 = 0
    do {
      let reader = try PlanReader(file.path)
      while let record = try reader.next() { count += record.path.count >= 0 ? 1 : 0 }
      try expect(isPlan && count == totals.entries, "no plan is accepted")
    } catch is Fault {
      try expect(!isPlan, "a plan is refused")
    }
    if isPlan { try checkDamage(bytes, shards) }
  }

  /// A changed byte, a cut and more bytes are found.
  private static func checkDamage(_ plan: [UInt8], _ first: Int) throws {
    for place in stride(from: first % 8, to: plan.count, by: 1 + plan.count / 8) {
      var changed = plan
      changed[place] ^= 1 << (place & 7)
      for bytes in [changed, Array(plan[..<place]), plan + plan[place...]] {
        let file = FuzzFile(bytes)
        defer { withExtendedLifetime(file) {} }
        do {
          try readPlan(file.path)
          throw Finding("damage at \(place) is not found")
        } catch is Fault {}
      }
    }
  }

  private static func checkNames(_ text: [UInt8]) throws {
    let name = String(decoding: text, as: UTF8.self)
    if let file = PartFile(name: name, in: []) {
      try expect(name.hasPrefix(file.name), "another part's name")
    }
  }
}

// Parts of shards: what is written is read, damage is found, and records of any content, in parts
// with the right checksums, make events or an error.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum PartProperty {
  struct Record: Equatable {
    var payload: [UInt8]
    var items = 1
    var check: UInt32 = 0
    var verdict = PartVerdict.success
  }

  static func check(_ input: inout FuzzInput) throws {
    switch input.below(6) {
    case 0: try checkAny(input.all())
    case 1: try checkWritten(&input)
    case 2: try checkCheck(&input)
    case 3: try checkCommand(&input)
    case 4: try checkDuplicates(&input)
    default: try checkResult(&input)
    }
  }

  // MARK: Files

  private static func checkAny(_ text: [UInt8]) throws {
    let file = FuzzFile(text)
    do {
      let reader = try PartReader(file.path)
      while let record = try reader.next() { _ = record.items }
    } catch {}
    do { _ = try PartReader.glance(at: file.path) } catch {}
  }

  private static let header = PartHeader(
    plan: "p", shard: 0, shards: 1, verb: "hash", words: [Array("a".utf8), [0xFF]])

  /// Returns a part with some records, each in a block of its own, and the right checksums.
  static func part(_ records: [Record]) throws -> [UInt8] {
    var bytes = header.line
    var totals = PartTotals()
    for record in records {
      var content: [UInt8] = []
      content.append(littleEndian: UInt32(record.payload.count))
      content.append(littleEndian: UInt32(record.items))
      content.append(littleEndian: record.check)
      content += [record.verdict.rawValue, 0, 0, 0]
      content += record.payload
      bytes += try block(PartLayout.block, content)
      totals.add(items: UInt32(record.items), record.verdict)
    }
    let sha256 = try Digest.begun(.sha256, bytes)
    try sha256.finish()
    let end = totals.line(sha256: sha256.hexadecimal)
    bytes += try block(PartLayout.end, end)
    bytes.append(littleEndian: UInt32(end.count))
    return bytes + PartLayout.last
  }

  private static func block(_ mark: [UInt8], _ content: [UInt8]) throws -> [UInt8] {
    let sum = try Digest.begun(.xxh3, content)
    try sum.finish()
    var bytes = mark
    bytes.append(littleEndian: UInt32(content.count))
    return bytes + Array(sum.bytes) + content
  }

  private static func checkWritten(_ input: inout FuzzInput) throws {
    let place = input.byte()
    var records: [Record] = []
    while !input.rest.isEmpty {
      records.append(
        Record(
          payload: input.sized(), items: input.below(3), check: UInt32(input.byte()),
          verdict: input.below(2) == 0 ? .success : .unreadable))
    }
    var bytes = try part(records)
    let file = FuzzFile(bytes)
    let reader = try PartReader(file.path)
    try expect(reader.header == header, "another header")
    for record in records {
      guard let same = try reader.next() else { throw Finding("a record is missing") }
      let value = Record(
        payload: Array(same.payload), items: same.items, check: same.nameCheck,
        verdict: same.verdict)
      try expect(value == record, "another record")
    }
    try expect(try reader.next() == nil, "a record too many")
    // A changed bit anywhere is found.
    bytes[(Int(place) * 251 + records.count) % bytes.count] ^= 1 << (place & 7)
    let damaged = FuzzFile(bytes)
    do {
      let reader = try PartReader(damaged.path)
      while let record = try reader.next() { _ = record.items }
      try expect(reader.header != header, "a changed bit is not found")
    } catch is Fault {}
  }

  // MARK: Records

  /// Takes the result of a file, of which only the lengths are always right.
  private static func result(_ input: inout FuzzInput) -> [UInt8] {
    var bytes = [input.byte() % 8, input.byte() % 12, input.byte(), 0]
    bytes.append(littleEndian: UInt32(input.byte()))
    let isLarge = input.below(8) == 0
    bytes.append(littleEndian: isLarge ? UInt64.max : UInt64(input.byte()))
    bytes.append(littleEndian: isLarge ? UInt64.max : UInt64(input.byte()))
    let (note, output) = (input.sized(), input.sized())
    bytes.append(littleEndian: UInt32(note.count))
    bytes.append(littleEndian: UInt32(output.count))
    return bytes + note + output
  }

  private static func touch(_ result: FileResult) {
    _ = "\(result.outcome) \(result.type) \(result.size) \(result.isNamed)"
    var sum = 0
    for bytes in [result.path, result.note, result.output] {
      for byte in bytes { sum &+= Int(byte) }
    }
    _ = sum
  }

  private static func checkCheck(_ input: inout FuzzInput) throws {
    var records: [Record] = []
    while !input.rest.isEmpty && records.count < 8 {
      let position = CheckPosition(
        manifest: UInt32(input.below(3)), isEnd: input.below(4) == 0, line: UInt64(input.byte()))
      var record: [UInt8] = []
      let isLast = input.below(8) == 7
      let path = input.sized()
      let lines = input.below(16) == 0 ? UInt64.max : UInt64(input.byte())
      path.withUnsafeBytes {
        CheckPartEntry.begin(&record, isLast ? nil : position, lines: lines, path: $0)
      }
      records.append(Record(payload: record + (isLast ? [] : result(&input))))
    }
    let file = FuzzFile(try part(records))
    do {
      try CheckMerge.prove([try PartReader(file.path)], name: [])
    } catch is Fault {}
    do {
      try CheckMerge([try PartReader(file.path)], manifestCount: 2, name: []).run { event in
        switch event {
        case .line(let line):
          try expect(line.manifest < 2, "a line of another manifest")
          touch(line)
        case .end(let manifest): _ = "\(manifest.entries) \(manifest)"
        case .pause: break
        }
      }
    } catch is Fault {}
  }

  private static func touch(_ line: CheckedLine) {
    _ = "\(line.outcome) \(line.kind) \(line.number) \(line.isAmbiguous)"
    if let algorithm = line.algorithm { _ = algorithm.name }
    _ = line.name.reduce(0) { $0 &+ Int($1) }
  }

  private static func checkCommand(_ input: inout FuzzInput) throws {
    let path = Array("a".utf8)
    var records: [Record] = []
    if input.below(2) == 0 {
      records.append(Record(payload: [0] + input.sized(), items: 0))
    }
    var bytes: [UInt8] = [1, input.byte() % 8]
    for _ in 0..<8 { bytes.append(input.byte()) }
    for _ in 0..<16 { bytes.append(input.byte()) }
    let omissions = input.below(3)
    bytes.append(littleEndian: UInt32(input.below(32) == 0 ? Int(UInt32.max) : omissions))
    for _ in 0..<omissions {
      bytes.append(littleEndian: UInt32(input.byte()))
      bytes.append(littleEndian: UInt32(input.byte()))
    }
    bytes.append(littleEndian: UInt64(1))
    let isPlanned = input.below(2) == 1
    bytes.append(isPlanned ? 2 : 0)
    if isPlanned { bytes += input.sized() }
    bytes += path + [0] + input.sized()
    records.append(Record(payload: bytes, items: 1 + input.below(2)))
    let plan = FuzzFile(try PlanBuilder.plan([(path, 0)], shards: 1))
    let part = FuzzFile(try part(records))
    let replay = CommandReplay(
      try PlanReader(plan.path), name: [], [try PartReader(part.path)],
      CommandTemplate([Array("echo".utf8)]), temporaryDirectory: Array("/tmp".utf8))
    do {
      try replay.run { event in
        guard case .finished(let result) = event else { return }
        let line = JobLogLine.bytes(of: result)
        try expect(
          JobLogLine.parse(line.dropLast()[...])?.number == result.number, "a line of the log")
        try result.output?.forEach { _, bytes in _ = bytes.reduce(0) { $0 &+ Int($1) } }
      }
    } catch is Fault {
    } catch is CommandFailure {}
  }

  private static func checkDuplicates(_ input: inout FuzzInput) throws {
    var records: [Record] = []
    while !input.rest.isEmpty && records.count < 8 {
      if input.below(4) == 3 {
        records.append(Record(payload: input.sized()))
        continue
      }
      let path = input.sized()
      var head: [UInt8] = [input.byte() % 8, input.byte() % 7, 0, 0]
      head.append(littleEndian: UInt32(path.count))
      head.append(littleEndian: UInt64(input.byte()))
      head.append(littleEndian: UInt64(input.byte()))
      let rest: [UInt8]
      switch head[0] {
      case 0: rest = result(&input)
      case 6: rest = statistics(&input)
      default: rest = input.sized()
      }
      records.append(Record(payload: head + path + rest))
    }
    let plan = FuzzFile(try PlanBuilder.plan([(Array("a".utf8), 0)], shards: 1))
    let part = FuzzFile(try part(records))
    let merge = DuplicatesMerge(
      try PlanReader(plan.path), [try PartReader(part.path)], name: [])
    do {
      try merge.run { event in
        switch event {
        case .group(let group): _ = "\(group.size) \(group.fileCount) \(group.nameCount)"
        case .other(.result(let result)): touch(result)
        case .other: break
        }
      }
    } catch is Fault {}
  }

  /// Takes the statistics of a shard, with large numbers among them.
  private static func statistics(_ input: inout FuzzInput) -> [UInt8] {
    func numbers(_ names: [String], _ input: inout FuzzInput) -> JSONValue {
      .object(
        names.map { name in
          let byte = input.byte()
          return .init(name, .integer(byte > 250 ? .max : Int64(byte)))
        })
    }
    let found = numbers(
      ["names", "small", "groups", "duplicates", "hard_links", "saving", "failures"], &input)
    let files = numbers(
      ["files", "bytes", "failed", "changed", "special", "special_named", "unread"], &input)
    return JSONValue.object(["found": found, "files": files]).line
  }

  private static func checkResult(_ input: inout FuzzInput) throws {
    let path = Array("a".utf8)
    let result = input.below(4) == 0 ? input.sized() : result(&input)
    let check = path.withUnsafeBytes { NameHash.check($0) }
    let plan = FuzzFile(try PlanBuilder.plan([(path, 0)], shards: 1))
    let part = FuzzFile(try part([Record(payload: result, check: check)]))
    let replay = ResultReplay(
      try PlanReader(plan.path), [try PartReader(part.path)], deliversWholeTree: true)
    do {
      try replay.run { batch in
        for index in 0..<batch.count { touch(batch[index]) }
      }
    } catch is Fault {}
  }
}

extension FuzzInput {
  /// Takes a length and so many bytes.
  mutating func sized() -> [UInt8] {
    let count = Int(byte())
    return (0..<min(count, rest.count)).map { _ in byte() }
  }
}

enum PlanBuilder {
  /// Returns a plan of regular files, each with its shard.
  static func plan(_ files: [(path: [UInt8], shard: Int)], shards: Int) throws -> [UInt8] {
    var records: [UInt8] = []
    var header = PlanHeader(shards: shards, strategy: .size, root: Array("/".utf8))
    for file in files {
      file.path.withUnsafeBytes { path in
        let record = PlanEntry(kind: .file, shard: file.shard, size: 1, modified: 1, path: path)
        header.add(record)
        var bytes = [UInt8](repeating: 0, count: record.capacity)
        let count = bytes.withUnsafeMutableBytes { record.write(to: $0) }
        records += bytes[..<count]
      }
    }
    return try plan(records, header)
  }

  /// Returns a plan of records, with a header that has their totals.
  static func plan(_ records: [UInt8], _ totals: PlanHeader) throws -> [UInt8] {
    var header = totals
    header.length = UInt64(records.count)
    let digest = try Digest.begun(.sha256, records)
    header.id = try header.id(after: digest)
    return header.line(width: header.width) + records
  }
}

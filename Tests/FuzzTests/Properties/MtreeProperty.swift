// Manifests of mtree(5): the reader sees what the parser sees, and written entries are read back.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum MtreeProperty {
  struct Entry: Equatable {
    var name: [UInt8]
    var type: FileWalk.EntryType?
    var size: UInt64?
    var time: FileTime?
    var target: [UInt8]?
    var flags: [Bool]
    var other: String?
    var digests: [[UInt8]]

    init(_ entry: MtreeEntry) {
      name = Array(entry.name)
      (type, size, time) = (entry.type, entry.size, entry.time)
      target = entry.target.map { Array($0) }
      flags = [entry.isOptional, entry.isIgnored, entry.isBare]
      other = entry.otherDigest
      digests = entry.digests.map { [UInt8($0.algorithm.index)] + Array($0.bytes) }
    }
  }

  enum Record: Equatable {
    case entry(Entry)
    case comment([UInt8])
    case malformed

    init?(_ record: MtreeContent) {
      switch record {
      case .entry(let entry): self = .entry(Entry(entry))
      case .comment(let bytes): self = .comment(Array(bytes))
      case .malformed: self = .malformed
      case .ignored: return nil
      }
    }
  }

  static func check(_ input: inout FuzzInput) throws {
    let text = input.all()
    let records = try parse(text)
    for case .entry(let entry) in records { try checkWritten(entry) }
    try checkEscapes(text)
  }

  /// Parses a text line by line, each in memory of exactly its size.
  static func parse(_ text: [UInt8]) throws -> [Record] {
    let parser = MtreeParser()
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if lines.last == [] { lines.removeLast() }
    var records: [Record] = []
    for line in lines {
      line.withExactCopy { memory in
        if let record = Record(parser.parse(memory)) { records.append(record) }
      }
    }
    if case .malformed = parser.finish() { records.append(.malformed) }
    for case .entry(let entry) in records {
      try expect(!entry.name.contains(0), "a name with a NUL")
      try expect(!entry.name.isEmpty || entry.flags[2], "an empty name")
      for digest in entry.digests {
        let algorithm = DigestAlgorithm(index: Int(digest[0]))
        try expect(digest.count == algorithm.byteCount + 1, "a digest's length")
      }
    }
    return records
  }

  private static func checkWritten(_ entry: Entry) throws {
    var lines: [UInt8] = []
    var writer = MtreeWriter(version: "1", to: &lines)
    let algorithms = entry.digests.map { DigestAlgorithm(index: Int($0[0])) }
    let line = MtreeLine(algorithms)
    if entry.name.isEmpty || entry.name.contains(0) { return }
    let isDirectory = entry.type == .directory
    entry.name.withUnsafeBytes { writer.append(before: $0, isDirectory: isDirectory, to: &lines) }
    if !isDirectory {
      var bytes = [UInt8](repeating: 0, count: line.capacity(nameCount: entry.name.count))
      let count = bytes.withUnsafeMutableBytes { out in
        entry.name.withUnsafeBytes { name in
          let digests = entry.digests.map { Array($0.dropFirst()) }
          return digests.withEach { digests in
            line.write(
              name: name, size: entry.size ?? 0, time: entry.time, digests: digests, to: out)
          }
        }
      }
      try expect(count <= bytes.count, "the capacity of a line")
      lines += bytes[..<count]
    }
    let again = try parse(lines)
    guard
      case .entry(let same)? = again.last(where: { if case .entry = $0 { true } else { false } })
    else { throw Finding("a written entry is not read back: \(entry.name)") }
    try expect(!again.contains(.malformed), "a written line is malformed")
    if isDirectory { return }
    try expect(same.name == entry.name, "another name: \(same.name), not \(entry.name)")
    try expect(same.size == entry.size ?? 0, "another size")
    try expect(same.time == entry.time, "another time")
    try expect(same.digests == entry.digests, "other digests")
  }

  /// Any bytes but NUL, escaped and read again, are the same, and have only plain characters.
  private static func checkEscapes(_ text: [UInt8]) throws {
    let name = text.filter { $0 != 0 }
    var escaped = LineWriter.bytes(capacity: name.count * MtreeName.expansion) { line in
      name.withUnsafeBytes { line.append(mtreeName: $0) }
    }
    try expect(escaped.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an escaped name is not plain")
    let count = escaped.withUnsafeMutableBytes { MtreeName.unescape($0) }
    try expect(count.map { Array(escaped[..<$0]) } == name, "another name by escapes")
  }
}

extension [[UInt8]] {
  func withEach<R>(_ body: ([UnsafeRawBufferPointer]) throws -> R) rethrows -> R {
    let copies = map { bytes in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
      memory.copyBytes(from: bytes)
      return memory
    }
    defer { for copy in copies { copy.deallocate() } }
    return try body(copies.map { UnsafeRawBufferPointer($0) })
  }
}

// The records of earlier runs: the fast parser agrees with that of mtree(5), a reader can begin at
// any record, and any manifest can be converted.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum RecordProperty {
  static func check(_ input: inout FuzzInput) throws {
    let choice = input.byte()
    let text = input.all()
    for line in text.split(separator: 0x0A) { try checkLine(Array(line), choice & 1 != 0) }
    try checkReader(text, choice & 2 != 0 ? .end : .nothing)
    try checkHeader(text)
    if choice & 4 != 0 { try checkImport(text, choice) }
  }

  /// What the fast parser accepts, the other one reads alike, and the writer writes again.
  private static func checkLine(_ line: [UInt8], _ isBare: Bool) throws {
    let parser = MtreeParser()
    var comment = Array("#weir bare".utf8)
    if isBare { comment.withUnsafeMutableBytes { _ = parser.parse($0) } }
    let quickParser = RecordLineParser()
    defer { withExtendedLifetime(quickParser) {} }
    try line.withExactCopy { memory in
      guard let quick = quickParser.parse(UnsafeRawBufferPointer(memory), isBare: isBare)
      else { return }
      let (name, rest) = (Array(quick.name), Array(quick.digests.rest))
      let algorithms = quick.digests.algorithms
      try line.withExactCopy { copy in
        guard case .entry(let entry) = parser.parse(copy) else {
          throw Finding("mtree(5) refuses a record")
        }
        try expect(Array(entry.name) == name, "another name: \(Array(entry.name)), not \(name)")
        try expect(entry.size == quick.size && entry.time == quick.time, "another status")
        try expect(entry.digests.map(\.algorithm) == algorithms, "other algorithms")
        var bytes = [UInt8](
          repeating: 0, count: MtreeLine(algorithms).capacity(nameCount: name.count))
        let count = bytes.withUnsafeMutableBytes { out in
          name.withUnsafeBytes {
            MtreeLine(algorithms).write(
              name: $0, size: quick.size, time: quick.time, digests: entry.digests.map(\.bytes),
              to: out)
          }
        }
        let written = bytes[..<(count - 1)]
        let tail = written.suffix(rest.count)
        try expect(tail.elementsEqual(rest), "another line is written")
      }
    }
  }

  /// A record as a value.
  private struct Value: Equatable {
    let name: [UInt8]
    let size: UInt64?
    let time: FileTime?
    let source: Int?
    let isRotten: Bool
    let digests: [[UInt8]?]
    let before: RecordPosition
    let after: RecordPosition

    init(_ record: FileRecord) {
      name = Array(record.name)
      (size, time) = (record.line.size, record.line.time)
      (source, isRotten) = (record.source, record.isRotten)
      (before, after) = (record.before, record.after)
      let packed = PackedRecord.bytes(of: record)
      digests = packed.withUnsafeBytes { memory in
        let packed = PackedRecord(memory)
        return packed.digests.algorithms.map { packed.digests.digest($0) }
      }
    }
  }

  private static func checkReader(_ text: [UInt8], _ unreadable: RecordReader.Unreadable) throws {
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    let reader = RecordReader(file.descriptor, unreadable: unreadable)
    var values: [Value] = []
    while let record = try reader.next() {
      let value = Value(record)
      try expect(value.before.offset < value.after.offset, "a record takes no bytes")
      try expect(value.after.offset <= text.count + 1, "a record beyond the end")
      try expect(!value.digests.contains(nil), "a record without its digest")
      if let last = values.last { try expect(last.after == value.before, "a gap") }
      values.append(value)
    }
    // A reader that begins at a record of weir's form sees it, if no line before it has defaults
    // or goes on in the next one, as lines of other programs do.
    let isForeign = ["/set", "\\\n"].contains { String(decoding: text, as: UTF8.self).contains($0) }
    for value in values.prefix(8) where !isForeign {
      let lines = text[Int(value.before.offset)..<min(Int(value.after.offset), text.count)]
      guard lines.split(separator: 0x0A).last?.starts(with: "./".utf8) == true else { continue }
      let other = reader.copy(from: value.before)
      guard let record = try other.next() else { throw Finding("no record at its position") }
      let again = Value(record)
      try expect(again == value, "another record at its position")
    }
  }

  private static func checkHeader(_ text: [UInt8]) throws {
    guard let end = text.firstIndex(of: 0x0A) else { return }
    let line = Array(text[...end])
    if let header = RecordHeader(line: line) {
      let written = header.line
      try expect(RecordHeader(line: written) == header, "another header is read back")
      for count in 0...written.count {
        try expect(RecordHeader.begins(with: Array(written[..<count])), "a header cut at \(count)")
      }
    }
    if let header = RecordHeader(comment: line.dropLast()) { _ = header.inputs }
  }

  private static func checkImport(_ text: [UInt8], _ choice: UInt8) throws {
    let directories = [[], "/".utf8.map(\.self), Array("/a".utf8)]
    let names = RecordNames(directory: directories[Int(choice >> 3) % directories.count])
    let importer = RecordImport(names, [.sha256])
    let (manifest, scratch, output) = (FuzzFile(text), FuzzFile(), FuzzFile())
    defer { withExtendedLifetime((manifest, scratch, output)) {} }
    let content: RecordImport.Content =
      choice & 1 != 0
      ? .mtree(manifest.descriptor)
      : .text(manifest.descriptor, isZeroTerminated: choice & 2 != 0)
    let counts = try importer.convert(content, by: scratch.descriptor, to: output.descriptor)
    let reader = RecordReader(output.descriptor, unreadable: .failure)
    var digests: UInt64 = 0
    while let record = try reader.next() { digests += UInt64(record.line.digests.indices.count) }
    // Of two digests of one algorithm the first counts.
    try expect(digests <= counts.digests, "\(digests) digests of \(counts.digests)")
  }
}

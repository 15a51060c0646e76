// The records of earlier runs: the fast parser agrees with that of mtree(5), and entries are packed
// without a loss.

import SystemPackage

@testable import FileJobs
@testable import Weir

enum RecordProperty {
  static func check(_ input: inout FuzzInput) throws {
    let choice = input.byte()
    let text = input.all()
    for line in text.split(separator: 0x0A) { try checkLine(Array(line), choice & 1 != 0) }
    try checkReader(text)
    try checkHeader(text)
  }

  /// What the fast parser accepts, the other one reads alike, and the writer writes again.
  private static func checkLine(_ line: [UInt8], _ isBare: Bool) throws {
    let (parser, quickParser, own) = (MtreeParser(nil), MtreeParser(), OwnLineParser())
    for parser in isBare ? [parser, quickParser] : [] {
      var comment = Array("#weir bare".utf8)
      comment.withUnsafeMutableBytes { _ = parser.parse($0) }
    }
    defer { withExtendedLifetime((quickParser, own)) {} }
    try line.withExactCopy { memory in
      if own.parse(UnsafeRawBufferPointer(memory)) == nil { return }
      guard case .entry(let quick) = quickParser.parse(memory) else {
        throw Finding("the fast parser is not asked")
      }
      let (name, algorithms) = (Array(quick.name), quick.digests.map(\.algorithm))
      let digests = quick.digests.map { Array($0.bytes) }
      try line.withExactCopy { copy in
        guard case .entry(let entry) = parser.parse(copy) else {
          throw Finding("mtree(5) refuses a record")
        }
        try expect(Array(entry.name) == name, "another name: \(Array(entry.name)), not \(name)")
        try expect(entry.size == quick.size && entry.time == quick.time, "another status")
        try expect(entry.type == quick.type && entry.isBare == quick.isBare, "another form")
        try expect(entry.digests.map(\.algorithm) == algorithms, "other algorithms")
        try expect(entry.digests.map { Array($0.bytes) } == digests, "other digests")
        var bytes = [UInt8](
          repeating: 0, count: MtreeLine(algorithms).capacity(nameCount: name.count))
        let count = bytes.withUnsafeMutableBytes { out in
          name.withUnsafeBytes {
            MtreeLine(algorithms).write(
              name: $0, size: quick.size, time: quick.time, digests: entry.digests.map(\.bytes),
              to: out)
          }
        }
        // Escapes of a name have several forms.
        let rest = line.drop { $0 != 0x20 }
        let tail = bytes[..<(count - 1)].suffix(rest.count)
        try expect(tail.elementsEqual(rest), "another line is written")
      }
    }
  }

  private static func checkReader(_ text: [UInt8]) throws {
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    let reader = RecordReader(file.descriptor, unreadable: .end, listsLinks: true)
    var offset: Int64 = 0
    while try reader.advance() {
      let record = reader.entry
      try expect(reader.offset > offset, "a record takes no bytes")
      offset = reader.offset
      try expect(offset <= text.count, "a record beyond the end")
      let bytes = record.bytes
      try expect(bytes.count == record.count, "another size")
      try bytes.withUnsafeBytes { bytes in
        let entry = InventoryEntry(bytes)
        try expect(
          entry.type == record.type && entry.size == record.size && entry.time == record.time
            && entry.open == record.open && entry.source == record.source
            && entry.text.elementsEqual(record.text)
            && entry.digests.elementsEqual(record.digests), "another entry")
      }
    }
  }

  private static func checkHeader(_ text: [UInt8]) throws {
    guard let end = text.firstIndex(of: 0x0A) else { return }
    let line = Array(text[...end])
    if let header = LedgerHeader(line: line) {
      let written = header.line
      try expect(LedgerHeader(line: written) == header, "another header is read back")
      for count in 0...written.count {
        try expect(LedgerHeader.begins(with: Array(written[..<count])), "a header cut at \(count)")
      }
    }
    if let header = LedgerHeader(comment: line.dropLast()) { _ = header.inputs }
  }
}

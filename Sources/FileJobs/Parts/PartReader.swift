// The reader of a part, block after block.

internal import WeirLibC
internal import SystemPackage

/// A record of a part. Its payload is valid until the next record is read.
package struct PartEntry {
  /// The number of items of the plan that the record answers; 0 for one that continues the
  /// record before, or belongs to none.
  package let items: Int
  /// The lower half of the hash of the first item's name.
  package let nameCheck: UInt32
  package let verdict: PartVerdict
  package let payload: UnsafeRawBufferPointer
}

/// A reader of the records of a part, in order, in the memory of one block. A block is checked
/// before its first record is returned; the number of records and the SHA-256 after the last one.
package final class PartReader {
  package let header: PartHeader
  package let name: [UInt8]
  /// Open all the time, or `nil`: with many parts, the file is opened for each block.
  private let file: OwnedFile?
  private let sha256: Digest
  private let checksum: Digest
  /// The content of the block, in memory that stays where it is until the next block.
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var block: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
  private var place = 0
  /// The size of the file when it was opened.
  private let size: Int
  private var offset: Int
  private(set) var totals = PartTotals()
  private var isOver = false

  /// Opens a part, or an attempt at one.
  package init(_ path: [UInt8], staysOpen: Bool = true) throws(Fault) {
    name = path
    let sealed = try SealedFile(path, "part", version: PartHeader.version)
    guard let header = PartHeader(sealed.header) else {
      throw Fault(path, damaged: "its first line is malformed")
    }
    self.header = header
    (size, offset) = (sealed.size, sealed.line.count)
    sha256 = try Fault.of(path, Digest.begun(.sha256, sealed.line))
    checksum = try Fault.of(path, Digest(.xxh3))
    file = staysOpen ? sealed.file : nil
  }

  deinit { memory.deallocate() }

  /// Returns the next record; `nil` after the last one of a part that is whole.
  package func next() throws(Fault) -> PartEntry? {
    while place == block.count {
      if isOver { return nil }
      try readBlock()
    }
    return try record()
  }

  private func record() throws(Fault) -> PartEntry {
    let head = PartLayout.recordHead
    let begin = place
    guard block.count - begin >= head, let verdict = PartVerdict(rawValue: block[begin + 12]),
      case let count = Int(block.littleEndian(at: begin) as UInt32),
      count <= block.count - begin - head
    else { throw Fault(name, damaged: "a record is malformed") }
    place = begin + head + count
    let items: UInt32 = block.littleEndian(at: begin + 4)
    totals.add(items: items, verdict)
    return PartEntry(
      items: Int(items), nameCheck: block.littleEndian(at: begin + 8), verdict: verdict,
      payload: block[begin + head..<place].rebased)
  }

  // MARK: Blocks

  /// Reads the next block. At the end of the part, compares the totals.
  private func readBlock() throws(Fault) {
    let file: OwnedFile
    if let open = self.file { file = open } else { file = try SealedFile.open(name, "part") }
    let head = try bytes(of: file, count: PartLayout.blockHead)
    let isEnd = head.starts(with: PartLayout.end)
    guard isEnd || head.starts(with: PartLayout.block) else {
      throw Fault(name, damaged: "there is no block at byte \(offset)")
    }
    let (count, sum) = head.withUnsafeBytes {
      (Int($0.littleEndian(at: 4) as UInt32), Array($0[8..<16]))
    }
    guard count <= PartLayout.blockMax else {
      throw Fault(name, damaged: "the block at byte \(offset) is too long")
    }
    let begin = offset
    offset += head.count
    let content = try bytes(of: file, count: count)
    let found = try Fault.of(name, try checksum.bytes(of: content))
    if found != sum {
      throw Fault(name, damaged: "the block at byte \(begin) differs from its checksum")
    }
    offset += count
    if isEnd { return try finish(content, file) }
    try Fault.of(name, sha256.update(head))
    try Fault.of(name, sha256.update(content))
    memory.deallocate()
    memory = .allocate(byteCount: content.count, alignment: 8)
    memory.copyBytes(from: content)
    place = 0
  }

  private func bytes(of file: OwnedFile, count: Int) throws(Fault) -> [UInt8] {
    let bytes = try Fault.of(name, try file.descriptor.bytes(at: offset, count: count))
    if bytes.count < count { throw Fault(name, .cut(after: offset + bytes.count)) }
    return bytes
  }

  private func finish(_ content: [UInt8], _ file: OwnedFile) throws(Fault) {
    isOver = true
    let tail = try bytes(of: file, count: PartLayout.tail)
    let size = try Fault.of(name, Int(try stat(of: file.descriptor).st_size))
    let length = tail.withUnsafeBytes { Int($0.littleEndian(at: 0) as UInt32) }
    guard tail.suffix(4) == PartLayout.last[...], length == content.count,
      size == offset + PartLayout.tail
    else { throw Fault(name, damaged: "its last bytes are malformed") }
    try Fault.of(name, sha256.finish())
    guard let object = JSONValue(content), let given = PartTotals(object) else {
      throw Fault(name, damaged: "its end is malformed")
    }
    guard object["sha256"]?.text == sha256.hexadecimal else {
      throw Fault(name, damaged: "its SHA-256 differs")
    }
    guard given == totals else {
      throw Fault(name, damaged: "it has \(totals.items) items, its end says \(given.items)")
    }
  }

  /// Reads the totals at the end of a part, without the rest: for a glance at many parts.
  package static func glance(
    at path: [UInt8]
  ) throws(Fault) -> (header: PartHeader, totals: PartTotals) {
    let reader = try PartReader(path)
    guard let file = reader.file else { fatalError("a part stays open unless it must not") }
    func bytes(_ count: Int, before end: Int) throws(Fault) -> [UInt8] {
      try Fault.of(path, try file.descriptor.bytes(at: max(0, end - count), count: count))
    }
    let end = reader.size - PartLayout.tail
    let tail = try bytes(PartLayout.tail, before: reader.size)
    let count = tail.withUnsafeBytes { $0.count == 8 ? Int($0.littleEndian(at: 0) as UInt32) : 0 }
    guard tail.suffix(4) == PartLayout.last[...], end - count >= reader.offset else {
      throw Fault(path, .cut(after: reader.size))
    }
    let content = try bytes(count, before: end)
    guard let object = JSONValue(content), let totals = PartTotals(object) else {
      throw Fault(path, damaged: "its end is malformed")
    }
    return (reader.header, totals)
  }
}

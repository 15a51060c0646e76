// The reader of a part, block after block.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A record of a part. Its payload is valid until the next record is read.
package struct PartRecord {
  /// The number of items of the plan that the record answers; 0 for one that continues the
  /// record before, or belongs to none.
  package let items: Int
  /// The lower half of the hash of the first item's name.
  package let nameCheck: UInt32
  package let verdict: PartVerdict
  package let payload: UnsafeRawBufferPointer
}

/// A reader of the records of a part, in order. It holds one block in memory.
///
/// A block is checked before its first record is returned; the number of records and the
/// SHA-256 when the last one has been read.
package final class PartReader {
  package let header: PartHeader
  /// The path.
  package let name: [UInt8]
  /// Open all the time, or `nil`: with many parts, the file is opened for each block.
  private var descriptor: FileDescriptor?
  private let sha256: Digest
  private let checksum: Digest
  /// The content of the block, in memory that stays where it is until the next block.
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var block: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
  private var place = 0
  /// The offset of the next block.
  private var offset: Int
  private var totals = PartTotals()
  private var isOver = false

  /// Opens a part, or an attempt at one.
  package init(_ path: [UInt8], staysOpen: Bool = true) throws(PartError) {
    name = path
    let file = try PartReader.open(path)
    do throws(PartError) {
      let line = try PartReader.firstLine(file, of: path)
      header = try PartHeader(line: line, of: path)
      offset = line.count
      (sha256, checksum) = try PartError.attributing(to: path) { () throws(Errno) in
        (try Digest.begun(.sha256, line), try Digest(.xxh3))
      }
    } catch {
      try? file.close()
      throw error
    }
    if staysOpen { descriptor = file } else { try? file.close() }
  }

  deinit {
    memory.deallocate()
    try? descriptor?.close()
  }

  /// Opens a regular file. Any other could hold up the process.
  private static func open(_ path: [UInt8]) throws(PartError) -> FileDescriptor {
    let file = try PartError.attributing(to: path) { () throws(Errno) in
      try openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
    do throws(PartError) {
      let status = try PartError.attributing(to: path) { () throws(Errno) in try stat(of: file) }
      if !status.isRegularFile { throw PartError(path, .notPart) }
      return file
    } catch {
      try? file.close()
      throw error
    }
  }

  private static func firstLine(
    _ file: FileDescriptor, of name: [UInt8]
  ) throws(PartError) -> [UInt8] {
    var size = 4096
    while true {
      let bytes = try PartError.attributing(to: name) { () throws(Errno) in
        try file.bytes(at: 0, count: size)
      }
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { return Array(bytes[...end]) }
      if bytes.count < size {
        throw PartError(
          name, bytes.starts(with: "{\"format\":\"weir part\"".utf8) ? .cut(bytes.count) : .notPart)
      }
      if size > PartHeader.lineMax { throw PartError(name, .notPart) }
      size *= 4
    }
  }

  /// Returns the next record; `nil` after the last one of a part that is whole.
  package func next() throws(PartError) -> PartRecord? {
    while place == block.count {
      if isOver { return nil }
      try readBlock()
    }
    return try record()
  }

  private func record() throws(PartError) -> PartRecord {
    let head = PartLayout.recordHead
    let begin = place
    guard block.count - begin >= head, let verdict = PartVerdict(rawValue: block[begin + 12]),
      case let count = Int(block.littleEndian(at: begin) as UInt32),
      count <= block.count - begin - head
    else { throw PartError(name, .damaged("a record is malformed")) }
    place = begin + head + count
    let items: UInt32 = block.littleEndian(at: begin + 4)
    totals.add(items: items, verdict)
    return PartRecord(
      items: Int(items), nameCheck: block.littleEndian(at: begin + 8), verdict: verdict,
      payload: UnsafeRawBufferPointer(rebasing: block[begin + head..<place]))
  }

  // MARK: Blocks

  /// Reads the next block. At the end of the part, compares the totals.
  private func readBlock() throws(PartError) {
    let file: FileDescriptor
    if let descriptor { file = descriptor } else { file = try PartReader.open(name) }
    defer { if descriptor == nil { try? file.close() } }
    let head = try bytes(of: file, count: PartLayout.blockHead)
    let isEnd = head.starts(with: PartLayout.end)
    guard isEnd || head.starts(with: PartLayout.block) else {
      throw PartError(name, .damaged("there is no block at byte \(offset)"))
    }
    let (count, sum) = head.withUnsafeBytes {
      (Int($0.littleEndian(at: 4) as UInt32), Array($0[8..<16]))
    }
    guard count <= PartLayout.blockMax else {
      throw PartError(name, .damaged("the block at byte \(offset) is too long"))
    }
    let begin = offset
    offset += head.count
    let content = try bytes(of: file, count: count)
    guard try checksum(of: content) == sum else {
      throw PartError(name, .damaged("the block at byte \(begin) differs from its checksum"))
    }
    offset += count
    if isEnd { return try finish(content, file) }
    try PartError.attributing(to: name) { () throws(Errno) in
      try sha256.update(head)
      try sha256.update(content)
    }
    memory.deallocate()
    memory = .allocate(byteCount: content.count, alignment: 8)
    memory.copyBytes(from: content)
    place = 0
  }

  private func bytes(of file: FileDescriptor, count: Int) throws(PartError) -> [UInt8] {
    let bytes = try PartError.attributing(to: name) { () throws(Errno) in
      try file.bytes(at: offset, count: count)
    }
    if bytes.count < count { throw PartError(name, .cut(offset + bytes.count)) }
    return bytes
  }

  private func checksum(of content: [UInt8]) throws(PartError) -> [UInt8] {
    try PartError.attributing(to: name) { () throws(Errno) in
      try checksum.begin()
      try checksum.update(content)
      try checksum.finish()
      return Array(checksum.bytes)
    }
  }

  private func finish(_ content: [UInt8], _ file: FileDescriptor) throws(PartError) {
    isOver = true
    let tail = try bytes(of: file, count: PartLayout.tail)
    let size = try PartError.attributing(to: name) { () throws(Errno) in
      Int(try stat(of: file).st_size)
    }
    let length = tail.withUnsafeBytes { Int($0.littleEndian(at: 0) as UInt32) }
    guard tail.suffix(4) == PartLayout.last[...], length == content.count,
      size == offset + PartLayout.tail
    else { throw PartError(name, .damaged("its last bytes are malformed")) }
    let digest = try PartError.attributing(to: name) { () throws(Errno) in
      try sha256.finish()
      return sha256.hexadecimal
    }
    guard let object = JSONValue(content), let given = PartTotals(object) else {
      throw PartError(name, .damaged("its end is malformed"))
    }
    guard object["sha256"]?.text == digest else {
      throw PartError(name, .damaged("its SHA-256 differs"))
    }
    guard given == totals else {
      throw PartError(name, .damaged("it has \(totals.items) items, its end says \(given.items)"))
    }
  }

  /// Reads the totals at the end of a part, without the rest: for a glance at many parts.
  package static func glance(
    at path: [UInt8]
  ) throws(PartError) -> (header: PartHeader, totals: PartTotals) {
    let reader = try PartReader(path)
    guard let file = reader.descriptor else { throw PartError(path, .notPart) }
    let found = try PartError.attributing(to: path) { () throws(Errno) -> (Int, [UInt8]) in
      let size = Int(try stat(of: file).st_size)
      return (size, try file.bytes(at: max(0, size - PartLayout.tail), count: PartLayout.tail))
    }
    let count = found.1.withUnsafeBytes {
      $0.count == 8 ? Int($0.littleEndian(at: 0) as UInt32) : 0
    }
    let begin = found.0 - PartLayout.tail - count
    guard found.1.suffix(4) == PartLayout.last[...], begin >= reader.offset else {
      throw PartError(path, .cut(found.0))
    }
    let content = try PartError.attributing(to: path) { () throws(Errno) in
      try file.bytes(at: begin, count: count)
    }
    guard let object = JSONValue(content), let totals = PartTotals(object) else {
      throw PartError(path, .damaged("its end is malformed"))
    }
    return (reader.header, totals)
  }
}

extension Digest {
  /// Begins a computation with some bytes.
  static func begun(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) throws(Errno) -> Digest {
    let digest = try Digest(algorithm)
    try digest.begin()
    try digest.update(bytes)
    return digest
  }

  func update(_ bytes: [UInt8]) throws(Errno) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try update(bytes) }
    }
    try result.get()
  }
}

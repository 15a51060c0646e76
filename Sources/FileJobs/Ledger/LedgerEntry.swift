// An entry of a ledger in one block of memory, as the plan of an update, its sorted runs and the
// notes of its files have it.

internal import Weir

/// An entry: the status that was recorded, the digests as text, and what is open. It points into the
/// memory that it was read from.
struct LedgerEntry {
  let memory: UnsafeRawBufferPointer

  private struct Header {
    var size: UInt64?
    var time: FileTime?
    var since: UInt32
    var source: Int32
    var nameCount: UInt32
    var restCount: UInt32
    var algorithmCount: UInt8
    var kind: Kind
  }

  private enum Kind: UInt8 { case file, rotten, gone, link }

  private static let headerSize = MemoryLayout<Header>.stride

  init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

  private var header: Header { memory.loadUnaligned(as: Header.self) }

  var size: UInt64? { header.size }
  var time: FileTime? { header.time }
  /// The source of the run that has written the entry; `nil` if it names none.
  var source: Int? { header.source < 0 ? nil : Int(header.source) }
  var isLink: Bool { header.kind == .link }

  var open: OpenPoint? {
    let header = header
    switch header.kind {
    case .rotten: return OpenPoint(.rot, since: header.since)
    case .gone: return OpenPoint(.gone, since: header.since)
    case .file, .link: return nil
    }
  }

  /// Returns true if the size and the time, to the nanosecond, are the recorded ones.
  func matches(_ size: UInt64, _ time: FileTime?) -> Bool {
    header.time != nil && header.size == size && header.time == time
  }

  private func part(_ begin: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[begin..<begin + count])
  }

  var name: UnsafeRawBufferPointer { part(LedgerEntry.headerSize, Int(header.nameCount)) }

  var digests: RecordDigests {
    let header = header
    let begin = LedgerEntry.headerSize + Int(header.nameCount)
    let count = Int(header.algorithmCount)
    return RecordDigests(
      rest: part(begin + count, Int(header.restCount)), indices: part(begin, count))
  }

  /// The target of a link.
  var target: UnsafeRawBufferPointer { digests.rest }

  func hasAll(_ algorithms: [DigestAlgorithm]) -> Bool {
    let digests = digests
    return algorithms.allSatisfy(digests.has)
  }

  // MARK: Packing

  static func capacity(of record: FileRecord) -> Int {
    headerSize + record.name.count + record.line.digests.indices.count
      + record.line.digests.rest.count
      + (record.target?.count ?? 0)
  }

  /// Packs a record. Returns the number of bytes.
  static func write(_ record: FileRecord, to memory: UnsafeMutableRawBufferPointer) -> Int {
    let kind: Kind =
      record.target != nil
      ? .link : record.open.map { $0.kind == .rot ? .rotten : .gone } ?? .file
    return write(
      kind, since: record.open?.since ?? 0, source: record.source, name: record.name,
      size: record.line.size, time: record.line.time, indices: record.line.digests.indices,
      rest: record.target ?? record.line.digests.rest, to: memory)
  }

  /// Returns an entry with other digests.
  func bytes(indices: [UInt8], rest: [UInt8]) -> [UInt8] {
    let (header, name) = (header, name)
    let capacity = LedgerEntry.headerSize + name.count + indices.count + rest.count
    return [UInt8](unsafeUninitializedCapacity: capacity) { bytes, count in
      count = indices.withUnsafeBytes { indices in
        rest.withUnsafeBytes { rest in
          LedgerEntry.write(
            header.kind, since: header.since, source: source, name: name, size: header.size,
            time: header.time, indices: indices, rest: rest,
            to: UnsafeMutableRawBufferPointer(bytes))
        }
      }
    }
  }

  private static func write(
    _ kind: Kind, since: UInt32, source: Int?, name: UnsafeRawBufferPointer, size: UInt64?,
    time: FileTime?, indices: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer,
    to memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    memory.storeBytes(
      of: Header(
        size: size, time: time, since: since, source: source.map { Int32(clamping: $0) } ?? -1,
        nameCount: UInt32(name.count), restCount: UInt32(rest.count),
        algorithmCount: UInt8(indices.count), kind: kind), as: Header.self)
    var count = headerSize
    for part in [name, indices, rest] {
      UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: part)
      count += part.count
    }
    return count
  }
}

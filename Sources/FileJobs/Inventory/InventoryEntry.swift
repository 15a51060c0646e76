// What an inventory knows of a name, as the bytes that are sorted.
//
// ```text
// KEY NUL FLAGS TYPE [SIZE] [SECONDS NANOSECONDS] [ERROR] [MODE USER GROUP] [KIND SINCE] [SOURCE]
//     COUNT {ALGORITHM ALTERNATIVE LENGTH DIGEST} TEXT
// ```

public import SystemPackage
internal import Weir

/// The reason for which a file could not be read.
public enum FileFailure: Sendable {
  /// An open or a read failed.
  case failed(Errno)
  /// The file changed while it was read.
  case changed
}

/// An entry. It points into the bytes that it was read from.
struct InventoryEntry {
  struct Flags: OptionSet {
    let rawValue: UInt8
    // Facts that have a value.
    static let size = Flags(rawValue: 1)
    static let time = Flags(rawValue: 2)
    static let unreadable = Flags(rawValue: 4)
    fileprivate static let valued: Flags = [.size, .time, .unreadable]
    /// The name need not be there.
    static let optional = Flags(rawValue: 8)
    /// Two lines have digests of one algorithm that differ, or types, or sizes, or targets.
    static let contradictory = Flags(rawValue: 16)
    /// Several files of a directory have the key, since it lacks components of their names.
    static let ambiguous = Flags(rawValue: 32)
    /// A check has found that the file does not exist.
    static let missing = Flags(rawValue: 64)
    /// Nothing is to be said of the name, nor of those below it.
    static let ignored = Flags(rawValue: 128)
  }

  var flags: Flags = []
  var type: FileWalk.EntryType?
  var size: UInt64?
  var time: FileTime?
  var failure: FileFailure?
  var rights: FileRights?
  var open: OpenPoint?
  /// The source of the run that has written a record; `nil` if it names none.
  var source: Int?
  var digests = UnsafeRawBufferPointer.empty
  /// The target of a link; the name of a file, if that is not the one of the key; the name of a record,
  /// for a link with a NUL and the target.
  var text = UnsafeRawBufferPointer.empty

  /// True for a directory, a link or a special file, unless it could not be read.
  var isOther: Bool { failure == nil && type != nil && type != .file }
  var isUnreadable: Bool { failure != nil }

  /// The bits of the type that say what follows.
  private static let (hasRights, hasOpen, hasSource) = (UInt8(0x80), UInt8(0x40), UInt8(0x20))
  private static let types: [FileWalk.EntryType] = [
    .file, .directory, .symbolicLink, .fifo, .socket, .characterDevice, .blockDevice,
  ]

  init(_ type: FileWalk.EntryType?) { self.type = type }

  /// Reads the part of a record after the key.
  init(_ bytes: UnsafeRawBufferPointer) {
    flags = Flags(rawValue: bytes[0])
    let code = Int(bytes[1] & (InventoryEntry.hasSource - 1))
    type = code == 0 ? nil : InventoryEntry.types[code - 1]
    var offset = 2
    if flags.contains(.size) {
      size = bytes.littleEndian(at: offset)
      offset += 8
    }
    if flags.contains(.time) {
      time = FileTime(
        seconds: bytes.littleEndian(at: offset), nanoseconds: bytes.littleEndian(at: offset + 8))
      offset += 12
    }
    if flags.contains(.unreadable) {
      let number: Int32 = bytes.littleEndian(at: offset)
      failure = number == 0 ? .changed : .failed(Errno(rawValue: number))
      offset += 4
    }
    if bytes[1] & InventoryEntry.hasRights != 0 {
      rights = FileRights(
        mode: bytes.littleEndian(at: offset), user: bytes.littleEndian(at: offset + 4),
        group: bytes.littleEndian(at: offset + 8))
      offset += 12
    }
    if bytes[1] & InventoryEntry.hasOpen != 0 {
      open = OpenPoint(bytes[offset] == 0 ? .rot : .gone, since: bytes.littleEndian(at: offset + 1))
      offset += 5
    }
    if bytes[1] & InventoryEntry.hasSource != 0 {
      source = Int(bytes.littleEndian(at: offset) as UInt32)
      offset += 4
    }
    let end = offset + 2 + Int(bytes.littleEndian(at: offset) as UInt16)
    digests = bytes[offset + 2..<end].rebased
    text = bytes[end...].rebased
  }

  /// The number of bytes of the part after the key.
  var count: Int {
    4 + (size == nil ? 0 : 8) + (time == nil ? 0 : 12) + (failure == nil ? 0 : 4)
      + (rights == nil ? 0 : 12) + (open == nil ? 0 : 5) + (source == nil ? 0 : 4)
      + digests.count + text.count
  }

  @inline(__always)
  func write(to line: inout LineWriter) {
    var flags = flags.subtracting(.valued)
    if size != nil { flags.insert(.size) }
    if time != nil { flags.insert(.time) }
    if failure != nil { flags.insert(.unreadable) }
    line.append(flags.rawValue)
    let code = type.flatMap { InventoryEntry.types.firstIndex(of: $0) }.map { $0 + 1 }
    line.append(
      UInt8(code ?? 0) | (rights == nil ? 0 : InventoryEntry.hasRights)
        | (open == nil ? 0 : InventoryEntry.hasOpen)
        | (source == nil ? 0 : InventoryEntry.hasSource))
    if let size { line.append(littleEndian: size) }
    if let time {
      line.append(littleEndian: time.seconds)
      line.append(littleEndian: time.nanoseconds)
    }
    if let failure {
      let error: Errno? = if case .failed(let error) = failure { error } else { nil }
      line.append(littleEndian: error?.rawValue ?? 0)
    }
    if let rights {
      for number in [rights.mode, rights.user, rights.group] { line.append(littleEndian: number) }
    }
    if let open {
      line.append(UInt8(open.kind == .rot ? 0 : 1))
      line.append(littleEndian: open.since)
    }
    if let source { line.append(littleEndian: UInt32(clamping: source)) }
    line.append(littleEndian: UInt16(digests.count))
    line.append(digests)
    line.append(text)
  }

  var bytes: [UInt8] { LineWriter.bytes(capacity: count) { write(to: &$0) } }

  /// Takes the facts of a later line for the same name. Returns the digests of both.
  mutating func add(_ other: InventoryEntry) -> [UInt8] {
    var all = [UInt8](digests)
    var agrees =
      (type ?? other.type) == (other.type ?? type) && (size ?? other.size) == (other.size ?? size)
    for digest in EntryDigests(other.digests) {
      let known = EntryDigests(digests).first {
        $0.index == digest.index && $0.alternative == digest.alternative
      }
      if let known {
        agrees = agrees && known.bytes.hasSameBytes(as: digest.bytes)
      } else {
        all.append(digest)
      }
    }
    flags.formUnion(other.flags)
    if !agrees { flags.insert(.contradictory) }
    if !text.isEmpty && !other.text.isEmpty && !text.hasSameBytes(as: other.text)
      && !flags.contains(.missing)
    {
      flags.insert(isOther ? .contradictory : .ambiguous)
    }
    (type, size, time) = (type ?? other.type, size ?? other.size, time ?? other.time)
    (failure, rights) = (failure ?? other.failure, rights ?? other.rights)
    if text.isEmpty { text = other.text }
    return all
  }
}

extension LineWriter {
  mutating func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Appends a number so that the order of its bytes is that of numbers.
  mutating func append(bigEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { append($0) }
  }
}

extension OpenFile {
  func write(_ entry: InventoryEntry) throws(Errno) {
    try write(capacity: entry.count) { memory in
      var line = LineWriter(memory)
      entry.write(to: &line)
      return line.count
    }
  }
}

/// A key and an entry, in memory of their own.
final class EntryBuffer {
  private let buffer = ByteBuffer()
  private(set) var keyCount = 0

  var bytes: UnsafeRawBufferPointer { buffer.bytes }
  var key: UnsafeRawBufferPointer { bytes[..<keyCount].rebased }
  var payload: UnsafeRawBufferPointer { bytes[(keyCount + 1)...].rebased }
  var entry: InventoryEntry { InventoryEntry(payload) }
  var flags: InventoryEntry.Flags { InventoryEntry.Flags(rawValue: bytes[keyCount + 1]) }

  @inline(__always)
  func put(_ key: UnsafeRawBufferPointer, _ entry: InventoryEntry) {
    keyCount = key.count
    buffer.replace(after: 0, writing: key.count + 1 + entry.count) { line in
      line.append(key)
      line.append(UInt8(0))
      entry.write(to: &line)
    }
  }

  func put(_ record: UnsafeRawBufferPointer) {
    buffer.replace(after: 0, by: record)
    keyCount = record.keyCount
  }

  func put(_ key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
    keyCount = key.count
    buffer.replace(after: 0, writing: key.count + 1 + payload.count) { line in
      line.append(key)
      line.append(UInt8(0))
      line.append(payload)
    }
  }

  func add(_ other: InventoryEntry) {
    [UInt8](payload).withUnsafeBytes { old in
      var entry = InventoryEntry(old)
      entry.add(other).withUnsafeBytes { digests in
        entry.digests = digests
        buffer.replace(after: keyCount + 1, writing: entry.count) { entry.write(to: &$0) }
      }
    }
  }
}

// What one side of a comparison knows of a name, as the bytes that are sorted.
//
// ```text
// KEY NUL FLAGS TYPE [SIZE] [SECONDS NANOSECONDS] COUNT {ALGORITHM ALTERNATIVE LENGTH DIGEST} TARGET
// ```

internal import WeirLibC
internal import Weir

/// A digest of an entry.
struct CompareDigest {
  /// The index of the algorithm, and of the one that the digest may be of instead.
  let algorithm: UInt8
  let alternative: UInt8
  let bytes: UnsafeRawBufferPointer

  static let none = UInt8.max

  init(
    _ algorithm: DigestAlgorithm, or alternative: DigestAlgorithm? = nil,
    _ bytes: UnsafeRawBufferPointer
  ) {
    self.init(
      UInt8(algorithm.index), or: alternative.map { UInt8($0.index) } ?? CompareDigest.none, bytes)
  }

  fileprivate init(_ algorithm: UInt8, or alternative: UInt8, _ bytes: UnsafeRawBufferPointer) {
    self.algorithm = algorithm
    self.alternative = alternative
    self.bytes = bytes
  }

  /// Returns the algorithm of which both digests can be; `nil` if there is none.
  func shared(with other: CompareDigest) -> UInt8? {
    if other.algorithm == algorithm || other.alternative == algorithm { return algorithm }
    if alternative == CompareDigest.none { return nil }
    return other.algorithm == alternative || other.alternative == alternative ? alternative : nil
  }

  func isOf(_ index: UInt8) -> Bool { algorithm == index || alternative == index }
}

/// The digests of an entry, in the order of the lines.
struct CompareDigests: Sequence, IteratorProtocol {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  mutating func next() -> CompareDigest? {
    if rest.isEmpty { return nil }
    let end = 3 + Int(rest[2])
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[end...]) }
    return CompareDigest(rest[0], or: rest[1], UnsafeRawBufferPointer(rebasing: rest[3..<end]))
  }
}

/// An entry. It points into the bytes that it was read from.
struct CompareEntry {
  /// Facts that need no value.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let size = Flags(rawValue: 1)
    static let time = Flags(rawValue: 2)
    /// The name need not be there.
    static let optional = Flags(rawValue: 4)
    /// Two lines have digests of one algorithm that differ, or types, or sizes.
    static let contradictory = Flags(rawValue: 8)
    /// The file could not be read.
    static let unreadable = Flags(rawValue: 16)
  }

  var flags: Flags = []
  /// The type; `nil` if it is not known.
  var type: EntryType?
  var size: UInt64?
  var time: FileTime?
  var digests = UnsafeRawBufferPointer.empty
  var target = UnsafeRawBufferPointer.empty

  /// True for a directory, a link or a special file.
  var isOther: Bool { type.map { $0 != .file } ?? false }

  private static let types: [EntryType] = [
    .file, .directory, .symbolicLink, .fifo, .socket, .characterDevice, .blockDevice,
  ]

  init(_ type: EntryType?) { self.type = type }

  /// Reads the part of a record after the key.
  init(_ bytes: UnsafeRawBufferPointer) {
    flags = Flags(rawValue: bytes[0])
    let code = Int(bytes[1])
    type = code == 0 ? nil : CompareEntry.types[code - 1]
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
    let end = offset + 2 + Int(bytes.littleEndian(at: offset) as UInt16)
    digests = UnsafeRawBufferPointer(rebasing: bytes[offset + 2..<end])
    target = UnsafeRawBufferPointer(rebasing: bytes[end...])
  }

  /// The largest number of bytes of the part after the key.
  var capacity: Int { 24 + digests.count + target.count }

  /// Writes the part of a record after the key. Returns the number of bytes.
  func write(to memory: UnsafeMutableRawBufferPointer) -> Int {
    CompareEntry.write(self, to: memory) { $0.append(digests) }
  }

  /// Writes an entry with other digests than its own.
  @inline(__always)
  static func write(
    _ entry: CompareEntry, to memory: UnsafeMutableRawBufferPointer,
    _ appendDigests: (inout LineWriter) -> Void
  ) -> Int {
    var flags = entry.flags.subtracting([.size, .time])
    if entry.size != nil { flags.insert(.size) }
    if entry.time != nil { flags.insert(.time) }
    var line = LineWriter(memory)
    line.append(flags.rawValue)
    let code = entry.type.flatMap { types.firstIndex(of: $0) }.map { $0 + 1 }
    line.append(UInt8(code ?? 0))
    if let size = entry.size { line.append(littleEndian: size) }
    if let time = entry.time {
      line.append(littleEndian: time.seconds)
      line.append(littleEndian: time.nanoseconds)
    }
    let begin = line.count
    line.append(littleEndian: UInt16(0))
    appendDigests(&line)
    memory.storeBytes(
      of: UInt16(line.count - begin - 2).littleEndian, toByteOffset: begin, as: UInt16.self)
    line.append(entry.target)
    return line.count
  }

  /// The largest number of bytes of the digests of an entry.
  static let digestsMax = Int(UInt16.max)
}

extension LineWriter {
  fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  mutating func append(_ digest: CompareDigest) {
    append(digest.algorithm)
    append(digest.alternative)
    append(UInt8(digest.bytes.count))
    append(digest.bytes)
  }
}

/// A record in memory of its own: a key and an entry.
final class CompareBuffer {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  private(set) var count = 0
  /// The number of bytes of the key, without its end.
  private(set) var keyCount = 0

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
  var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<keyCount]) }
  var payload: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[(keyCount + 1)..<count])
  }
  var entry: CompareEntry { CompareEntry(payload) }

  /// Takes in a name and its entry. Returns false if the name contains a NUL; the key is empty if
  /// nothing is left of the name.
  @inline(__always)
  func put(
    _ name: UnsafeRawBufferPointer, stripping stripped: Int, _ entry: CompareEntry,
    digestCapacity: Int = 0, _ appendDigests: (inout LineWriter) -> Void = { _ in }
  ) -> Bool {
    memory.ensure(CompareKey.capacity(nameCount: name.count) + entry.capacity + digestCapacity)
    guard let length = CompareKey.write(name, stripping: stripped, to: memory) else { return false }
    keyCount = length - 1
    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[length...])
    count = length + CompareEntry.write(entry, to: rest, appendDigests)
    return true
  }

  /// Takes in a record.
  func put(_ record: UnsafeRawBufferPointer) {
    memory.ensure(record.count)
    memory.copyMemory(from: record)
    count = record.count
    keyCount = record.keyCount
  }

  /// Adds what a later line says of the same name.
  func add(_ other: CompareEntry) {
    let mine = CompareBuffer()
    mine.put(bytes)
    var entry = mine.entry
    entry.flags.formUnion(other.flags)
    if let type = entry.type, let otherType = other.type, type != otherType {
      entry.flags.insert(.contradictory)
    }
    if let size = entry.size, let otherSize = other.size, size != otherSize {
      entry.flags.insert(.contradictory)
    }
    entry.type = entry.type ?? other.type
    entry.size = entry.size ?? other.size
    entry.time = entry.time ?? other.time
    if entry.target.isEmpty { entry.target = other.target }
    let known = CompareDigests(entry.digests)
    var more: [CompareDigest] = []
    for digest in CompareDigests(other.digests) {
      let same = known.first {
        $0.algorithm == digest.algorithm && $0.alternative == digest.alternative
      }
      if let same {
        if !same.bytes.hasSameBytes(as: digest.bytes) { entry.flags.insert(.contradictory) }
      } else if entry.digests.count + 3 + digest.bytes.count < CompareEntry.digestsMax {
        more.append(digest)
      }
    }
    let begin = keyCount + 1
    let added = more.reduce(0) { $0 + 3 + $1.bytes.count }
    memory.ensure(begin + entry.capacity + added)
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: mine.bytes[..<begin]))
    let rest = UnsafeMutableRawBufferPointer(rebasing: memory[begin...])
    count =
      begin
      + CompareEntry.write(entry, to: rest) { line in
        line.append(entry.digests)
        for digest in more { line.append(digest) }
      }
  }
}

extension UnsafeRawBufferPointer {
  /// The number of bytes of the key at the beginning of a record.
  var keyCount: Int {
    guard let start = baseAddress, let end = memchr(start, 0, count) else { return count }
    return UnsafeRawPointer(end) - start
  }
}

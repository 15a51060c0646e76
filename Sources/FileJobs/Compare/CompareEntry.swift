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
  private var rest: UnsafeRawBufferPointer

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
    /// Two lines have digests of one algorithm that differ, or types, or sizes, or targets.
    static let contradictory = Flags(rawValue: 8)
    /// The file could not be read.
    static let unreadable = Flags(rawValue: 16)
    /// Several files of a directory have the key, since it lacks components of their names.
    static let ambiguous = Flags(rawValue: 32)
  }

  var flags: Flags = []
  /// The type; `nil` if it is not known.
  var type: EntryType?
  var size: UInt64?
  var time: FileTime?
  var digests = UnsafeRawBufferPointer.empty
  /// The target of a link, or the name of a file in a directory if the key lacks components of it.
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

  /// Writes the part of a record after the key.
  @inline(__always)
  func write(to line: inout LineWriter) {
    var flags = flags.subtracting([.size, .time])
    if size != nil { flags.insert(.size) }
    if time != nil { flags.insert(.time) }
    line.append(flags.rawValue)
    let code = type.flatMap { CompareEntry.types.firstIndex(of: $0) }.map { $0 + 1 }
    line.append(UInt8(code ?? 0))
    if let size { line.append(littleEndian: size) }
    if let time {
      line.append(littleEndian: time.seconds)
      line.append(littleEndian: time.nanoseconds)
    }
    line.append(littleEndian: UInt16(digests.count))
    line.append(digests)
    line.append(target)
  }

  /// Returns the part of a record after the key, with other digests.
  func bytes(digests: UnsafeRawBufferPointer) -> [UInt8] {
    var entry = self
    entry.digests = digests
    return LineWriter.bytes(capacity: entry.capacity) { entry.write(to: &$0) }
  }

  /// Adds what a later line says of the same name. Returns the digests of both.
  mutating func add(_ other: CompareEntry) -> [UInt8] {
    var all = [UInt8](digests)
    var agrees =
      (type ?? other.type) == (other.type ?? type) && (size ?? other.size) == (other.size ?? size)
    for digest in CompareDigests(other.digests) {
      let known = CompareDigests(digests).first {
        $0.algorithm == digest.algorithm && $0.alternative == digest.alternative
      }
      if let known {
        agrees = agrees && known.bytes.hasSameBytes(as: digest.bytes)
      } else {
        all.append(digest)
      }
    }
    flags.formUnion(other.flags)
    if !agrees { flags.insert(.contradictory) }
    if !target.isEmpty && !other.target.isEmpty && !target.hasSameBytes(as: other.target) {
      flags.insert(isOther ? .contradictory : .ambiguous)
    }
    (type, size, time) = (type ?? other.type, size ?? other.size, time ?? other.time)
    if target.isEmpty { target = other.target }
    return all
  }
}

extension LineWriter {
  mutating func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }
}

extension [UInt8] {
  mutating func append(_ digest: CompareDigest) {
    self += [digest.algorithm, digest.alternative, UInt8(digest.bytes.count)]
    append(contentsOf: digest.bytes)
  }
}

extension Set<UInt8> {
  /// Inserts the algorithms of which the digests of an entry can be.
  mutating func insert(algorithmsOf entry: CompareEntry) {
    for digest in CompareDigests(entry.digests) {
      insert(digest.algorithm)
      if digest.alternative != CompareDigest.none { insert(digest.alternative) }
    }
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
  func put(_ name: UnsafeRawBufferPointer, stripping stripped: Int, _ entry: CompareEntry) -> Bool {
    memory.ensure(CompareKey.capacity(nameCount: name.count) + entry.capacity)
    guard let length = CompareKey.write(name, stripping: stripped, to: memory) else { return false }
    keyCount = length - 1
    put(entry)
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
    [UInt8](bytes).withUnsafeBytes { old in
      var entry = CompareEntry(UnsafeRawBufferPointer(rebasing: old[(keyCount + 1)...]))
      entry.add(other).withUnsafeBytes { digests in
        entry.digests = digests
        memory.ensure(keyCount + 1 + entry.capacity)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[...keyCount]))
        put(entry)
      }
    }
  }

  /// Writes an entry after the key.
  @inline(__always)
  private func put(_ entry: CompareEntry) {
    var line = LineWriter(UnsafeMutableRawBufferPointer(rebasing: memory[(keyCount + 1)...]))
    entry.write(to: &line)
    count = keyCount + 1 + line.count
  }
}

extension UnsafeRawBufferPointer {
  /// The number of bytes of the key at the beginning of a record.
  var keyCount: Int {
    guard let start = baseAddress, let end = memchr(start, 0, count) else { return count }
    return UnsafeRawPointer(end) - start
  }
}

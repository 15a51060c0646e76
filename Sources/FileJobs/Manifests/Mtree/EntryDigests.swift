// The digests of an entry, as bytes: `ALGORITHM ALTERNATIVE LENGTH DIGEST`, one after the other.

internal import CFileKernels

/// A digest, and the algorithms that it may be of.
struct EntryDigest {
  /// The index of the algorithm, and of the one that the digest may be of instead.
  let index: UInt8
  let alternative: UInt8
  let bytes: UnsafeRawBufferPointer

  static let none = UInt8.max

  var algorithm: DigestAlgorithm { DigestAlgorithm(index: Int(index)) }

  /// Returns the algorithm of which both digests can be; `nil` if there is none.
  func shared(with other: EntryDigest) -> UInt8? {
    if other.isOf(index) { return index }
    return alternative != EntryDigest.none && other.isOf(alternative) ? alternative : nil
  }

  func isOf(_ index: UInt8) -> Bool { self.index == index || alternative == index }
}

extension EntryDigest {
  init(
    _ algorithm: DigestAlgorithm, or alternative: DigestAlgorithm? = nil,
    _ bytes: UnsafeRawBufferPointer
  ) {
    let other = alternative.map { UInt8($0.index) } ?? EntryDigest.none
    self.init(index: UInt8(algorithm.index), alternative: other, bytes: bytes)
  }
}

/// The digests of an entry, in the order of the lines.
struct EntryDigests: Sequence, IteratorProtocol {
  /// The digests that are left.
  private(set) var bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isEmpty: Bool { bytes.isEmpty }
  var count: Int { reduce(0) { count, _ in count + 1 } }
  var first: EntryDigest? {
    var rest = self
    return rest.next()
  }

  mutating func next() -> EntryDigest? {
    if bytes.isEmpty { return nil }
    let end = 3 + Int(bytes[2])
    defer { bytes = bytes[end...].rebased }
    return EntryDigest(index: bytes[0], alternative: bytes[1], bytes: bytes[3..<end].rebased)
  }
}

/// The digests of the entry that is being read, in memory for all entries.
final class DigestBuffer {
  private let buffer = ByteBuffer()
  private(set) var count = 0

  /// The digests, valid until the next change.
  var all: EntryDigests { EntryDigests(buffer.bytes) }

  func removeAll() { (buffer.count, count) = (0, 0) }

  /// Returns false if there is no room.
  func append(_ digest: EntryDigest) -> Bool {
    if count == DigestAlgorithm.countMax { return false }
    buffer.append(digest)
    count += 1
    return true
  }

  /// Decodes digits. Returns false if they are no digest of the algorithm, or there is no room.
  func append(_ algorithm: DigestAlgorithm, digits: UnsafeMutableRawBufferPointer) -> Bool {
    guard let text = ManifestText(digits), text.count == algorithm.byteCount * 2,
      text.digitCount(at: 0) == text.count
    else { return false }
    return text.withStart {
      append(decoding: $0, algorithm.byteCount, of: algorithm.index)
    }
  }

  /// Decodes the digits of so many bytes. Returns false if there is no room.
  func append(decoding digits: UnsafePointer<UInt8>, _ byteCount: Int, of index: Int) -> Bool {
    if count == DigestAlgorithm.countMax { return false }
    let out = buffer.extend(by: 3 + byteCount)
    (out[0], out[1], out[2]) = (UInt8(index), EntryDigest.none, UInt8(byteCount))
    kernel_bytes(out + 3, digits, byteCount)
    count += 1
    return true
  }
}

extension [UInt8] {
  mutating func append(_ digest: EntryDigest) {
    self += [digest.index, digest.alternative, UInt8(digest.bytes.count)]
    append(contentsOf: digest.bytes)
  }
}

extension ByteBuffer {
  func append(_ digest: EntryDigest) {
    replace(after: count, writing: 3 + digest.bytes.count) { line in
      line.append(digest.index)
      line.append(digest.alternative)
      line.append(UInt8(digest.bytes.count))
      line.append(digest.bytes)
    }
  }
}

extension Set<UInt8> {
  /// Inserts the algorithms of which digests can be.
  mutating func insert(algorithmsOf digests: UnsafeRawBufferPointer) {
    for digest in EntryDigests(digests) {
      insert(digest.index)
      if digest.alternative != EntryDigest.none { insert(digest.alternative) }
    }
  }
}

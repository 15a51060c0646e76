// The records of a ledger as entries of an inventory.

internal import Weir

extension InventoryEntry {
  var recordName: UnsafeRawBufferPointer { text[..<text.keyCount].rebased }
  var recordTarget: UnsafeRawBufferPointer { text.dropFirst(text.keyCount + 1).rebased }

  var isLink: Bool { type == .symbolicLink }

  /// Returns true if the size and the time, to the nanosecond, are the recorded ones.
  func matches(_ size: UInt64?, _ time: FileTime?) -> Bool {
    self.time != nil && self.size == size && self.time == time
  }

  // MARK: Digests

  var algorithms: [DigestAlgorithm] {
    EntryDigests(digests).map(\.algorithm)
  }

  var strongestAlgorithm: DigestAlgorithm? {
    var strongest: UInt8?
    for digest in EntryDigests(digests) {
      strongest = DigestStrength.stronger(digest.index, strongest)
    }
    return strongest.map { DigestAlgorithm(index: Int($0)) }
  }

  /// Returns `nil` if there is none, and the first of several, as every reader does.
  func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    digest(UInt8(algorithm.index))
  }

  func digest(_ index: UInt8) -> UnsafeRawBufferPointer? {
    for digest in EntryDigests(digests) where digest.index == index { return digest.bytes }
    return nil
  }

  func hasAll(_ algorithms: [DigestAlgorithm]) -> Bool {
    algorithms.allSatisfy { digest($0) != nil }
  }

  /// Returns true if two entries have digests of one algorithm, and no two of one that differ.
  func hasContent(of other: InventoryEntry) -> Bool {
    var isSame = false
    for digest in EntryDigests(other.digests) {
      guard let own = self.digest(digest.index) else { continue }
      if !own.hasSameBytes(as: digest.bytes) { return false }
      isSame = true
    }
    return isSame
  }
}

// The keys by which an update joins files with records.
//
// DESIGN. If all sources of a run are the same PATHs as those of the run before, files and records
// come in the same order: that of the sources, and below each that of the walk. A key is then the
// number of the source and the ``EntryKey`` of the name, and nothing is sorted. Names of lists, of
// other PATHs, of another working directory or of another program come in another order. Their key is
// that of their path, and both sides pass through sorted runs.

/// The way in which the files of a run and the records of a manifest are matched.
struct LedgerKeys {
  /// True if files and records come in one order.
  let isInStep: Bool
  /// True if all sources are PATHs: the ledger is then in the order of the walk.
  let hasPathsOnly: Bool
  let names: LedgerNames

  /// The groups of the names of a list, in its order, and of those that have no place in it.
  private static let (listed, unlisted) = (0, 1)

  /// Writes the key by which a name is joined. Returns false if the name has a NUL.
  func write(
    _ name: UnsafeRawBufferPointer, source: Int, of names: LedgerNames, by writer: LedgerKeyWriter
  ) -> Bool {
    if isInStep { return writer.write(name, group: source) }
    return names.path(of: name).withUnsafeBytes { writer.write($0, group: 0) }
  }

  /// Writes the key of a name's place in the new ledger. `order` is the number of a listed name.
  func writePlace(
    _ name: UnsafeRawBufferPointer, source: Int, order: UInt64?, by writer: LedgerKeyWriter
  ) -> Bool {
    if hasPathsOnly { return writer.write(name, group: source) }
    guard let order else { return writer.write(name, group: LedgerKeys.unlisted) }
    // Digits have no NUL, and equal lengths give the order of the numbers.
    let digits = String(order, radix: 16)
    let text = Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
    return text.withUnsafeBytes { writer.write($0, group: LedgerKeys.listed) }
  }

  static func isBelow(_ key: UnsafeRawBufferPointer, _ directory: [UInt8]) -> Bool {
    guard key.count > directory.count, key.starts(with: directory) else { return false }
    // The working directory, the root, and any other.
    return directory.count == LedgerKeyWriter.groupCount || directory.last == EntryKey.separator
      || key[directory.count] == EntryKey.separator
  }
}

/// A writer of the keys of names that follow each other: each is a group and an ``EntryKey``.
final class LedgerKeyWriter {
  private let names = KeyWriter()
  private let buffer = ByteBuffer()

  static let groupCount = 5

  var key: UnsafeRawBufferPointer { buffer.bytes }

  /// Writes a key. Returns false if the name has a NUL.
  func write(_ name: UnsafeRawBufferPointer, group: Int) -> Bool {
    guard names.write(name) else { return false }
    let key = names.key
    buffer.replace(after: 0, writing: LedgerKeyWriter.groupCount + key.count) { line in
      // Seven bits of the number a byte, none of which is NUL.
      for place in stride(from: 28, through: 0, by: -7) {
        line.append(UInt8(truncatingIfNeeded: group >> place) | 0x80)
      }
      line.append(key)
    }
    return true
  }
}

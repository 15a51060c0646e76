// The keys by which an update joins files with records.
//
// DESIGN. If all sources of a run are the same PATHs as those of the run before, files and records
// come in the same order: that of the sources, and below each that of the walk. A key is then the
// number of the source and the ``EntryKey`` of the name, and nothing is sorted. Names of lists, of
// other PATHs, of another working directory or of another program come in another order. Their key is
// that of their path, and both sides pass through sorted runs.

internal import Weir

/// The way in which the files of a run and the records of a manifest are matched.
struct LedgerKeys {
  /// True if files and records come in one order.
  let isInStep: Bool
  /// True if all sources are PATHs: the ledger is then in the order of the walk.
  let hasPathsOnly: Bool
  /// The names of this run.
  let names: LedgerNames

  /// The bytes before the key of a name.
  static let groupCount = 4
  /// The groups of the names of a list, in its order, and of those that have no place in it.
  private static let (listed, unlisted): (UInt32, UInt32) = (0, 1)

  /// Writes the key by which a name is joined, with its end. Returns the number of bytes; `nil` if
  /// the name has a NUL.
  ///
  /// - Parameter writer: The writer of the names that follow each other.
  func write(
    _ name: UnsafeRawBufferPointer, source: Int, of names: LedgerNames, by writer: KeyWriter,
    to memory: inout UnsafeMutableRawBufferPointer
  ) -> Int? {
    if isInStep {
      return LedgerKeys.write(name, group: UInt32(clamping: source), by: writer, to: &memory)
    }
    return names.path(of: name).withUnsafeBytes {
      LedgerKeys.write($0, group: 0, by: writer, to: &memory)
    }
  }

  /// Writes the key by which a name is placed in the new ledger.
  ///
  /// - Parameter order: The number of a listed name; `nil` for a name that has none.
  func writePlace(
    _ name: UnsafeRawBufferPointer, source: Int, order: UInt64?, by writer: KeyWriter,
    to memory: inout UnsafeMutableRawBufferPointer
  ) -> Int? {
    if hasPathsOnly {
      return LedgerKeys.write(name, group: UInt32(clamping: source), by: writer, to: &memory)
    }
    guard let order else {
      return LedgerKeys.write(name, group: LedgerKeys.unlisted, by: writer, to: &memory)
    }
    // Digits have no NUL, and equal lengths give the order of the numbers.
    let digits = String(order, radix: 16)
    let text = Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
    return text.withUnsafeBytes {
      LedgerKeys.write($0, group: LedgerKeys.listed, by: writer, to: &memory)
    }
  }

  private static func write(
    _ name: UnsafeRawBufferPointer, group: UInt32, by writer: KeyWriter,
    to memory: inout UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard writer.write(name) else { return nil }
    let key = writer.key
    memory.ensure(groupCount + key.count + 1)
    memory.storeBytes(of: group.bigEndian, as: UInt32.self)
    UnsafeMutableRawBufferPointer(rebasing: memory[groupCount...]).copyMemory(from: key)
    memory[groupCount + key.count] = 0
    return groupCount + key.count + 1
  }

  /// Returns the number of bytes of the key at the beginning of a record, with its end.
  static func count(in record: UnsafeRawBufferPointer) -> Int {
    groupCount + UnsafeRawBufferPointer(rebasing: record[groupCount...]).keyCount + 1
  }

  /// Returns true if a key is that of a name below a directory. Both are with their ends.
  static func isBelow(_ key: UnsafeRawBufferPointer, _ directory: [UInt8]) -> Bool {
    let directory = directory.dropLast()
    guard key.count > directory.count + 1, key.starts(with: directory) else { return false }
    // The working directory, the root, and any other.
    return directory.count == groupCount || directory.last == EntryKey.separator
      || key[directory.count] == EntryKey.separator
  }
}

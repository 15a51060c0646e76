internal import SystemPackage
internal import Weir

/// A lane that computes the digests of a file, and compares them with those of its record.
final class UpdateLane {
  private let algorithms: [DigestAlgorithm]
  private let set: DigestSet
  private let digests = ByteBuffer()
  /// Digests of algorithms that only a record has, not this run.
  private var others: [DigestAlgorithm: Digest] = [:]

  init(_ algorithms: [DigestAlgorithm], helpers: HelperLanes) throws(Errno) {
    self.algorithms = algorithms
    set = try DigestSet(algorithms, helpers: helpers)
  }

  /// Reads a file, whose note is its item. Writes a ``ReadContent``.
  func read(_ file: borrowing OpenFile) throws(Errno) {
    let record = UpdateItem(note: file.lentNote)?.record
    let isSameByOther = try compute(file, known: record)
    let status = file.status
    var entry = InventoryEntry(status.type == .blockDevice ? .blockDevice : .file)
    (entry.size, entry.time) = (set.size, status.type == .file ? status.modified : nil)
    digests.count = 0
    for (algorithm, digest) in zip(algorithms, set.digests) {
      digests.append(EntryDigest(algorithm, digest.bytes))
    }
    entry.digests = digests.bytes
    let content = ReadContent(
      entry, isSame: isSameByOther ?? record?.hasContent(of: entry) ?? false,
      isDashFile: file.isDashFile,
      // In /proc the size of a file is wrong and its time has no meaning.
      isTimed: entry.time != nil && status.size == set.size)
    try file.write(capacity: content.capacity) { memory in
      var line = LineWriter(memory)
      content.write(to: &line)
      return line.count
    }
  }

  /// Computes the digests of a file. Only an algorithm that its record has too can show rot: if this
  /// run has none, computes the strongest of its digests, and returns true if the record has the same.
  private func compute(
    _ file: borrowing OpenFile, known record: InventoryEntry?
  ) throws(Errno) -> Bool? {
    guard let record, !algorithms.contains(where: { record.digest($0) != nil }),
      let known = record.strongestAlgorithm
    else {
      try set.compute(file)
      return nil
    }
    let other = if let made = others[known] { made } else { try Digest(known) }
    others[known] = other
    try set.compute(file, with: other)
    return record.digest(known)?.hasSameBytes(as: other.bytes)
  }
}

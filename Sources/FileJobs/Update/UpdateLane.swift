// The context of a lane that reads files for a manifest, and what it gives of each.

internal import SystemPackage
internal import Weir

/// A lane that computes the digests of a file, and compares them with those of its record.
final class UpdateLane {
  private let algorithms: [DigestAlgorithm]
  private let set: DigestSet
  private let line: MtreeLine
  /// The memory of the part of a line after the name.
  private let rest: UnsafeMutableRawBufferPointer
  /// Digests of algorithms that only a record has, not this run.
  private var others: [DigestAlgorithm: Digest] = [:]
  private typealias OtherDigest = (DigestAlgorithm, Digest)

  init(_ algorithms: [DigestAlgorithm], helpers: HelperLanes) throws(Errno) {
    self.algorithms = algorithms
    set = try DigestSet(algorithms, helpers: helpers)
    line = MtreeLine(algorithms)
    rest = .allocate(byteCount: line.capacity(nameCount: 1), alignment: 1)
  }

  deinit { rest.deallocate() }

  /// Reads a file, whose note is its record. Writes a ``ReadContent``.
  func read(_ file: borrowing OpenFile) throws(Errno) {
    let record = UpdateNote(file.lentNote)?.record
    let other = try compute(file, known: record)
    let isSame = record.map { hasDigests(of: $0, other) } ?? false
    let status = file.status
    let time = status.type == .file ? status.modified : nil
    let rest = line.writeRest(
      type: status.type == .blockDevice ? .blockDevice : .file, size: set.size, time: time,
      digests: set.digests.lazy.map(\.bytes), to: rest)
    // In /proc the size of a file is wrong and its time has no meaning.
    let isTimed = time != nil && status.size == set.size
    let content = ReadContent(
      isSame: isSame, isDashFile: file.isDashFile, size: set.size, time: isTimed ? time : nil,
      rest: rest)
    try file.write(capacity: content.capacity) { memory in
      var line = LineWriter(memory)
      content.write(to: &line)
      return line.count
    }
  }

  /// Computes the digests of a file. Only an algorithm that its record has too can show rot: returns
  /// the digest by one if this run has none.
  private func compute(
    _ file: borrowing OpenFile, known record: LedgerEntry?
  ) throws(Errno) -> OtherDigest? {
    guard let record, let known = record.digests.algorithms.first,
      !algorithms.contains(where: record.digests.has)
    else {
      try set.compute(file)
      return nil
    }
    let other = if let made = others[known] { made } else { try Digest(known) }
    others[known] = other
    try set.compute(file, with: other)
    return (known, other)
  }

  /// Returns true if a record has digests that were computed last, and no others of the same
  /// algorithms.
  private func hasDigests(of record: LedgerEntry, _ other: OtherDigest?) -> Bool {
    let digests = record.digests
    let all = Array(zip(algorithms, set.digests)) + [other].compactMap(\.self)
    let known = all.filter { digests.has($0.0) }
    return !known.isEmpty && known.allSatisfy { digests.permits($0.0, $0.1.bytes) }
  }
}

/// The content of a file that was read: the output of the job, and the record of it.
struct ReadContent {
  /// True if the content is that of the record of the file's name.
  let isSame: Bool
  let isDashFile: Bool
  let size: UInt64
  /// The time; `nil` if it proves nothing.
  let time: FileTime?
  /// The part of the file's line after the name.
  let rest: UnsafeRawBufferPointer

  private static let headerSize = 22

  var capacity: Int { ReadContent.headerSize + rest.count }

  func write(to line: inout LineWriter) {
    line.append(UInt8(isSame ? 1 : 0) | (isDashFile ? 2 : 0) | (time == nil ? 0 : 4))
    line.append(littleEndian: size)
    line.append(littleEndian: time?.seconds ?? 0)
    line.append(littleEndian: time?.nanoseconds ?? 0)
    line.append(UInt8(0))
    line.append(rest)
  }

  init(
    isSame: Bool, isDashFile: Bool, size: UInt64, time: FileTime?, rest: UnsafeRawBufferPointer
  ) {
    (self.isSame, self.isDashFile, self.size) = (isSame, isDashFile, size)
    (self.time, self.rest) = (time, rest)
  }

  /// Reads the output of a job; `nil` if it is empty.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= ReadContent.headerSize else { return nil }
    let flags = bytes[0]
    self.init(
      isSame: flags & 1 != 0, isDashFile: flags & 2 != 0, size: bytes.littleEndian(at: 1),
      time: flags & 4 == 0
        ? nil
        : FileTime(
          seconds: bytes.littleEndian(at: 9), nanoseconds: bytes.littleEndian(at: 17)),
      rest: UnsafeRawBufferPointer(rebasing: bytes[ReadContent.headerSize...]))
  }
}

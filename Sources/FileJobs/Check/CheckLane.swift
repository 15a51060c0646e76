// The comparison of a file with its lines in a manifest.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The context of a lane: the digests that it has needed so far.
final class CheckLane {
  private var digests: [Digest?] = DigestAlgorithm.allCases.map { _ in nil }
  private var used: [Digest] = []
  /// An algorithm and its digest, for other names of the same file.
  private var memo: [UInt8] = []

  private func digest(_ algorithm: DigestAlgorithm) throws(Errno) -> Digest {
    if let made = digests[algorithm.index] { return made }
    let made = try Digest(algorithm)
    digests[algorithm.index] = made
    return made
  }

  /// Reads a file once. For each digest of its note, writes a byte: 1 if it is the digest of
  /// the file, 0 if not.
  func verify(_ file: borrowing OpenFile) throws(Errno) {
    let note = file.note
    guard let header = CheckNote.header(of: note) else { throw .invalidArgument }
    let count = Int(header.count)
    if header.kind == CheckNote.Kind.entry.rawValue {
      return try verifyEntry(file, ExpectedStatus.of(note), count: count)
    }
    guard count > 0 else { throw .invalidArgument }
    try compute(file, count: count)
    try write(file, count: count)
  }

  /// Compares a file with an entry of mtree(5). Writes the verdict.
  private func verifyEntry(
    _ file: borrowing OpenFile, _ expected: ExpectedStatus, count: Int
  ) throws(Errno) {
    let status = file.status
    let isRegular = status.type == .file
    let verdict: CheckVerdict
    if isRegular, let size = expected.size, size != status.size {
      // If the status has the real size, the contents differ without a read.
      let hasOtherSize = count > 0 ? try !CheckLane.mayHaveOtherSize(file) : true
      verdict = hasOtherSize ? .edited : try verdictByContent(file, size, count: count)
    } else {
      let isSameTime = expected.time.map { !isRegular || $0 == status.modified }
      verdict = CheckLane.verdict(
        isSame: try isSame(file, expected, isSameTime: isSameTime != false, count: count),
        isSameTime: isSameTime)
    }
    try file.write(bytesOf: verdict)
  }

  private static func verdict(isSame: Bool, isSameTime: Bool?) -> CheckVerdict {
    switch (isSame, isSameTime) {
    case (true, false): .touched
    case (true, _): .matched
    case (false, true): .rotten
    case (false, false): .edited
    case (false, nil): .mismatched
    }
  }

  /// Returns true if a file may have more or fewer bytes than its size says, as in /proc and
  /// /sys: it takes no blocks, whatever its size.
  private static func mayHaveOtherSize(_ file: borrowing OpenFile) throws(Errno) -> Bool {
    try stat(of: file.descriptor).st_blocks == 0
  }

  /// Returns the verdict on such a file by its content. Reads at most one piece more than
  /// the expected size. The time of such a file is as unreliable as its size.
  private func verdictByContent(
    _ file: borrowing OpenFile, _ expectedSize: UInt64, count: Int
  ) throws(Errno) -> CheckVerdict {
    try choose(file, count: count)
    var size: UInt64 = 0
    for digest in used { try digest.begin() }
    while size <= expectedSize, let piece = try file.read() {
      size += UInt64(piece.count)
      for digest in used { try digest.update(piece) }
    }
    if size != expectedSize { return .edited }
    for digest in used { try digest.finish() }
    return try isAsExpected(file, count: count) ? .matched : .mismatched
  }

  /// Returns true if the content is the expected one. Without a digest the time decides,
  /// unless the file is empty.
  private func isSame(
    _ file: borrowing OpenFile, _ status: ExpectedStatus, isSameTime: Bool, count: Int
  ) throws(Errno) -> Bool {
    if count == 0 { return isSameTime || status.size == 0 }
    try compute(file, count: count)
    return try isAsExpected(file, count: count)
  }

  /// Returns true if all expected digests equal the computed ones.
  private func isAsExpected(_ file: borrowing OpenFile, count: Int) throws(Errno) -> Bool {
    var expected = ExpectedDigest.first(of: file.note)
    for index in 0..<count {
      let computed = try digest(expected.algorithm).bytes
      if !computed.hasSameBytes(as: expected.digest) { return false }
      if index + 1 < count { expected = expected.next }
    }
    return true
  }

  /// Computes one digest, or takes it over from another name of the same file.
  private func compute(
    _ digest: Digest, _ algorithm: DigestAlgorithm, _ file: borrowing OpenFile
  ) throws(Errno) {
    if let known = file.remembered, known.count == 1 + digest.byteCount,
      known[0] == UInt8(algorithm.index)
    {
      digest.restore(UnsafeRawBufferPointer(rebasing: known.dropFirst()))
      return
    }
    try digest.compute(file)
    guard file.isAwaited else { return }
    memo.removeAll(keepingCapacity: true)
    memo.append(UInt8(algorithm.index))
    memo.append(contentsOf: digest.bytes)
    memo.withUnsafeBytes { file.remember($0) }
  }

  /// Computes all digests that the note expects.
  private func compute(_ file: borrowing OpenFile, count: Int) throws(Errno) {
    if count == 1 {
      let algorithm = ExpectedDigest.first(of: file.note).algorithm
      return try compute(try digest(algorithm), algorithm, file)
    }
    try choose(file, count: count)
    _ = try used.compute(file)
  }

  /// Sets `used` to the digests that the note expects, each once.
  private func choose(_ file: borrowing OpenFile, count: Int) throws(Errno) {
    used.removeAll(keepingCapacity: true)
    var expected = ExpectedDigest.first(of: file.note)
    for index in 0..<count {
      let digest = try digest(expected.algorithm)
      if !used.contains(where: { $0 === digest }) { used.append(digest) }
      if index + 1 < count { expected = expected.next }
    }
  }

  private func write(_ file: borrowing OpenFile, count: Int) throws(Errno) {
    var expected = ExpectedDigest.first(of: file.note)
    for index in 0..<count {
      let computed = try digest(expected.algorithm).bytes
      try file.write(bytesOf: computed.hasSameBytes(as: expected.digest) ? 1 : 0 as UInt8)
      if index + 1 < count { expected = expected.next }
    }
  }
}

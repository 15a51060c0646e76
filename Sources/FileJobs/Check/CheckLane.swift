// Comparing a file with what a manifest says of it.

internal import Glibc
internal import SystemPackage
internal import Weir

/// The states of the digests a lane was asked for so far.
final class CheckLane {
  private var digests: [Digest?] = DigestAlgorithm.allCases.map { _ in nil }
  private var used: [Digest] = []
  /// An algorithm and its digest, for other names of a file.
  private var memo: [UInt8] = []

  private func digest(_ algorithm: DigestAlgorithm) throws(Errno) -> Digest {
    if let made = digests[algorithm.index] { return made }
    let made = try Digest(algorithm)
    digests[algorithm.index] = made
    return made
  }

  /// Reads a file once, and writes for each digest of its note whether it is
  /// the file's: a byte, 1 or 0.
  func verify(_ file: borrowing OpenFile) throws(Errno) {
    let note = file.note
    guard let header = CheckNote.header(of: note) else { throw .invalidArgument }
    let count = Int(header.count)
    if header.kind == CheckNote.Kind.entry.rawValue {
      return try verifyEntry(file, RecordedFile.of(note), count: count)
    }
    guard count > 0 else { throw .invalidArgument }
    if count == 1 {
      let expected = ExpectedDigest.first(of: note)
      let digest = try digest(expected.algorithm)
      try compute(digest, expected.algorithm, file)
      let verdict = CheckLane.verdict(digest.bytes, expected.digest)
      try file.write(capacity: 1) { memory in
        memory[0] = verdict
        return 1
      }
    } else {
      try compute(file, count: count)
      try write(file, count: count)
    }
  }

  /// Compares a file with an entry of a manifest of mtree(5), and writes the
  /// verdict: a byte.
  private func verifyEntry(
    _ file: borrowing OpenFile, _ recorded: RecordedFile, count: Int
  ) throws(Errno) {
    let status = file.status
    let isRegular = status.type == .file
    let verdict: CheckVerdict.Kind
    if isRegular && recorded.hasSize && status.size != recorded.size {
      // However it is read, it is another one, where that is the size it has.
      verdict =
        count > 0 && CheckLane.canHoldMore(file)
        ? try verdictUnsized(file, recorded.size, count: count) : .edited
    } else {
      let isSameTime = recorded.time.map { !isRegular || $0 == status.modified }
      verdict = CheckLane.verdict(
        isSame: try isSame(file, recorded, isSameTime: isSameTime != false, count: count),
        isSameTime: isSameTime)
    }
    try file.write(capacity: 1) { memory in
      memory[0] = verdict.rawValue
      return 1
    }
  }

  private static func verdict(isSame: Bool, isSameTime: Bool?) -> CheckVerdict.Kind {
    switch (isSame, isSameTime) {
    case (true, false): .touched
    case (true, _): .matched
    case (false, true): .rotten
    case (false, false): .edited
    case (false, nil): .mismatched
    }
  }

  /// Whether there may be more or less to read of a file than its size says, as in
  /// /proc and /sys: it takes no room, whatever its size.
  private static func canHoldMore(_ file: borrowing OpenFile) -> Bool {
    var status = stat()
    return fstat(file.descriptor.rawValue, &status) == 0 && status.st_blocks == 0
  }

  /// The verdict on such a file by what can be read of it, no more than one piece
  /// behind what is recorded. Its time says as little as its size.
  private func verdictUnsized(
    _ file: borrowing OpenFile, _ recorded: UInt64, count: Int
  ) throws(Errno) -> CheckVerdict.Kind {
    try choose(file, count: count)
    var size: UInt64 = 0
    for digest in used { try digest.begin() }
    while size <= recorded, let piece = try file.read() {
      size += UInt64(piece.count)
      for digest in used { try digest.update(piece) }
    }
    if size != recorded { return .edited }
    for digest in used { try digest.finish() }
    return try isAsExpected(file, count: count) ? .matched : .mismatched
  }

  /// Whether the content is the one recorded. Where there is no digest, the time
  /// has to say so, unless there is no content.
  private func isSame(
    _ file: borrowing OpenFile, _ recorded: RecordedFile, isSameTime: Bool, count: Int
  ) throws(Errno) -> Bool {
    if count == 0 { return isSameTime || (recorded.hasSize && recorded.size == 0) }
    if count == 1 {
      let expected = ExpectedDigest.first(of: file.note)
      let digest = try digest(expected.algorithm)
      try compute(digest, expected.algorithm, file)
      return CheckLane.verdict(digest.bytes, expected.digest) == 1
    }
    try compute(file, count: count)
    return try isAsExpected(file, count: count)
  }

  /// Whether all digests are those that were computed.
  private func isAsExpected(_ file: borrowing OpenFile, count: Int) throws(Errno) -> Bool {
    var expected = ExpectedDigest.first(of: file.note)
    for index in 0..<count {
      let computed = try digest(expected.algorithm).bytes
      if CheckLane.verdict(computed, expected.digest) == 0 { return false }
      if index + 1 < count { expected = expected.next }
    }
    return true
  }

  /// Computes one digest, unless it is known by another name of the file.
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
    memo.removeAll(keepingCapacity: true)
    memo.append(UInt8(algorithm.index))
    memo.append(contentsOf: digest.bytes)
    memo.withUnsafeBytes { file.remember($0) }
  }

  /// Computes all the digests that are asked for.
  private func compute(_ file: borrowing OpenFile, count: Int) throws(Errno) {
    try choose(file, count: count)
    _ = try used.compute(file)
  }

  /// Makes `used` the digests that are asked for, each once.
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
      let verdict = CheckLane.verdict(try digest(expected.algorithm).bytes, expected.digest)
      try file.write(capacity: 1) { memory in
        memory[0] = verdict
        return 1
      }
      if index + 1 < count { expected = expected.next }
    }
  }

  private static func verdict(
    _ digest: UnsafeRawBufferPointer, _ expected: UnsafeRawBufferPointer
  ) -> UInt8 {
    guard digest.count == expected.count, let ours = digest.baseAddress,
      let theirs = expected.baseAddress
    else { return 0 }
    return memcmp(ours, theirs, digest.count) == 0 ? 1 : 0
  }
}

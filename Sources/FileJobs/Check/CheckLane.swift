// DESIGN. A plain line of 64 digits is SHA-256 or BLAKE3, whichever the file has. If the first
// file of a manifest decided for all others, a verdict would depend on the lines before it and
// on the faster lane, and a mixed manifest would fail. Both digests from one read would take a
// third more time for every SHA256SUMS. Both algorithms resist forgery, so to accept either
// weakens nothing. MD5 and XXH128, and SHA-512 and BLAKE2b, share a length too: for XXH128 and
// BLAKE2b the user names the algorithm.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The context of a lane: the digests that it has needed so far.
final class CheckLane {
  private var digests: [Digest?] = DigestAlgorithm.allCases.map { _ in nil }
  private var used: [Digest] = []
  /// An algorithm and its digest, for other names of the same file.
  private var memo: [UInt8] = []
  private let helpers: HelperLanes
  private let method: CheckMethod
  /// The algorithm of the last line that had an alternative and matched.
  private var likely: DigestAlgorithm?

  init(_ helpers: HelperLanes, _ method: CheckMethod) {
    self.helpers = helpers
    self.method = method
  }

  private func digest(_ algorithm: DigestAlgorithm) throws(Errno) -> Digest {
    if let made = digests[algorithm.index] { return made }
    let made = try Digest(algorithm)
    digests[algorithm.index] = made
    return made
  }

  /// Reads a file once. For each digest of its note, writes a byte, a ``CheckMatch``; for an entry
  /// with a status, one ``CheckVerdict``. If a digest differs, ``ComputedDigests`` follow. Writes
  /// nothing if the budget of the run is used up.
  func verify(_ file: borrowing OpenFile) throws(Errno) {
    let note = file.lentNote
    guard let header = CheckNote.header(of: note) else { throw .invalidArgument }
    if header.isUnread || method.budget?.begin() == false { return }
    if method.content == .none && header.known != nil {
      _ = try file.pathStatus()
      return
    }
    let digests = ExpectedDigests(of: note)
    method.prepare(file, isUnknown: false)
    if header.hasStatus {
      return try verifyEntry(file, ExpectedStatus.of(note), digests)
    }
    if method.content == .none {
      _ = try file.pathStatus()
      return try file.write(repeatElement(CheckMatch.unread.rawValue, count: Int(header.count)))
    }
    guard let first = digests.first else { throw .invalidArgument }
    if header.count == 1, let alternative = first.alternative {
      let match = try match(file, first, or: alternative)
      try file.write(bytesOf: match.rawValue)
      if match == .none { try writeComputed(digests, file) }
      return
    }
    try compute(file, digests)
    var differs = false
    for expected in digests {
      let match = try match(of: expected)
      differs = differs || match == .none
      try file.write(bytesOf: match.rawValue)
    }
    if differs { try writeComputed(digests, file) }
  }

  /// Compares a file with an entry of mtree(5). Writes the verdict.
  private func verifyEntry(
    _ file: borrowing OpenFile, _ expected: ExpectedStatus, _ digests: ExpectedDigests
  ) throws(Errno) {
    let readsNothing = method.content == .none
    let status = readsNothing ? try file.pathStatus() : file.status
    let isRegular = status.type == .file
    let verdict: CheckVerdict
    if isRegular, let size = expected.size, size != status.size {
      // If the status has the real size, the contents differ without a read.
      let hasOtherSize =
        readsNothing || digests.first == nil ? true : try !CheckLane.mayHaveOtherSize(file)
      verdict = hasOtherSize ? .edited : try verdictByContent(file, size, digests)
    } else {
      // Only a file has the recorded time, which tells rot.
      let isSameTime = isRegular ? expected.isSameTime(status.modified) : nil
      let isSame = try isSame(file, expected, isSameTime: isSameTime != false, digests)
      try file.write(bytesOf: CheckLane.verdict(isSame: isSame, isSameTime: isSameTime))
      if !isSame && method.content != .none { try writeComputed(digests, file) }
      return
    }
    try file.write(bytesOf: verdict)
  }

  private func writeComputed(
    _ digests: ExpectedDigests, _ file: borrowing OpenFile
  ) throws(Errno) {
    for expected in digests {
      let bytes = try digest(expected.algorithm).bytes
      try file.write(bytesOf: UInt8(bytes.count))
      try file.write(bytes)
    }
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

  /// Returns true if the size may be wrong, as in /proc and /sys, where files take no blocks.
  private static func mayHaveOtherSize(_ file: borrowing OpenFile) throws(Errno) -> Bool {
    try stat(of: file.descriptor).st_blocks == 0
  }

  /// Returns the verdict on such a file by its content. Reads at most one piece more than
  /// the expected size. The time of such a file is as unreliable as its size.
  private func verdictByContent(
    _ file: borrowing OpenFile, _ expectedSize: UInt64, _ digests: ExpectedDigests
  ) throws(Errno) -> CheckVerdict {
    try choose(digests)
    method.prepare(file, isUnknown: true)
    var size: UInt64 = 0
    for digest in used { try digest.begin() }
    while size <= expectedSize, let piece = try file.readPiece() {
      size += UInt64(piece.count)
      for digest in used { try digest.update(piece) }
    }
    if size != expectedSize { return .edited }
    for digest in used { try digest.finish() }
    return try isAsExpected(digests) ? .matched : .mismatched
  }

  /// Returns true if the content is the expected one. Without a digest the time decides,
  /// unless the file is empty.
  private func isSame(
    _ file: borrowing OpenFile, _ status: ExpectedStatus, isSameTime: Bool,
    _ digests: ExpectedDigests
  ) throws(Errno) -> Bool {
    if digests.first == nil || method.content == .none { return isSameTime || status.size == 0 }
    try compute(file, digests)
    return try isAsExpected(digests)
  }

  private func isAsExpected(_ digests: ExpectedDigests) throws(Errno) -> Bool {
    for expected in digests where try !isDigest(expected.digest, of: expected.algorithm) {
      return false
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
      digest.restore(known.dropFirst().rebased)
      return
    }
    method.prepare(file, isUnknown: true)
    try digest.compute(file, with: helpers)
    guard file.isAwaited else { return }
    memo.removeAll(keepingCapacity: true)
    memo.append(UInt8(algorithm.index))
    memo.append(contentsOf: digest.bytes)
    memo.withUnsafeBytes { file.remember($0) }
  }

  private func compute(
    _ file: borrowing OpenFile, _ digests: ExpectedDigests
  ) throws(Errno) {
    try choose(digests)
    if used.count == 1, let algorithm = digests.first?.algorithm {
      try compute(used[0], algorithm, file)
    } else {
      method.prepare(file, isUnknown: true)
      _ = try used.compute(file)
    }
  }

  /// Sets `used` to some expected digests, each once.
  private func choose(_ digests: some Sequence<ExpectedDigest>) throws(Errno) {
    used.removeAll(keepingCapacity: true)
    for expected in digests {
      for algorithm in [expected.algorithm, expected.alternative].compactMap(\.self) {
        let digest = try digest(algorithm)
        if !used.contains(where: { $0 === digest }) { used.append(digest) }
      }
    }
  }

  // MARK: Lines with two algorithms

  private func match(of expected: ExpectedDigest) throws(Errno) -> CheckMatch {
    if try isDigest(expected.digest, of: expected.algorithm) { return .algorithm }
    guard let alternative = expected.alternative else { return .none }
    return try isDigest(expected.digest, of: alternative) ? .alternative : .none
  }

  private func isDigest(
    _ bytes: UnsafeRawBufferPointer, of algorithm: DigestAlgorithm
  ) throws(Errno) -> Bool {
    try digest(algorithm).bytes.hasSameBytes(as: bytes)
  }

  /// Reads a file with one algorithm and, if the digest is another one, again with the other
  /// algorithm. So most files take the time of one digest, and the verdict does not depend on
  /// other lines.
  private func match(
    _ file: borrowing OpenFile, _ expected: ExpectedDigest, or alternative: DigestAlgorithm
  ) throws(Errno) -> CheckMatch {
    if DescriptorNames.mayContain(file.path) {
      // A pipe cannot be read twice.
      try choose(CollectionOfOne(expected))
      method.prepare(file, isUnknown: true)
      _ = try used.compute(file)
      return try match(of: expected)
    }
    let isSwapped = likely == alternative
    let (first, second) =
      isSwapped ? (alternative, expected.algorithm) : (expected.algorithm, alternative)
    try compute(try digest(first), first, file)
    var isSecond = false
    if try !isDigest(expected.digest, of: first) {
      try digest(second).compute(again: file)
      guard try isDigest(expected.digest, of: second) else { return .none }
      isSecond = true
    }
    likely = isSecond ? second : first
    return isSecond == isSwapped ? .algorithm : .alternative
  }
}

extension Digest {
  /// Computes the digest of a regular file that was read to its end.
  fileprivate func compute(again file: borrowing OpenFile) throws(Errno) {
    let memory = try UnsafeMutableRawBufferPointer.allocating(1 << 18)
    defer { free(memory.baseAddress) }
    var offset: UInt64 = 0
    try begin()
    while case let count = try file.read(at: offset, into: memory), count > 0 {
      try update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      offset += UInt64(count)
    }
    try finish()
  }
}

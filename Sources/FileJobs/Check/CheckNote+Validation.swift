// The proof that a note and its result are what a check writes, before they are loaded as values.
//
// DESIGN. The results of a shard come from a file, which anybody can have made with the right
// checksums. Neither a Boolean nor an enumeration may be loaded from bytes that are none.

internal import SystemPackage
internal import Weir

extension CheckNote {
  /// Returns true if a delivery can read a result.
  ///
  /// - Parameters:
  ///   - result: The result with its note.
  ///   - manifestCount: The number of manifests of the check.
  static func isValid(_ result: FileResult, manifestCount: Int) -> Bool {
    let note = result.note
    guard let header = header(of: note), let kind = Kind(rawValue: header.kind),
      Int(header.manifest) < manifestCount, Int(exactly: header.line) != nil
    else { return false }
    let count = Int(header.count)
    let isDone = if case .done = result.outcome { true } else { false }
    switch kind {
    case .malformed: return true
    case .unsupported: return note.dropFirst(headerSize).allSatisfy { $0 > 0x20 && $0 < 0x7F }
    case .end: return note.count < headerSize + 8 || note[headerSize + 7] < 0x80
    case .other:
      return note.count >= headerSize + CheckVerdict.size
        && CheckVerdict.isValid(UnsafeRawBufferPointer(rebasing: note.dropFirst(headerSize)))
    case .file:
      return areDigests(note.dropFirst(headerSize), count: count)
        && (!isDone || result.output.count >= count)
    case .entry:
      let status = note.dropFirst(headerSize).prefix(statusSize)
      return ExpectedStatus.isValid(UnsafeRawBufferPointer(rebasing: status))
        && areDigests(note.dropFirst(headerSize + statusSize), count: count)
        && (!isDone || CheckVerdict.isValid(result.output))
    }
  }

  /// Returns true if some bytes begin with `count` expected digests.
  private static func areDigests(_ bytes: Slice<UnsafeRawBufferPointer>, count: Int) -> Bool {
    var rest = UnsafeRawBufferPointer(rebasing: bytes)
    let algorithms = DigestAlgorithm.allCases.count
    for _ in 0..<count {
      guard rest.count >= expectedSize, rest[7] < 0x80, rest[8] < algorithms,
        rest[10] < algorithms || rest[10] == none
      else { return false }
      let end = expectedSize + Int(rest[9])
      guard end <= rest.count else { return false }
      // The last digest may end before its padding.
      let next = min((end + 7) & ~7, rest.count)
      rest = UnsafeRawBufferPointer(rebasing: rest[next...])
    }
    return true
  }
}

extension ExpectedStatus {
  /// Returns true if the bytes are those of a value.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == CheckNote.statusSize else { return false }
    return flags.allSatisfy { bytes[$0] <= 1 }
  }

  /// The offsets of the bytes that are 0 or 1: those after the values of both optional numbers,
  /// and the Booleans.
  private static let flags: [Int] = {
    let value = MemoryLayout<UInt64>.size
    return [value, MemoryLayout<UInt64?>.stride + value]
      + [\ExpectedStatus.hasType, \.isOptional].compactMap { MemoryLayout.offset(of: $0) }
  }()
}

extension CheckVerdict {
  private static let withoutValue: [CheckVerdict] = [
    .mismatched, .matched, .touched, .edited, .rotten, .wrongTarget, .missing, .skipped,
  ]

  /// Returns true if some bytes begin with those of a verdict.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= MemoryLayout<CheckVerdict>.size else { return false }
    func isOf(_ verdict: CheckVerdict, from begin: Int) -> Bool {
      withUnsafeBytes(of: verdict) { own in
        own[begin...].elementsEqual(bytes[begin..<own.count])
      }
    }
    // The value comes first, and the case after it.
    let value = MemoryLayout<UInt32>.size
    return isOf(.wrongType(0), from: value) || isOf(.unreadable(0), from: value)
      || withoutValue.contains { isOf($0, from: 0) }
  }
}

// The decision if a file is a manifest, which a new one may replace.
//
// DESIGN. A check reads what may be a list, and a wrong guess costs a message. Here a wrong guess costs
// the file of a user, so a manifest is only what hardly anything else looks like. It begins as
// mtree(5) or hashdeep does, or the first line that is neither empty nor a comment is an entry of
// mtree(5) with a type or a digest, or a line of a checksum tool: with a tag; with a digest of 16
// digits or more and the two separators of GNU's tools; or, as md5 -r writes it, with one, if the
// digest has 32 digits, not all of them decimal. SFV could be any text whose lines end in eight
// digits: it has to begin with a comment of its own, to have no other lines, and a letter among the
// digits. A list with shorter digests could be a table of any kind: it counts if the run, or the ledger
// beside the output, has their algorithm, and each line is one of that.

internal import SystemPackage
internal import WeirLibC

extension OutputFile {
  /// The least number of digits in a plain line with two separators.
  private static let digitsMin = 16

  /// Returns true if the output, or a former one, is a manifest in an exact sense, whoever wrote
  /// it. `algorithms` are those of the run.
  func isManifest(_ name: [UInt8], of algorithms: [DigestAlgorithm] = []) -> Bool {
    if OutputFile.isManifest(name) { return true }
    let ledger = (try? openFile(records, O_RDONLY | O_NONBLOCK | O_NOCTTY)).map { OwnedFile($0) }
    let header = ledger.flatMap { file in
      withExtendedLifetime(file) { try? LedgerHeader(of: file.descriptor, records) }
    }
    let short = (algorithms + (header?.algorithms ?? [])).filter {
      $0.byteCount * 2 < OutputFile.digitsMin
    }
    return !short.isEmpty && [false, true].contains { OutputFile.isList(name, of: short, $0) }
  }

  private static func isList(
    _ name: [UInt8], of algorithms: [DigestAlgorithm], _ isZeroTerminated: Bool
  ) -> Bool {
    var isList = false
    let failure = CheckManifest.path(bytes: name).forEachLine(
      isZeroTerminated, untagged: algorithms
    ) { line, _ in
      isList = if case .checksum = line { true } else { false }
      return isList
    }
    return isList && failure == nil
  }

  private static func isManifest(_ name: [UInt8]) -> Bool {
    guard let file = try? openFile(name, O_RDONLY | O_NONBLOCK | O_NOCTTY) else { return false }
    defer { close(file.rawValue) }
    return [UInt8(ascii: "\n"), 0].contains { isManifest(file, terminator: $0) }
  }

  private static func isManifest(_ file: FileDescriptor, terminator: UInt8) -> Bool {
    let reader = ManifestReader(file, from: 0, terminator: terminator, skipsMark: true)
    var entries: (any EntryParser)?
    while let line = try? reader.next() {
      if reader.lineNumber == 1 {
        if line.starts(with: "#mtree".utf8) || ColumnList.isHashdeep(line) { return true }
        if line.first == UInt8(ascii: ";") { return isSFV(reader) }
      }
      if terminator != 0, entries == nil, MtreeDetection.isMtree(line, isFirst: false) == true {
        entries = MtreeParser()
      }
      guard let entries else {
        if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
        return isLine(line, terminator: terminator)
      }
      switch entries.parse(line) {
      case .comment, .ignored: continue
      case .entry(let entry):
        return entry.type != nil || !entry.digests.isEmpty || entry.otherDigest != nil
      case .malformed: return false
      }
    }
    return false
  }

  private static func isLine(_ line: UnsafeMutableRawBufferPointer, terminator: UInt8) -> Bool {
    let isEscaped = terminator != 0 && line.first == UInt8(ascii: "\\")
    let begin = line.dropFirst(isEscaped ? 1 : 0).rebased
    let digits = begin.prefix { $0.hexadecimalValue != nil }
    if DigestAlgorithm.allCases.contains(where: { $0.byteCount * 2 == digits.count }) {
      let rest = begin[digits.endIndex...]
      let hasTwo = rest.starts(with: "  ".utf8) || rest.starts(with: " *".utf8)
      if hasTwo && rest.count > 2 && digits.count >= digitsMin { return true }
      let isOfMD5 = digits.count >= 32 && digits.contains(where: isLetter)
      if isOfMD5 && rest.first == UInt8(ascii: " ") && rest.count > 1 { return true }
    }
    var parser = ManifestParser(isZeroTerminated: terminator == 0)
    if digits.count < 8, case .entry = parser.parse(line) { return true }
    return false
  }

  private static func isSFV(_ reader: ManifestReader) -> Bool {
    var hasLetter = false
    while let line = try? reader.next() {
      if line.first == UInt8(ascii: ";") || line.allSatisfy({ $0 <= 0x20 }) { continue }
      guard ManifestParser.isOfSFV(line) else { return false }
      hasLetter = hasLetter || line.suffix(9).contains(where: isLetter)
    }
    return hasLetter
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  // MARK: The future output

  /// Returns true if a future output of weir can begin with these bytes, wherever a crash cut it: a
  /// digest of any length, a tag, or the first line of mtree(5).
  static func canBegin(textWith begin: [UInt8]) -> Bool {
    if begin.starts(with: LedgerHeader.begin.utf8) { return true }
    let line = begin.first == UInt8(ascii: "\\") ? begin.dropFirst() : begin[...]
    let digits = line.prefix { $0.isDigit || isLetter($0) && $0 > UInt8(ascii: "Z") }
    if digits.count >= 16 || digits.count == line.count {
      return line.dropFirst(digits.count).first.map { $0 == UInt8(ascii: " ") } ?? true
    }
    // BLAKE2b of a few bits, or XXH32: two separators, since a text may begin with "be ".
    if DigestAlgorithm.allCases.contains(where: { $0.byteCount * 2 == digits.count }) {
      let separator = line.dropFirst(digits.count).prefix(2)
      return separator.elementsEqual("  ".utf8) || separator.elementsEqual(" *".utf8)
    }
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    return DigestAlgorithm.allCases.contains { word.elementsEqual($0.tag.utf8) }
  }
}

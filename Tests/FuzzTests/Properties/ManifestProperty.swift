// Lines of checksum tools: written lines are read back, pieces do not matter, and the rules of
// GNU's tools are those of a second parser.

import SystemPackage

@testable import FileJobs

enum ManifestProperty {
  /// The parsers, by the first byte of the input.
  private static func parser(_ choice: Int) -> ManifestParser {
    switch choice {
    case 0: ManifestParser()
    case 1: ManifestParser(isZeroTerminated: true)
    case 2: ManifestParser(as: .sha256)
    case 3: ManifestParser(as: DigestAlgorithm("md5") ?? .sha256)
    case 4: ManifestParser(as: .blake2b)
    case 5: ManifestParser(asCksum: .sha256, knowing: [])
    case 6: ManifestParser(asCksum: nil, knowing: DigestAlgorithm.listed)
    default: ManifestParser(untagged: [.blake3, .sha256])
    }
  }

  static func check(_ input: inout FuzzInput) throws {
    let choice = input.below(8)
    let sizes = input.byte()
    let text = input.all()
    let terminator: UInt8 = choice == 1 ? 0 : 0x0A
    let lines = try read(text, terminator, sizes)
    var parser = parser(choice)
    let gnu: GNUManifest? =
      switch choice {
      case 2: GNUManifest(tag: "SHA256", digits: 64)
      case 3: GNUManifest(tag: "MD5", digits: 32)
      default: nil
      }
    var second = gnu
    for line in lines {
      try line.withExactCopy { memory in
        if choice != 1, let isMtree = MtreeDetection.isMtree(memory, isFirst: true), isMtree {
          try expect(Array(memory) == line, "the detection changes a line")
        }
        let record = parser.parse(memory)
        try checkSecond(&second, line, record)
        guard case .entry(let entry) = record else {
          if case .malformed = record { try checkUnsupported(line) }
          return
        }
        try checkEntry(entry, isZeroTerminated: choice == 1, isCksum: choice == 5 || choice == 6)
      }
    }
  }

  /// Returns the lines of a text, which a reader of a pipe and one of a file divide alike.
  private static func read(
    _ text: [UInt8], _ terminator: UInt8, _ sizes: UInt8
  ) throws -> [[UInt8]] {
    var lines = text.split(separator: terminator, omittingEmptySubsequences: false).map(Array.init)
    if lines.last == [] { lines.removeLast() }
    let pipe = FuzzPipe(text, sizes: sizes)
    let piecewise = ManifestReader(pipe.reader, terminator: terminator)
    for line in lines { try expect(try next(piecewise, pipe) == line, "another line of a pipe") }
    try expect(try next(piecewise, pipe) == nil, "a line too many of a pipe")
    try expect(piecewise.lineNumber == lines.count, "another number of lines")
    // Lines above a limit are a NUL.
    let limit = 8 + Int(sizes)
    let file = FuzzFile(text)
    defer { withExtendedLifetime(file) {} }
    let limited = ManifestReader(file.descriptor, terminator: terminator, lengthMax: limit)
    for line in lines {
      let expected = line.count > limit ? [0] : line
      try expect(try limited.next().map(Array.init) == expected, "another line of a file")
    }
    try expect(try limited.next() == nil, "a line too many of a file")
    return lines
  }

  private static func next(_ reader: ManifestReader, _ pipe: FuzzPipe) throws -> [UInt8]? {
    while true {
      do {
        return try reader.next().map(Array.init)
      } catch {
        if error != .wouldBlock && error != .resourceTemporarilyUnavailable { throw error }
        pipe.feed()
      }
    }
  }

  private static func checkEntry(
    _ entry: ManifestLine, isZeroTerminated: Bool, isCksum: Bool
  ) throws {
    let (name, digest) = (Array(entry.name), Array(entry.digest))
    let isWhole = digest.count == entry.algorithm.byteCount
    try expect(isWhole || (isCksum && digest.count < entry.algorithm.byteCount), "digest's length")
    try expect(!name.contains(0), "a name with a NUL")
    guard isWhole, !name.isEmpty else { return }
    for isTagged in [false, true] {
      let line = ChecksumLine(
        entry.algorithm, isTagged: isTagged, isBinary: entry.isBinary,
        isZeroTerminated: isZeroTerminated)
      var bytes = [UInt8](repeating: 0, count: line.capacity(nameCount: name.count))
      let count = bytes.withUnsafeMutableBytes { out in
        name.withUnsafeBytes { name in
          digest.withUnsafeBytes { line.write(name: name, digest: $0, to: out) }
        }
      }
      try expect(count <= bytes.count, "the capacity of a line")
      var again = ManifestParser(untagged: [entry.algorithm], isZeroTerminated: isZeroTerminated)
      try Array(bytes[..<(count - 1)]).withExactCopy { memory in
        guard case .entry(let same) = again.parse(memory) else {
          throw Finding("a written line is malformed: \(bytes[..<count])")
        }
        try expect(Array(same.name) == name, "another name is read back")
        try expect(Array(same.digest) == digest, "another digest is read back")
        try expect(same.algorithm == entry.algorithm, "another algorithm is read back")
      }
    }
  }

  private static func checkUnsupported(_ line: [UInt8]) throws {
    try line.withExactCopy { memory in
      guard let tag = UnsupportedLine().tag(of: memory) else { return }
      try expect((1...32).contains(tag.utf8.count), "a tag of \(tag.utf8.count) bytes")
      try expect(tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a tag with other characters")
      try expect(Array(memory) == line, "the search of a tag changes a line")
    }
  }

  private static func checkSecond(
    _ second: inout GNUManifest?, _ line: [UInt8], _ record: ManifestContent
  ) throws {
    guard let expected = second?.parse(line) else { return }
    switch (record, expected) {
    case (.ignored, .ignored), (.malformed, .malformed): break
    case (.entry(let entry), .entry(let digits, let name)):
      try expect(Array(entry.name) == name, "GNU reads another name")
      let text = entry.digest.map { [$0 >> 4, $0 & 15] }.joined()
      try expect(
        text.elementsEqual(
          digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            .map(UInt8.init)), "GNU reads another digest")
    default: throw Finding("GNU says \(expected) of \(line)")
    }
  }
}

/// The rules of coreutils 9.1 for one digest, written from `split_3` and `bsd_split_3`: an array
/// with a NUL after it, and nothing in place.
struct GNUManifest {
  enum Record {
    case ignored, malformed
    case entry(digits: [UInt8], name: [UInt8])
  }

  private let tag: [UInt8]
  private let digits: Int
  private var isReversed: Bool?

  init(tag: String, digits: Int) {
    self.tag = Array(tag.utf8)
    self.digits = digits
  }

  mutating func parse(_ line: [UInt8]) -> Record {
    var line = line
    if line.first == UInt8(ascii: "#") { return .ignored }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.isEmpty { return .ignored }
    return split(line + [0, 0]) ?? .malformed
  }

  private static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private mutating func split(_ s: [UInt8]) -> Record? {
    let count = s.count - 2
    var i = 0
    while GNUManifest.isWhite(s[i]) { i += 1 }
    let isEscaped = s[i] == UInt8(ascii: "\\")
    if isEscaped { i += 1 }
    if s[i...].starts(with: tag) {
      i += tag.count
      if s[i] == 0x20 { i += 1 }
      guard s[i] == UInt8(ascii: "(") else { return nil }
      return splitTagged(Array(s[(i + 1)...]), max(0, count - i - 1), isEscaped)
    }
    guard count - i >= digits + 2 else { return nil }
    let hexadecimal = Array(s[i..<(i + digits)])
    i += digits
    guard GNUManifest.isWhite(s[i]), hexadecimal.allSatisfy(GNUManifest.isDigit) else { return nil }
    i += 1
    if count - i == 1 || (s[i] != 0x20 && s[i] != UInt8(ascii: "*")) {
      if isReversed == false { return nil }
      isReversed = true
    } else if isReversed != true {
      isReversed = false
      i += 1
    }
    return name(s[i..<count], isEscaped).map { .entry(digits: hexadecimal, name: $0) }
  }

  private func splitTagged(_ s: [UInt8], _ count: Int, _ isEscaped: Bool) -> Record? {
    guard count > 0, let close = s[..<count].lastIndex(of: UInt8(ascii: ")")),
      let name = name(s[..<close], isEscaped)
    else { return nil }
    var i = close + 1
    while GNUManifest.isWhite(s[i]) { i += 1 }
    guard s[i] == UInt8(ascii: "=") else { return nil }
    i += 1
    while GNUManifest.isWhite(s[i]) { i += 1 }
    let hexadecimal = Array(s[i...].prefix(digits))
    guard hexadecimal.count == digits, hexadecimal.allSatisfy(GNUManifest.isDigit),
      s[i + digits] == 0
    else { return nil }
    return .entry(digits: hexadecimal, name: name)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte < 0x80 && Character(UnicodeScalar(byte)).isHexDigit
  }

  private func name(_ text: ArraySlice<UInt8>, _ isEscaped: Bool) -> [UInt8]? {
    if !isEscaped { return Array(text.prefix { $0 != 0 }) }
    var name: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == 0 { return nil }
      guard byte == UInt8(ascii: "\\") else {
        name.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): name.append(0x0A)
      case UInt8(ascii: "r"): name.append(0x0D)
      case UInt8(ascii: "\\"): name.append(byte)
      default: return nil
      }
    }
    return name
  }
}

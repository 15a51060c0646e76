// ManifestParser and ManifestReader, against the installed tools.

import FileJobs
import SystemPackage
import TestSupport
import Testing

private let digits = Array("0123456789abcdefABCDEF".utf8)

/// A generator of lines that are nearly those of a checksum tool.
private struct NearLines {
  let tag: [UInt8]
  let digitCount: Int
  var random: SeededGenerator
  /// True if one blank may separate digest and name.
  var mayHaveOne = false

  private mutating func pick(_ choices: String...) -> [UInt8] {
    Array(choices[Int.random(in: 0..<choices.count, using: &random)].utf8)
  }

  private mutating func digest() -> [UInt8] {
    (0..<digitCount).map { _ in digits[Int.random(in: 0..<digits.count, using: &random)] }
  }

  /// Returns a name that no file has.
  private mutating func name() -> [UInt8] {
    let special = Array(" *()=\\\r\tnr#-)".utf8)
    let middle = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      Bool.random(using: &random)
        ? special[Int.random(in: 0..<special.count, using: &random)] : UInt8(ascii: "x")
    }
    return pick("", "", "", "n", " ", "*", "  ") + middle + pick("z", "z", "", " ")
  }

  private mutating func plain() -> [UInt8] {
    let separators = mayHaveOne ? [" ", "\t"] : ["  ", " *", "  ", " *", "\t ", "\t*"]
    return digest() + Array(separators[Int.random(in: 0..<separators.count, using: &random)].utf8)
      + name()
  }

  private mutating func tagged() -> [UInt8] {
    tag + pick("", "", "", "-256", "-", "-0x40", "-0100", "-7", "-8", "-512", "-520", "32")
      + pick(" ", " ", "", "  ") + pick("(", "(", "(", "") + name()
      + pick(")", ")", ")", "") + pick(" ", "", "\t ") + pick("=", "=", "=", "")
      + pick(" ", "", "  ", "\t") + digest()
  }

  /// Changes one or two bytes, or cuts the line.
  private mutating func spoil(_ line: [UInt8]) -> [UInt8] {
    var line = line
    let bytes: [UInt8] = [0, 9, 13, 32, 35, 40, 41, 42, 61, 92, 0x30, 0x66, 0x67, 0xFF]
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let index = Int.random(in: 0...line.count, using: &random)
      let byte = bytes[Int.random(in: 0..<bytes.count, using: &random)]
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where index < line.count: line.remove(at: index)
      case 1 where index < line.count: line[index] = byte
      case 2: line.removeSubrange(index...)
      default: line.insert(byte, at: index)
      }
    }
    return line
  }

  mutating func next() -> [UInt8] {
    var line =
      pick("", "", "", "", "", " ", "\t ", "#") + pick("", "", "", "\\", "\\\\")
      + (Int.random(in: 0..<3, using: &random) == 0 ? tagged() : plain())
      + pick("", "", "", "", "\r", "\r\r", " ")
    if Int.random(in: 0..<3, using: &random) == 0 { line = spoil(line) }
    return line.filter { $0 != 10 && $0 != UInt8(ascii: "/") }
  }
}

/// The result for a manifest: its names in order, as the tools print them, and the numbers
/// of its malformed lines.
private struct Reading: Equatable {
  var names: [[UInt8]] = []
  var malformed: [Int] = []
}

private func read(_ manifest: [UInt8], as parser: ManifestParser) -> Reading {
  var parser = parser
  var reading = Reading()
  var lines = manifest.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
  if lines.last == [] { lines.removeLast() }
  for (index, line) in lines.enumerated() {
    var line = line
    line.withUnsafeMutableBytes { memory in
      switch parser.parse(memory) {
      case .entry(let entry): reading.names.append(shown(Array(entry.name)))
      case .ignored: break
      case .malformed: reading.malformed.append(index + 1)
      }
    }
  }
  return reading
}

/// Returns the result of a tool for a manifest whose names do not exist.
private func reading(by tool: String, of manifest: [UInt8]) async throws -> Reading {
  let directory = try TemporaryDirectory()
  try directory.makeDirectory("empty")
  try directory.write(manifest, to: "m".utf8)
  var command = Command(Array(tool.utf8), ["-c", "--warn", "../m"].map { Array($0.utf8) })
  command.directory = directory.path("empty")
  command.input = .bytes([])
  command.locale = "C"
  let result = try await command.run()
  var reading = Reading()
  for line in result.output.split(separator: 10) {
    for end in [": FAILED open or read", ": FAILED", ": OK"] where line.ends(with: end) {
      reading.names.append(Array(line.dropLast(end.utf8.count)))
      break
    }
  }
  let begin = "\(tool): ../m: "
  for line in result.errorLines
  where line.hasPrefix(begin) && line.hasSuffix(" checksum line") {
    reading.malformed.append(Int(line.dropFirst(begin.count).prefix { $0 != ":" }) ?? -1)
  }
  return reading
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}

/// Returns a name as the tools print it: escaped only if it has a newline.
private func shown(_ name: [UInt8]) -> [UInt8] {
  guard name.contains(10) else { return name }
  return name.reduce(into: [UInt8(ascii: "\\")]) { shown, byte in
    switch byte {
    case 10: shown += Array("\\n".utf8)
    case 13: shown += Array("\\r".utf8)
    case UInt8(ascii: "\\"): shown += Array("\\\\".utf8)
    default: shown.append(byte)
    }
  }
}

/// Returns true if the installed sha256sum is that of coreutils 9.1.
@Sendable private func hasOracle() async throws -> Bool {
  guard isInstalled("sha256sum") else { return false }
  let version = try await Command("sha256sum", "--version").run().outputText
  let fits = version.hasPrefix("sha256sum (GNU coreutils) 9.1\n")
  if !fits { print("skipped: sha256sum is not that of coreutils 9.1") }
  return fits
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ManifestParserTests {
  @Test(
    "malformed lines are read as the algorithm's own tool reads them",
    .enabled("the tools have to be coreutils 9.1", hasOracle),
    arguments: [
      ("sha256", "sha256sum"), ("md5", "md5sum"), ("sha512", "sha512sum"), ("blake2b", "b2sum"),
    ])
  func malformed(algorithm: String, tool: String) async throws {
    let algorithm = try #require(DigestAlgorithm(algorithm))
    let parser = ManifestParser(as: algorithm)
    for mayHaveOne in [false, true] {
      var lines = NearLines(
        tag: Array(algorithm.tag.utf8), digitCount: algorithm.byteCount * 2,
        random: SeededGenerator(for: "odd \(tool) \(mayHaveOne)"), mayHaveOne: mayHaveOne)
      var manifest: [UInt8] = []
      for _ in 0..<3000 { manifest += lines.next() + [10] }
      let ours = read(manifest, as: parser)
      let theirs = try await reading(by: tool, of: manifest)
      #expect(ours.names.count > 300 && ours.malformed.count > 300)
      #expect(difference(ours.malformed, theirs.malformed) == nil)
      #expect(difference(ours.names, theirs.names) == nil)
    }
  }

  @Test(
    "a manifest with a mixture of separators is refused as the tool refuses it",
    .enabled("the tools have to be coreutils 9.1", hasOracle))
  func mixture() async throws {
    let digest = String(repeating: "0a", count: 16)
    for first in ["  a", " a", "  ", " *a", " *", "\ta"] {
      for second in ["  b", " b", " *b", "\tb", "  ", " "] {
        for third in ["  c", " c"] {
          let manifest = Array([first, second, third].map { "\(digest)\($0)\n" }.joined().utf8)
          let ours = read(manifest, as: ManifestParser(as: try #require(DigestAlgorithm("md5"))))
          #expect(try await reading(by: "md5sum", of: manifest) == ours)
        }
      }
    }
  }

  @Test("the length or the tag decides the algorithm of a line")
  func anyAlgorithm() throws {
    let cases: [(line: String, algorithm: String?)] = [
      (hex(32), "md5"), (hex(40), "sha1"), (hex(56), "sha224"), (hex(64), "sha256"),
      (hex(96), "sha384"), (hex(128), "sha512"), (hex(16), "xxh64"), (hex(8), nil), (hex(48), nil),
      ("MD5 (n) = \(hex(32))", "md5"), ("SHA1 (n) = \(hex(40))", "sha1"),
      ("SHA256 (n) = \(hex(64))", "sha256"), ("SHA256(n)= \(hex(64))", "sha256"),
      ("SHA2-256(n)= \(hex(64))", "sha256"), ("SHA2-512(n)= \(hex(128))", "sha512"),
      ("BLAKE2b (n) = \(hex(128))", "blake2b"), ("BLAKE2B-512(n)= \(hex(128))", "blake2b"),
      ("BLAKE2b-256 (n) = \(hex(64))", "blake2b-256"), ("BLAKE2b-8 (n) = 0a", "blake2b-8"),
      ("BLAKE2b-0 (n) = ", nil), ("BLAKE2b-520 (n) = \(hex(130))", nil),
      ("BLAKE2b-256 (n) = \(hex(128))", nil),
      ("XXH64 (n) = \(hex(16))", "xxh64"), ("XXH3 (n) = \(hex(16))", "xxh3"),
      ("XXH128 (n) = \(hex(32))", "xxh128"), ("XXH128_LE (n) = \(hex(32))", "xxh128"),
      ("XXH32 (n) = \(hex(8))", "xxh32"), ("XXH32_LE (n) = \(hex(8))", "xxh32"),
      ("SM3 (n) = \(hex(64))", "sm3"),
      ("BLAKE3 (n) = \(hex(64))", "blake3"), ("BLAKE3(n)= \(hex(64))", "blake3"),
      ("BLAKE3 (n) = \(hex(32))", nil), ("BLAKE4 (n) = \(hex(64))", nil),
      ("SHA512/256 (n) = \(hex(64))", "sha512-256"), ("SHA512-256(n)= \(hex(64))", "sha512-256"),
      ("SHA2-512/256(n)= \(hex(64))", "sha512-256"), ("SHA512t256 (n) = \(hex(64))", "sha512-256"),
      ("SHA3-256(n)= \(hex(64))", "sha3-256"), ("SHA3-512 (n) = \(hex(128))", "sha3-512"),
      ("SHA3-384 (n) = \(hex(96))", nil), ("SHA2-3-256 (n) = \(hex(64))", nil),
      ("SHA256 (n) = \(hex(32))", nil), ("SHA2567 (n) = \(hex(64))", nil),
    ]
    var parser = ManifestParser()
    for (line, algorithm) in cases {
      let text = line.contains("(") ? line : line + "  n"
      let found = entry(of: text, by: &parser)
      #expect(found?.algorithm == algorithm && (found == nil || found?.name == "n"), "\(line)")
    }
    var other = ManifestParser(
      untagged: [.sha256] + ["blake2b", "xxh128"].compactMap { DigestAlgorithm($0) })
    // The first digest of BLAKE2b decides on the length of the others.
    for (length, algorithm) in [
      (64, "sha256"), (96, "blake2b-384"), (32, "xxh128"), (96, "blake2b-384"), (128, nil),
      (130, nil), (63, nil),
    ] {
      #expect(entry(of: "\(hex(length))  n", by: &other)?.algorithm == algorithm, "\(length)")
    }
    #expect(entry(of: "MD5 (n) = \(hex(32))", by: &other)?.algorithm == "md5")
  }

  @Test("digits are decoded in either case and order")
  func digest() {
    var parser = ManifestParser()
    #expect(
      entry(of: "00fF10aBcDeF0123  n", by: &parser)?.digest == [
        0, 255, 16, 0xAB, 0xCD, 0xEF, 1, 0x23,
      ])
    #expect(
      entry(of: "XXH64_LE (n) = 00ff10abcdef0123", by: &parser)?.digest
        == [0x23, 1, 0xEF, 0xCD, 0xAB, 16, 255, 0])
  }

  @Test("in lines that end in NUL nothing is escaped, and a name may have a newline")
  func zero() {
    var parser = ManifestParser(isZeroTerminated: true)
    #expect(entry(of: "\(hex(64))  a\n\\n\r", by: &parser)?.name == "a\n\\n\r")
    #expect(entry(of: "\\\(hex(64))  a", by: &parser) == nil)
  }

  @Test("a name with a NUL is malformed")
  func nul() {
    var parser = ManifestParser()
    #expect(entry(of: "\(hex(64))  a\0b", by: &parser) == nil)
    #expect(entry(of: "SHA256 (a\0b) = \(hex(64))", by: &parser) == nil)
    #expect(entry(of: "SHA256 (a) = \(hex(64))\0", by: &parser) == nil)
  }

  @Test("lines are whole at every piece boundary, also a last line without terminator")
  func reader() async throws {
    var random = SeededGenerator(for: "reader")
    for terminator: UInt8 in [0, 10] {
      let lines = (0..<400).map { number in
        random.bytes(number % 97 == 5 ? 70_000 : Int.random(in: 0...300, using: &random))
          .map { $0 == terminator ? 1 : $0 }
      }
      for isEnded in [true, false] {
        var content = Array(lines.joined(separator: [terminator]))
        if isEnded { content.append(terminator) }
        let got = try await readLines(of: content, terminator: terminator, lengthMax: 1 << 20)
        #expect(got == (isEnded || lines.last != [] ? lines : lines.dropLast()))
      }
    }
  }

  @Test("an overlong line takes no memory and is malformed")
  func overlong() async throws {
    // A line of 100,001 bytes may be in memory as a whole.
    for count in [100_001, 150_000, 3 << 20] {
      let line = [UInt8](repeating: 0x78, count: count)
      let content = Array("a\n".utf8) + line + Array("\nb\n".utf8)
      let got = try await readLines(of: content, terminator: 10, lengthMax: 100_000)
      #expect(got == [[0x61], [0], [0x62]])
    }
  }

  private func hex(_ count: Int) -> String {
    String(repeating: "0123456789abcdef", count: 9).prefix(count).description
  }
}

private struct Entry: Equatable {
  let algorithm: String
  let digest: [UInt8]
  let name: String
}

private func entry(of line: String, by parser: inout ManifestParser) -> Entry? {
  var bytes = Array(line.utf8)
  return bytes.withUnsafeMutableBytes { memory in
    guard case .entry(let found) = parser.parse(memory) else { return nil }
    return Entry(
      algorithm: found.algorithm.name, digest: Array(found.digest),
      name: String(decoding: found.name, as: UTF8.self))
  }
}

private func readLines(
  of content: [UInt8], terminator: UInt8, lengthMax: Int
) async throws -> [[UInt8]] {
  let directory = try TemporaryDirectory()
  try directory.write(content, to: "m".utf8)
  let path = FilePath(directory.text + "/m")
  return try await onThread {
    let descriptor = try FileDescriptor.open(path, .readOnly)
    return try descriptor.closeAfter {
      let reader = ManifestReader(descriptor, terminator: terminator, lengthMax: lengthMax)
      var lines: [[UInt8]] = []
      while let line = try reader.next() { lines.append(Array(line)) }
      return reader.lineNumber == lines.count ? lines : []
    }
  }
}

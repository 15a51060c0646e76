// Names of files that are pieces of the formats which the tool reads and writes.

import TestSupport

/// The contents of the files, and what sums of them are called.
struct VerdictContents: Sendable {
  /// Distinct contents; several have the same size. The first is empty.
  let all: [[UInt8]]
  /// The SHA-256 of each content, in hexadecimal digits.
  let sha256: [[UInt8]]
  /// Digests of several lengths of these contents.
  let digests: [[UInt8]]

  /// Makes the contents, and computes their digests with the tools of GNU.
  init() throws {
    let sizes = [0, 1, 1, 1, 5, 5, 5, 5, 40, 40, 40, 40]
    all = sizes.enumerated().map { Array(repeating: UInt8(ascii: "a") + UInt8($0), count: $1) }
    let directory = try TemporaryDirectory()
    let files = all.indices.map { Array("\(100 + $0)".utf8) }
    for (file, content) in zip(files, all) { try directory.write(content, to: file) }
    func sums(_ tool: String) throws -> [[UInt8]] {
      try other(tool, files, in: directory).runBlocking().output
        .split(separator: UInt8(ascii: "\n")).map { Array($0.prefix { $0 != UInt8(ascii: " ") }) }
    }
    sha256 = try sums("sha256sum")
    digests = try ["md5sum", "sha1sum", "sha224sum", "sha384sum", "sha512sum", "b2sum"]
      .reduce(sha256) { try $0 + sums($1) }
  }
}

/// Makes names.
struct VerdictNames {
  let contents: VerdictContents

  /// Returns a path of one or more components below a directory.
  func path(_ random: inout SeededGenerator) -> [UInt8] {
    while true {
      if Int.random(in: 0..<12, using: &random) == 0 { return contents.sha256[0] }
      let bytes =
        Int.random(in: 0..<4, using: &random) == 0
        ? Array("abc".utf8.randomElement(using: &random).map { [$0] } ?? [])
        : (0..<Int.random(in: 1...4, using: &random)).flatMap { _ in piece(&random) }
      let components = bytes.split(separator: UInt8(ascii: "/")).prefix(3)
        .map { $0.prefix(255) }
        .filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
      let path = Array(components.joined(separator: "/".utf8))
      if !path.isEmpty && !VerdictNames.isAmbiguous(path) { return path }
    }
  }

  /// True of a name that gnulib, and so Weir, writes in quotes as one that begins with a backslash.
  static func isAmbiguous(_ path: [UInt8]) -> Bool {
    path.contains(UInt8(ascii: "'")) && path.first.map { $0 < 0x20 || $0 > 0x7E } ?? false
  }

  private func piece(_ random: inout SeededGenerator) -> [UInt8] {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return digest(&random)
    case 2: return digest(&random) + Array(random.choose(["  ", " *"]).utf8)
    case 3: return Array("!= size=0 sha256=".utf8) + digest(&random) + Array(" type=file".utf8)
    case 4: return [UInt8(ascii: "\n")] + digest(&random) + Array("  t".utf8)
    case 5: return random.choose(Self.bytes)
    default: return Array(random.choose(Self.texts).utf8)
    }
  }

  private func digest(_ random: inout SeededGenerator) -> [UInt8] {
    random.choose(contents.digests)
  }

  /// Pieces that are no UTF-8 or whose bytes matter.
  private static let bytes: [[UInt8]] = [
    [0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0x01],
    [0x1B, 0x5B, 0x33, 0x31, 0x6D], [0x7F], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xAE], [0x0D],
    [0x0A], [0x09], [0x0D, 0x0A], [UInt8](repeating: 0x78, count: 230),
  ]

  private static let texts = [
    // Lines of checksum tools.
    "  ", " *", "*", " = ", "SHA256 (x) = ", "MD5 (", ") = ", "SHA2-256 (", "BLAKE3 (",
    "BLAKE2b-256 (", "SHA512/256 (f) = ", "XXH3 (", "XXH3_", "XXH64 (t) = ", "H  t", "t",
    // mtree(5), and the comments of the tool.
    "!= size=0 ", " type=file", " type=dir", " size=1", " time=0.0", " sha256=00", " optional",
    " ignore", "=", "#", "#mtree", "#mtree v2.0 weir 0.11.0\n", "# weir ", "#weir bare",
    "#weir dotted", "#weir source 0", "\n#weir source 1\n", "/set type=file", "\n/set type=dir",
    "\n/unset all\n", "\n..\n", ". type=dir", " link=t",
    // JSON.
    "{\"text\":\"", "\"}", "{", "}", "{\"type\":\"file\",\"path\":{\"text\":\"t\"}", "\"", "[", ",",
    "{\"type\":\"summary\"}", "{\"bytes\":\"dA==\"}",
    // Escapes and quotes.
    "\\", "\\\\", "\\n", "\\r", "\\134", "\\012", "\\x41", "\\u0041", "'", "$'", "$", "`", "%0A",
    "\n", "\r", "\t", "\n\n", "\u{FEFF}", "é",
    // Messages, options and companions.
    ": OK", ": OK\n", ": FAILED", ": new", ": gone", ": moved to ", " -> ", "weir: ", "-", "--",
    "-o", "--update", ".partial", ".mtree", ".old", ".partial.text", "M", "M.mtree", " ", "...",
    "..a", "~", "/", "/a/", "x/../",
  ]
}

extension SeededGenerator {
  /// Returns one of several values, of which there is at least one.
  mutating func choose<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &self)]
  }
}

// Files with names of many kinds, and manifests with lines of many kinds.

import TestSupport

/// A checksum tool, with the options that choose its digest.
struct ChecksumTool: Sendable, Hashable {
  let name: String
  let options: [String]
  /// The tag in BSD lines.
  let tag: String

  init(_ name: String, _ options: String..., tag: String? = nil) {
    self.name = name
    self.options = options
    self.tag = tag ?? name.dropLast(3).uppercased()
  }

  var isCksum: Bool { name == "cksum" }

  /// The tools that were made for one digest.
  static let single = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"]
    .map { ChecksumTool($0) }

  static let b2sum = [
    ChecksumTool("b2sum", tag: "BLAKE2b"), ChecksumTool("b2sum", "-l128", tag: "BLAKE2b-128"),
    ChecksumTool("b2sum", "--length=8", tag: "BLAKE2b-8"),
  ]

  static let cksum = [
    ChecksumTool("cksum", "-amd5", tag: "MD5"), ChecksumTool("cksum", "-asha1", tag: "SHA1"),
    ChecksumTool("cksum", "-asha224", tag: "SHA224"),
    ChecksumTool("cksum", "-asha256", tag: "SHA256"),
    ChecksumTool("cksum", "--algorithm=sha384", tag: "SHA384"),
    ChecksumTool("cksum", "-asha512", tag: "SHA512"), ChecksumTool("cksum", "-asm3", tag: "SM3"),
    ChecksumTool("cksum", "-ablake2b", tag: "BLAKE2b"),
    ChecksumTool("cksum", "-ablake2b", "-l24", tag: "BLAKE2b-24"),
  ]

  static let all = single + b2sum + cksum
}

/// The files and the manifests in the calls of the drop-in tools.
struct DropInCorpus: Sendable {
  let directory: TemporaryDirectory
  /// The names of readable regular files; several may name one file.
  let files: [[UInt8]]
  /// The digests in hexadecimal by tool, in the order of `files`.
  let digests: [ChecksumTool: [[UInt8]]]

  /// Names that cannot be read, each for another reason.
  static let unreadable: [[UInt8]] =
    [
      "missing", "deep", "deep/", "a/", "a/b", "dangling", "loop", "socket", "", "deep/missing",
      "miss ing", "it's", "miss\ning", "mi\\ss", "colon:", "\u{1}", "ü", "/proc/self/mem",
    ].map { Array($0.utf8) } + [
      [0xFF, 0x20], [0xE9], Array(repeating: UInt8(ascii: "n"), count: 300),
      Array(String(repeating: "./", count: 2500).utf8) + [0x61],
    ]

  init() async throws {
    directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "drop-in corpus")
    try directory.makeDirectory("deep")
    try directory.link("dangling", to: "nowhere")
    try directory.link("loop", to: "loop")
    try directory.link("link", to: "a")
    try directory.makeSocket("socket")
    let names: [[UInt8]] =
      [
        "a", "b", "c", "a b", " lead", "*star", "-x", "--help", "trail ", "back\\slash",
        "new\nline",
        "cr\rname", "tab\tname", "é", "(paren)", "x) = y", "SHA256 (a) = b", "#comment", "\\n",
        "deep/f", "deep/g", "a=b", "name.txt", "'quoted'", "\u{1}", "C:", "\r", "\n",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3, 0x28], [0x61, 0x80, 0x0A, 0x5C]]
    for name in names {
      try directory.write(random.bytes(Int.random(in: 1...200, using: &random)), to: name)
    }
    try directory.write(random.bytes(400_000), to: "big".utf8)
    try directory.write("", to: "empty")
    let others = ["big", "empty", "link", "./a", "deep/../b", "deep//f", directory.text + "/c"]
    // The longest path that the system takes.
    let long = Array(String(repeating: "./", count: 2000).utf8) + [0x61]
    files = names + others.map { Array($0.utf8) } + [long]
    digests = try await DropInCorpus.compute(files, in: directory)
  }

  private static func compute(
    _ files: [[UInt8]], in directory: TemporaryDirectory
  ) async throws -> [ChecksumTool: [[UInt8]]] {
    var digests: [ChecksumTool: [[UInt8]]] = [:]
    for tool in ChecksumTool.all {
      let options = tool.options + (tool.isCksum ? ["--untagged"] : []) + ["-z", "--"]
      let result = try await other(
        "/usr/bin/\(tool.name)", options.map { Array($0.utf8) } + files, in: directory
      ).run()
      digests[tool] = result.output.split(separator: 0).map { line in
        Array(line.prefix { $0 != UInt8(ascii: " ") })
      }
    }
    return digests
  }

  /// Returns a manifest of a few lines for a tool, valid and invalid. Some manifests for cksum
  /// have digests of several algorithms.
  func manifest(for tool: ChecksumTool, using random: inout SeededGenerator) -> [UInt8] {
    let hasSeveral = tool.isCksum && Bool.random(using: &random)
    // Some manifests are valid, most have a few invalid lines, some have no other lines.
    let invalidPercent = [0, 0, 5, 15, 60, 100][Int.random(in: 0..<6, using: &random)]
    let style = LineStyle.allCases.randomElement(using: &random)
    let isMixed = Int.random(in: 0..<3, using: &random) == 0
    let count = Int.random(in: 0..<4, using: &random) == 0 ? 40 : 8
    var lines: [[UInt8]] = []
    for _ in 0..<Int.random(in: 0...count, using: &random) {
      let isInvalid = Int.random(in: 0..<100, using: &random) < invalidPercent
      let chosen = isMixed ? LineStyle.allCases.randomElement(using: &random) : style
      let other = hasSeveral ? ChecksumTool.cksum.randomElement(using: &random) : nil
      var line = self.line(for: other ?? tool, chosen ?? .text, using: &random)
      if isInvalid { damage(&line, using: &random) }
      lines.append(line)
    }
    let end = Array((Int.random(in: 0..<6, using: &random) == 0 ? "\r\n" : "\n").utf8)
    var manifest = Array(lines.joined(separator: end))
    if Int.random(in: 0..<5, using: &random) != 0 && !lines.isEmpty { manifest += end }
    return manifest
  }

  /// The format of a line.
  enum LineStyle: CaseIterable {
    case text, binary, tagged, taggedTightly, reversed
  }

  private func line(
    for tool: ChecksumTool, _ style: LineStyle, using random: inout SeededGenerator
  ) -> [UInt8] {
    let file = Int.random(in: 0..<files.count, using: &random)
    var digest = digests[tool]?[file] ?? []
    var name = files[file]
    if Int.random(in: 0..<15, using: &random) == 0 {
      name = DropInCorpus.unreadable.randomElement(using: &random) ?? name
    }
    if Int.random(in: 0..<12, using: &random) == 0 {
      digest = Array(String(decoding: digest, as: UTF8.self).uppercased().utf8)
    }
    var start: [UInt8] = []
    if name.contains(where: { [0x0A, 0x0D, 0x5C].contains($0) })
      && Int.random(in: 0..<8, using: &random) != 0
    {
      start = [0x5C]
      name = Array(
        String(name.map { Unicode.Scalar($0) }.flatMap { DropInCorpus.escaped($0) }).unicodeScalars
          .map { UInt8($0.value) })
    }
    let tag = Array(tool.tag.utf8)
    switch style {
    case .text: return start + digest + Array("  ".utf8) + name
    case .binary: return start + digest + Array(" *".utf8) + name
    case .reversed: return start + digest + Array(" ".utf8) + name
    case .tagged: return start + tag + Array(" (".utf8) + name + Array(") = ".utf8) + digest
    case .taggedTightly: return start + tag + Array("(".utf8) + name + Array(")= ".utf8) + digest
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\\": "\\\\"
    default: String(scalar)
    }
  }

  /// Damages a line.
  private func damage(_ line: inout [UInt8], using random: inout SeededGenerator) {
    let awkward = Array("\\ *()=\t#-0aG\r\0n:".utf8)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: line = []
    case 1: line.insert(UInt8(ascii: "#"), at: 0)
    case 2: line = Array(line.dropLast(Int.random(in: 0...line.count, using: &random)))
    case 3: line = Array(line.dropFirst(Int.random(in: 0...line.count, using: &random)))
    case 4: line = random.name()
    case 5: line = Array("  \t ".utf8.prefix(Int.random(in: 1...4, using: &random))) + line
    case 6: line += Array("  \t ".utf8.prefix(Int.random(in: 1...4, using: &random)))
    case 7:
      // Another digest of the same length.
      line = line.map { $0 == UInt8(ascii: "3") ? UInt8(ascii: "4") : $0 }
    case 8:
      if let other = ChecksumTool.all.randomElement(using: &random) {
        line = self.line(for: other, .tagged, using: &random)
      }
    case 9: line = [UInt8(ascii: "\\")] + line
    default:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0...line.count, using: &random)
        let byte = awkward[Int.random(in: 0..<awkward.count, using: &random)]
        if Bool.random(using: &random) || place == line.count {
          line.insert(byte, at: place)
        } else {
          line[place] = byte
        }
      }
    }
  }
}

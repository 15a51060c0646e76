// Files and manifests for calls of b3sum.

import TestSupport

/// The files and the manifests in the calls of b3sum.
struct DropInB3SumCorpus: Sendable {
  let directory: TemporaryDirectory
  /// The names of readable files. They are UTF-8: other names are written as U+FFFD by the
  /// installed program.
  let files: [[UInt8]]
  /// The lines of the installed b3sum, in the order of `files`.
  private let lines: [[UInt8]]

  /// Names that cannot be read, each for another reason.
  static let unreadable: [[UInt8]] =
    [
      "missing", "deep", "deep/", "a/", "a/b", "dangling", "loop", "socket", "", "deep/missing",
      "miss\ning", "mi\\ss", "mi\rss", "\u{1}", "ü", "/proc/self/mem",
    ].map { Array($0.utf8) } + [
      [0xFF, 0x20], [0xE9], [0xE2, 0x82, 0x61, 0xF0, 0x9F, 0x80],
      Array(repeating: UInt8(ascii: "n"), count: 300),
      Array(String(repeating: "./", count: 2500).utf8) + [0x61],
    ]

  init() async throws {
    directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "b3sum corpus")
    try directory.makeDirectory("deep")
    try directory.link("dangling", to: "nowhere")
    try directory.link("loop", to: "loop")
    try directory.link("link", to: "a")
    try directory.makeSocket("socket")
    let names = [
      "a", "b", "c", "a b", " lead", "-x", "--help", "trail ", "back\\slash", "new\nline",
      "cr\rname", "tab\tname", "é", "x) = y", "BLAKE3 (a) = b", "#comment", "\\n", "deep/f",
      "'quoted'", "\u{1}", "\r", "\n", "\\", "two  spaces",
    ].map { Array($0.utf8) }
    for name in names {
      try directory.write(random.text(Int.random(in: 1...200, using: &random)), to: name)
    }
    let sizes = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 16383, 16384, 400_000]
    for size in sizes {
      try directory.write(random.text(size), to: "size\(size)".utf8)
    }
    let others = ["link", "./a", "deep/../b", "deep//f", directory.text + "/c"]
    files = names + (sizes.map { "size\($0)" } + others).map { Array($0.utf8) }
    let result = try await other("/usr/bin/b3sum", words("--") + files, in: directory).run()
    lines = result.output.split(separator: 0x0A).map(Array.init)
  }

  /// Returns a manifest of a few lines, valid and invalid.
  func manifest(using random: inout SeededGenerator) -> [UInt8] {
    let invalidPercent = [0, 0, 5, 15, 60][Int.random(in: 0..<5, using: &random)]
    let lines = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      let line = line(using: &random)
      return Int.random(in: 0..<100, using: &random) < invalidPercent
        ? damaged(line, using: &random) : line
    }
    let hasEnd = Int.random(in: 0..<5, using: &random) != 0 && !lines.isEmpty
    return Array(lines.joined(separator: [0x0A])) + (hasEnd ? [0x0A] : [])
  }

  private func line(using random: inout SeededGenerator) -> [UInt8] {
    let line = lines.randomElement(using: &random) ?? []
    guard Int.random(in: 0..<12, using: &random) == 0 else { return line }
    let names = ["missing", "deep", "a/", "loop", "socket", "a/b"]
    return Array(line.drop { $0 == 0x5C }.prefix(66))
      + Array((names.randomElement(using: &random) ?? "").utf8)
  }

  /// Returns a damaged line, or the line itself if the damage would be a difference by design:
  /// a line that is not UTF-8 ends the installed program, and it does not know `\r`.
  private func damaged(_ line: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var damaged = line
    let pieces = ["\\", " ", "  ", "0", "a", "G", "A", "\r", "\0", "é", "\u{FFFD}", "n", "\t"]
    switch Int.random(in: 0..<9, using: &random) {
    case 0: damaged = []
    case 1: damaged = Array(line.dropLast(Int.random(in: 0...line.count, using: &random)))
    case 2: damaged = Array(line.dropFirst(Int.random(in: 0...line.count, using: &random)))
    case 3: damaged = line.map { $0 == UInt8(ascii: "3") ? UInt8(ascii: "4") : $0 }
    case 4: damaged = [0x5C] + line
    case 5: damaged = Array(line.drop { $0 == 0x5C })
    default:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
        let place = Int.random(in: 0...damaged.count, using: &random)
        let isReplaced = Bool.random(using: &random) && place < damaged.count
        damaged.replaceSubrange(place..<place + (isReplaced ? 1 : 0), with: piece)
      }
    }
    let hasReturn = damaged.first == 0x5C && damaged.firstRange(of: [0x5C, 0x72]) != nil
    return hasReturn || String(validating: damaged, as: UTF8.self) == nil ? line : damaged
  }
}

extension SeededGenerator {
  /// Returns random bytes of ASCII, with lines. A file of other bytes, taken for a manifest, ends
  /// the installed program.
  mutating func text(_ count: Int) -> [UInt8] {
    bytes(count).map { $0 < 6 ? 0x0A : 0x20 + $0 % 95 }
  }
}

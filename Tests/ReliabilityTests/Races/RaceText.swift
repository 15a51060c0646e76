// The contents of the files of a race, and the results by which they are recognized.

import Glibc
import TestSupport

/// The size of the file that a race is about, which decides how it is read.
enum RaceSize: String, CaseIterable, Sendable {
  case one = "one piece"
  case three = "three pieces"
  /// Several threads read it, by `blake3`.
  case parts = "several threads"

  var bytes: Int {
    switch self {
    case .one: 6000
    case .three: 5 << 19
    case .parts: 9 << 20
    }
  }
}

enum RaceText: String, CaseIterable, Sendable {
  case first, other, secret, last, before, filled, half, empty, grown, hole

  /// Lines of a length of their own, so that counts tell them from each other.
  func bytes(_ count: Int) -> [UInt8] {
    switch self {
    case .before: lines(16, count)
    case .other: lines(32, count)
    case .secret: lines(64, count)
    case .first: lines(128, count)
    case .last: lines(256, count)
    case .filled: [UInt8](repeating: UInt8(ascii: "w"), count: count)
    case .half: Array(RaceText.before.bytes(count).prefix(count / 2))
    case .empty: []
    case .grown:
      RaceText.before.bytes(count) + [UInt8](repeating: UInt8(ascii: "g"), count: RaceText.growth)
    case .hole:
      zeroed(RaceText.before.bytes(count), in: RaceText.hole(in: count))
    }
  }

  static let growth = 5000

  /// The bytes that a hole replaces.
  static func hole(in count: Int) -> Range<Int> { count / 16..<count / 16 * 12 }

  private func lines(_ length: Int, _ count: Int) -> [UInt8] {
    var block: [UInt8] = []
    while block.count < 4096 {
      let text = "\(rawValue) \(block.count)".utf8
      block += Array(text) + [UInt8](repeating: UInt8(ascii: "."), count: length - 1 - text.count)
      block.append(UInt8(ascii: "\n"))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 4096)
    while bytes.count < count { bytes.append(contentsOf: block) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private func zeroed(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8] {
    Array(bytes[..<range.lowerBound]) + [UInt8](repeating: 0, count: range.count)
      + bytes[range.upperBound...]
  }
}

/// The results of all contents of one size, by other programs: SHA-256, BLAKE3, and the numbers
/// of lines and bytes.
struct RaceResults: Sendable {
  private let texts: [String: RaceText]
  let digests: [RaceText: String]

  init(_ size: RaceSize, neighbors: Int) async throws {
    let directory = try TemporaryDirectory()
    for text in RaceText.allCases {
      let count = text == .first || text == .last ? neighbors : size.bytes
      try directory.write(text.bytes(count), to: text.rawValue.utf8)
    }
    let names = RaceText.allCases.map { Array($0.rawValue.utf8) }
    var texts: [String: RaceText] = [:]
    var digests: [RaceText: String] = [:]
    for program in ["sha256sum", "b3sum", "wc"] {
      let options = program == "wc" ? words("-l", "-c") : []
      let made = try await other(program, options + names, in: directory).run()
      for line in made.outputText.split(separator: "\n") {
        let fields = line.split(separator: " ").map(String.init)
        guard let name = fields.last, let text = RaceText(rawValue: name) else { continue }
        texts[fields.dropLast().joined(separator: " ")] = text
        if program == "sha256sum" { digests[text] = fields.first }
      }
    }
    self.texts = texts
    self.digests = digests
  }

  subscript(_ result: String) -> RaceText? { texts[result] }

  func results(of text: RaceText) -> [String] { texts.filter { $0.value == text }.map(\.key) }
}

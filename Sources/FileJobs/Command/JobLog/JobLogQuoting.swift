/// A conversion between the arguments of a command and one line of shell words.
enum JobLogQuoting {
  /// Returns the arguments as a shell would read them, on one line.
  static func line(of arguments: [[UInt8]]) -> [UInt8] {
    Array(arguments.map { quoted($0) }.joined(separator: [UInt8(ascii: " ")]))
  }

  /// The punctuation that needs no quotes.
  private static let plain = Set("_@%+=:,./-".utf8)

  private static func quoted(_ word: [UInt8]) -> [UInt8] {
    let isPlain = word.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
        true
      default: plain.contains(byte)
      }
    }
    if isPlain && !word.isEmpty { return word }
    let hasControl = word.contains { $0 < 0x20 || $0 == 0x7F }
    var out = Array((hasControl ? "$'" : "'").utf8)
    for byte in word {
      switch byte {
      case UInt8(ascii: "'"): out += (hasControl ? "\\'" : "'\\''").utf8
      case UInt8(ascii: "\\") where hasControl: out += "\\\\".utf8
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 8)
        out += "\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "'"))
    return out
  }

  /// Parses the line of a command; returns `nil` if a quotation is not closed.
  static func arguments(in command: ArraySlice<UInt8>) -> [[UInt8]]? {
    var words: [[UInt8]] = [[]]
    var rest = command
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: " "):
        words.append([])
      case UInt8(ascii: "'"):
        guard let end = rest.firstIndex(of: byte) else { return nil }
        words[words.count - 1] += rest[..<end]
        rest = rest[(end + 1)...]
      case UInt8(ascii: "$") where rest.first == UInt8(ascii: "'"):
        rest.removeFirst()
        guard let word = parseEscapes(&rest) else { return nil }
        words[words.count - 1] += word
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { return nil }
        words[words.count - 1].append(next)
      default:
        words[words.count - 1].append(byte)
      }
    }
    return words
  }

  /// Returns the byte that three digits stand for; `nil` for anything else, also a sign.
  private static func octal(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard digits.count == 3, digits.allSatisfy({ $0 & 0xF8 == UInt8(ascii: "0") }) else {
      return nil
    }
    return UInt8(exactly: digits.reduce(0) { $0 * 8 + Int($1 & 7) })
  }

  /// Parses the text between `$'` and `'`, and removes both from `rest`.
  private static func parseEscapes(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "'") { return word }
      guard byte == UInt8(ascii: "\\") else {
        word.append(byte)
        continue
      }
      if let value = octal(rest.prefix(3)) {
        word.append(value)
        rest = rest.dropFirst(3)
      } else if let next = rest.popFirst() {
        word.append(next)
      }
    }
    return nil
  }
}

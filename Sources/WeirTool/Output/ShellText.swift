// A word of a command for `sh`.
//
// DESIGN. Messages quote names as GNU does, with $'\n' for a newline, which sh and dash do not
// read. Here there are single quotes only, and a newline within them stays one.

/// Text for `sh`.
enum ShellText {
  /// Returns a word that a shell reads as `bytes`.
  static func word(_ bytes: [UInt8]) -> [UInt8] {
    if !bytes.isEmpty && bytes.allSatisfy(isPlain) { return bytes }
    let quote = UInt8(ascii: "'")
    return [quote] + bytes.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "@%+:,./_-".utf8.contains(byte)
    }
  }
}

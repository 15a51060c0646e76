// A command in a message, as it is typed, and its words as `sh` reads them.

/// The text of a command.
enum CommandText {
  /// The length after which a command is cut off.
  private static let maxBytes = 1000

  /// Returns the command of these words.
  static func bytes(of words: [[UInt8]]) -> [UInt8] {
    var line: [UInt8] = []
    for word in words {
      if line.count + word.count > maxBytes { return line + Array(" ...".utf8) }
      if !line.isEmpty { line.append(UInt8(ascii: " ")) }
      line += QuotedName.bytes(of: word)
    }
    return line
  }

  /// Returns the command of this process, with one more option after the verb.
  static func ofProcess(adding option: String?) -> [UInt8] {
    let words = RawArgument.commandLine().map(\.bytes)
    let added = option.map { [Array($0.utf8)] } ?? []
    return bytes(of: [Array("weir".utf8)] + words.prefix(1) + added + words.dropFirst())
  }

  /// Returns a word that `sh` reads as `bytes`. It reads no $'\n', by which messages quote a
  /// newline as GNU does; within single quotes, a newline stays one.
  static func shellWord(_ bytes: [UInt8]) -> [UInt8] {
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

/// A command in a message, as it is typed.
enum CommandText {
  private static let maxBytes = 1000

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
}

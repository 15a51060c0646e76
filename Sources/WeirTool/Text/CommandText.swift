internal import FileJobs

/// A command in a message, as it is typed in any POSIX shell.
enum CommandText {
  private static let maxBytes = 1000

  static func bytes(of words: [[UInt8]]) -> [UInt8] {
    let words = words.map { RawArgument(bytes: $0).shown }
    let whole = ShellWords.posixLine(of: words)
    if whole.count <= maxBytes && !QuotedName.isPrintable(whole) { return printable(whole) }
    var line: [UInt8] = []
    for word in words {
      if line.count + word.count > maxBytes { return line + Array(" ...".utf8) }
      if !line.isEmpty { line.append(UInt8(ascii: " ")) }
      line += QuotedName.bytes(of: word)
    }
    return line
  }

  /// Returns a line for a shell without the bytes that must not reach a terminal: not all shells know
  /// `$'\n'`.
  static func printable(_ line: [UInt8]) -> [UInt8] {
    if QuotedName.isPrintable(line) { return line }
    var out = Array("eval \"$(printf %b '".utf8)
    for byte in line {
      let isPlain = 0x20..<0x7F ~= byte && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "\\")
      out += isPlain ? [byte] : Array("\\0".utf8) + (0...2).map { 0x30 + byte >> (6 - 3 * $0) & 7 }
    }
    return out + "')\"".utf8
  }

  /// Returns the command of this process, with one more option after the verb.
  static func ofProcess(adding option: String?) -> [UInt8] {
    let words = RawArgument.commandLine().map(\.bytes)
    let added = option.map { [Array($0.utf8)] } ?? []
    return bytes(of: [Array("weir".utf8)] + words.prefix(1) + added + words.dropFirst())
  }
}

// Names in messages.

#if Tool
  internal import CFileKernels

  /// Quotes a name as GNU's tools do in their messages: as it is where a shell
  /// would read it back so, and else so that a shell would: in single quotes,
  /// with `$'\n'` for what is no printable character of the locale. So no control
  /// byte of a name reaches a terminal or a mail.
  ///
  /// It follows the published behaviour of gnulib's style `shell-escape` with the
  /// colon quoted; a test compares it with the installed tools.
  enum QuotedName {
    /// The name as it stands in a message.
    static func bytes(of name: some Sequence<UInt8>) -> [UInt8] {
      let pieces = split(Array(name))
      if !pieces.isEmpty
        && pieces.enumerated().allSatisfy({ isPlain($1, at: $0, of: pieces.count) })
      {
        return pieces.flatMap(\.bytes)
      }
      let hasQuote = pieces.contains { $0.bytes == [singleQuote] }
      if hasQuote && pieces.enumerated().allSatisfy({ isSafeInDoubleQuotes($1, at: $0) }) {
        return [doubleQuote] + pieces.flatMap(\.bytes) + [doubleQuote]
      }
      return singleQuoted(pieces, hasQuote: hasQuote)
    }

    /// A character of the locale, or a byte that is none.
    private struct Piece {
      let bytes: [UInt8]
      let isPrintable: Bool
    }

    private static let singleQuote = UInt8(ascii: "'")
    private static let doubleQuote = UInt8(ascii: "\"")

    /// Bytes that make a shell, or a reader of `NAME: reason`, stop and think.
    private static let special = Set(" !\"$&()*;<=>[^`|\\':".utf8)

    private static func isPlain(_ piece: Piece, at index: Int, of count: Int) -> Bool {
      guard piece.isPrintable, let byte = piece.bytes.first else { return false }
      switch byte {
      case UInt8(ascii: "#"), UInt8(ascii: "~"): return index > 0
      case UInt8(ascii: "{"), UInt8(ascii: "}"): return count > 1
      case UInt8(ascii: "?"): return false
      default: return piece.bytes.count > 1 || !special.contains(byte)
      }
    }

    /// Whether GNU takes a character to mean the same within double quotes to a
    /// shell and to C.
    private static func isSafeInDoubleQuotes(_ piece: Piece, at index: Int) -> Bool {
      guard piece.isPrintable, let byte = piece.bytes.first else { return false }
      if piece.bytes.count > 1 { return true }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return true
      case UInt8(ascii: "#"), UInt8(ascii: "~"): return index == 0
      default: return Set(" %'+,-./:@]_".utf8).contains(byte)
      }
    }

    private static func singleQuoted(_ pieces: [Piece], hasQuote: Bool) -> [UInt8] {
      var out = [singleQuote]
      // GNU goes over a name with a single quote in it twice, and the second time
      // begins in the state in which the first one ended.
      var inEscape = hasQuote && pieces.last?.isPrintable == false
      for piece in pieces {
        if !piece.isPrintable {
          if !inEscape { out += Array("'$'".utf8) }
          inEscape = true
          piece.bytes.forEach { out += escape($0) }
          continue
        }
        if piece.bytes == [singleQuote] {
          // Ends what is quoted, and an escape with it, gives the quote, and
          // begins again.
          out += Array("'\\''".utf8)
        } else {
          if inEscape { out += Array("''".utf8) }
          out += piece.bytes
        }
        inEscape = false
      }
      return out + [singleQuote]
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
      let letters: [UInt8: Character] = [
        7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r",
      ]
      if let letter = letters[byte] {
        return Array("\\\(letter)".utf8)
      }
      let digits = String(byte, radix: 8)
      return Array("\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8)
    }

    /// Cuts a name into the characters of the locale.
    private static func split(_ name: [UInt8]) -> [Piece] {
      var pieces: [Piece] = []
      var index = 0
      while index < name.count {
        var isPrintable = false
        let length = name[index...].withUnsafeBytes { rest in
          kernel_character(rest.baseAddress, rest.count, &isPrintable)
        }
        pieces.append(Piece(bytes: Array(name[index..<index + length]), isPrintable: isPrintable))
        index += length
      }
      return pieces
    }
  }
#endif

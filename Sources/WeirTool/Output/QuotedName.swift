// Names in messages.

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
  ///
  /// A name in a list may have as many bytes as there is memory for. So nothing is
  /// kept of its characters: they are looked at, counted, and then written.
  static func bytes(of name: some Sequence<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    if name.withContiguousStorageIfAvailable({
      append(UnsafeRawBufferPointer($0), to: &out)
    }) == nil {
      Array(name).withUnsafeBytes { append($0, to: &out) }
    }
    return out
  }

  /// Adds the name as it stands in a message.
  ///
  /// - Parameter room: How many bytes are to come behind it.
  static func append(_ name: UnsafeRawBufferPointer, to out: inout [UInt8], room: Int = 0) {
    let look = Look(name)
    if look.isPlain {
      out.reserveCapacity(out.count + name.count + room)
      out.append(contentsOf: name)
    } else if look.hasQuote && look.isSafeInDoubleQuotes {
      out.reserveCapacity(out.count + name.count + 2 + room)
      out.append(doubleQuote)
      out.append(contentsOf: name)
      out.append(doubleQuote)
    } else {
      var count = 0
      singleQuote(name, look) { count += $0.count }
      out.reserveCapacity(out.count + count + room)
      singleQuote(name, look) { out.append(contentsOf: $0) }
    }
  }

  /// A character of the locale, or a byte that is none.
  private struct Character {
    let bytes: UnsafeRawBufferPointer
    let isPrintable: Bool

    /// The byte it is; `nil` where it is several.
    var byte: UInt8? { bytes.count == 1 ? bytes[0] : nil }
  }

  /// Calls `body` with one character after the other.
  private static func forEach(
    in name: UnsafeRawBufferPointer, _ body: (Character) -> Void
  ) {
    var rest = name
    while !rest.isEmpty {
      var isPrintable = false
      let length = kernel_character(rest.baseAddress, rest.count, &isPrintable)
      body(
        Character(
          bytes: UnsafeRawBufferPointer(rebasing: rest[..<length]), isPrintable: isPrintable))
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
  }

  // MARK: Which quotes

  /// What has to be known of all characters before the first one is written.
  private struct Look {
    /// Whether a shell would read it back as it is.
    private(set) var isPlain = true
    private(set) var hasQuote = false
    private(set) var isSafeInDoubleQuotes = true
    /// Whether the last one is a character that can be printed.
    private(set) var endsPrintable = true

    init(_ name: UnsafeRawBufferPointer) {
      var count = 0
      QuotedName.forEach(in: name) { character in
        if character.byte == QuotedName.singleQuote { hasQuote = true }
        if !QuotedName.isPlain(character, at: count) { isPlain = false }
        if !QuotedName.isSafeInDoubleQuotes(character, at: count) { isSafeInDoubleQuotes = false }
        endsPrintable = character.isPrintable
        count += 1
      }
      let isBrace = name.elementsEqual("{".utf8) || name.elementsEqual("}".utf8)
      if name.isEmpty || isBrace { isPlain = false }
    }
  }

  private static let singleQuote = UInt8(ascii: "'")
  private static let doubleQuote = UInt8(ascii: "\"")

  private static func isPlain(_ character: Character, at index: Int) -> Bool {
    guard character.isPrintable else { return false }
    switch character.byte {
    case UInt8(ascii: "#"), UInt8(ascii: "~"): return index > 0
    case let byte?: return !special[Int(byte)]
    case nil: return true
    }
  }

  /// Bytes that make a shell, or a reader of `NAME: reason`, stop and think.
  private static let special = table(of: " !\"$&()*;<=>?[^`|\\':")

  /// Whether GNU takes a character to mean the same within double quotes to a
  /// shell and to C.
  private static func isSafeInDoubleQuotes(_ character: Character, at index: Int) -> Bool {
    guard character.isPrintable else { return false }
    switch character.byte {
    case UInt8(ascii: "#"), UInt8(ascii: "~"): return index == 0
    case let byte?: return safe[Int(byte)]
    case nil: return true
    }
  }

  private static let safe = table(
    of: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 %'+,-./:@]_")

  /// Which bytes are among these.
  private static func table(of bytes: String) -> [Bool] {
    var table = Array(repeating: false, count: 256)
    for byte in bytes.utf8 { table[Int(byte)] = true }
    return table
  }

  // MARK: Single quotes

  /// Calls `write` with what it is, piece by piece.
  private static func singleQuote(
    _ name: UnsafeRawBufferPointer, _ look: Look, write: (UnsafeRawBufferPointer) -> Void
  ) {
    func add(_ text: StaticString) {
      write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    add("'")
    // GNU goes over a name with a single quote in it twice, and the second time
    // begins in the state in which the first one ended.
    var inEscape = look.hasQuote && !look.endsPrintable
    forEach(in: name) { character in
      if !character.isPrintable {
        if !inEscape { add("'$'") }
        inEscape = true
        character.bytes.forEach { withEscape(of: $0, write) }
        return
      }
      if character.byte == singleQuote {
        // Ends what is quoted, and an escape with it, gives the quote, and
        // begins again.
        add("'\\''")
      } else {
        if inEscape { add("''") }
        write(character.bytes)
      }
      inEscape = false
    }
    add("'")
  }

  /// Calls `body` with what stands for a byte that cannot be printed.
  private static func withEscape(
    of byte: UInt8, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { escape in
      escape[0] = UInt8(ascii: "\\")
      if (7...13).contains(byte) {
        let letters: StaticString = "abtnvfr"
        escape[1] = letters.utf8Start[Int(byte) - 7]
        return body(UnsafeRawBufferPointer(rebasing: escape[..<2]))
      }
      for place in 1...3 {
        escape[place] = UInt8(ascii: "0") + (byte >> (9 - 3 * UInt8(place))) & 7
      }
      body(UnsafeRawBufferPointer(escape))
    }
  }
}

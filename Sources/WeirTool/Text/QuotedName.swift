internal import CFileKernels

/// Quotes a name as the GNU tools do in their messages. A name that a shell reads back
/// unchanged stays as it is. Any other name is put in single quotes, with `$'\n'` for
/// bytes that are not printable characters of the locale. So no control byte of a name
/// reaches a terminal or a mail.
///
/// The result follows the published behaviour of gnulib's style `shell-escape` with the
/// colon quoted; a test compares it with the installed tools.
enum QuotedName {
  /// A name in a list may fill memory. So its characters are not kept: one pass
  /// classifies them, one counts the bytes, and one writes them.
  static func bytes(of name: some Sequence<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    if name.withContiguousStorageIfAvailable({
      append(UnsafeRawBufferPointer($0), to: &out)
    }) == nil {
      Array(name).withUnsafeBytes { append($0, to: &out) }
    }
    return out
  }

  /// Returns a name in the quotes of messages that always quote: in single quotes if the name
  /// needs none.
  static func always(_ name: [UInt8]) -> [UInt8] {
    let quoted = bytes(of: name)
    let quote = UInt8(ascii: "'")
    return quoted == RawArgument(bytes: name).shown ? [quote] + quoted + [quote] : quoted
  }

  static func isPrintable(_ text: [UInt8]) -> Bool {
    var isPrintable = true
    text.withUnsafeBytes { forEach(in: $0) { isPrintable = isPrintable && $0.isPrintable } }
    return isPrintable
  }

  /// - Parameter room: The number of bytes to reserve after the name.
  static func append(_ name: UnsafeRawBufferPointer, to out: inout [UInt8], room: Int = 0) {
    let name = StartDirectory.shown(name)
    let traits = Traits(name)
    if traits.isPlain {
      out.reserveCapacity(out.count + name.count + room)
      out.append(contentsOf: name)
    } else if traits.hasQuote && traits.isSafeInDoubleQuotes {
      out.reserveCapacity(out.count + name.count + 2 + room)
      out.append(doubleQuote)
      out.append(contentsOf: name)
      out.append(doubleQuote)
    } else {
      var count = 0
      singleQuote(name, traits) { count += $0.count }
      out.reserveCapacity(out.count + count + room)
      singleQuote(name, traits) { out.append(contentsOf: $0) }
    }
  }

  private struct Character {
    let bytes: UnsafeRawBufferPointer
    let isPrintable: Bool

    /// The only byte; `nil` if there are several.
    var byte: UInt8? { bytes.count == 1 ? bytes[0] : nil }
  }

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

  // MARK: Kind of quotes

  private struct Traits {
    /// True if a shell reads the name back unchanged.
    private(set) var isPlain = true
    private(set) var hasQuote = false
    private(set) var isSafeInDoubleQuotes = true
    /// True if the last character is printable.
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

  /// The bytes that are special to a shell, or to a reader of `NAME: reason`.
  private static let special = table(of: " !\"$&()*;<=>?[^`|\\':")

  /// Returns true if GNU assumes that the character means the same to a shell and to C
  /// within double quotes.
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

  private static func table(of bytes: String) -> [Bool] {
    var table = Array(repeating: false, count: 256)
    for byte in bytes.utf8 { table[Int(byte)] = true }
    return table
  }

  // MARK: Single quotes

  /// Calls `write` with each piece of the name in single quotes.
  private static func singleQuote(
    _ name: UnsafeRawBufferPointer, _ traits: Traits, write: (UnsafeRawBufferPointer) -> Void
  ) {
    func add(_ text: StaticString) {
      write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    add("'")
    // GNU makes two passes over a name that contains a single quote, and starts the
    // second one in the state in which the first one ended.
    var inEscape = traits.hasQuote && !traits.endsPrintable
    forEach(in: name) { character in
      if !character.isPrintable {
        if !inEscape { add("'$'") }
        inEscape = true
        character.bytes.forEach { withEscape(of: $0, write) }
        return
      }
      if character.byte == singleQuote {
        // Closes the quotes, and an escape with them, adds the quote, and reopens them.
        add("'\\''")
      } else {
        if inEscape { add("''") }
        write(character.bytes)
      }
      inEscape = false
    }
    add("'")
  }

  /// Calls `body` with the escape sequence of a byte that is not printable.
  static func withEscape(
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

// The quotes around arguments in the messages of GNU's tools.

internal import CFileKernels

/// Quotes an argument of the command line.
enum DropInQuote {
  /// Returns an argument in the quotes of the locale, with the escapes of C: `‘x\n’`, or `'x\n'`
  /// in the locale C. The result follows the published behaviour of gnulib's style `locale`.
  static func bytes(of argument: [UInt8]) -> [UInt8] {
    let isUTF8 = kernel_charset() == KERNEL_CHARSET_UTF8
    let end = Array((isUTF8 ? "\u{2019}" : "'").utf8)
    var out = Array((isUTF8 ? "\u{2018}" : "'").utf8)
    var rest = argument[...]
    while !rest.isEmpty {
      var isPrintable = false
      let length = rest.withUnsafeBytes {
        kernel_character($0.baseAddress, $0.count, &isPrintable)
      }
      let character = rest.prefix(length)
      if isPrintable {
        let isSpecial = character.elementsEqual(end) || character.first == backslash
        out += (isSpecial ? [backslash] : []) + character
      } else {
        character.forEach { out += escape(of: $0) }
      }
      rest = rest.dropFirst(length)
    }
    return out + end
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func escape(of byte: UInt8) -> [UInt8] {
    if (7...13).contains(byte) {
      let letters: StaticString = "abtnvfr"
      return [backslash, letters.utf8Start[Int(byte) - 7]]
    }
    return [backslash] + [6, 3, 0].map { UInt8(ascii: "0") + (byte >> $0) & 7 }
  }
}

// Names and words that try to command a terminal, to forge a line, or to hide what they are.

import TestSupport

enum HostileName {
  /// A name with an escape sequence, BEL, a newline, a carriage return, DEL, the C1 control CSI
  /// in UTF-8 and as a byte, a line separator, an override and an isolate, a byte that is not
  /// UTF-8, and a tab.
  static let bytes: [UInt8] =
    Array("e\u{1B}]0;x\u{7}\nweir: \r\u{7F}\u{9B}31m\u{2028}\u{202E}R\u{2066}".utf8)
    + [0xFF, 0x9B] + Array("t\tz".utf8)

  /// The beginning of the name as the last escape before a terminal writes it: a message that
  /// contains it has not quoted the name.
  static let unquoted = "\\033]0;x"
}

// The bytes that arrive at a terminal or in a log, parsed.

struct ArrivedFault: CustomStringConvertible {
  let what: String
  let around: String

  var description: String { "\(what) in \(around)" }
}

enum ArrivedBytes {
  /// The control sequences that the tool itself emits: it clears its progress line, and colors
  /// what has failed.
  static let own = ["\r\u{1B}[J", "\u{1B}[1;31m", "\u{1B}[0m"].map { Array($0.utf8) }

  /// Returns what a terminal got that is neither a printable character, nor the end of a line,
  /// nor one of the sequences. A progress line may end in a carriage return.
  static func faults(
    onTerminal bytes: [UInt8], allowing sequences: [[UInt8]] = own
  ) -> [ArrivedFault] {
    var faults: [ArrivedFault] = []
    var index = 0
    while index < bytes.count {
      // Most bytes, and the tests are not optimized.
      if (0x20..<0x7F).contains(bytes[index]) {
        index += 1
        continue
      }
      let rest = bytes[index...]
      if let sequence = sequences.first(where: { rest.starts(with: $0) }) {
        index += sequence.count
        continue
      }
      if bytes[index] == 0x0D, mayFollowReturn(bytes, index + 1) {
        index += 1
        continue
      }
      if bytes[index] == 0x0A {
        index += 1
        continue
      }
      let (length, fault) = character(rest)
      if let fault { faults.append(ArrivedFault(what: fault, around: excerpt(bytes, index))) }
      index += length
    }
    return faults
  }

  static func faults(inLog bytes: [UInt8], prefix: String) -> [ArrivedFault] {
    var faults: [ArrivedFault] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let line = Array(line)
      if !line.starts(with: prefix.utf8) {
        faults.append(
          ArrivedFault(what: "a line without \(prefix)", around: excerpt(line, 0)))
      }
      faults += Self.faults(onTerminal: line, allowing: [])
    }
    if let last = bytes.last, last != 0x0A {
      faults.append(
        ArrivedFault(what: "a line without an end", around: excerpt(bytes, bytes.count)))
    }
    return faults
  }

  /// True for the end of a line, the end of the output, and the clearing of a progress line.
  private static func mayFollowReturn(_ bytes: [UInt8], _ index: Int) -> Bool {
    index == bytes.count || bytes[index] == 0x0A || bytes[index] == 0x0D
      || bytes[index...].starts(with: "\u{1B}[J".utf8)
  }

  private static func character(_ bytes: ArraySlice<UInt8>) -> (Int, String?) {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    guard case .valid(let encoded) = decoder.parseScalar(from: &iterator) else {
      return (1, "a byte that is not UTF-8")
    }
    let scalar = Unicode.UTF8.decode(encoded)
    let isHidden =
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
      default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      }
    return (encoded.count, isHidden ? "U+\(String(scalar.value, radix: 16))" : nil)
  }

  static func excerpt(_ bytes: [UInt8], _ index: Int) -> String {
    let part = bytes[max(0, index - 60)..<min(bytes.count, index + 40)]
    return String(reflecting: String(decoding: part, as: UTF8.self))
  }
}

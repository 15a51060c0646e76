// Arguments as bytes, through a parser that knows strings alone.

internal import ArgumentParser

/// An argument that keeps every byte it was given as.
///
/// A name can have bytes that are no UTF-8, and `CommandLine.arguments` turns
/// those into U+FFFD. So the arguments are read as bytes, and a byte that is
/// not part of a character becomes a character of its own, of 256 that stand
/// at the end of a private-use plane; these themselves, where somebody has
/// them in a name, are treated as bytes that are not part of a character. The
/// way back is the same backwards, and nothing is lost.
///
/// The parser takes an empty value for one that is missing. What would stand for
/// a NUL, which no argument has in it, stands for nothing at all.
struct RawArgument: ExpressibleByArgument, Equatable {
  /// The argument as it was given.
  let bytes: [UInt8]

  private static let first: UInt32 = 0x10_FF00

  /// What the parser is given for an empty value.
  static let empty = "\u{10FF00}"

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(argument: String) {
    if argument == RawArgument.empty {
      bytes = []
      return
    }
    bytes = argument.unicodeScalars.flatMap { scalar -> [UInt8] in
      scalar.value >= RawArgument.first && scalar.value <= RawArgument.first + 0xFF
        ? [UInt8(scalar.value - RawArgument.first)]
        : Array(String(scalar).utf8)
    }
  }

  /// The arguments of this process, without its name.
  static func commandLine() -> [RawArgument] {
    let (count, vector) = Arguments.all
    return (1..<max(1, Int(count))).compactMap { index in
      vector[index].map { argument in
        RawArgument(
          bytes: Array(UnsafeRawBufferPointer(start: argument, count: length(of: argument))))
      }
    }
  }

  private static func length(of string: UnsafePointer<CChar>) -> Int {
    var end = string
    while end.pointee != 0 { end += 1 }
    return end - string
  }

  /// A string that stands for the bytes.
  var text: String {
    var result = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      if let (scalar, length) = RawArgument.scalar(at: rest), scalar.value < RawArgument.first {
        result.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        RawArgument.appendStandIn(for: byte, to: &result)
        rest = rest.dropFirst()
      }
    }
    return String(result)
  }

  private static func appendStandIn(for byte: UInt8, to result: inout String.UnicodeScalarView) {
    if let standIn = Unicode.Scalar(first + UInt32(byte)) {
      result.append(standIn)
    }
  }

  /// The character that the bytes begin with, and how many bytes it has.
  private static func scalar(at bytes: some Collection<UInt8>) -> (Unicode.Scalar, Int)? {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    guard case .valid(let encoded) = decoder.parseScalar(from: &iterator) else { return nil }
    return (Unicode.UTF8.decode(encoded), encoded.count)
  }
}

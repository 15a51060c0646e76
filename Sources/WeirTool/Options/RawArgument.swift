// Arguments as bytes, passed through a parser that accepts only strings.

internal import ArgumentParser
internal import CFileKernels

/// An argument with exactly the bytes that were given.
///
/// A name can contain bytes that are not UTF-8, and `CommandLine.arguments` turns these
/// into U+FFFD. So the arguments are read as bytes, and each byte that is not part of a
/// character is represented by a character of its own: one of 256 at the end of a
/// private-use plane. If a name contains one of these 256 characters, its bytes are
/// represented the same way. Decoding reverses the mapping, and nothing is lost.
///
/// The parser takes an empty value for a missing one. So the character for NUL, which no
/// argument contains, represents the empty value.
struct RawArgument: ExpressibleByArgument, Equatable {
  /// The argument as given.
  let bytes: [UInt8]

  private static let first: UInt32 = 0x10_FF00

  /// The text that represents an empty value in the parser.
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

  /// Returns the arguments of this process, without the name of the program.
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

  /// The string that represents the bytes.
  var text: String {
    var result = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      if let (scalar, length) = RawArgument.scalar(at: rest), scalar.value < RawArgument.first {
        result.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let standIn = Unicode.Scalar(RawArgument.first + UInt32(byte)) {
          result.append(standIn)
        }
        rest = rest.dropFirst()
      }
    }
    return String(result)
  }

  /// Returns the first character of the bytes and its length; `nil` if the bytes do not
  /// begin with a character.
  private static func scalar(at bytes: some Collection<UInt8>) -> (Unicode.Scalar, Int)? {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    guard case .valid(let encoded) = decoder.parseScalar(from: &iterator) else { return nil }
    return (Unicode.UTF8.decode(encoded), encoded.count)
  }
}

/// The arguments of the process as given, the name of the program first.
enum Arguments {
  /// The arguments. Swift finds them through `/proc`; this property also works without
  /// it.
  static var all: (count: Int32, vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    var count: Int32 = 0
    guard let vector = kernel_arguments(&count) else {
      return (CommandLine.argc, CommandLine.unsafeArgv)
    }
    return (count, vector)
  }
}

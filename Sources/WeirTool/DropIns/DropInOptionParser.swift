// The command line of a drop-in name, parsed by getopt_long: scripts see its abbreviations,
// its permutation and its messages.

internal import CFileKernels
internal import Glibc

/// A long option: its name, its value in the parser, and whether it takes an argument.
struct DropInOptionName {
  let name: StaticString
  let value: Int32
  var takesArgument = false

  init(_ name: StaticString, _ value: Int32, takesArgument: Bool = false) {
    self.name = name
    self.value = value
    self.takesArgument = takesArgument
  }
}

/// The parser of this process's arguments.
enum DropInOptionParser {
  /// The name of standard input.
  static let standardInput = Array("-".utf8)

  /// The values of the two options that every tool has.
  private static let (help, version): (Int32, Int32) = (512, 513)

  /// The value of a short option.
  static func value(of letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

  /// Parses the options, one after the other. Ends the program after an invalid option, and
  /// after --help and --version.
  ///
  /// - Parameters:
  ///   - letters: The short options, in the format of getopt.
  ///   - names: The long options in GNU's order, which shows in the message about an
  ///     ambiguous abbreviation. --help and --version follow them.
  ///   - body: Called with the value of each option; returns false if there is no such option.
  /// - Returns: The indices of the operands in argv.
  static func parse(
    _ letters: StaticString, _ names: [DropInOptionName], for dropIn: DropIn,
    _ streams: DropInStreams, body: (Int32) -> Bool
  ) -> Range<Int> {
    let all = names + [DropInOptionName("help", help), DropInOptionName("version", version)]
    let table = all.map { entry in
      kernel_option_t(
        name: characters(entry.name), value: entry.value, has_argument: entry.takesArgument)
    }
    let words = Arguments.all
    while true {
      let value = kernel_option_next(
        words.count, words.vector, characters(letters), table, Int32(table.count))
      switch value {
      case -1: return Int(kernel_option_operands())..<Int(words.count)
      case help: end(streams, with: dropIn.help)
      case version: end(streams, with: dropIn.version)
      default: if !body(value) { streams.endWithUsageHint() }
      }
    }
  }

  /// The bytes of one of the operands, or "-" if there are none; valid for the life of the
  /// process.
  static func name(at index: Int, of operands: Range<Int>) -> UnsafeRawBufferPointer {
    if operands.isEmpty {
      let name: StaticString = "-"
      return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
    guard let word = Arguments.all.vector[operands.lowerBound + index] else {
      fatalError("the command line has no operand \(index)")
    }
    return UnsafeRawBufferPointer(start: word, count: strlen(word))
  }

  private static func characters(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static func end(_ streams: DropInStreams, with text: String) -> Never {
    streams.write(Array(text.utf8))
    streams.flushLines()
    streams.end(status: 0)
  }
}

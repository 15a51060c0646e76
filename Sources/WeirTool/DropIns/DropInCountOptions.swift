// The options of GNU's wc.

internal import CFileKernels
internal import FileJobs
internal import Glibc
internal import Weir

/// What a command line of wc asks for.
struct DropInCountOptions: Sendable {
  private(set) var columns: CountColumns = []
  /// Where the names stand that are to be counted, each ended by a NUL; `nil` for
  /// the command line.
  private(set) var list: [UInt8]?
  /// Whether it is to be said how lines are counted.
  private(set) var isDebugging = false
  /// Where in argv the operands are.
  private(set) var operands = 0..<0

  /// Reads the command line. Ends the program where it is wrong, and behind
  /// --help and --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInCountOptions {
    var options = DropInCountOptions()
    options.operands = DropInWords.options("clLmw", names, for: dropIn, streams) { value in
      options.take(value)
    }
    if options.columns.isEmpty { options.columns = .asWC }
    if options.list != nil && !options.operands.isEmpty {
      let extra = Array(options.operand(at: 0))
      streams.say(Array("extra operand ".utf8) + QuotedName.always(extra))
      streams.sayPlainly(Array("file operands cannot be combined with --files0-from".utf8))
      streams.endWithUsage()
    }
    return options
  }

  /// The bytes of one of the operands. They stay for good.
  func operand(at index: Int) -> UnsafeRawBufferPointer {
    DropInWords.word(at: operands.lowerBound + index)
  }

  /// Takes one option. Whether there is such a one.
  private mutating func take(_ value: Int32) -> Bool {
    switch value {
    case DropInWords.letter("c"): columns.insert(.bytes)
    case DropInWords.letter("m"): columns.insert(.characters)
    case DropInWords.letter("l"): columns.insert(.lines)
    case DropInWords.letter("w"): columns.insert(.words)
    case DropInWords.letter("L"): columns.insert(.longestLine)
    case DropInCountOptions.debug: isDebugging = true
    case DropInCountOptions.files0From:
      list = kernel_option_argument().map { DropIn.bytes(of: $0) }
    default: return false
    }
    return true
  }
}

// The table for getopt_long.
extension DropInCountOptions {
  private static let debug: Int32 = 256
  private static let files0From: Int32 = 257

  /// In GNU's order, which shows where an abbreviation could mean several.
  private static let names = [
    DropInOptionName("bytes", DropInWords.letter("c")),
    DropInOptionName("chars", DropInWords.letter("m")),
    DropInOptionName("lines", DropInWords.letter("l")),
    DropInOptionName("words", DropInWords.letter("w")),
    DropInOptionName("debug", debug),
    DropInOptionName("files0-from", files0From, takesValue: true),
    DropInOptionName("max-line-length", DropInWords.letter("L")),
  ]
}

extension QuotedName {
  /// The name as GNU's tools quote it where they always do.
  static func always(_ name: [UInt8]) -> [UInt8] {
    let quoted = bytes(of: name)
    let quote = UInt8(ascii: "'")
    return quoted == name ? [quote] + quoted + [quote] : quoted
  }
}

// The options of GNU's wc.

internal import CFileKernels
internal import FileJobs

/// The options of a command line of wc.
struct DropInCountOptions: Sendable {
  private(set) var columns: CountColumns = []
  /// The file of --files0-from, in which each name ends in NUL; `nil` if the names are
  /// operands.
  private(set) var list: [UInt8]?
  private(set) var isDebugging = false
  /// The indices of the operands in argv.
  private(set) var operands = 0..<0

  /// Parses the command line. Ends the program if it is invalid, and after --help and
  /// --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInCountOptions {
    var options = DropInCountOptions()
    options.operands = DropInOptionParser.parse("clLmw", names, for: dropIn, streams) { value in
      options.set(value)
    }
    if options.columns.isEmpty { options.columns = .asWC }
    if options.list != nil && !options.operands.isEmpty {
      let extra = Array(options.name(at: 0))
      streams.report(Array("extra operand ".utf8) + QuotedName.always(extra))
      streams.writeError(Array("file operands cannot be combined with --files0-from".utf8))
      streams.endWithUsageHint()
    }
    return options
  }

  /// The bytes of one of the operands, or "-" if there are none; valid for the life of the
  /// process.
  func name(at index: Int) -> UnsafeRawBufferPointer {
    DropInOptionParser.name(at: index, of: operands)
  }

  /// Sets an option. Returns false if there is no such option.
  private mutating func set(_ value: Int32) -> Bool {
    switch value {
    case DropInOptionParser.value(of: "c"): columns.insert(.bytes)
    case DropInOptionParser.value(of: "m"): columns.insert(.characters)
    case DropInOptionParser.value(of: "l"): columns.insert(.lines)
    case DropInOptionParser.value(of: "w"): columns.insert(.words)
    case DropInOptionParser.value(of: "L"): columns.insert(.longestLine)
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

  private static let names = [
    DropInOptionName("bytes", DropInOptionParser.value(of: "c")),
    DropInOptionName("chars", DropInOptionParser.value(of: "m")),
    DropInOptionName("lines", DropInOptionParser.value(of: "l")),
    DropInOptionName("words", DropInOptionParser.value(of: "w")),
    DropInOptionName("debug", debug),
    DropInOptionName("files0-from", files0From, takesArgument: true),
    DropInOptionName("max-line-length", DropInOptionParser.value(of: "L")),
  ]
}

extension QuotedName {
  /// Returns a name in the quotes of messages that always quote: in single quotes if the name
  /// needs none.
  static func always(_ name: [UInt8]) -> [UInt8] {
    let quoted = bytes(of: name)
    let quote = UInt8(ascii: "'")
    return quoted == name ? [quote] + quoted + [quote] : quoted
  }
}

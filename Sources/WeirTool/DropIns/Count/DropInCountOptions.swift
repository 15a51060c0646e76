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
    options.operands = DropInOptionParser.parse(all, into: &options, for: dropIn, streams)
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
}

// The table for getopt_long.
extension DropInCountOptions {
  private static let all: [DropInOption<DropInCountOptions>] = [
    DropInOption("bytes", "c") { $0.columns.insert(.bytes) },
    DropInOption("chars", "m") { $0.columns.insert(.characters) },
    DropInOption("lines", "l") { $0.columns.insert(.lines) },
    DropInOption("words", "w") { $0.columns.insert(.words) },
    DropInOption("debug") { $0.isDebugging = true },
    DropInOption("files0-from", takesArgument: true) { options in
      options.list = kernel_option_argument().map { DropIn.bytes(of: $0) }
    },
    DropInOption("max-line-length", "L") { $0.columns.insert(.longestLine) },
  ]
}

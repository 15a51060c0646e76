// The options of GNU's checksum tools.

/// The options of a command line of a checksum tool.
struct DropInHashOptions: Sendable {
  /// The mode in which a file is marked as read. It only changes the line.
  enum Mode: Sendable {
    case unspecified, text, binary
  }

  private(set) var isCheck = false
  private(set) var mode = Mode.unspecified
  private(set) var isTagged = false
  private(set) var isZeroTerminated = false
  private(set) var ignoresMissing = false
  private(set) var isQuiet = false
  private(set) var isSilent = false
  private(set) var isStrict = false
  private(set) var warns = false
  /// The indices of the operands in argv.
  private var operands = 0..<0

  /// The number of names; 1 if there are no operands, for standard input.
  var nameCount: Int { max(1, operands.count) }

  /// The bytes of one of the names; valid for the life of the process.
  func name(at index: Int) -> UnsafeRawBufferPointer {
    DropInOptionParser.name(at: index, of: operands)
  }

  /// A Boolean value that indicates whether standard input is among the names.
  var namesStandardInput: Bool {
    (0..<nameCount).contains { name(at: $0).elementsEqual(DropInOptionParser.standardInput) }
  }

  /// Parses the command line. Ends the program if it is invalid, and after --help and
  /// --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInHashOptions {
    var options = DropInHashOptions()
    options.operands = DropInOptionParser.parse(all, into: &options, for: dropIn, streams)
    if let conflict = options.conflict {
      streams.report(conflict)
      streams.endWithUsageHint()
    }
    return options
  }

  /// The message about the first conflict between options, in GNU's order.
  private var conflict: String? {
    if isTagged && mode == .text { return "--tag does not support --text mode" }
    return isCheck ? conflictWithCheck : conflictWithoutCheck
  }

  private var conflictWithCheck: String? {
    let pairs = [
      (isZeroTerminated, "the --zero option is not supported when verifying checksums"),
      (isTagged, "the --tag option is meaningless when verifying checksums"),
      (
        mode != .unspecified,
        "the --binary and --text options are meaningless when verifying checksums"
      ),
    ]
    return pairs.first { $0.0 }?.1
  }

  private var conflictWithoutCheck: String? {
    let pairs = [
      (ignoresMissing, "--ignore-missing"), (isSilent, "--status"), (warns, "--warn"),
      (isQuiet, "--quiet"), (isStrict, "--strict"),
    ]
    return pairs.first { $0.0 }.map {
      "the \($0.1) option is meaningful only when verifying checksums"
    }
  }
}

// The table for getopt_long.
extension DropInHashOptions {
  private static let all: [DropInOption<DropInHashOptions>] = [
    DropInOption("check", "c") { $0.isCheck = true },
    DropInOption("ignore-missing") { $0.ignoresMissing = true },
    DropInOption("quiet") { ($0.isSilent, $0.warns, $0.isQuiet) = (false, false, true) },
    DropInOption("status") { ($0.isSilent, $0.warns, $0.isQuiet) = (true, false, false) },
    DropInOption("warn", "w") { ($0.isSilent, $0.warns, $0.isQuiet) = (false, true, false) },
    DropInOption("strict") { $0.isStrict = true },
    DropInOption("tag") { ($0.isTagged, $0.mode) = (true, .binary) },
    DropInOption("zero", "z") { $0.isZeroTerminated = true },
    DropInOption("binary", "b") { $0.mode = .binary },
    DropInOption("text", "t") { $0.mode = .text },
  ]
}

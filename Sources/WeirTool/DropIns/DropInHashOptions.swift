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
    options.operands = DropInOptionParser.parse("bctwz", names, for: dropIn, streams) { value in
      options.set(value)
    }
    if let conflict = options.conflict {
      streams.report(conflict)
      streams.endWithUsageHint()
    }
    return options
  }

  /// Sets an option. Returns false if there is no such option.
  private mutating func set(_ value: Int32) -> Bool {
    switch value {
    case DropInOptionParser.value(of: "b"): mode = .binary
    case DropInOptionParser.value(of: "c"): isCheck = true
    case DropInOptionParser.value(of: "t"): mode = .text
    case DropInOptionParser.value(of: "w"): (isSilent, warns, isQuiet) = (false, true, false)
    case DropInOptionParser.value(of: "z"): isZeroTerminated = true
    case DropInHashOptions.ignoreMissing: ignoresMissing = true
    case DropInHashOptions.quiet: (isSilent, warns, isQuiet) = (false, false, true)
    case DropInHashOptions.status: (isSilent, warns, isQuiet) = (true, false, false)
    case DropInHashOptions.strict: isStrict = true
    case DropInHashOptions.tag: (isTagged, mode) = (true, .binary)
    default: return false
    }
    return true
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
  private static let ignoreMissing: Int32 = 256
  private static let quiet: Int32 = 257
  private static let status: Int32 = 258
  private static let strict: Int32 = 259
  private static let tag: Int32 = 260

  private static let names = [
    DropInOptionName("check", DropInOptionParser.value(of: "c")),
    DropInOptionName("ignore-missing", ignoreMissing),
    DropInOptionName("quiet", quiet),
    DropInOptionName("status", status),
    DropInOptionName("warn", DropInOptionParser.value(of: "w")),
    DropInOptionName("strict", strict),
    DropInOptionName("tag", tag),
    DropInOptionName("zero", DropInOptionParser.value(of: "z")),
    DropInOptionName("binary", DropInOptionParser.value(of: "b")),
    DropInOptionName("text", DropInOptionParser.value(of: "t")),
  ]
}

// The options of GNU's checksum tools.

/// What a command line asks for.
struct DropInOptions: Sendable {
  /// How a file is said to be read. It makes no difference but in the line.
  enum Mode: Sendable {
    case unsaid, text, binary
  }

  private(set) var isCheck = false
  private(set) var mode = Mode.unsaid
  private(set) var isTagged = false
  private(set) var isZeroTerminated = false
  private(set) var ignoresMissing = false
  private(set) var isQuiet = false
  private(set) var isSilent = false
  private(set) var isStrict = false
  private(set) var warns = false
  /// Where in argv the operands are.
  private var operands = 0..<0

  /// How many names there are: that of standard input where none is given.
  var nameCount: Int { max(1, operands.count) }

  /// The bytes of one of the names. They stay for good.
  func name(at index: Int) -> UnsafeRawBufferPointer {
    guard !operands.isEmpty else { return DropInOptions.nameOfNone }
    return DropInWords.word(at: operands.lowerBound + index)
  }

  /// Whether standard input is among the names.
  var namesStandardInput: Bool {
    (0..<nameCount).contains { name(at: $0).elementsEqual(DropInOptions.standardInput) }
  }

  private static var nameOfNone: UnsafeRawBufferPointer {
    let name: StaticString = "-"
    return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }

  /// The name of standard input.
  static let standardInput = Array("-".utf8)

  /// Reads the command line. Ends the program where it is wrong, and behind
  /// --help and --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInOptions {
    var options = DropInOptions()
    options.operands = DropInWords.options("bctwz", names, for: dropIn, streams) { value in
      options.take(value)
    }
    if let complaint = options.complaint {
      streams.say(complaint)
      streams.endWithUsage()
    }
    return options
  }

  /// Takes one option. Whether there is such a one.
  private mutating func take(_ value: Int32) -> Bool {
    switch value {
    case DropInWords.letter("b"): mode = .binary
    case DropInWords.letter("c"): isCheck = true
    case DropInWords.letter("t"): mode = .text
    case DropInWords.letter("w"): (isSilent, warns, isQuiet) = (false, true, false)
    case DropInWords.letter("z"): isZeroTerminated = true
    case DropInOptions.ignoreMissing: ignoresMissing = true
    case DropInOptions.quiet: (isSilent, warns, isQuiet) = (false, false, true)
    case DropInOptions.status: (isSilent, warns, isQuiet) = (true, false, false)
    case DropInOptions.strict: isStrict = true
    case DropInOptions.tag: (isTagged, mode) = (true, .binary)
    default: return false
    }
    return true
  }

  /// What is wrong with the options together; the first that GNU sees.
  private var complaint: String? {
    if isTagged && mode == .text { return "--tag does not support --text mode" }
    return isCheck ? complaintOfChecking : complaintOfHashing
  }

  private var complaintOfChecking: String? {
    let pairs = [
      (isZeroTerminated, "the --zero option is not supported when verifying checksums"),
      (isTagged, "the --tag option is meaningless when verifying checksums"),
      (
        mode != .unsaid,
        "the --binary and --text options are meaningless when verifying checksums"
      ),
    ]
    return pairs.first { $0.0 }?.1
  }

  private var complaintOfHashing: String? {
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
extension DropInOptions {
  private static let ignoreMissing: Int32 = 256
  private static let quiet: Int32 = 257
  private static let status: Int32 = 258
  private static let strict: Int32 = 259
  private static let tag: Int32 = 260

  /// In GNU's order, which shows where an abbreviation could mean several.
  private static let names = [
    DropInOptionName("check", DropInWords.letter("c")),
    DropInOptionName("ignore-missing", ignoreMissing),
    DropInOptionName("quiet", quiet),
    DropInOptionName("status", status),
    DropInOptionName("warn", DropInWords.letter("w")),
    DropInOptionName("strict", strict),
    DropInOptionName("tag", tag),
    DropInOptionName("zero", DropInWords.letter("z")),
    DropInOptionName("binary", DropInWords.letter("b")),
    DropInOptionName("text", DropInWords.letter("t")),
  ]
}

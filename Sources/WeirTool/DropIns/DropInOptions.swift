// The options of GNU's checksum tools.

#if Tool
  internal import CFileKernels
  internal import Glibc
  internal import Weir

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
      guard let word = Arguments.all.vector[operands.lowerBound + index] else {
        fatalError("argument \(operands.lowerBound + index) of the command line is gone")
      }
      return UnsafeRawBufferPointer(start: word, count: strlen(word))
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
      while let value = next() {
        switch value {
        case help: end(streams, with: dropIn.help)
        case version: end(streams, with: dropIn.version)
        default: if !options.take(value) { streams.endWithUsage() }
        }
      }
      options.operands = Int(kernel_option_operands())..<Int(Arguments.all.count)
      if let complaint = options.complaint {
        streams.say(complaint)
        streams.endWithUsage()
      }
      return options
    }

    private static func end(_ streams: DropInStreams, with text: String) -> Never {
      streams.write(Array(text.utf8))
      streams.finishLines()
      streams.end(status: 0)
    }

    /// Takes one option. Whether there is such a one.
    private mutating func take(_ value: Int32) -> Bool {
      switch value {
      case DropInOptions.letter("b"): mode = .binary
      case DropInOptions.letter("c"): isCheck = true
      case DropInOptions.letter("t"): mode = .text
      case DropInOptions.letter("w"): (isSilent, warns, isQuiet) = (false, true, false)
      case DropInOptions.letter("z"): isZeroTerminated = true
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
    private static let help: Int32 = 261
    private static let version: Int32 = 262

    private static func letter(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    /// In GNU's order, which shows where an abbreviation could mean several.
    private static let table: [(name: StaticString, value: Int32)] = [
      ("check", letter("c")), ("ignore-missing", ignoreMissing), ("quiet", quiet),
      ("status", status), ("warn", letter("w")), ("strict", strict), ("tag", tag),
      ("zero", letter("z")), ("binary", letter("b")), ("text", letter("t")),
      ("help", help), ("version", version),
    ]

    /// The next option; `nil` behind the last one.
    private static func next() -> Int32? {
      let names = table.map { entry in
        kernel_option_t(
          name: UnsafeRawPointer(entry.name.utf8Start).assumingMemoryBound(to: CChar.self),
          value: entry.value, has_argument: false)
      }
      let arguments = Arguments.all
      let value = kernel_option_next(
        arguments.count, arguments.vector, "bctwz", names, Int32(names.count))
      return value == -1 ? nil : value
    }
  }
#endif

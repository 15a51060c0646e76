// The options of GNU's wc.

#if Tool
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
      while let value = next() {
        switch value {
        case help: end(streams, with: dropIn.help)
        case version: end(streams, with: dropIn.version)
        default: if !options.take(value) { streams.endWithUsage() }
        }
      }
      if options.columns.isEmpty { options.columns = .asWC }
      options.operands = Int(kernel_option_operands())..<Int(Arguments.all.count)
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
      guard let word = Arguments.all.vector[operands.lowerBound + index] else {
        fatalError("argument \(operands.lowerBound + index) of the command line is gone")
      }
      return UnsafeRawBufferPointer(start: word, count: strlen(word))
    }

    private static func end(_ streams: DropInStreams, with text: String) -> Never {
      streams.write(Array(text.utf8))
      streams.finishLines()
      streams.end(status: 0)
    }

    /// Takes one option. Whether there is such a one.
    private mutating func take(_ value: Int32) -> Bool {
      switch value {
      case DropInCountOptions.letter("c"): columns.insert(.bytes)
      case DropInCountOptions.letter("m"): columns.insert(.characters)
      case DropInCountOptions.letter("l"): columns.insert(.lines)
      case DropInCountOptions.letter("w"): columns.insert(.words)
      case DropInCountOptions.letter("L"): columns.insert(.longestLine)
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
    private static let help: Int32 = 258
    private static let version: Int32 = 259

    private static func letter(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    /// In GNU's order, which shows where an abbreviation could mean several.
    private static let table: [(name: StaticString, value: Int32)] = [
      ("bytes", letter("c")), ("chars", letter("m")), ("lines", letter("l")),
      ("words", letter("w")), ("debug", debug), ("files0-from", files0From),
      ("max-line-length", letter("L")), ("help", help), ("version", version),
    ]

    /// The next option; `nil` behind the last one.
    private static func next() -> Int32? {
      let names = table.map { entry in
        kernel_option_t(
          name: UnsafeRawPointer(entry.name.utf8Start).assumingMemoryBound(to: CChar.self),
          value: entry.value, has_argument: entry.value == files0From)
      }
      let arguments = Arguments.all
      let value = kernel_option_next(
        arguments.count, arguments.vector, "clLmw", names, Int32(names.count))
      return value == -1 ? nil : value
    }
  }

  extension QuotedName {
    /// The name as GNU's tools quote it where they always do.
    static func always(_ name: [UInt8]) -> [UInt8] {
      let quoted = bytes(of: name)
      let quote = UInt8(ascii: "'")
      return quoted == name ? [quote] + quoted + [quote] : quoted
    }
  }
#endif

// The command line of a drop-in name, parsed by getopt_long: scripts see its abbreviations,
// its permutation and its messages.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC

/// An option of a tool: its long name, its letter, and its effect on the tool's options.
struct DropInOption<Options>: Sendable {
  /// `nil` for an option that has a letter only.
  let name: StaticString?
  let letter: Unicode.Scalar?
  let takesArgument: Bool
  /// Sets the option, or reports an invalid argument and ends the program.
  let set: @Sendable (inout Options, DropInStreams) -> Void
}

extension DropInOption {
  init(
    _ name: StaticString, _ letter: Unicode.Scalar? = nil, takesArgument: Bool = false,
    set: @escaping @Sendable (inout Options) -> Void
  ) {
    self.init(name: name, letter: letter, takesArgument: takesArgument) { options, _ in
      set(&options)
    }
  }

  init(
    _ name: StaticString, _ letter: Unicode.Scalar? = nil,
    parse: @escaping @Sendable (inout Options, _ argument: [UInt8], DropInStreams) -> Void
  ) {
    self.init(name: name, letter: letter, takesArgument: true) { options, streams in
      parse(&options, kernel_option_argument().map { [UInt8](cString: $0) } ?? [], streams)
    }
  }

  /// Makes a letter that getopt_long knows and the tool refuses without a message of its own.
  init(refused letter: Unicode.Scalar) {
    self.init(name: nil, letter: letter, takesArgument: false) { $1.endWithUsageHint() }
  }

  /// The letter and the name, such as `-c, --check`; `nil` for a letter that is refused.
  var spelling: String? {
    name.map { name in
      (letter.map { "-\($0), " } ?? "    ") + "--\(name)\(takesArgument ? "=..." : "")"
    }
  }
}

/// The operands of this process's command line; standard input if there are none.
struct DropInOperands: Sendable {
  fileprivate(set) var indices = 0..<0

  static let standardInput = Array("-".utf8)

  var isEmpty: Bool { indices.isEmpty }
  var count: Int { max(1, indices.count) }

  /// The bytes of one of the names; valid for the life of the process.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    if isEmpty {
      let name: StaticString = "-"
      return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
    guard let word = Arguments.all.vector[indices.lowerBound + index] else {
      fatalError("the command line has no operand \(index)")
    }
    return UnsafeRawBufferPointer(start: word, count: strlen(word))
  }

  func isStandardInput(at index: Int) -> Bool {
    self[index].elementsEqual(DropInOperands.standardInput)
  }
}

/// The parser of this process's arguments.
enum DropInOptionParser {
  /// The values of the two options that every tool has.
  private static let (help, version): (Int32, Int32) = (512, 513)

  /// Parses the options, one after the other. Ends the program after an invalid option, and
  /// after --help and --version.
  ///
  /// - Parameters:
  ///   - all: The options in GNU's order, which shows in the message about an ambiguous
  ///     abbreviation. --help and --version follow them.
  ///   - options: The options of the command line, which each of them sets.
  static func parse<Options>(
    _ all: [DropInOption<Options>], into options: inout Options, for dropIn: DropIn,
    _ streams: DropInStreams
  ) -> DropInOperands {
    let values = all.enumerated().map { index, option in
      option.letter.map { Int32($0.value) } ?? Int32(256 + index)
    }
    let letters =
      all.flatMap { option -> [CChar] in
        guard let letter = option.letter else { return [] }
        return [CChar(letter.value)] + (option.takesArgument ? [CChar(UInt8(ascii: ":"))] : [])
      } + [0]
    let table =
      zip(all, values).compactMap { option, value in
        option.name.map {
          kernel_option_t(
            name: characters($0), value: value, has_argument: option.takesArgument)
        }
      } + [
        kernel_option_t(name: characters("help"), value: help, has_argument: false),
        kernel_option_t(name: characters("version"), value: version, has_argument: false),
      ]
    let words = Arguments.all
    while true {
      let value = withMessages(to: streams) {
        kernel_option_next(words.count, words.vector, letters, table, Int32(table.count))
      }
      switch value {
      case -1: return DropInOperands(indices: Int(kernel_option_operands())..<Int(words.count))
      case help:
        end(streams, with: dropIn.help(all.compactMap(\.spelling) + ["--help", "--version"]))
      case version: end(streams, with: dropIn.version)
      default:
        guard let index = values.firstIndex(of: value) else { streams.endWithUsageHint() }
        all[index].set(&options, streams)
      }
    }
  }

  /// Calls `body`, which may write to standard error. If that is a terminal, the messages of
  /// getopt_long pass through the streams, since they contain words of the command line as they
  /// are.
  private static func withMessages<R>(to streams: DropInStreams, _ body: () -> R) -> R {
    guard isatty(STDERR_FILENO) == 1 else { return body() }
    let terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let memory = kernel_memory_file()
    defer {
      if terminal >= 0 { close(terminal) }
      if memory >= 0 { close(memory) }
    }
    guard terminal >= 0, memory >= 0, dup2(memory, STDERR_FILENO) >= 0 else { return body() }
    let result = body()
    dup2(terminal, STDERR_FILENO)
    var message = [UInt8](repeating: 0, count: max(0, lseek(memory, 0, SEEK_CUR)))
    let count = message.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, 0) }
    if count > 0 { streams.writeError(whole: Array(message.prefix(count))) }
    return result
  }

  private static func characters(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Writes a text to standard output, and ends the program.
  static func end(_ streams: DropInStreams, with text: String) -> Never {
    streams.write(Array(text.utf8))
    streams.flushLines()
    streams.end(status: 0)
  }
}

// The command line, split into options and operands.
//
// DESIGN. A command line can have a hundred thousand names, and the time that
// ArgumentParser takes grows with the square of their number (20,000 names took nine
// seconds). So the parser receives only the options, each in one word with its value.
// The names do not pass through the parser; nor do --files-from, --exclude and their
// like, whose order among each other the parser would lose. Since the split has to know
// the options, it also reports unknown ones, with their bytes quoted: the parser would
// write them to a terminal unchanged.

internal import WeirLibC
internal import SystemPackage

/// Open descriptors by name.
///
/// An array, since the runtime takes longer to find that bytes are hashable, once, than to
/// read a small file; and a command line names few descriptors.
struct OpenedDescriptors {
  private var all: [(name: [UInt8], descriptor: FileDescriptor)] = []

  subscript(name: [UInt8]) -> FileDescriptor? {
    get {
      for (other, descriptor) in all where other == name { return descriptor }
      return nil
    }
    set {
      all.removeAll { $0.name == name }
      if let newValue { all.append((name, newValue)) }
    }
  }

  /// Returns the names of some descriptors.
  func names(where isIncluded: (FileDescriptor) -> Bool) -> [[UInt8]] {
    all.filter { isIncluded($0.descriptor) }.map(\.name)
  }
}

/// The words after a verb.
struct Operands {
  /// An input.
  enum Input: Equatable {
    /// A PATH.
    case path(RawArgument)
    /// A file that lists names, or `-`.
    case list(RawArgument, separator: UInt8)
  }

  /// An `--include` or an `--exclude`.
  struct Filter: Equatable {
    let isInclude: Bool
    let pattern: [UInt8]
  }

  /// The PATHs and lists, in the order given.
  private(set) var inputs: [Input] = []
  /// The filters, in the order given.
  private(set) var filters: [Filter] = []
  /// The open descriptors among the inputs, by name: recorded before the program opens
  /// any file itself.
  private(set) var opened = OpenedDescriptors()
  /// The words after `--` for a verb that takes a command; `nil` if there is no `--`.
  private(set) var command: [RawArgument]?
  /// The words for the parser.
  private(set) var rest: [String] = []

  /// The names of PATHs and lists.
  var allNames: [RawArgument] {
    inputs.map { input in
      switch input {
      case .path(let name), .list(let name, _): name
      }
    }
  }

  /// The PATHs.
  var names: [RawArgument] {
    inputs.compactMap { input in
      guard case .path(let name) = input else { return nil }
      return name
    }
  }

  /// The names of the inputs that are terminals, with `-` for standard input if no input is
  /// given; `nil` if none is. A verb without inputs may read other files instead.
  var terminals: Set<[UInt8]>? {
    if inputs.isEmpty { return TerminalStream.input.isTerminal ? [Array("-".utf8)] : nil }
    let names = opened.names(where: { isatty($0.rawValue) == 1 })
    return names.isEmpty ? nil : Set(names)
  }

  /// True if `-h` requests the help, which is then short.
  private(set) var isHelpBrief = false
  var requestsHelp: Bool { rest.last == "--help" }
  var requestsVersion: Bool { rest.last == "--version" }
  /// True after `--help` or `--version`: later words do not matter, even if they are
  /// mistakes.
  private var isDone: Bool { requestsHelp || requestsVersion }

  /// Splits the words after a verb, up to `--help` or `--version`. The table is made for the
  /// first option only.
  init(
    in words: [RawArgument], table: @autoclosure () -> OptionTable, takesCommand: Bool = false
  ) throws(UsageError) {
    var iterator = words.makeIterator()
    while !isDone, let word = iterator.next() {
      if word.bytes == Array("--".utf8) && takesCommand {
        command = Array(IteratorSequence(iterator))
        return
      } else if word.bytes == Array("--".utf8) {
        while let name = iterator.next() { append(.path(name), name) }
      } else if word.bytes.starts(with: "--".utf8) {
        try takeLong(word, table(), &iterator)
      } else if word.bytes.first == UInt8(ascii: "-") && word.bytes.count > 1 {
        try takeShort(word, table(), &iterator)
      } else {
        append(.path(word), word)
      }
    }
  }

  private mutating func append(_ input: Input, _ name: RawArgument) {
    inputs.append(input)
    if let descriptor = name.openDescriptor { opened[name.bytes] = descriptor }
  }

  private mutating func takeLong(
    _ word: RawArgument, _ table: OptionTable,
    _ iterator: inout some IteratorProtocol<RawArgument>
  ) throws(UsageError) {
    let parts = word.bytes.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = RawArgument(bytes: Array(parts[0]))
    let joined = parts.count > 1 ? RawArgument(bytes: Array(parts[1])) : nil
    if table.flags.contains(name.text) {
      if joined != nil { throw UsageError("option \(name.text) takes no value") }
      rest.append(name.text)
    } else if let kind = table.values[name.text] {
      guard let value = joined ?? iterator.next() else {
        throw UsageError("option \(name.text) needs a value")
      }
      try take(name.text, value, kind)
    } else {
      throw UsageError(unknownOption: name, table)
    }
  }

  /// Takes letters after one dash; the last letter may be joined to its value.
  private mutating func takeShort(
    _ word: RawArgument, _ table: OptionTable,
    _ iterator: inout some IteratorProtocol<RawArgument>
  ) throws(UsageError) {
    var letters = word.text.dropFirst()
    while !isDone, let letter = letters.popFirst() {
      guard let name = table.letters[letter] else {
        throw UsageError(unknownOption: RawArgument(argument: "-\(letter)"), table)
      }
      guard let kind = table.values[name] else {
        isHelpBrief = name == "--help"
        rest.append(name)
        continue
      }
      let joined = letters.isEmpty ? nil : RawArgument(argument: String(letters))
      guard let value = joined ?? iterator.next() else {
        throw UsageError("option -\(letter) needs a value")
      }
      try take(name, value, kind)
      return
    }
  }

  private mutating func take(
    _ name: String, _ value: RawArgument, _ kind: OptionValue
  ) throws(UsageError) {
    switch name {
    case "--files-from": append(.list(value, separator: UInt8(ascii: "\n")), value)
    case "--files0-from": append(.list(value, separator: 0), value)
    case "--include": filters.append(Filter(isInclude: true, pattern: value.bytes))
    case "--exclude": filters.append(Filter(isInclude: false, pattern: value.bytes))
    default: rest += try kind.pieces(of: value, for: name).map { "\(name)=\($0)" }
    }
  }
}

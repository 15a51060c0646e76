// A command line, cut into options and operands.
//
// DESIGN. A command line can have a hundred thousand names, and ArgumentParser
// takes the square of their number in time (20,000 took nine seconds). So it is
// given the options alone, each with its value in one word, and what it would
// lose goes round it: the names, and of --files-from, --exclude and their like the
// order in which they stand among each other. Having to know the options for that,
// this is also where unknown ones are found: with their bytes quoted, which the
// parser would hand on to a terminal as they are.

internal import SystemPackage

/// What stands behind a verb.
struct Operands {
  /// What to read.
  enum Input: Equatable {
    /// A PATH.
    case path(RawArgument)
    /// A file with names in it, or `-`.
    case list(RawArgument, separator: UInt8)
  }

  /// An `--include` or an `--exclude`.
  struct Filter: Equatable {
    let isInclude: Bool
    let pattern: [UInt8]
  }

  /// PATHs and lists, in the order given.
  private(set) var inputs: [Input] = []
  /// In the order given.
  private(set) var filters: [Filter] = []
  /// Those names among the inputs that mean descriptors which are open already.
  /// Looked up here, before the program has opened anything itself.
  private(set) var opened: [[UInt8]: FileDescriptor] = [:]
  /// What stands behind `--`, of a verb that takes a command there; `nil` where
  /// there is no `--`.
  private(set) var command: [RawArgument]?
  /// What is left for the parser.
  private(set) var rest: [String] = []

  /// The PATHs and lists.
  var allNames: [RawArgument] {
    inputs.map { input in
      switch input {
      case .path(let name), .list(let name, _): name
      }
    }
  }

  /// The PATHs alone.
  var names: [RawArgument] {
    inputs.compactMap { input in
      guard case .path(let name) = input else { return nil }
      return name
    }
  }

  /// Whether help or the version is asked for, which nothing behind it changes,
  /// also no mistake.
  private var isQuestion: Bool { asksForHelp || asksForVersion }
  var asksForHelp: Bool { rest.last == "--help" }
  var asksForVersion: Bool { rest.last == "--version" }

  /// Cuts the words behind a verb, up to a question.
  init(
    in words: [RawArgument], table: OptionTable, takesCommand: Bool = false
  ) throws(UsageError) {
    var iterator = words.makeIterator()
    while !isQuestion, let word = iterator.next() {
      if word.bytes == Array("--".utf8) && takesCommand {
        command = Array(IteratorSequence(iterator))
        return
      } else if word.bytes == Array("--".utf8) {
        while let name = iterator.next() { append(.path(name), name) }
      } else if word.bytes.starts(with: "--".utf8) {
        try takeLong(word, table, &iterator)
      } else if word.bytes.first == UInt8(ascii: "-") && word.bytes.count > 1 {
        try takeShort(word, table, &iterator)
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
      throw UsageError(
        "unknown option ", name, UsageError.suggestion(for: name.text, among: table.names))
    }
  }

  /// Letters behind one dash; the value of one may follow at once.
  private mutating func takeShort(
    _ word: RawArgument, _ table: OptionTable,
    _ iterator: inout some IteratorProtocol<RawArgument>
  ) throws(UsageError) {
    var letters = word.text.dropFirst()
    while !isQuestion, let letter = letters.popFirst() {
      guard let name = table.letters[letter] else {
        throw UsageError("unknown option ", RawArgument(argument: "-\(letter)"))
      }
      guard let kind = table.values[name] else {
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

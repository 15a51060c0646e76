// The table of a verb: each option with its names, its value, its texts, and the property that
// it sets.
//
// DESIGN. An option is told once. The parser (`Operands`), the help (`HelpPage`), the completions
// (`CompletionScript`), the manual pages and docs/options.md (`Reference`) read the table and know
// no option themselves. A group of options that several verbs share has a table of its own, which
// a verb lifts by the key path of the group. The tables are made for the first option of a command
// line only: a verb without options is `init()`.
//
// Rejected: swift-argument-parser. Its time grows with the square of the number of operands
// (20,000 took nine seconds), it knows strings and not bytes, loses the order of lists and
// filters, and brought 7 MB and a third of the start.

/// Values of options: a verb, or a group of options that verbs share. `init` gives the defaults.
protocol OptionGroup: SendableMetatype {
  init()
}

extension OptionGroup {
  static func parse(
    _ words: [RawArgument], of verb: String = "", takesCommand: Bool, takesManifests: Bool = false,
    options: () -> [Option<Self>]
  ) throws(UsageError) -> (Self, Operands) {
    var group = Self()
    var table: (options: [Option<Self>], texts: [OptionText])?
    let operands = try Operands(
      words, of: verb, takesCommand: takesCommand, takesManifests: takesManifests
    ) {
      if let table { return table.texts }
      let options = options()
      let texts = options.map(\.text)
      table = (options, texts)
      return texts
    } take: { (index, operands, value) throws(UsageError) in
      try table?.options[index].set(&group, &operands, value) ?? []
    }
    return (group, operands)
  }
}

typealias PropertyPath<Group, Value> = any WritableKeyPath<Group, Value> & Sendable

/// The part that an option plays on a shard of a plan.
enum ShardRole: Sendable {
  /// An option that decides on the results: parts with different values are not merged.
  case result
  /// An option that decides where, how fast or how noisily files are read: parts may differ in it.
  case run
  /// An option that does not apply; the words end the sentence that says so.
  case refused(String)

  static let wholeRun = refused("does not apply to a shard of a plan, which writes a part")
  static let walk = refused("belongs to weir plan, which walks")
}

/// An option as the reader sees it.
///
/// DESIGN. A command line with one option makes the texts of all options of its verb. So their parts
/// are found when they are asked for: to split the spellings took a quarter of the time of one small
/// file.
struct OptionText: Sendable {
  /// The names, and the name of the value if there is one: `-j, --jobs N`.
  let spelling: String
  /// The line of `-h`, and the beginning of the whole text.
  let line: String
  /// The rest of the whole text, with the punctuation before it.
  let details: String
  /// The words after `default:`, if there are any.
  let preset: @Sendable () -> String?
  let completion: OptionCompletion
  /// False for an option that `-h` only names: one that no command of the first page of the manual has.
  fileprivate(set) var isBrief: Bool
  let shardRole: ShardRole

  /// The letter, such as `j`.
  var letter: UInt8? { OptionText.letter(of: spelling) }
  /// The long name, such as `--jobs`.
  var name: String { OptionText.name(of: spelling) }
  /// The name of the value, such as `N`; `nil` for an option without a value.
  var valueName: String? {
    let parts = OptionText.long(spelling).split(separator: UInt8(ascii: " "))
    return parts.count > 1 ? String(Substring(parts[1])) : nil
  }
  var isFlag: Bool { !OptionText.long(spelling).contains(UInt8(ascii: " ")) }

  private static func letter(of spelling: String) -> UInt8? {
    let second = spelling.utf8.dropFirst().first
    return second == UInt8(ascii: "-") ? nil : second
  }

  fileprivate static func name(of spelling: String) -> String {
    String(Substring(long(spelling).prefix { $0 != UInt8(ascii: " ") }))
  }

  /// Returns a spelling without the letter: `--jobs N`.
  private static func long(_ spelling: String) -> Substring.UTF8View {
    spelling.utf8.dropFirst(letter(of: spelling) == nil ? 0 : "-j, ".utf8.count)
  }

  /// `-j, --jobs`.
  var names: String { spellings.joined(separator: ", ") }
  /// `-j` and `--jobs`.
  var spellings: [String] {
    (letter.map { ["-\(Character(Unicode.Scalar($0)))"] } ?? []) + [name]
  }

  private var ending: String { preset().map { " [default: \($0)]" } ?? "" }
  var brief: String { line + ending }
  var whole: String { line + details + ending }
}

/// The values that a shell offers for an option or an operand.
enum OptionCompletion: Equatable {
  case none
  case file
  case directory
  case words([String])
}

struct Option<Group: OptionGroup>: Sendable {
  /// Takes the value of the option, or the word itself for an option without a value. Returns
  /// the words that stand for the value in the parts of shards.
  typealias Setter =
    @Sendable (inout Group, inout Operands, RawArgument) throws(UsageError) -> [String]

  let text: OptionText
  let set: Setter

  private init(
    _ spelling: String, _ line: String, _ details: String, _ completion: OptionCompletion,
    isBrief: Bool, _ role: ShardRole, preset: @escaping @Sendable () -> String?,
    _ set: @escaping Setter
  ) {
    text = OptionText(
      spelling: spelling, line: line, details: details, preset: preset, completion: completion,
      isBrief: isBrief, shardRole: role)
    self.set = set
  }

  init(
    flag spelling: String, _ path: PropertyPath<Group, Bool>, _ line: String,
    _ details: String = "", isBrief: Bool = true, on role: ShardRole = .result
  ) {
    self.init(spelling, line, details, .none, isBrief: isBrief, role, preset: { nil }) {
      (group, _, _) throws(UsageError) in
      group[keyPath: path] = true
      return []
    }
  }

  init<Value>(
    _ spelling: String, _ value: OptionValue<Value>, _ line: String, _ details: String = "",
    default preset: @autoclosure @escaping @Sendable () -> String? = nil, isBrief: Bool = true,
    on role: ShardRole = .result,
    take: @escaping @Sendable (inout Group, inout Operands, Value) -> Void
  ) {
    self.init(spelling, line, details, value.completion, isBrief: isBrief, role, preset: preset) {
      (group, operands, argument) throws(UsageError) in
      take(&group, &operands, try value.read(argument, OptionText.name(of: spelling)))
      return value.words(argument.text)
    }
  }

  init<Value>(
    _ spelling: String, _ value: OptionValue<Value>, optional path: PropertyPath<Group, Value?>,
    _ line: String, _ details: String = "",
    default preset: @autoclosure @escaping @Sendable () -> String? = nil,
    isBrief: Bool = true, on role: ShardRole = .result
  ) {
    self.init(
      spelling, value, line, details, default: preset(), isBrief: isBrief, on: role
    ) { group, _, value in group[keyPath: path] = value }
  }

  /// Makes an option that sets a property. The default is the initial value of the property.
  init<Value>(
    _ spelling: String, _ value: OptionValue<Value>, _ path: PropertyPath<Group, Value>,
    _ line: String, _ details: String = "", isBrief: Bool = true, on role: ShardRole = .result
  ) {
    self.init(
      spelling, value, line, details, default: value.name(Group()[keyPath: path]),
      isBrief: isBrief, on: role
    ) { group, _, value in group[keyPath: path] = value }
  }

  init(
    answer spelling: String, _ line: String, isBrief: Bool = true,
    _ answer: @escaping @Sendable (RawArgument) -> Answer
  ) {
    self.init(spelling, line, "", .none, isBrief: isBrief, .run, preset: { nil }) {
      (_, operands, word) throws(UsageError) in
      operands.answer = answer(word)
      return []
    }
  }

  /// The same option, which `-h` only names.
  var unlisted: Option {
    var text = text
    text.isBrief = false
    return Option(text: text, set: set)
  }

  func lifted<Outer>(by path: PropertyPath<Outer, Group>) -> Option<Outer> {
    Option<Outer>(text: text) { (outer, operands, value) throws(UsageError) in
      try set(&outer[keyPath: path], &operands, value)
    }
  }

  fileprivate init(text: OptionText, set: @escaping Setter) {
    self.text = text
    self.set = set
  }
}

/// Options under a title.
struct OptionSection<Group: OptionGroup>: Sendable {
  /// The title, without a colon; empty for none.
  let title: String
  /// Words of the command line that are no options, each with its text.
  let words: [(String, String)]
  let options: [Option<Group>]
  /// A paragraph after the options.
  let note: String

  init(
    _ title: String, words: [(String, String)] = [], _ options: [Option<Group>], note: String = ""
  ) {
    self.title = title
    self.words = words
    self.options = options
    self.note = note
  }

  func lifted<Outer>(by path: PropertyPath<Outer, Group>) -> OptionSection<Outer> {
    OptionSection<Outer>(
      title, words: words, options.map { $0.lifted(by: path) }, note: note)
  }

  func with(_ more: [Option<Group>]) -> OptionSection {
    OptionSection(title, words: words, options + more, note: note)
  }

  var text: SectionText {
    SectionText(title: title, words: words, options: options.map(\.text), note: note)
  }
}

/// Options under a title, as the reader sees them.
struct SectionText {
  let title: String
  let words: [(String, String)]
  let options: [OptionText]
  let note: String
}

// Which options a verb has.

/// Which values an option takes.
enum OptionValue: Sendable {
  /// A name: any bytes.
  case name
  /// The name of a file that is written.
  case outputFile
  /// A number.
  case number(ClosedRange<Int>)
  /// A number of bytes: `4096`, `4K`, `10MB`.
  case size
  /// A time: seconds, or what a letter behind the number says.
  case time
  /// One of some words.
  case word([String])
  /// One of some words or several, with commas between them.
  case words([String])
}

extension OptionValue {
  /// The value in pieces, as the parser is to have them.
  func pieces(of value: RawArgument, for option: String) throws(UsageError) -> [String] {
    let text = value.text
    switch self {
    case .name:
      return [text.isEmpty ? RawArgument.empty : text]
    case .outputFile:
      if text == "-" {
        throw UsageError(
          "\(option) takes the name of a file; standard output is /dev/stdout")
      }
      return [text.isEmpty ? RawArgument.empty : text]
    case .number(let range):
      if let number = Int(text), range.contains(number) { return [text] }
      let upTo = range.upperBound == .max ? "on" : "to \(range.upperBound)"
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) \(upTo), not ", value)
    case .size:
      if let size = ByteCount.parse(text) { return [String(size)] }
      throw UsageError("\(option) takes a size, as 4096, 4K or 10MB, not ", value)
    case .time:
      if TimeArgument(argument: text) != nil { return [text] }
      throw UsageError("\(option) takes a time, as 10, 0.5, 2m or 1h, not ", value)
    case .word(let words):
      if words.contains(text) { return [text] }
      throw OptionValue.unknown(value, among: words, for: option)
    case .words(let words):
      let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      for piece in pieces where !words.contains(piece) {
        throw OptionValue.unknown(RawArgument(argument: piece), among: words, for: option)
      }
      return pieces
    }
  }

  private static func unknown(
    _ value: RawArgument, among words: [String], for option: String
  ) -> UsageError {
    let list = words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
    return UsageError(
      "\(option) takes \(list), not ", value,
      UsageError.suggestion(for: value.text, among: words))
  }
}

/// The options of a verb by their names, as far as one must know to tell
/// options, their values and operands apart. A test holds it against what the
/// parser knows.
struct OptionTable: Sendable {
  /// Those that take a value, as `"--jobs"`, and which.
  var values: [String: OptionValue]
  /// Those that take none: `"--tag"`.
  var flags: Set<String>
  /// Letters that stand for one of these: `"j"` for `"--jobs"`.
  var letters: [Character: String]

  /// What every verb has.
  static let common = OptionTable(flags: ["--help", "--version"], letters: ["h": "--help"])

  init(
    values: [String: OptionValue] = [:], flags: Set<String> = [],
    letters: [Character: String] = [:]
  ) {
    self.values = values
    self.flags = flags
    self.letters = letters
  }

  static func + (left: OptionTable, right: OptionTable) -> OptionTable {
    OptionTable(
      values: left.values.merging(right.values) { $1 }, flags: left.flags.union(right.flags),
      letters: left.letters.merging(right.letters) { $1 })
  }

  var names: Set<String> { flags.union(values.keys) }
}

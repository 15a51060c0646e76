// The values of options: numbers, sizes, times, words and names.

internal import ArgumentParser

/// The kind of value that an option takes.
enum OptionValue: Sendable {
  /// A name: any bytes.
  case name
  /// The name of a file that is written.
  case outputFile
  /// A number.
  case number(ClosedRange<Int>)
  /// A number, or a percentage: `100`, `50%`.
  case share
  /// A number of bytes: `4096`, `4K`, `10MB`.
  case size
  /// A time: seconds, or a number with a unit.
  case time
  /// One of several words.
  case word([String])
  /// One or more of several words, separated by commas. Others that the closure accepts are
  /// listed nowhere.
  case words([String], orUnlisted: @Sendable (String) -> Bool)

  /// Checks a value and splits it into the values for the parser.
  func pieces(of value: RawArgument, for option: String) throws(UsageError) -> [String] {
    let text = value.text
    switch self {
    case .name:
      return [text.isEmpty ? RawArgument.empty : text]
    case .outputFile:
      if text == "-" {
        throw UsageError(
          "\(option) takes the name of a file; use /dev/stdout for standard output")
      }
      return [text.isEmpty ? RawArgument.empty : text]
    case .number(let range):
      if let number = Int(text), range.contains(number) { return [text] }
      let isTooLarge = Int(text) == nil && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      let bounds =
        range.upperBound < .max
        ? "from \(range.lowerBound) to \(range.upperBound)"
        : isTooLarge && !text.isEmpty ? "of at most \(Int.max)" : "of at least \(range.lowerBound)"
      throw UsageError("\(option) takes a number \(bounds), not ", value)
    case .share:
      if GoneLimit(argument: text) != nil { return [text] }
      throw UsageError("\(option) takes a number, or a percentage such as 50%, not ", value)
    case .size:
      if let size = ByteCount.parse(text) { return [String(size)] }
      throw UsageError("\(option) takes a size such as 4096, 4K or 10MB, not ", value)
    case .time:
      if TimeArgument(argument: text) != nil { return [text] }
      throw UsageError("\(option) takes a time such as 10, 0.5, 2m or 1h, not ", value)
    case .word(let words):
      if words.contains(text) { return [text] }
      throw OptionValue.unknown(value, among: words, for: option)
    case .words(let words, let isUnlisted):
      let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      for piece in pieces where !words.contains(piece) && !isUnlisted(piece) {
        throw OptionValue.unknown(RawArgument(argument: piece), among: words, for: option)
      }
      return pieces
    }
  }

  private static func unknown(
    _ value: RawArgument, among words: [String], for option: String
  ) -> UsageError {
    UsageError(
      "\(option) takes \(alternatives(words)), not ", value,
      UsageError.suggestion(for: value.text, among: words))
  }

  /// The words as an enumeration: `a, b or c`.
  static func alternatives(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
  }
}

/// A number of bytes in the notation of coreutils: `4096`, `4K`, `4KiB` and `4kB`.
enum ByteCount {
  /// Returns the number, or `nil` if the text is no such number or is too large.
  static func parse(_ text: String) -> UInt64? {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard let number = UInt64(String(text.prefix(digits.count))),
      let unit = unit(String(text.dropFirst(digits.count)))
    else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return isTooLarge || product > UInt64(Int64.max) ? nil : product
  }

  /// `K` and `KiB` are 1024, `kB` is 1000, and so on.
  private static func unit(_ suffix: String) -> UInt64? {
    guard let letter = suffix.first else { return 1 }
    let letters = Array("kmgtp")
    guard let power = letters.firstIndex(of: Character(letter.lowercased())) else { return nil }
    let base: UInt64
    switch suffix.dropFirst() {
    case "", "iB": base = 1024
    case "B": base = 1000
    default: return nil
    }
    return (0...power).reduce(1) { product, _ in product * base }
  }
}

/// A time in seconds, or in the unit of its last letter: `s`, `m`, `h` or `d`.
struct TimeArgument: ExpressibleByArgument {
  let seconds: Double

  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

  init?(argument: String) {
    let unit = argument.last.flatMap { TimeArgument.units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    let isNumber = digits.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
    guard isNumber, let number = Double(digits), number > 0, number < 1e9 else { return nil }
    seconds = number * (unit ?? 1)
  }
}

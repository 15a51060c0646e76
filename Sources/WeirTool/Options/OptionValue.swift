// The values of options: numbers, sizes, times, words and names.

internal import FileJobs

struct OptionValue<Value>: Sendable {
  let read: @Sendable (_ word: RawArgument, _ option: String) throws(UsageError) -> Value
  var completion = OptionCompletion.none
  /// Returns the words that stand for the value in the parts of shards.
  var words: @Sendable (String) -> [String] = { [$0] }
  var name: @Sendable (Value) -> String = { "\($0)" }

  init(_ read: @escaping @Sendable (RawArgument, String) throws(UsageError) -> Value) {
    self.read = read
  }

  /// Makes a kind of value whose words a closure converts. `forms` ends the sentence on others.
  init(_ forms: String, _ convert: @escaping @Sendable (String) -> Value?) {
    self.init { (word, option) throws(UsageError) in
      if let value = convert(word.text) { return value }
      throw UsageError("\(option) takes \(forms), not \(word)")
    }
  }
}

extension OptionValue where Value == RawArgument {
  /// A word of any bytes.
  static let word = OptionValue { (word, _) throws(UsageError) in word }
  static let directory = word.completing(.directory)
  /// The name of a file of the tool that is read.
  static let file = tool(.input)
  /// The name of a file of the tool that is written.
  static let output = tool(.output)
  /// The same, for a file that is no manifest, and may be standard output.
  static let outputFile = tool(
    .output, orOutput: "takes the name of a file; use /dev/stdout for standard output")
  /// The name of a directory of parts.
  static let partsDirectory = tool(.output).completing(.directory)

  /// The name of a file that is replaced as a whole.
  static let replacedFile = tool(
    .replaced, orOutput: "takes the name of a file, which is replaced at the end")

  /// The name of a file of the tool, which `-C` leaves where it is.
  ///
  /// - Parameter fault: The end of the sentence that refuses `-`; `nil` to accept it.
  private static func tool(_ use: StartDirectory.Use, orOutput fault: String? = nil) -> OptionValue
  {
    OptionValue { (word, option) throws(UsageError) in
      if let fault, word.bytes == Array("-".utf8) { throw UsageError("\(option) \(fault)") }
      return StartDirectory.path(of: word, for: use)
    }.completing(.file)
  }

  private func completing(_ completion: OptionCompletion) -> OptionValue {
    var value = self
    value.completion = completion
    return value
  }
}

extension OptionValue where Value == BagField {
  /// A line of bag-info.txt.
  static let bagField = OptionValue { (word, option) throws(UsageError) in
    do throws(BagField.Refusal) {
      return try BagField(word.bytes)
    } catch {
      throw UsageError("\(option) takes \(error.expected), not \(word)")
    }
  }
}

extension OptionValue where Value == Int {
  static func number(_ range: ClosedRange<Int>) -> OptionValue {
    OptionValue { (word, option) throws(UsageError) in
      let text = word.text
      if let number = Int(text), range.contains(number) { return number }
      let isTooLarge = Int(text) == nil && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      let bounds =
        range.upperBound < .max
        ? "from \(range.lowerBound) to \(range.upperBound)"
        : isTooLarge && !text.isEmpty ? "of at most \(Int.max)" : "of at least \(range.lowerBound)"
      throw UsageError("\(option) takes a number \(bounds), not \(word)")
    }
  }
}

extension OptionValue where Value == UInt64 {
  /// A number of bytes: `4096`, `4K`, `10MB`.
  static var size: OptionValue {
    var value = OptionValue("a size such as 4096, 4K or 10MB") { ByteCount.parse($0) }
    value.words = { text in ByteCount.parse(text).map { ["\($0)"] } ?? [text] }
    value.name = ByteCount.text
    return value
  }
}

extension OptionValue where Value == Double {
  /// A time: numbers, each in the unit of the letter after it, `s`, `m`, `h` or `d`; the last one
  /// without a letter is in seconds.
  static var time: OptionValue {
    OptionValue("a time such as 10, 0.5, 2m or 1h30m") { text in
      let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
      var (rest, sum) = (text[...], 0.0)
      while !rest.isEmpty {
        let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
        rest = rest[digits.endIndex...]
        guard let number = Double(digits) else { return nil }
        guard let letter = rest.popFirst() else { return seconds(sum + number) }
        guard let unit = units[letter] else { return nil }
        sum += number * unit
      }
      return seconds(sum)
    }
  }

  private static func seconds(_ number: Double) -> Double? {
    number > 0 && number < 1e14 ? number : nil
  }
}

extension OptionValue where Value: RawRepresentable<String> & Sendable {
  /// One of several words.
  static func choice(_ values: [Value]) -> OptionValue {
    let words = values.map(\.rawValue)
    var value = OptionValue { (word, option) throws(UsageError) in
      if let value = values.first(where: { $0.rawValue == word.text }) { return value }
      throw UsageError(unknown: word, among: words, for: option)
    }
    value.completion = .words(words)
    value.name = \.rawValue
    return value
  }
}

extension OptionValue where Value == [DigestAlgorithm] {
  /// One or more digest algorithms, separated by commas. Those that are not listed, such as
  /// blake2b-256, are accepted too.
  static var algorithms: OptionValue {
    let words = DigestAlgorithm.listed.map(\.name)
    var value = OptionValue { (word, option) throws(UsageError) in
      let pieces = word.bytes.split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      return try pieces.map { piece throws(UsageError) in
        let piece = RawArgument(bytes: Array(piece))
        if let algorithm = OptionValue.algorithm(piece.text) { return algorithm }
        throw UsageError(unknown: piece, among: words, for: option)
      }
    }
    value.completion = .words(words)
    value.words = { $0.split(separator: ",").map { algorithm(String($0))?.name ?? String($0) } }
    return value
  }

  /// Returns the algorithm of a name, also as `SHA-256`.
  private static func algorithm(_ name: String) -> DigestAlgorithm? {
    let word = name.lowercased()
    return DigestAlgorithm(word) ?? DigestAlgorithm(word.replacing("sha-", with: "sha"))
  }
}

extension UsageError {
  fileprivate init(unknown value: RawArgument, among words: [String], for option: String) {
    let hint = UsageError.suggestion(for: value.text, among: words)
    self.init("\(option) takes \(UsageError.alternatives(words)), not \(value)\(hint)")
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

  static func text(_ number: UInt64) -> String {
    number > 0 && number % (1 << 20) == 0 ? "\(number >> 20)M" : "\(number)"
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

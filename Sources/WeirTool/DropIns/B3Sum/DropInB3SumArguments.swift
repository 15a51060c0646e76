// The words of a command line of b3sum, by the rules of its parser.
//
// DESIGN. b3sum is a program in Rust, and clap parses its options, not getopt_long: long
// options cannot be abbreviated, a word that begins with `-` is never the value of the option
// before it, `-l=3` means 3, and an option that is given twice is an error. The first lines of
// the messages are those of b3sum 1.2.0; its usage lines are not written.

/// An option of b3sum.
enum DropInB3SumOption: Int, CaseIterable, Sendable {
  case check, deriveKey, keyed, length, noMmap, noNames, numThreads, quiet, raw, seek, tag
  case help, version

  private static let names: [StaticString] = [
    "check", "derive-key", "keyed", "length", "no-mmap", "no-names", "num-threads", "quiet",
    "raw", "seek", "tag", "help", "version",
  ]

  /// Finds an option by its long name.
  init?(name: ArraySlice<UInt8>) {
    let index = DropInB3SumOption.names.firstIndex { known in
      name.elementsEqual(
        UnsafeRawBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount))
    }
    guard let index else { return nil }
    self.init(rawValue: index)
  }

  /// Finds an option by its letter.
  init?(letter: UInt8) {
    switch letter {
    case UInt8(ascii: "c"): self = .check
    case UInt8(ascii: "l"): self = .length
    case UInt8(ascii: "h"): self = .help
    case UInt8(ascii: "V"): self = .version
    default: return nil
    }
  }

  var takesValue: Bool { valueName != nil }

  private var valueName: String? {
    switch self {
    case .deriveKey: "CONTEXT"
    case .length: "LEN"
    case .numThreads: "NUM"
    case .seek: "SEEK"
    default: nil
    }
  }

  /// The option in messages: `--length <LEN>`.
  var shown: String {
    "--\(DropInB3SumOption.names[rawValue])" + (valueName.map { " <\($0)>" } ?? "")
  }
}

/// The options and operands of a command line.
struct DropInB3SumArguments {
  /// The indices of the operands in argv.
  private(set) var operands: [Int] = []
  private var counts = Array(repeating: 0, count: DropInB3SumOption.allCases.count)
  private var values: [[UInt8]?] = Array(repeating: nil, count: DropInB3SumOption.allCases.count)
  /// The option whose value is the next word, unless that begins with a dash.
  private var open: DropInB3SumOption?

  private static let dash = UInt8(ascii: "-")
  private static let equals = UInt8(ascii: "=")

  /// Parses the words after the first. Ends the program at an unknown option, and at --help
  /// and --version.
  init(_ words: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>, _ exit: DropInB3SumExit) {
    var hasOptionsEnded = false
    for (index, word) in words.enumerated().dropFirst() {
      guard let word else { break }
      let bytes = DropIn.bytes(of: word)
      if hasOptionsEnded || bytes.first != DropInB3SumArguments.dash || bytes.count == 1 {
        takeOperand(bytes, at: index, isValue: !hasOptionsEnded)
        continue
      }
      if bytes == [DropInB3SumArguments.dash, DropInB3SumArguments.dash] {
        hasOptionsEnded = true
        continue
      }
      open = nil
      if bytes[1] == DropInB3SumArguments.dash {
        takeLong(bytes, exit)
      } else {
        takeLetters(bytes, exit)
      }
    }
  }

  func has(_ option: DropInB3SumOption) -> Bool { counts[option.rawValue] > 0 }

  /// The value of an option; `nil` if it is not given.
  subscript(option: DropInB3SumOption) -> [UInt8]? { values[option.rawValue] }

  /// The first option that is given more than once.
  var repeated: DropInB3SumOption? { DropInB3SumOption.allCases.first { counts[$0.rawValue] > 1 } }

  /// The option before `--` or the end of the command line, if its value does not follow.
  var unfinished: DropInB3SumOption? {
    open.flatMap { self[$0] == nil ? $0 : nil }
  }

  /// The first option that lacks its value.
  var incomplete: DropInB3SumOption? {
    DropInB3SumOption.allCases.first { $0.takesValue && has($0) && self[$0] == nil }
  }

  // MARK: Words

  private mutating func takeOperand(_ bytes: [UInt8], at index: Int, isValue: Bool) {
    if isValue, let open {
      values[open.rawValue] = bytes
      self.open = nil
    } else {
      operands.append(index)
    }
  }

  /// Takes `--NAME` or `--NAME=VALUE`. The value of an option that has none is ignored.
  private mutating func takeLong(_ bytes: [UInt8], _ exit: DropInB3SumExit) {
    let text = bytes.drop { $0 == DropInB3SumArguments.dash }
    let end = text.firstIndex(of: DropInB3SumArguments.equals)
    let name = text[..<(end ?? text.endIndex)]
    guard let option = DropInB3SumOption(name: name) else {
      exit.withUnknown([DropInB3SumArguments.dash, DropInB3SumArguments.dash] + name)
    }
    take(option, value: end.map { text[$0...] }, exit)
  }

  /// Takes `-LETTERS`. A letter that takes a value takes the rest of the word.
  private mutating func takeLetters(_ bytes: [UInt8], _ exit: DropInB3SumExit) {
    var rest = bytes.dropFirst()
    while let letter = rest.first {
      guard let option = DropInB3SumOption(letter: letter) else {
        exit.withUnknown([DropInB3SumArguments.dash] + DropInB3SumArguments.character(of: rest))
      }
      rest = rest.dropFirst()
      if option.takesValue {
        return take(option, value: rest.isEmpty ? nil : rest, exit)
      }
      take(option, value: nil, exit)
    }
  }

  /// The bytes of the first character, or of what can begin one.
  private static func character(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    guard case .valid(let character) = parser.parseScalar(from: &iterator) else {
      return Array(bytes.prefix(1))
    }
    return Array(character)
  }

  private mutating func take(
    _ option: DropInB3SumOption, value: ArraySlice<UInt8>?, _ exit: DropInB3SumExit
  ) {
    if option == .help { exit.withHelp() }
    if option == .version { exit.withVersion() }
    counts[option.rawValue] += 1
    guard option.takesValue else { return }
    if let value {
      values[option.rawValue] = Array(value.drop { $0 == DropInB3SumArguments.equals })
    } else {
      open = option
    }
  }
}

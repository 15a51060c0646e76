// The options of a command: one table, from which the arguments are parsed and the help is made.

import Demos

struct CommandOption: Sendable {
  let name: String
  /// The name of the value in the help; empty for a flag.
  let valueName: String
  /// A verb phrase or a noun phrase, with the values and the default.
  let help: String
  /// Explains why a value does not suit the option; `nil` if it does.
  let complaint: @Sendable (String) -> String?

  init(
    _ name: String, _ valueName: String = "", _ help: String,
    complaint: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.name = name
    self.valueName = valueName
    self.help = help
    self.complaint = complaint
  }

  static func choice(
    _ name: String, _ valueName: String, _ help: String, _ choices: [String]
  ) -> CommandOption {
    CommandOption(name, valueName, help) { value in
      choices.contains(value) ? nil : "takes \(choices.alternatives)"
    }
  }

  static func number(
    _ name: String, _ valueName: String, _ help: String, _ range: ClosedRange<Double>
  ) -> CommandOption {
    CommandOption(name, valueName, help) { value in
      if let number = Double(value), range.contains(number) { return nil }
      return "takes a number from \(range.lowerBound) to \(Int(range.upperBound))"
    }
  }

  init(_ knob: Knob) {
    let (valueName, values) =
      switch knob.kind {
      case .number(let range): ("N", ", \(range.lowerBound) to \(range.upperBound)")
      case .seconds(let range): ("S", ", \(range.lowerBound) to \(range.upperBound)")
      case .choice(let choices): ("WORD", ": \(choices.joined(separator: ", "))")
      case .flag: ("", "")
      }
    let usual = knob.defaultValue.isEmpty ? "" : " [default: \(knob.defaultValue)]"
    self.init(knob.name, valueName, knob.help + values + usual) { knob.complaint(about: $0) }
  }

  var lines: [String] {
    let head = "      --\(name) \(valueName)"
    let gap = String(repeating: " ", count: max(2, 27 - head.count))
    return TextLines.wrap(head + gap + help, columns: 80, indent: 27)
  }
}

extension [String] {
  /// The words as alternatives: `a, b or c`.
  var alternatives: String {
    count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) or \(self[count - 1])"
  }
}

/// The arguments of a command: operands, and values of options.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]

  private(set) var requestsHelp = false

  /// Parses words.
  ///
  /// - Parameters:
  ///   - options: The options that can be given.
  ///   - owner: The command or demo, for messages.
  ///   - knobs: The number of options, from the first, that belong to the owner alone.
  init(
    _ words: [String], options: [CommandOption], of owner: String, knobs: Int = 0
  ) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        operands.append(word)
        continue
      }
      if ["-h", "--help"].contains(word) {
        requestsHelp = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0].drop { $0 == "-" })
      guard word.hasPrefix("--"), let index = options.firstIndex(where: { $0.name == name }) else {
        let all = options.prefix(knobs > 0 ? knobs : options.count).map { "--\($0.name)" }
        throw UsageError("\(owner) has no \(parts[0]); it has \(all.joined(separator: ", "))")
      }
      let option = options[index]
      if option.valueName.isEmpty {
        if parts.count > 1 { throw UsageError("--\(name) takes no value") }
        values[name] = "yes"
        continue
      }
      guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
        throw UsageError("--\(name) needs a value, \(option.valueName)")
      }
      if let complaint = option.complaint(value) {
        let of = index < knobs ? " of \(owner)" : ""
        throw UsageError("--\(name)\(of) \(complaint), not \(value)")
      }
      values[name] = value
    }
  }

  /// The value of an option; `nil` if it was not given.
  subscript(name: String) -> String? { values[name] }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// The given options among the knobs of a demo.
  func values(of knobs: [Knob]) -> [String: String] {
    values.filter { name, _ in knobs.contains { $0.name == name } }
  }

  /// The operands, if there are at most so many.
  func operands(atMost count: Int) throws(UsageError) -> [String] {
    if operands.count > count { throw UsageError("unexpected operand \(operands[count])") }
    return operands
  }
}

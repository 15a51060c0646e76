// The verbs of the command line.

internal import ArgumentParser

/// A verb of the command line.
protocol Verb: ParsableCommand {
  /// The options of the verb, by name.
  static var optionTable: OptionTable { get }
  /// True if the words after `--` are a command, and not more PATHs.
  static var takesCommand: Bool { get }
  /// The output of `--help`: 80 columns wide, without a newline at the end.
  static var helpPage: String { get }
  /// The output of `-h`: a line for each option, and no more lines than a screen has.
  static var brief: String { get }
  /// The command if no option is given; `nil` to ask the parser for it.
  ///
  /// DESIGN. The parser takes three times as long as all the rest of a run on one small
  /// file, so the verbs that scripts call in a loop have their default values here as well.
  /// `OptionDeclarationTests` compares both.
  static var withoutOptions: Self? { get }
  /// Runs the verb. The command itself holds the options.
  func run(_ operands: Operands) throws
}

extension Verb {
  static var name: String { configuration.commandName ?? "" }
  static var takesCommand: Bool { false }
  static var withoutOptions: Self? { nil }

  /// Makes the command from the words for the parser.
  static func make(from words: [String]) throws -> Self {
    if words.isEmpty, let command = withoutOptions { return command }
    // Through the root command, the parser would examine the options of all verbs.
    return try parse(words)
  }
}

enum Verbs {
  /// All verbs, in the order of the help page.
  static let all: [any Verb.Type] = [
    HashCommand.self, CheckCommand.self, CountCommand.self, DuplicatesCommand.self,
    RunCommand.self, LimitsCommand.self, DemoCommand.self,
  ]

  static func named(_ name: String) -> (any Verb.Type)? {
    all.first { $0.name == name }
  }
}

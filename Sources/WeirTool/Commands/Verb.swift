// The verbs of the command line.

internal import ArgumentParser

/// The options of a verb, as its run needs them.
protocol VerbRequest {
  /// Runs the verb.
  func run(_ operands: Operands) throws
}

/// A verb of the command line. The command holds the options as the parser declares them.
protocol Verb: ParsableCommand, VerbRequest {
  /// The options of the verb, by name.
  static var optionTable: OptionTable { get }
  /// True if the words after `--` are a command, and not more PATHs.
  static var takesCommand: Bool { get }
  /// The output of `--help`: 80 columns wide, without a newline at the end.
  static var helpPage: String { get }
  /// The output of `-h`: a line for each option, and no more lines than a screen has.
  static var brief: String { get }
  /// The request if no option is given; `nil` to ask the parser for it.
  ///
  /// DESIGN. The parser takes three times as long as all the rest of a run on one small
  /// file, and to make a command with its groups of options takes a fifth of that run. So the
  /// verbs that scripts call in a loop have a request of their own, with default values.
  /// `OptionDeclarationTests` compares them with the parser's.
  static var withoutOptions: (any VerbRequest)? { get }
  /// The values of the options.
  var request: any VerbRequest { get }
}

extension Verb {
  static var name: String { configuration.commandName ?? "" }
  static var takesCommand: Bool { false }
  static var withoutOptions: (any VerbRequest)? { nil }
  var request: any VerbRequest { self }

  /// Runs the request of a command that is not its own.
  func run(_ operands: Operands) throws { try request.run(operands) }

  /// Makes the request from the words for the parser.
  static func request(from words: [String]) throws -> any VerbRequest {
    if words.isEmpty, let request = withoutOptions { return request }
    // Through the root command, the parser would examine the options of all verbs.
    return try parse(words).request
  }
}

enum Verbs {
  /// All verbs, in the order of the help page.
  static let all: [any Verb.Type] = [
    HashCommand.self, CheckCommand.self, CountCommand.self, DuplicatesCommand.self,
    RunCommand.self, PlanCommand.self, MergeCommand.self, StatusCommand.self, LimitsCommand.self,
  ]

  static func named(_ name: String) -> (any Verb.Type)? {
    all.first { $0.name == name }
  }
}

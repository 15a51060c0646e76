// What the verbs have in common.

internal import ArgumentParser

/// A verb of the command line.
protocol Verb: ParsableCommand {
  /// Its options by their names.
  static var optionTable: OptionTable { get }
  /// Whether what stands behind `--` is a command, and not more PATHs.
  static var takesCommand: Bool { get }
  /// What `--help` prints, 80 columns wide, without a newline at its end.
  static var helpPage: String { get }
  /// Does the work. The options are in the command itself.
  func run(_ operands: Operands) throws
}

extension Verb {
  static var name: String { configuration.commandName ?? "" }
  static var takesCommand: Bool { false }
}

/// The verbs there are.
enum Verbs {
  /// In the order in which help names them.
  static let all: [any Verb.Type] = [
    HashCommand.self, CheckCommand.self, CountCommand.self, DuplicatesCommand.self,
    RunCommand.self, LimitsCommand.self, DemoCommand.self,
  ]

  static func named(_ name: String) -> (any Verb.Type)? {
    all.first { $0.name == name }
  }
}

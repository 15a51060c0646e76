/// The verbs of the command line, in the order of the help.
enum Verbs {
  static let all: [any Verb.Type] = [
    HashVerb.self, CheckVerb.self, CompareVerb.self, CountVerb.self, DuplicatesVerb.self,
    RunVerb.self, PlanVerb.self, MergeVerb.self, StatusVerb.self, LimitsVerb.self,
  ]

  static func named(_ name: String) -> (any Verb.Type)? {
    all.first { $0.name == name }
  }
}

/// The options of the tool itself, each of which asks for an answer.
struct Root: OptionGroup {
  static let typed: [Option<Root>] =
    answers + [
      Option(
        "--generate-completion-script SHELL", .choice(Answer.Shell.allCases),
        "Print the completions of a shell"
      ) { _, operands, shell in operands.answer = .completionScript(shell) }
    ]
  /// All options, those for `make` too.
  static let options =
    typed + [
      Option("--generate-manual-page COMMAND", .word, "Print the manual page of a command") {
        _, operands, name in operands.answer = .manualPage(name)
      },
      Option(answer: "--generate-reference", "Print docs/options.md") { _ in .reference },
    ]

  static func option(_ word: RawArgument) -> OptionText? {
    let name = String(word.text.prefix { $0 != "=" })
    return options.map(\.text).first { $0.spellings.contains(name) }
  }
}

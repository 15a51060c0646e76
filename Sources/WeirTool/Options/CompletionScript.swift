// What shells complete.

internal import ArgumentParser

/// `--generate-completion-script SHELL`.
enum CompletionScript {
  private static let option = "--generate-completion-script"

  /// Whether the first word asks for a script.
  static func isAsked(for word: String) -> Bool {
    word == option || word.hasPrefix("\(option)=")
  }

  /// The script that the words ask for; the parser makes it of the options.
  static func text(for words: [RawArgument]) throws(UsageError) -> String {
    let table = OptionTable(
      values: [option: .word(CompletionShell.allCases.map(\.rawValue).sorted())])
    let asked = try Operands(in: words, table: table)
    if let extra = asked.names.first { throw UsageError("unexpected operand ", extra) }
    // The last one counts, as everywhere.
    let name = asked.rest.last?.split(separator: "=").last.map(String.init) ?? ""
    guard let shell = CompletionShell(rawValue: name) else {
      throw UsageError("no script is known for ", RawArgument(argument: name))
    }
    // The parser's ends in a newline of its own.
    let script = WeirTool.completionScript(for: shell)
    return script.hasSuffix("\n") ? String(script.dropLast()) : script
  }
}

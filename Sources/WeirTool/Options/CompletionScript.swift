internal import ArgumentParser

/// `--generate-completion-script SHELL`.
enum CompletionScript {
  private static let option = "--generate-completion-script"

  /// Returns true if a word is the option for a script.
  static func isRequest(_ word: String) -> Bool {
    word == option || word.hasPrefix("\(option)=")
  }

  /// Returns the script of a shell, which the parser generates from the options.
  static func text(for words: [RawArgument]) throws(UsageError) -> String {
    let table = OptionTable(
      values: [option: .word(CompletionShell.allCases.map(\.rawValue).sorted())])
    let request = try Operands(in: words, table: table)
    if let extra = request.names.first { throw UsageError("unexpected operand ", extra) }
    // The last option decides.
    let name = request.rest.last?.split(separator: "=").last.map(String.init) ?? ""
    guard let shell = CompletionShell(rawValue: name) else {
      throw UsageError("no completion script for ", RawArgument(argument: name))
    }
    // The generated script ends in a newline.
    let script = WeirTool.completionScript(for: shell)
    return script.hasSuffix("\n") ? String(script.dropLast()) : script
  }
}

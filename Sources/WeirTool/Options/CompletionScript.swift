// The completion scripts for shells.

internal import ArgumentParser

// DESIGN. The parser's script for bash offers nothing after `help`, and files after the `--`
// of `run`, where a command comes. A function at the beginning of the parser's own completes
// these two places. The scripts for zsh and fish are the parser's.

/// `--generate-completion-script SHELL`.
enum CompletionScript {
  private static let option = "--generate-completion-script"

  /// Returns true if a word is the option for a script.
  static func isRequest(_ word: String) -> Bool {
    word == option || word.hasPrefix("\(option)=")
  }

  /// Returns the parser's script for bash with the places that it does not know.
  private static func completed(_ script: String) -> String {
    let begin = "\n_weir() {\n"
    let verbs = Verbs.all.map { $0.name }.joined(separator: " ")
    return script.replacing(
      begin,
      with: """

        # Completes the word after help, and the command after run ... --.
        __weir_complete_word() {
            local -i index
            if [[ "${COMP_WORDS[1]}" = help ]]; then
                [[ "${COMP_CWORD}" -ne 2 ]] || COMPREPLY=($(compgen -W '\(verbs)' -- "${1}"))
                return 0
            fi
            [[ "${COMP_WORDS[1]}" = run ]] || return 1
            for ((index = 2; index < COMP_CWORD; index++)); do
                [[ "${COMP_WORDS[index]}" = -- ]] || continue
                if [[ "${index}" -eq $((COMP_CWORD - 1)) ]]; then
                    COMPREPLY=($(compgen -c -- "${1}"))
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "${1}")
                fi
                return 0
            done
            return 1
        }
        \(begin)    __weir_complete_word "${2}" && return

        """)
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
    var script = WeirTool.completionScript(for: shell)
    if shell == .bash { script = CompletionScript.completed(script) }
    return script.hasSuffix("\n") ? String(script.dropLast()) : script
  }
}

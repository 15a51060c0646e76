// The completion scripts for bash, zsh and fish.

/// `--generate-completion-script SHELL`.
enum CompletionScript {
  /// Returns the script of a shell, without a newline at the end.
  static func text(for shell: Answer.Shell) -> String {
    switch shell {
    case .bash: bash
    case .fish: fish
    case .zsh: zsh
    }
  }

  private static let verbs = Verbs.all.map { $0.name }
  private static let commands = verbs + ["demo", "help"]
  /// The options of the tool itself that people type.
  private static let own = Root.typed.map(\.text)

  private static func options(of verb: any Verb.Type) -> [OptionText] {
    verb.texts.flatMap(\.options)
  }

  // MARK: bash

  private static var bash: String {
    let cases = Verbs.all.flatMap { verb -> [String] in
      let options = options(of: verb)
      let values = options.filter { !$0.isFlag }.map { option in
        let patterns = option.spellings.map { "'\(verb.name) \($0)'" }
        return "        \(patterns.joined(separator: " | "))) \(offer(option.completion)) ;;"
      }
      let names = options.flatMap(\.spellings).joined(separator: " ")
      return values + [
        "        '\(verb.name) '*) _weir_names '\(names)' || \(offer(verb.page.operand)) ;;"
      ]
    }
    return """
      # Completions of weir for bash, made by weir --generate-completion-script bash.
      _weir_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
      _weir_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "$1" -- "$word"); }
      # Offers options if the word begins as one.
      _weir_names() {
          [[ "$word" = -* && -z "$only_names" ]] || return 1
          _weir_words "$1"
      }
      _weir() {
          local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" index only_names=
          local verb="${COMP_WORDS[1]}"
          COMPREPLY=()
          # --format=json comes as three words.
          if [[ "$word" = = ]]; then
              word=
          elif [[ "$before" = = ]]; then
              before="${COMP_WORDS[COMP_CWORD-2]}"
          fi
          if ((COMP_CWORD == 1)); then
              _weir_words '\((commands + own.flatMap(\.spellings)).joined(separator: " "))'
              return
          fi
          for ((index = 2; index < COMP_CWORD; index++)); do
              [[ "${COMP_WORDS[index]}" = -- ]] || continue
              only_names=yes before=
              if [[ "$verb" = run ]] && ((index == COMP_CWORD - 1)); then
                  COMPREPLY=($(compgen -c -- "$word"))
                  return
              fi
              break
          done
          case "$verb $before" in
              'help help') _weir_words '\(verbs.joined(separator: " "))' ;;
              'help '*) ;;
      \(own.filter { !$0.isFlag }.map { "        '\($0.name) '*) \(offer($0.completion)) ;;" }.joined(separator: "\n"))
      \(cases.joined(separator: "\n"))
          esac
      }
      complete -F _weir weir
      """
  }

  private static func offer(_ completion: OptionCompletion) -> String {
    switch completion {
    case .none: ":"
    case .file: "_weir_files -f"
    case .directory: "_weir_files -d"
    case .words(let words): "_weir_words '\(words.joined(separator: " "))'"
    }
  }

  // MARK: zsh

  private static var zsh: String {
    let functions = Verbs.all.map { verb -> String in
      let options = options(of: verb).map { option -> String in
        let text = "[\(plain(option.line))]" + (option.isFlag ? "" : value(option))
        let forms = option.spellings.map {
          $0 + (option.isFlag ? "" : $0.hasPrefix("--") ? "=" : "+")
        }
        return forms.count == 1
          ? "'*\(forms[0])\(text)'" : "'*'{\(forms.joined(separator: ","))}'\(text)'"
      }
      let rest = ["'*:path:\(action(verb.page.operand))'"]
      return """
        _weir_\(verb.name)() {
            _arguments -s -S \\
                \((options + rest).joined(separator: " \\\n        "))
        }
        """
    }
    return """
      #compdef weir
      # Completions of weir for zsh, made by weir --generate-completion-script zsh.
      \(functions.joined(separator: "\n"))
      _weir() {
          # Not commands: that is zsh's table of the programs.
          local -a verbs
          verbs=(
              \(Verbs.all.map { "'\($0.name):\(plain($0.page.abstract))'" }.joined(separator: "\n        "))
              'demo:Run weir-demo'
              'help:Print help'
          )
          if ((CURRENT == 2)); then
              _describe command verbs
              compadd -- \(own.flatMap(\.spellings).joined(separator: " "))
              return
          fi
          local verb=$words[2]
          local -i separator=$words[(i)--]
          if [[ $verb = run ]] && ((separator < CURRENT)); then
              words=("${(@)words[separator+1,-1]}")
              ((CURRENT -= separator))
              _normal
          elif [[ $verb = help ]]; then
              ((CURRENT > 3)) || _describe command verbs
          elif ((CURRENT == 3)) && [[ $verb = \(own.first { !$0.isFlag }?.name ?? "") ]]; then
              compadd -- \(Answer.Shell.allCases.map(\.rawValue).joined(separator: " "))
          elif (($+functions[_weir_$verb])); then
              shift words
              ((CURRENT--))
              _weir_$verb
          fi
      }
      _weir "$@"
      """
  }

  private static func value(_ option: OptionText) -> String {
    ":\((option.valueName ?? "").lowercased()):\(action(option.completion))"
  }

  private static func action(_ completion: OptionCompletion) -> String {
    switch completion {
    case .none: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Returns a text without the characters that mean something to zsh or to the quotes of a shell.
  private static func plain(_ text: String) -> String {
    text.filter { !"'[]:\\".contains($0) }
  }

  // MARK: fish

  private static var fish: String {
    let first = "complete -c weir -n __fish_use_subcommand"
    let commands = Verbs.all.map { "\(first) -f -a \($0.name) -d '\(plain($0.page.abstract))'" }
    let ownLines = own.map { "\(first) \(names($0))\(offered($0)) -d '\(plain($0.line))'" }
    let lines = Verbs.all.flatMap { verb -> [String] in
      let seen = "complete -c weir -n '__fish_seen_subcommand_from \(verb.name)'"
      let operands =
        verb.page.operand == .directory ? " -f -a '(__fish_complete_directories)'" : " -F"
      return [seen + operands]
        + options(of: verb).map { "\(seen) \(names($0))\(offered($0)) -d '\(plain($0.line))'" }
    }
    let all =
      [
        "# Completions of weir for fish, made by weir --generate-completion-script fish.",
        "complete -c weir -f",
      ] + commands + ["\(first) -f -a 'demo help'"] + ownLines
      + [
        "complete -c weir -n '__fish_seen_subcommand_from help' -f -a '\(verbs.joined(separator: " "))'"
      ]
      + lines
    return all.joined(separator: "\n")
  }

  private static func names(_ option: OptionText) -> String {
    option.spellings.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
      .joined(separator: " ")
  }

  private static func offered(_ option: OptionText) -> String {
    switch option.completion {
    case .none: option.isFlag ? "" : " -x"
    case .file: " -r -F"
    case .directory: " -x -a '(__fish_complete_directories)'"
    case .words(let words): " -x -a '\(words.joined(separator: " "))'"
    }
  }
}

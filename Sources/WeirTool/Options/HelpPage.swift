// The help pages.
//
// DESIGN. The texts are written by hand, in 80 columns: the purpose of a verb, its
// options in the order of use, and examples. ArgumentParser's own pages name every
// option in the usage line and have no place for examples. `OptionDeclarationTests`
// checks that the pages have the options of the parser.

internal import ArgumentParser
internal import Weir

/// The output of `--help` and `weir help`.
enum HelpPage {
  /// The help page of the tool.
  static var overview: String {
    let width = (Verbs.all.map { $0.name.count }.max() ?? 0) + 2
    let verbs = Verbs.all.map { verb in
      let blanks = String(repeating: " ", count: width - verb.name.count)
      var abstract = verb.configuration.abstract
      if abstract.last == "." { abstract.removeLast() }
      return "  \(verb.name)\(blanks)\(abstract)"
    }
    return """
      usage: weir COMMAND [OPTION ...] [PATH ...]

      Read files and whole trees on all cores, without running out of descriptors, and
      write the results in a fixed order.

      Commands:
      \(verbs.joined(separator: "\n"))

      Run weir help COMMAND for the options of a command.

      Exit status:
        0  Success
        1  Something differs, or a command failed
        2  Usage error, or nothing could be started or written
        3  An existing file could not be read, or changed while it was read
        4  check --audit found new or moved files, and nothing else

      Examples:
        weir hash /srv > /tmp/manifest        Hash a tree
        weir check --quiet /tmp/manifest      Verify it
        weir count -l src                     Count lines, like wc -l
        weir duplicates /srv                  Find duplicate files
        weir run src -- gzip -k {}            Run a command for each file
        weir limits /srv                      Show limits, and the storage of /srv
        weir demo loops                       Watch a concurrent loop
      """
  }

  /// Returns the output of `weir help WORD`.
  static func text(for words: ArraySlice<RawArgument>) throws(UsageError) -> String {
    guard let word = words.first, word.text != "--help", word.text != "-h" else {
      return overview
    }
    guard let verb = Verbs.named(word.text) else {
      throw UsageError(
        "no help on ", word,
        UsageError.suggestion(for: word.text, among: Verbs.all.map { $0.name }))
    }
    if let extra = words.dropFirst().first {
      throw UsageError("unexpected operand ", extra)
    }
    return verb.helpPage
  }

  /// The command that prints the help.
  static func command(for verb: (any Verb.Type)?) -> String {
    verb.map { "weir \($0.name) --help" } ?? "weir --help"
  }
}

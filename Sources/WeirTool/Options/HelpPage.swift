// The help pages: a short one for -h, which fits a screen, and a long one for --help.
//
// DESIGN. The texts are written by hand, in 80 columns: the purpose of a verb, its
// options in the order of use, and examples. ArgumentParser's own pages name every
// option in the usage line and have no place for examples. `OptionDeclarationTests`
// checks that the pages have the options of the parser.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// The output of `--help` and `weir help`.
enum HelpPage {
  /// The verbs, one per line.
  private static var list: String {
    let width = (Verbs.all.map { $0.name.count }.max() ?? 0) + 2
    return Verbs.all.map { verb in
      let blanks = String(repeating: " ", count: width - verb.name.count)
      var abstract = verb.configuration.abstract
      if abstract.last == "." { abstract.removeLast() }
      return "  \(verb.name)\(blanks)\(abstract)"
    }.joined(separator: "\n")
  }

  /// The short help of the tool.
  static var brief: String {
    """
    usage: weir COMMAND [OPTION ...] [PATH ...]
    \(list)
    \(OptionTable.commonBrief)
    weir COMMAND -h lists the options of a command; weir help COMMAND explains them.
    """
  }

  /// The help page of the tool.
  static var overview: String {
    """
    usage: weir COMMAND [OPTION ...] [PATH ...]

    Read files and whole trees on all cores, without running out of descriptors, and
    write the results in a fixed order.

    Commands:
    \(list)

    Run weir COMMAND -h for a list of the options of a command, weir help COMMAND for
    all about them. weir demo runs weir-demo, which teaches concurrency.

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
    """
  }

  /// Returns the output of `weir help WORD`.
  ///
  /// - Parameter isBrief: True for the short help.
  static func text(
    for words: ArraySlice<RawArgument>, isBrief: Bool = false
  ) throws(UsageError) -> String {
    let ownWords = ["--help", "-h", "help"]
    guard let word = words.first, !ownWords.contains(word.text) else {
      return isBrief ? brief : overview
    }
    guard let verb = Verbs.named(word.text) else {
      throw UsageError(
        "no help on ", word,
        UsageError.suggestion(for: word.text, among: Verbs.all.map { $0.name }))
    }
    if let extra = words.dropFirst().first {
      throw UsageError("unexpected operand ", extra)
    }
    return isBrief ? verb.brief : verb.helpPage
  }

  /// The command that prints the help.
  static func command(for verb: (any Verb.Type)?) -> String {
    verb.map { "weir \($0.name) --help" } ?? "weir --help"
  }

  // MARK: - Hints

  /// The commands that do what other tools do.
  private static let equivalents = [
    "wc": "count", "xargs": "run", "parallel": "run", "verify": "check",
    "compare": "check --audit", "diff": "check --audit", "audit": "check --audit",
    "dupes": "duplicates", "fdupes": "duplicates", "jdupes": "duplicates", "rdfind": "duplicates",
    "sum": "hash", "cksum": "hash", "checksum": "hash", "digest": "hash", "hashdeep": "hash",
    "b2sum": "hash -a blake2b", "b3sum": "hash -a blake3",
  ]

  /// Returns a hint for an unknown first word: the nearest command or option, the command
  /// for the tool or the digest of that name, or the place of an option of a command.
  static func hint(for word: String) -> String {
    guard word.hasPrefix("-") else {
      let digest = word.hasSuffix("sum") ? String(word.dropLast("sum".count)) : word
      let algorithm = DigestAlgorithm(digest).map { "hash -a \($0.name)" }
      if let command = equivalents[word] ?? algorithm { return " (did you mean \(command)?)" }
      return UsageError.suggestion(for: word, among: Verbs.all.map { $0.name } + ["help"])
    }
    let name = word.split(separator: "=").first.map(String.init) ?? word
    let isOfVerb = Verbs.all.contains { verb in
      let table = verb.optionTable
      return table.names.contains(name)
        || !word.hasPrefix("--") && word.dropFirst().first.map { table.letters[$0] != nil } ?? false
    }
    if isOfVerb { return " (options come after the command: weir COMMAND \(name))" }
    return UsageError.suggestion(
      for: word, among: ["--help", "--version", "--generate-completion-script"])
  }
}

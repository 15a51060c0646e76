// The options of a verb by name, and the values they take.

/// The options of a verb by name, and the values they take: enough to tell options,
/// values and operands apart.
///
/// DESIGN. The table is not derived from the parser's declarations, which say neither
/// the range of a number nor that a value is a size or a time. Asking the parser for them
/// (`--experimental-dump-help`) takes 160 ms of CPU time in a debug build, against 7 ms for
/// `--version`.
/// `OptionDeclarationTests` compares the table with the parser, the help pages, the
/// completion scripts and the man pages.
struct OptionTable: Sendable {
  /// The options that take a value, such as `"--jobs"`.
  var values: [String: OptionValue] = [:]
  /// The options that take none, such as `"--tag"`.
  var flags: Set<String> = []
  /// The letters of options: `"j"` for `"--jobs"`.
  var letters: [Character: String] = [:]

  /// The options that every verb has.
  static let common = OptionTable(flags: ["--help", "--version"], letters: ["h": "--help"])

  /// The lines of the help page on these.
  static let commonHelp = """
      -h, --help             Print this text
          --version          Print the version
    """

  /// The line of the short help on these.
  static let commonBrief = """
      -h, --help, --version  Print this list (-h), the whole help, or the version
    """

  static func + (left: OptionTable, right: OptionTable) -> OptionTable {
    OptionTable(
      values: left.values.merging(right.values) { $1 }, flags: left.flags.union(right.flags),
      letters: left.letters.merging(right.letters) { $1 })
  }

  var names: Set<String> { flags.union(values.keys) }
}

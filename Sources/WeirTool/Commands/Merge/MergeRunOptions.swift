// The options on the run of weir merge and weir status, which read no files of the set.

internal import ArgumentParser

/// The common options that apply to verbs on parts.
struct MergeRunOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .long],
    help: ArgumentHelp("Change to DIR first.", valueName: "dir"), completion: .directory)
  var directory: RawArgument?

  @Option(help: ArgumentHelp("Show progress on standard error.", valueName: "when"))
  var progress = ProgressWhen.auto

  @Flag(help: "Print a summary on standard error.")
  var summary = false

  static let table = OptionTable(
    values: [
      "--directory": .name, "--progress": .word(ProgressWhen.allCases.map(\.rawValue)),
    ],
    flags: ["--summary"], letters: ["C": "--directory"])

  /// The lines of the short help.
  static let brief = """
      -C, --directory DIR    Change to DIR first
          --progress WHEN    Show progress: auto, always or never [default: auto]
          --summary          Print a summary on standard error
    \(OptionTable.commonBrief)
    """

  /// The section of the help page.
  static let help = """
    Run:
      -C, --directory DIR    Change to DIR first; all names are relative to it
          --progress WHEN    Show progress: auto (on a terminal), always or never
                             [default: auto]
          --summary          Print a summary on standard error
    \(OptionTable.commonHelp)
    """

  /// The options as those of any verb.
  var common: CommonOptions {
    var options = CommonOptions.defaults
    options.directory = directory
    options.progress = progress
    options.summary = summary
    return options
  }
}

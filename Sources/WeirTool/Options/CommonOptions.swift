// The options that every verb on many files has.

internal import ArgumentParser
internal import SystemPackage
internal import Weir

/// The formats of results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  /// Lines for people and other tools.
  case text
  /// One JSON object per line.
  case json
  /// The lines of mtree(5); only `weir hash` writes it.
  case mtree

  /// The values of `--format`: the common ones, and those of a single verb.
  static func names(with others: [OutputFormat]) -> [String] {
    ([.text, .json] + others).map(\.rawValue)
  }
}

/// The `--format` of verbs that write text and JSON. `weir hash` declares its own, since
/// completion offers the values of the declaration.
struct FormatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write text, or json.", valueName: "format"),
    completion: .list(OutputFormat.names(with: [])))
  var format = OutputFormat.text

  /// The values if no option is given.
  static var defaults: FormatOptions {
    var options = FormatOptions()
    options.format = .text
    return options
  }

  static let table = OptionTable(values: ["--format": .word(OutputFormat.names(with: []))])
}

/// The options on how a verb runs.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .long],
    help: ArgumentHelp("Change to DIR first.", valueName: "dir"), completion: .directory)
  var directory: RawArgument?

  @Option(
    name: [.customShort("j"), .long],
    help: ArgumentHelp("Number of files read at once.", valueName: "n"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp("Number of descriptors for these files.", valueName: "n"))
  var descriptors: Int?

  @Option(help: ArgumentHelp("Show progress on standard error.", valueName: "when"))
  var progress = ProgressWhen.auto

  @Flag(help: "Print a summary on standard error.")
  var summary = false

  @Flag(help: "Print storage and resources, and what limited the run.")
  var verbose = false

  @Option(
    help: ArgumentHelp("Record the run in FILE, for ui.perfetto.dev.", valueName: "file"),
    completion: .file())
  var trace: RawArgument?

  /// The values if no option is given.
  static var defaults: CommonOptions {
    var options = CommonOptions()
    options.directory = nil
    options.jobs = nil
    options.descriptors = nil
    options.progress = .auto
    options.summary = false
    options.verbose = false
    options.trace = nil
    return options
  }

  static let table = OptionTable(
    values: [
      "--directory": .name, "--jobs": .number(1...Lanes.widthMax),
      "--descriptors": .number(1...Int.max), "--trace": .outputFile,
      "--progress": .word(ProgressWhen.allCases.map(\.rawValue)),
    ],
    flags: ["--summary", "--verbose"], letters: ["C": "--directory", "j": "--jobs"])

  /// The lines of the short help.
  static let brief = brief(jobs: "Number of files read at once [default: by storage type]")

  /// The lines of the short help, with the text of `--jobs`.
  static func brief(jobs: String) -> String {
    """
      -C, --directory DIR    Change to DIR first
      -j, --jobs N           \(jobs)
          --descriptors N    Number of descriptors for them
          --progress WHEN    Show progress: auto, always or never [default: auto]
          --summary          Print a summary on standard error
          --verbose          Print storage and resources, and what limited the run
          --trace FILE       Record the run in FILE, for ui.perfetto.dev
    \(OptionTable.commonBrief)
    """
  }

  /// The section of the help page.
  static let help = help(
    jobs: """
      Number of files read at once, 1 to \(Lanes.widthMax) [default: by
                               storage type]
      """)

  /// The section of the help page, with the text of `--jobs`.
  static func help(jobs: String) -> String {
    """
    Run:
      -C, --directory DIR    Change to DIR first; all names are relative to it
      -j, --jobs N           \(jobs)
          --descriptors N    Number of descriptors for them [default: half the
                             process's limit, less those that are open]
          --progress WHEN    Show progress: auto (on a terminal), always or never
                             [default: auto]
          --summary          Print a summary on standard error
          --verbose          Print the readers per storage, what limited the run,
                             and the lanes and descriptors that it used
          --trace FILE       Record the run in FILE, for ui.perfetto.dev
    \(OptionTable.commonHelp)
    """
  }

  /// The options as those of a processor.
  var processorOptions: FileProcessorOptions {
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.descriptors = descriptors
    options.excluded = [.standardOutput, .standardError]
    return options
  }
}

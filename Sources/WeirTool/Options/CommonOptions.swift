// What every verb that works on many files takes.

internal import ArgumentParser
internal import SystemPackage
internal import Weir

/// How results are written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  /// Lines for people and for other tools.
  case text
  /// One JSON object a line.
  case json
  /// Lines of mtree(5): of hash alone.
  case mtree
}

extension OutputFormat {
  /// What `--format` can be told: what every verb knows, and what one knows
  /// beside.
  static func names(with others: [OutputFormat]) -> [String] {
    ([.text, .json] + others).map(\.rawValue)
  }
}

/// `--format` of a verb that knows text and JSON alone. It is not among the options
/// of all, since completion offers what the verb takes.
struct FormatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Text, or a JSON object a line.", valueName: "format"),
    completion: .list(OutputFormat.names(with: [])))
  var format = OutputFormat.text

  static let table = OptionTable(values: ["--format": .word(OutputFormat.names(with: []))])
}

/// Options on how a verb runs.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .long],
    help: ArgumentHelp("Go there first.", valueName: "dir"), completion: .directory)
  var directory: RawArgument?

  @Option(
    name: [.customShort("j"), .long],
    help: ArgumentHelp("How many files are read at once.", valueName: "n"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp("How many descriptors those may have open.", valueName: "n"))
  var descriptors: Int?

  @Option(help: ArgumentHelp("Show progress on standard error.", valueName: "when"))
  var progress = ProgressWhen.auto

  @Flag(help: "Say at the end what was done.")
  var summary = false

  @Flag(help: "Say what is read how, and what the run waited for.")
  var verbose = false

  @Option(
    help: ArgumentHelp("Record the run for ui.perfetto.dev.", valueName: "file"),
    completion: .file())
  var trace: RawArgument?

  static let table = OptionTable(
    values: [
      "--directory": .name, "--jobs": .number(1...Lanes.widthMax),
      "--descriptors": .number(1...Int.max), "--trace": .outputFile,
      "--progress": .word(ProgressWhen.allCases.map(\.rawValue)),
    ],
    flags: ["--summary", "--verbose"], letters: ["C": "--directory", "j": "--jobs"])

  /// As it stands in --help.
  static let help = help(
    jobs: "files read at once, 1 to \(Lanes.widthMax) (as the storage wants)")

  /// The same of a verb that does something else than to read.
  static func help(jobs: String) -> String {
    """
    How it runs
      -C, --directory DIR    go to DIR first; all names are relative to it
      -j, --jobs N           \(jobs)
          --descriptors N    descriptors they may have open (half of what the
                             process may, less those that are open)
          --progress WHEN    always, never, or auto: on a terminal (auto)
          --summary          say at the end, on standard error, what was done
          --verbose          say at the beginning what is read how, and at the end
                             what the run waited for
          --trace FILE       record what the lanes do, for ui.perfetto.dev
      -h, --help             this text
          --version          the version
    """
  }

  /// The same for the processor.
  var processorOptions: FileProcessorOptions {
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.descriptors = descriptors
    options.excluded = [.standardOutput, .standardError]
    return options
  }
}

// The options that every verb on many files has.

internal import SystemPackage
internal import Weir

enum OutputFormat: String {
  /// Lines for people and other tools.
  case text
  /// One JSON object per line.
  case json
  /// The lines of mtree(5); only `weir hash` writes it.
  case mtree
}

extension Option {
  static func format(_ path: PropertyPath<Group, OutputFormat>) -> Option {
    Option(
      "--format FORMAT", .choice([.text, .json]), path, "Write text or json",
      " (an object per line)")
  }
}

/// The options on how a verb runs.
struct CommonOptions: OptionGroup {
  var directory: RawArgument?
  var jobs: Int?
  var descriptors: Int?
  var background = false
  var progress = TerminalWhen.auto
  var summary = false
  var verbose = false
  var trace: RawArgument?
  var report: RawArgument?
  var metrics: RawArgument?

  static func section(
    jobs: String = "Number of files read at once", default preset: String = "by storage type"
  ) -> OptionSection<CommonOptions> {
    OptionSection(
      "Run",
      [
        directoryOption,
        Option(
          "-j, --jobs N", .number(1...Lanes.widthMax), optional: \.jobs, jobs,
          ", 1 to \(Lanes.widthMax)", default: preset, on: .run),
        Option(
          "--descriptors N", .number(1...Int.max), optional: \.descriptors,
          "Number of descriptors for them",
          default: "half the process's limit, less those that are open", isBrief: false, on: .run),
        Option(
          flag: "--background", \.background, "Work only while the processor and the disk are idle",
          ": by the idle priority of both; not every disk scheduler knows it", on: .run),
        progressOption, summaryOption,
        Option(
          flag: "--verbose", \.verbose, "Print storage and resources, and what limited the run",
          """
          : the readers of each storage and how it was recognized, how many lanes and
          descriptors were used, and the option that changes them
          """, isBrief: false, on: .run),
        Option(
          "--trace FILE", .outputFile, optional: \.trace,
          "Record the run in FILE, for ui.perfetto.dev",
          "; a FIFO without a reader is an error", isBrief: false, on: .run),
        Option(
          "--report FILE", .replacedFile, optional: \.report,
          "Replace FILE by a report on the run, as JSON",
          """
          : command, times, manifests, counts, exit status; see docs/schema/report.json
          """, on: .run),
        Option(
          "--metrics FILE", .replacedFile, optional: \.metrics,
          "Replace FILE by the report's numbers, for Prometheus",
          "; FILE.prom in the directory of the node exporter's textfile collector", isBrief: false,
          on: .run),
      ])
  }

  /// The section of a verb that reads parts of shards.
  static let partsSection = OptionSection<CommonOptions>(
    "Run", [progressOption, summaryOption])

  static let directoryName = "--directory"

  private static let directoryOption = Option<CommonOptions>(
    "-C, \(directoryName) DIR", .directory, optional: \.directory, "Change to DIR first",
    """
    ; names of data are relative to it. The files of the tool stay relative to the working
    directory: manifests, outputs, lists, states, reports, traces, logs, plans and parts
    """, on: .run)
  private static let progressOption = Option<CommonOptions>(
    "--progress WHEN", .choice(TerminalWhen.allCases), \.progress,
    "Show progress: auto, always or never",
    "; auto is on a terminal, after half a second, unless the run reads a terminal", isBrief: false,
    on: .run)
  private static let summaryOption = Option<CommonOptions>(
    flag: "--summary", \.summary, "Print a summary on standard error", isBrief: false, on: .run)

  var processorOptions: FileProcessorOptions {
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.descriptors = descriptors
    options.excluded = [.standardOutput, .standardError]
    return options
  }
}

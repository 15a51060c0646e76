// What verbs take that walk trees.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// Options on what a walk takes. Those whose order counts are here for help and
/// completion alone; Operands has what was given.
struct WalkOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Pass over what a walk meets by that name.", valueName: "glob"))
  var exclude: [RawArgument] = []

  @Option(help: ArgumentHelp("Take what a walk meets by that name.", valueName: "glob"))
  var include: [RawArgument] = []

  @Option(help: ArgumentHelp("How deep a walk goes; 1 is one directory.", valueName: "n"))
  var maxDepth: Int?

  @Flag(help: "Do not walk into other file systems.")
  var oneFileSystem = false

  @Flag(help: "Follow symbolic links that are met in directories.")
  var follow = false

  static let table = OptionTable(
    values: [
      "--exclude": .name, "--include": .name, "--max-depth": .number(1...Int.max),
    ],
    flags: ["--one-file-system", "--follow"])

  /// As it stands in --help.
  static let help = """
          --exclude GLOB     pass over what a walk meets by that name; a / at the
                             end means directories alone, one before a path
                             from where the walk begins; ** spans directories
          --include GLOB     take it all the same; the last one that fits decides
          --max-depth N      how deep a walk goes; 1 is one directory
          --one-file-system  do not walk into other file systems
          --follow           follow symbolic links that a walk meets
    """

  /// Adds them to what the processor is told.
  func apply(to options: inout FileProcessorOptions, _ operands: Operands) {
    options.followsSymbolicLinks = follow
    options.staysOnFileSystem = oneFileSystem
    options.maximumDepth = maxDepth
    options.filters = operands.fileFilters
  }

  /// The same for a walk of its own.
  func apply(to walk: inout CommandWalk, _ operands: Operands) {
    if follow { walk.options.insert(.followsSymbolicLinks) }
    if oneFileSystem { walk.options.insert(.staysOnFileSystem) }
    walk.maximumDepth = maxDepth
    walk.filters = operands.fileFilters
  }
}

extension Operands {
  /// The filters, for a walk.
  fileprivate var fileFilters: [FileFilter] {
    filters.map { filter in
      filter.isInclude ? .include(bytes: filter.pattern) : .exclude(bytes: filter.pattern)
    }
  }
}

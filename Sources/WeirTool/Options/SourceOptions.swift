// The options of verbs that walk trees and read lists.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// The options that select files. Those of walks are a group beside this one: in a debug
/// build the parser validates a group within a group sixteen times, for 20 ms. Options
/// whose order matters are declared here for help and completion only; `Operands` holds
/// their values.
struct SourceOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Files and directories; - is standard input.", valueName: "path"),
    completion: .file())
  var paths: [RawArgument] = []

  @Option(
    help: ArgumentHelp("Read paths from FILE, one per line.", valueName: "file"),
    completion: .file())
  var filesFrom: [RawArgument] = []

  @Option(
    name: .customLong("files0-from"),
    help: ArgumentHelp("Read paths from FILE, each ended by NUL.", valueName: "file"),
    completion: .file())
  var files0From: [RawArgument] = []

  @Flag(help: "Write each result as it completes.")
  var unordered = false

  /// The values if no option is given.
  static var defaults: SourceOptions {
    var options = SourceOptions()
    options.paths = []
    options.filesFrom = []
    options.files0From = []
    options.unordered = false
    return options
  }

  static let table =
    OptionTable(
      values: ["--files-from": .name, "--files0-from": .name], flags: ["--unordered"])
    + WalkOptions.table

  /// The section of the help page.
  static let help = """
    Input (standard input if no PATH and no list is given):
      PATH                   A file, a directory to walk, or - for standard input
    \(listHelp)
          --unordered        Write each result as it completes
    """

  /// The lines of the short help, without `--unordered`.
  static let listBrief = """
          --files-from FILE, --files0-from FILE  Read paths from FILE
    \(WalkOptions.brief)
    """

  /// The lines of the short help.
  static let brief = """
    \(listBrief)
          --unordered        Write each result as it completes
    """

  /// The part of the section that all verbs share.
  static let listHelp = """
          --files-from FILE  Read paths from FILE (- for standard input), by line
          --files0-from FILE Read paths from FILE, each ended by NUL
    \(WalkOptions.help)
    """
}

/// The options of a walk. Options whose order matters are declared here for help and
/// completion only; `Operands` holds their values.
struct WalkOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Skip entries that match GLOB.", valueName: "glob"))
  var exclude: [RawArgument] = []

  @Option(
    help: ArgumentHelp(
      "Keep entries that match GLOB; given first, keep only these.", valueName: "glob"))
  var include: [RawArgument] = []

  @Option(help: ArgumentHelp("Descend at most N directories deep.", valueName: "n"))
  var maxDepth: Int?

  @Flag(help: "Stay on the file system of each PATH.")
  var oneFileSystem = false

  @Flag(help: "Follow symbolic links found in directories.")
  var follow = false

  /// The values if no option is given.
  static var defaults: WalkOptions {
    var options = WalkOptions()
    options.exclude = []
    options.include = []
    options.maxDepth = nil
    options.oneFileSystem = false
    options.follow = false
    return options
  }

  static let table = OptionTable(
    values: [
      "--exclude": .name, "--include": .name, "--max-depth": .number(1...Int.max),
    ],
    flags: ["--one-file-system", "--follow"])

  /// The lines of the short help.
  static let brief = """
          --exclude GLOB, --include GLOB  Skip, keep; --include first: only these
          --max-depth N, --one-file-system  Limit the depth; stay on a file system
          --follow           Follow symbolic links found in directories
    """

  /// The lines of the help page.
  static let help = """
          --exclude GLOB     Skip entries of a walk that match GLOB; the last
                             --exclude or --include that matches decides. NAME/
                             matches directories, A/B a path below the start of the
                             walk, ** any number of directories
          --include GLOB     Keep entries that match GLOB; entries that no GLOB
                             matches are kept, unless --include comes first: it
                             then means "only these"
          --max-depth N      Descend at most N directories deep; 1 is the entries of
                             PATH itself
          --one-file-system  Stay on the file system of each PATH
          --follow           Follow symbolic links found in directories
    """

  /// Adds the options to those of a processor.
  func apply(to options: inout FileProcessorOptions, _ operands: Operands) {
    options.followsSymbolicLinks = follow
    options.staysOnFileSystem = oneFileSystem
    options.maximumDepth = maxDepth
    options.filters = operands.fileFilters
  }

  /// Returns the walk of a PATH.
  func walk(_ name: RawArgument, _ operands: Operands) -> FileWalk {
    var options: FileWalk.Options = []
    if follow { options.insert(.followsSymbolicLinks) }
    if oneFileSystem { options.insert(.staysOnFileSystem) }
    return FileWalk(
      bytes: name.bytes, options, filters: operands.fileFilters, maximumDepth: maxDepth)
  }

  /// Adds the options to those of a walk for commands.
  func apply(to walk: inout CommandWalk, _ operands: Operands) {
    if follow { walk.options.insert(.followsSymbolicLinks) }
    if oneFileSystem { walk.options.insert(.staysOnFileSystem) }
    walk.maximumDepth = maxDepth
    walk.filters = operands.fileFilters
  }
}

extension Operands {
  fileprivate var fileFilters: [FileFilter] {
    filters.map { filter in
      filter.isInclude ? .include(bytes: filter.pattern) : .exclude(bytes: filter.pattern)
    }
  }
}

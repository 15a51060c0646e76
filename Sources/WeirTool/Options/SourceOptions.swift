// The options of verbs that walk trees and read lists.

internal import FileJobs
internal import Weir

/// The options that select files. `Operands` holds the lists, whose order matters.
struct SourceOptions: OptionGroup {
  var unordered = false

  static let lists: [Option<SourceOptions>] = [
    Option(
      "--files-from FILE", .file, "Read paths from FILE, one a line",
      """
      ; - is standard input. Lists and PATHs are read in the order given, and names in a list are
      literal
      """, isBrief: false, on: .wholeRun
    ) { _, operands, name in operands.append(list: name, separator: UInt8(ascii: "\n")) },
    Option(
      "--files0-from FILE", .file, "Read paths from FILE, each ended by NUL", on: .wholeRun
    ) { _, operands, name in operands.append(list: name, separator: 0) },
  ]

  static func section<Group: OptionGroup>(
    _ title: String, path: String, unordered: String = "Write each result as it completes",
    on role: ShardRole = .wholeRun, _ sources: PropertyPath<Group, SourceOptions>,
    _ walk: PropertyPath<Group, WalkOptions>
  ) -> OptionSection<Group> {
    let order = Option<SourceOptions>(
      flag: "--unordered", \.unordered, unordered, isBrief: false, on: role)
    return OptionSection(
      title, words: [("PATH", path)],
      lists.map { $0.lifted(by: sources) } + WalkOptions.table.map { $0.lifted(by: walk) }
        + [order.lifted(by: sources)])
  }
}

struct WalkOptions: OptionGroup {
  /// In the order given.
  var filters: [FileFilter] = []
  var maxDepth: Int?
  var oneFileSystem = false
  var follow = false

  static let (excludeName, includeName) = ("--exclude", "--include")

  static let table: [Option<WalkOptions>] = [
    Option(
      "\(excludeName) GLOB", .word, "Skip entries of a walk that match GLOB",
      """
      ; the last filter that matches decides. A GLOB without a slash is compared with the last
      component, one with a slash with the path below the start of the walk, and one that ends
      in a slash matches directories. * and ? match no slash, ** does
      """, on: .walk
    ) { walk, _, glob in walk.filters.append(.exclude(bytes: glob.bytes)) },
    Option(
      "\(includeName) GLOB", .word, "Keep entries that match GLOB",
      """
      ; entries that no GLOB matches are kept, unless this option comes before all \(excludeName):
      it then means "only these"
      """, on: .walk
    ) { walk, _, glob in walk.filters.append(.include(bytes: glob.bytes)) },
    Option(
      "--max-depth N", .number(1...Int.max), optional: \.maxDepth,
      "Descend at most N directories deep", "; 1 is the entries of PATH itself", isBrief: false,
      on: .walk),
    Option(
      flag: "--one-file-system", \.oneFileSystem, "Stay on the file system of each PATH",
      isBrief: false, on: .walk),
    Option(
      flag: "--follow", \.follow, "Follow symbolic links found in directories", isBrief: false,
      on: .walk),
  ]

  func apply(to options: inout FileProcessorOptions) {
    options.followsSymbolicLinks = follow
    options.staysOnFileSystem = oneFileSystem
    options.maximumDepth = maxDepth
    options.filters = filters
  }

  private var flags: FileWalk.Options {
    var flags: FileWalk.Options = follow ? [.followsSymbolicLinks] : []
    if oneFileSystem { flags.insert(.staysOnFileSystem) }
    return flags
  }

  func walk(_ name: RawArgument) -> FileWalk {
    FileWalk(bytes: name.bytes, flags, filters: filters, maximumDepth: maxDepth)
  }

  func apply(to walk: inout CommandWalk) {
    walk.options.formUnion(flags)
    walk.maximumDepth = maxDepth
    walk.filters = filters
  }
}

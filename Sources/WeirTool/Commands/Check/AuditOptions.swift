// The options of weir check on audits.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// The options on files that no manifest lists.
struct AuditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Report files in DIR that no manifest lists.", valueName: "dir"),
    completion: .directory)
  var audit: RawArgument?

  static let table =
    OptionTable(values: ["--audit": .name]) + WalkOptions.table

  /// The lines of the short help.
  static let brief = """
          --audit DIR        Report also new and moved files in DIR
    \(WalkOptions.brief)
    """

  /// The section of the help page.
  static let help = """
    Audit:
          --audit DIR        Walk DIR, and report files that no manifest lists (new)
                             and missing files found under another name (moved);
                             without -C, names are relative to DIR
    \(WalkOptions.help)
    """

  /// Throws an error if an option has no effect without --audit.
  func validate(_ operands: Operands, _ walk: WalkOptions) throws(UsageError) {
    if audit != nil { return }
    let filter = operands.filters.first.map { $0.isInclude ? "--include" : "--exclude" }
    let flags = [
      (walk.maxDepth != nil, "--max-depth"), (walk.oneFileSystem, "--one-file-system"),
      (walk.follow, "--follow"),
    ]
    if let given = filter ?? flags.first(where: \.0)?.1 {
      throw UsageError("\(given) needs --audit DIR: the files of a manifest are fixed")
    }
  }

  /// Returns the options for the advised command, without --audit.
  func words(_ operands: Operands, _ walk: WalkOptions) -> [[UInt8]] {
    var words: [[UInt8]] = []
    for filter in operands.filters {
      words.append(Array((filter.isInclude ? "--include" : "--exclude").utf8))
      words.append(QuotedName.bytes(of: filter.pattern))
    }
    if let depth = walk.maxDepth { words.append(Array("--max-depth=\(depth)".utf8)) }
    if walk.oneFileSystem { words.append(Array("--one-file-system".utf8)) }
    if walk.follow { words.append(Array("--follow".utf8)) }
    return words
  }
}

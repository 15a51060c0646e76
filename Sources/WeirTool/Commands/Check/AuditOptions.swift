// The options of weir check on audits and lists of names.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// The options on files that no manifest lists, and on lists of names.
struct AuditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Report files in DIR that no manifest lists.", valueName: "dir"),
    completion: .directory)
  var audit: RawArgument?

  @Option(
    name: .customLong("names0"),
    help: ArgumentHelp(
      "Write the names of KIND to FILE, each ended by NUL.", valueName: "kind=file"),
    completion: .list(NameKind.allCases.map { "\($0.rawValue)=" }))
  var names0: [RawArgument] = []

  static let table =
    OptionTable(values: ["--audit": .name, "--names0": .name]) + WalkOptions.table

  /// The lines of the short help.
  static let brief = """
          --audit DIR        Report also new and moved files in DIR
          --names0 KIND=FILE Write the names of KIND to FILE, each ended by NUL
    \(WalkOptions.brief)
    """

  /// The section of the help page.
  static let help = """
    Audit:
          --audit DIR        Walk DIR, and report files that no manifest lists (new)
                             and missing files found under another name (moved);
                             without -C, names are relative to DIR
          --names0 KIND=FILE Write the names of KIND to FILE, each ended by NUL:
                             new, moved (old and new name), missing, unreadable,
                             changed; for mtree(5) also rot and edited (both are
                             changed) or touched
    \(WalkOptions.help)
    """

  /// Returns the kinds and their files.
  func lists() throws(UsageError) -> [(kind: NameKind, file: RawArgument)] {
    var lists: [(kind: NameKind, file: RawArgument)] = []
    for word in names0 {
      let list = try list(word)
      if lists.contains(where: { $0.file == list.file }) {
        throw UsageError("two lists of --names0 have the same file ", list.file)
      }
      lists.append(list)
    }
    return lists
  }

  private func list(
    _ word: RawArgument
  ) throws(UsageError) -> (kind: NameKind, file: RawArgument) {
    guard let equals = word.bytes.firstIndex(of: UInt8(ascii: "=")) else {
      throw UsageError("--names0 takes KIND=FILE, not ", word)
    }
    let name = RawArgument(bytes: Array(word.bytes[..<equals]))
    let file = RawArgument(bytes: Array(word.bytes[(equals + 1)...]))
    let kinds = NameKind.allCases.map(\.rawValue)
    guard let kind = NameKind(rawValue: name.text) else {
      throw UsageError(
        "--names0 takes \(OptionValue.alternatives(kinds)), not ", name,
        UsageError.suggestion(for: name.text, among: kinds))
    }
    if file.bytes.isEmpty { throw UsageError("--names0 \(name.text)= needs a file") }
    if file.bytes == Array("-".utf8) {
      throw UsageError("--names0 takes the name of a file; standard output has the verdicts")
    }
    if kind.isAudited && audit == nil {
      throw UsageError("--names0 \(name.text)= needs --audit DIR")
    }
    return (kind, file)
  }

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
    for list in (try? lists()) ?? [] {
      let value = Array("\(list.kind.rawValue)=".utf8) + list.file.bytes
      words += [Array("--names0".utf8), QuotedName.bytes(of: value)]
    }
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

// --audit and what belongs to it.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// Options on what no manifest names, and on lists of names.
struct AuditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Say also what in DIR no manifest names.", valueName: "dir"),
    completion: .directory)
  var audit: RawArgument?

  @Option(
    name: .customLong("names0"),
    help: ArgumentHelp("Put the names of a kind into a file.", valueName: "kind=file"),
    completion: .list(NameKind.allCases.map { "\($0.rawValue)=" }))
  var names0: [RawArgument] = []

  @OptionGroup var walk: WalkOptions

  static let table =
    OptionTable(values: ["--audit": .name, "--names0": .name]) + WalkOptions.table

  /// As it stands in --help.
  static let help = """
    What else is there
          --audit DIR        walk DIR, and say what no manifest names, and what has
                             moved: is missing, and found under another name;
                             without -C names are relative to DIR
          --names0 KIND=FILE put the names of a kind into FILE, each ended by a NUL:
                             new, moved (two names), missing, unreadable, changed;
                             of mtree(5) also rot, edited (these are among the
                             changed) and touched
    \(WalkOptions.help)
    """

  /// The kinds and their files.
  func lists() throws(UsageError) -> [(kind: NameKind, file: RawArgument)] {
    var lists: [(kind: NameKind, file: RawArgument)] = []
    for word in names0 {
      let list = try list(word)
      if lists.contains(where: { $0.file == list.file }) {
        throw UsageError("two lists of --names0 are to be written to ", list.file)
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
      let all = kinds.dropLast().joined(separator: ", ") + " or \(kinds.last ?? "")"
      throw UsageError(
        "--names0 knows \(all), not ", name, UsageError.suggestion(for: name.text, among: kinds))
    }
    if file.bytes.isEmpty { throw UsageError("--names0 \(name.text)= needs a file") }
    if file.bytes == Array("-".utf8) {
      throw UsageError("--names0 writes files: standard output has the verdicts")
    }
    if kind.isAudited && audit == nil {
      throw UsageError("--names0 \(name.text)= is for --audit")
    }
    return (kind, file)
  }

  /// Refuses what is of no use without --audit.
  func validate(_ operands: Operands) throws(UsageError) {
    if audit != nil { return }
    let filter = operands.filters.first.map { $0.isInclude ? "--include" : "--exclude" }
    let flags = [
      (walk.maxDepth != nil, "--max-depth"), (walk.oneFileSystem, "--one-file-system"),
      (walk.follow, "--follow"),
    ]
    if let given = filter ?? flags.first(where: \.0)?.1 {
      throw UsageError("\(given) is for --audit: a manifest names its files itself")
    }
  }

  /// The same options again, for an advised command; not --audit itself.
  func words(_ operands: Operands, file: (RawArgument) -> [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    for list in (try? lists()) ?? [] {
      let value = Array("\(list.kind.rawValue)=".utf8) + file(list.file)
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

// The shell script that replaces or deletes duplicates.
//
// DESIGN. The script trusts nothing that was found: time passes before it runs. Before a step both
// files must be regular, no links, two inodes, and equal to the last byte; and after the comparison
// both must have the status that they had before it, also just before the name is replaced or
// removed. What is left is the time between that status and the step, in which no script can lock
// out others. A name is replaced by rename(2): a script that is killed leaves the old file, the new
// one, and links or clones `.weir-*` beside them. A file to delete is renamed to such a name first.
// If the file to keep was the same one by another mount, or another script deletes that, it is gone
// then or has another status, and the name comes back. Two files with one inode number, size and time
// on two devices are taken for one. A step stands alone: a script that is cut, run twice, or mixed
// with another one, deletes nothing without an equal file that stays. Names are always in quotes, so
// that a part of a name is a syntax error, and begin with `/` or `./`, so that none is an option.
//
// A process costs more than the comparison of a small file, so sixteen pairs go through each stage
// together: one stat for all their files, one rm, and a touch for each directory. Rejected: more
// pairs at once, which are longer between the last status and the step; a second comparison after
// the rename, since the size and time of the renamed file show a change as well.

internal import FileJobs
internal import Weir

struct DuplicatesScript: Sendable {
  private let action: DuplicatesAction
  private let keeping: DuplicatesKeeping
  private let directory: [UInt8]
  private let hasBegun = Locked(false)
  /// The bytes that the script frees, and those whose blocks something else has too.
  let planned = Locked((saving: UInt64(0), shared: UInt64(0)))

  /// - Parameter keep: The words of `--keep`.
  init(_ action: DuplicatesAction, keep: [RawArgument]) throws {
    self.action = action
    let rules = keep.compactMap { DuplicatesKeeping.Rule(rawValue: $0.text) }
    if rules.count > 1 {
      throw UsageError("--keep takes one of the words first, last, oldest and newest")
    }
    keeping = try DuplicatesKeeping(
      rules.first,
      below: keep.filter { DuplicatesKeeping.Rule(rawValue: $0.text) == nil }.map(\.bytes))
    guard let directory = workingDirectory() else {
      throw FileError("the working directory has no name: use -C DIR")
    }
    self.directory = directory
  }

  func write(_ group: DuplicatesGroup, to console: Console) throws {
    let decision = keeping.decide(group, action)
    let (files, word) = (group.files, action.rawValue)
    planned.with { planned in
      planned.saving &+= decision.saving
      planned.shared &+= decision.shared
    }
    if decision.parts.isEmpty && decision.unmatched.isEmpty { return }
    try begin(console)
    let heading = DuplicatesText.heading(group, saving: decision.saving, shared: decision.shared)
    var text = Array("\n# \(heading)\n".utf8)
    for (kept, others) in decision.parts {
      let keep = DuplicatesScript.line("keep", files[kept].firstName)
      text += keep
      for index in others {
        let (first, names) = (files[index].firstName, files[index].names)
        text += DuplicatesScript.line(word, first)
        // The further names of a clone are links to it.
        let isCloned = action == .reflink && names.count > 1
        if isCloned { text += DuplicatesScript.line("keep", first) }
        for name in names.dropFirst() {
          text += DuplicatesScript.line(isCloned ? "link" : word, name)
          if text.count >= DuplicatesText.pieceSize { try flush(&text, console) }
        }
        if isCloned { text += keep }
        if text.count >= DuplicatesText.pieceSize { try flush(&text, console) }
      }
    }
    for index in decision.unmatched {
      let reason =
        action == .link
        ? "no other copy has its device, owner and mode" : "no other copy is on its file system"
      text += DuplicatesScript.line("leave", files[index].firstName, reason)
    }
    for index in decision.held {
      text.append(nameLine: files[index].firstName, mark: "# frees nothing: ")
    }
    try flush(&text, console)
  }

  private func flush(_ text: inout [UInt8], _ console: Console) throws {
    try console.write(text)
    text.removeAll(keepingCapacity: true)
  }

  private static func line(_ word: String, _ name: [UInt8], _ reason: String? = nil) -> [UInt8] {
    let isPath = name.first == UInt8(ascii: "/") || name.starts(with: "./".utf8)
    let path = isPath ? name : Array("./".utf8) + name
    let end = reason.map { " '\($0)'\n" } ?? "\n"
    return Array("\(word) ".utf8) + ShellWords.posix(path) + end.utf8
  }

  private func begin(_ console: Console) throws {
    let isFirst = hasBegun.with { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if !isFirst { return }
    let directory = ShellWords.posix(self.directory)
    try console.write(
      Array(DuplicatesScript.steps.utf8) + "cd -- ".utf8 + directory
        + " || { trap - 0; exit 2; }\n".utf8)
  }

  /// Writes the end, without which the script says that it is incomplete.
  func finish(to console: Console) throws {
    try begin(console)
    try console.write(Array("\nwork\n# The end of the script.\nfinish\n".utf8))
  }
}

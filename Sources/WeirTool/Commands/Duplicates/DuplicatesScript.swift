// The shell script that replaces or deletes duplicates.
//
// DESIGN. The script trusts nothing that was found: time passes before it runs. Before a step both
// files must be regular, no links, two inodes, and equal to the last byte; and after the comparison
// both must have the status that they had before it, also just before the name is replaced or
// removed. What is left is the time between that status and the step, in which no script can lock
// out others. A name is replaced by rename(2): whoever kills the script leaves the old file, the new
// one, and at most a link or a clone `.weir-*` beside them. A file to delete is renamed to such a name
// first, and compared once more: if the file to keep was the same one by another mount, or another
// script deletes that, it is gone now or has another status, and the name comes back. Two files with
// one inode number, size and time on two devices are taken for one. A step stands alone: a script that is
// cut, run twice, or mixed with another one, deletes nothing without an equal file that stays.
// Names are always in quotes, so that a part of a name is a syntax error, and begin with `/` or
// `./`, so that none is an option.

internal import FileJobs
internal import Weir

/// The change that a script makes to the files of a group but one.
enum DuplicatesAction: String, CaseIterable {
  case link, reflink, delete
}

struct DuplicatesScript: Sendable {
  private let action: DuplicatesAction
  private let keeping: DuplicatesKeeping
  private let directory: [UInt8]
  private let hasBegun = Locked(false)

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
    guard let (kept, others) = keeping.decide(group) else { return }
    try begin(console)
    var text = Array("\n# \(DuplicatesText.heading(group))\n".utf8)
    let keep = DuplicatesScript.line("keep", group.files[kept].names[0])
    text += keep
    for index in others {
      let names = group.files[index].names
      text += DuplicatesScript.line(action.rawValue, names[0])
      // The further names of a clone are links to it.
      let isCloned = action == .reflink && names.count > 1
      if isCloned { text += DuplicatesScript.line("keep", names[0]) }
      for name in names.dropFirst() {
        text += DuplicatesScript.line(isCloned ? "link" : action.rawValue, name)
        if text.count >= DuplicatesText.pieceSize { try flush(&text, console) }
      }
      if isCloned { text += keep }
      if text.count >= DuplicatesText.pieceSize { try flush(&text, console) }
    }
    try flush(&text, console)
  }

  private func flush(_ text: inout [UInt8], _ console: Console) throws {
    try console.write(text)
    text.removeAll(keepingCapacity: true)
  }

  private static func line(_ word: String, _ name: [UInt8]) -> [UInt8] {
    let isPath = name.first == UInt8(ascii: "/") || name.starts(with: "./".utf8)
    let path = isPath ? name : Array("./".utf8) + name
    return Array("\(word) ".utf8) + ShellWords.posix(path) + [UInt8(ascii: "\n")]
  }

  private func begin(_ console: Console) throws {
    let isFirst = hasBegun.with { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if !isFirst { return }
    let directory = ShellWords.posix(self.directory)
    try console.write(
      Array(DuplicatesScript.functions.utf8) + "cd -- ".utf8 + directory
        + " || { trap - 0; exit 2; }\n".utf8)
  }

  /// Writes the end, without which the script says that it is incomplete.
  func finish(to console: Console) throws {
    try begin(console)
    try console.write(Array("\ntrap - 0\nexit \"$status\"\n".utf8))
  }

  private static let functions = #"""
    #!/bin/sh
    # Printed by weir duplicates. Each step compares two files again, and leaves what has changed.
    # Needs the GNU tools. Exit status: 0 all is done, 1 a file was left as it is, 2 failure.
    status=0 kept= new= old= at=
    trap 'echo "weir: the script is incomplete" >&2; exit 2' 0
    trap '[ -z "$new" ] || rm -f "$new"; [ -z "$old" ] || mv -nT "$old" "$at"; trap - 0; exit 130' 1 2 15

    refuse() {
      printf 'weir: %s: %s; left as it is\n' "$(printf %s "$1" | tr '\001-\037\177' '?')" "$2" >&2
      status=1
    }
    is_file() { [ -f "$1" ] && [ ! -L "$1" ]; }
    is_other() { is_file "$kept" && is_file "$1" && ! [ "$kept" -ef "$1" ]; }
    identity() { stat -c '%i %s %y' "$1"; }
    state() { stat -c '%d %i %s %y' "$kept" && stat -c '%d %i %s %y %z' "$1"; }
    unchanged() { is_other "$1" && [ "$(state "$1")" = "$seen" ]; }
    same() {
      if ! is_file "$kept"; then refuse "$1" 'the file to keep is gone or a link'
      elif ! is_file "$1"; then refuse "$1" 'is no regular file any more'
      elif [ "$kept" -ef "$1" ]; then refuse "$1" 'is the file to keep, by another name'
      elif [ "$(identity "$kept")" = "$(identity "$1")" ]; then
        refuse "$1" 'may be the file to keep, by another mount'
      elif seen=$(state "$1") && cmp -s "$kept" "$1" && unchanged "$1"; then return 0
      else refuse "$1" 'has changed or cannot be read'
      fi
      return 1
    }
    put() {
      unchanged "$1" && mv -fT "$new" "$1" || { refuse "$1" 'has changed or cannot be replaced'; rm -f "$new"; }
      new=
    }
    keep() { kept=$1; }
    delete() {
      [ -e "$1" ] || [ -L "$1" ] || return 0
      same "$1" || return 0
      at=$1 old=${1%/*}/.weir-$$ was=$(stat -c %z "$kept")
      if [ -e "$old" ] || [ -L "$old" ] || ! mv -nT "$at" "$old"; then
        old=
        refuse "$at" 'cannot be removed'
      elif is_other "$old" && [ "$was" = "$(stat -c %z "$kept")" ] &&
        seen=$(state "$old") && cmp -s "$kept" "$old" && unchanged "$old" && rm -f "$old"
      then
        old=
      else
        mv -nT "$old" "$at"
        old=
        refuse "$at" 'has changed or cannot be removed'
      fi
    }
    link() {
      [ "$kept" -ef "$1" ] && return 0
      same "$1" || return 0
      ln -T "$kept" "${1%/*}/.weir-$$" || { refuse "$1" 'cannot be linked'; return 0; }
      new=${1%/*}/.weir-$$
      put "$1"
    }
    reflink() {
      same "$1" || return 0
      new=$(mktemp "${1%/*}/.weir-XXXXXX") || { refuse "$1" 'cannot be replaced'; return 0; }
      cp --reflink=always "$kept" "$new" && cp --attributes-only --preserve=all "$1" "$new" ||
        { refuse "$1" 'cannot share blocks'; rm -f "$new"; new=; return 0; }
      put "$1"
    }


    """#
}

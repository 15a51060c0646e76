// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs
internal import SystemPackage
internal import Weir

extension OutputError: ReportedError {
  var text: Message { "\(name): \(words)" }

  private var words: Message {
    switch reason {
    case .system(let error): "\(error)"
    case .isDirectory: "\(Errno.isDirectory)"
    case .isSpecial: "is not a regular file and cannot be replaced; use > to write to it"
    case .cannotLock(let error): "cannot be locked: \(error)"
    case .inUse(nil): "another run is writing it (its process cannot be seen from here)"
    case .inUse(let holder?):
      """
      another run is writing it: process \(holder.process)\(holder.command.isEmpty ? "" : ", ")\
      \(command: holder.command)
      """
    case .unfinished:
      "an earlier run was interrupted; continue it with --resume, or remove the file"
    case .notOurs: "was not written by weir and is left unchanged; choose another name"
    case .replaced: "was removed or replaced during the run"
    case .differentArguments(let differences):
      """
      was started with other arguments and cannot be continued: \
      \(list: differences.map(OutputError.words), "; ")
      """
    case .damaged: "was cut, or has a line that cannot be read; restore it, or remove it"
    case .otherTerminator(let isZero):
      isZero
        ? "has lines that end in NUL; add --zero"
        : "has lines that end in a newline; omit --zero"
    case .disagrees(let line, let records):
      """
      line \(line) and what follows differ from \(records); one of the two is damaged or was \
      edited: weir check both, remove the wrong one, and --update uses the other
      """
    case .contradicts(let file):
      "has two digests of \(file) that differ; see weir check, and remove the wrong line"
    }
  }

  private static func words(_ difference: RecordHeader.Difference) -> Message {
    let (before, now) = (difference.before, difference.now)
    let label: Message
    switch difference.keyword {
    case "version": return "weir \(before.first ?? []), not \(now.first ?? [])"
    case "order": return "the inputs in another order"
    case "names": return "other names or filters"
    case "directory": label = "the directory"
    case "path": label = "PATH"
    case "algorithms": label = "--algorithm"
    case let keyword: label = "\("--\(keyword)".utf8)"
    }
    if difference.keyword != "directory" && max(before.count, now.count) > 3 {
      return "\(label) with other values"
    }
    return "\(label) \(values(before)), not \(values(now))"
  }

  private static func values(_ values: [[UInt8]]) -> Message {
    values.isEmpty ? "none" : "\(list: values.map { "\($0)" }, ", ")"
  }
}

extension RecordChange {
  /// The word of the report on a file that differs: `NAME: word`.
  var word: String {
    switch self {
    case .none: "unchanged"
    case .new: "new"
    case .edited: "edited"
    case .touched: "touched"
    case .rot: "rot"
    case .gone: "gone"
    }
  }
}

extension RecordDelivery.Counts {
  /// The summary of an update.
  func summary(acceptsRot: Bool) -> String {
    func count(_ change: RecordChange) -> UInt64 { changes[change] ?? 0 }
    let rot = count(.rot)
    // A touched file has another time, but the same digests.
    let replaced = count(.edited) + (acceptsRot ? rot : 0)
    let touched = count(.touched)
    var parts = [
      "\(Quantities.count(unread, "file", "files")) not read",
      "\(Quantities.count(read)) read",
      "\(Quantities.count(replaced)) replaced",
      "\(Quantities.count(count(.new))) new",
      "\(Quantities.count(count(.gone))) gone",
    ]
    if touched > 0 { parts.append("\(Quantities.count(touched)) touched") }
    if rot > 0 { parts.append("\(Quantities.count(rot)) rotten") }
    if kept > 0 { parts.append("\(Quantities.count(kept)) kept") }
    return parts.joined(separator: ", ")
  }
}

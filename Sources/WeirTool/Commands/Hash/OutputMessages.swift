// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs
internal import SystemPackage
internal import Weir

extension FileError {
  /// The error of a manifest file: `NAME: reason`.
  init(_ error: OutputError) {
    self.init(
      message: QuotedName.bytes(of: error.name) + Array(": ".utf8) + OutputMessages.reason(error))
  }
}

enum OutputMessages {
  fileprivate static func reason(_ error: OutputError) -> [UInt8] {
    switch error.reason {
    case .system(let error):
      Array("\(error)".utf8)
    case .isDirectory:
      Array("\(Errno.isDirectory)".utf8)
    case .isSpecial:
      Array("is not a regular file and cannot be replaced; use > to write to it".utf8)
    case .cannotLock(let error):
      Array("cannot be locked: \(error)".utf8)
    case .inUse(let holder):
      held(holder)
    case .unfinished:
      Array("an earlier run was interrupted; continue it with --resume, or remove the file".utf8)
    case .notOurs:
      Array("was not written by weir and is left unchanged; choose another name".utf8)
    case .replaced:
      Array("was removed or replaced during the run".utf8)
    case .differentArguments(let differences):
      other(differences)
    case .damaged:
      Array("was cut, or has a line that cannot be read; restore it, or remove it".utf8)
    case .otherTerminator(let isZero):
      Array(
        (isZero
          ? "has lines that end in NUL; add --zero"
          : "has lines that end in a newline; omit --zero")
          .utf8)
    case .disagrees(let line, let records):
      Array("line \(line) and what follows differ from ".utf8) + QuotedName.bytes(of: records)
        + Array("; one of the two is damaged or was edited: weir check both, remove".utf8)
        + Array(" the wrong one, and --update uses the other".utf8)
    case .contradicts(let file):
      Array("has two digests of ".utf8) + QuotedName.bytes(of: file)
        + Array(" that differ; see weir check, and remove the wrong line".utf8)
    }
  }

  private static func held(_ holder: OutputLockHolder?) -> [UInt8] {
    guard let holder else {
      return Array("another run is writing it (its process cannot be seen from here)".utf8)
    }
    let command = CommandText.bytes(of: holder.command)
    return Array("another run is writing it: process \(holder.process)".utf8)
      + (command.isEmpty ? [] : Array(", ".utf8) + command)
  }

  private static func other(_ differences: [RecordHeader.Difference]) -> [UInt8] {
    var text = Array("was started with other arguments and cannot be continued: ".utf8)
    for (index, difference) in differences.enumerated() {
      if index > 0 { text += Array("; ".utf8) }
      text += words(difference)
    }
    return text
  }

  private static func words(_ difference: RecordHeader.Difference) -> [UInt8] {
    let (before, now) = (difference.before, difference.now)
    switch difference.keyword {
    case "version":
      return Array("weir ".utf8) + QuotedName.bytes(of: before.first ?? [])
        + Array(", not ".utf8) + QuotedName.bytes(of: now.first ?? [])
    case "order": return Array("the inputs in another order".utf8)
    case "names": return Array("other names or filters".utf8)
    case "directory":
      return Array("the directory ".utf8) + list(before) + Array(", not ".utf8) + list(now)
    default: break
    }
    let name = QuotedName.bytes(of: label(difference.keyword).utf8)
    if before.count > 3 || now.count > 3 {
      return name + Array(" with other values".utf8)
    }
    return name + Array(" ".utf8) + list(before) + Array(", not ".utf8) + list(now)
  }

  private static func label(_ keyword: String) -> String {
    switch keyword {
    case "path": "PATH"
    default: "--" + (keyword == "algorithms" ? "algorithm" : keyword)
    }
  }

  private static func list(_ values: [[UInt8]]) -> [UInt8] {
    if values.isEmpty { return Array("none".utf8) }
    return Array(values.map { QuotedName.bytes(of: $0) }.joined(separator: Array(", ".utf8)))
  }

  /// The reason why an update leaves a manifest with lines that cannot be compared unchanged.
  ///
  /// - Parameter count: The number of the lines; `nil` for all.
  static func incomparable(_ count: UInt64?) -> Refusal {
    let lines = count.map { Quantities.count($0, "line", "lines") } ?? "no line"
    return Refusal(
      "is left unchanged, since \(lines) \(count == nil ? "can" : "cannot") be compared; mend them, "
        + "or add --accept-rot to replace them")
  }

  // MARK: Changes

  /// The report on a file that differs: `NAME: word`.
  static func line(_ name: UnsafeRawBufferPointer, _ change: RecordChange) -> [UInt8] {
    QuotedName.bytes(of: name) + Array(": \(word(change))\n".utf8)
  }

  private static func word(_ change: RecordChange) -> String {
    switch change {
    case .none: "unchanged"
    case .new: "new"
    case .edited: "edited"
    case .touched: "touched"
    case .rot: "rot"
    case .gone: "gone"
    }
  }

  /// The summary of an update.
  static func summary(_ counts: RecordDelivery.Counts, acceptsRot: Bool) -> String {
    func count(_ change: RecordChange) -> UInt64 { counts.changes[change] ?? 0 }
    let rot = count(.rot)
    // A touched file has another time, but the same digests.
    let replaced = count(.edited) + (acceptsRot ? rot : 0)
    let touched = count(.touched)
    var parts = [
      "\(Quantities.count(counts.unread, "file", "files")) not read",
      "\(Quantities.count(counts.read)) read",
      "\(Quantities.count(replaced)) replaced",
      "\(Quantities.count(count(.new))) new",
      "\(Quantities.count(count(.gone))) gone",
    ]
    if touched > 0 { parts.append("\(Quantities.count(touched)) touched") }
    if rot > 0 { parts.append("\(Quantities.count(rot)) rotten") }
    if counts.kept > 0 { parts.append("\(Quantities.count(counts.kept)) kept") }
    return parts.joined(separator: ", ")
  }
}

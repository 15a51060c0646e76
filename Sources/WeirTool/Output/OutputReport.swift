// What is said about outputs.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Words for what becomes of an output.
enum OutputReport {
  /// What is wrong with its place: `NAME: reason`.
  static func message(_ trouble: OutputError) -> [UInt8] {
    QuotedName.bytes(of: trouble.name) + Array(": ".utf8) + reason(trouble)
  }

  private static func reason(_ trouble: OutputError) -> [UInt8] {
    switch trouble.reason {
    case .system(let error):
      Array("\(error)".utf8)
    case .isDirectory:
      Array("\(Errno.isDirectory)".utf8)
    case .isSpecial:
      Array("is no regular file, and cannot be replaced by one; to write to it, say >".utf8)
    case .cannotLock(let error):
      Array("cannot be locked: \(error)".utf8)
    case .inUse(let holder):
      held(holder)
    case .unfinished:
      Array("a run before was not finished: --resume goes on from there, or remove it".utf8)
    case .notOurs:
      Array("is not of a run of weir, and stays as it is; choose another name to write to".utf8)
    case .replaced:
      Array("was removed or replaced while it was written".utf8)
    case .differentArguments(let differences):
      other(differences)
    }
  }

  private static func held(_ holder: OutputLockHolder?) -> [UInt8] {
    guard let holder else {
      return Array("another run is writing it; who that is cannot be seen from here".utf8)
    }
    let command = command(holder.command)
    return Array("another run is writing it: process \(holder.process)".utf8)
      + (command.isEmpty ? [] : Array(", ".utf8) + command)
  }

  /// The command of this process, as it is to be typed again.
  static func commandLine(adding option: String?) -> [UInt8] {
    let words = RawArgument.commandLine().map(\.bytes)
    let added = option.map { [Array($0.utf8)] } ?? []
    return command([Array("weir".utf8)] + words.prefix(1) + added + words.dropFirst())
  }

  /// The most bytes of a command that are shown.
  private static let commandMax = 1000

  /// A command as it is typed.
  static func command(_ words: [[UInt8]]) -> [UInt8] {
    var line: [UInt8] = []
    for word in words {
      if line.count + word.count > commandMax { return line + Array(" ...".utf8) }
      if !line.isEmpty { line.append(UInt8(ascii: " ")) }
      line += QuotedName.bytes(of: word)
    }
    return line
  }

  private static func other(_ differences: [RecordHeader.Difference]) -> [UInt8] {
    var text = Array("was begun with other arguments, and cannot be gone on from: ".utf8)
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
      return Array("by weir ".utf8) + (before.first ?? []) + Array(", and this is ".utf8)
        + (now.first ?? [])
    case "order": return Array("the same in another order".utf8)
    case "names": return Array("other names or filters".utf8)
    default: break
    }
    let name = Array(label(difference.keyword).utf8)
    if before.count > 3 || now.count > 3 {
      return name + Array(" of other values".utf8)
    }
    return name + Array(" ".utf8) + list(before) + Array(", not ".utf8) + list(now)
  }

  private static func label(_ keyword: String) -> String {
    switch keyword {
    case "path": "PATH"
    case "directory": "the directory"
    case "algorithms": "--algorithm"
    default: "--\(keyword)"
    }
  }

  private static func list(_ values: [[UInt8]]) -> [UInt8] {
    if values.isEmpty { return Array("none".utf8) }
    return Array(values.map { QuotedName.bytes(of: $0) }.joined(separator: Array(", ".utf8)))
  }

  /// A manifest that has lines which cannot be compared.
  static func useless(_ count: UInt64, of name: [UInt8]) -> [UInt8] {
    QuotedName.bytes(of: name)
      + Array(
        ": \(Quantities.count(count, "line", "lines")) cannot be compared: what they are of is new"
          .utf8)
  }

  // MARK: Changes

  /// A file that differs: `NAME: word`.
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

  /// What an update did.
  static func summary(_ counts: RecordDelivery.Counts, acceptsRot: Bool) -> String {
    func count(_ change: RecordChange) -> UInt64 { counts.changes[change] ?? 0 }
    let rot = count(.rot)
    // Of what was touched the time is another; its digests are what they were.
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

// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs
internal import SystemPackage
internal import Weir

enum OutputMessages {
  /// The reason why a run does not continue another one.
  static func other(_ differences: [RecordHeader.Difference]) -> FaultText {
    let text: FaultText = "was started with other arguments and cannot be continued: "
    return differences.enumerated().reduce(text) { text, difference in
      (difference.offset > 0 ? text + "; " : text) + words(difference.element)
    }
  }

  private static func words(_ difference: RecordHeader.Difference) -> FaultText {
    let (before, now) = (difference.before, difference.now)
    switch difference.keyword {
    case "version": return "weir \(name: before.first ?? []), not \(name: now.first ?? [])"
    case "order": return "the inputs in another order"
    case "names": return "other names or filters"
    case "directory": return "the directory " + list(before) + ", not " + list(now)
    default: break
    }
    let name: FaultText = "\(name: Array(label(difference.keyword).utf8))"
    if before.count > 3 || now.count > 3 { return name + " with other values" }
    return name + " " + list(before) + ", not " + list(now)
  }

  private static func label(_ keyword: String) -> String {
    switch keyword {
    case "path": "PATH"
    default: "--" + (keyword == "algorithms" ? "algorithm" : keyword)
    }
  }

  private static func list(_ values: [[UInt8]]) -> FaultText {
    guard let first = values.first else { return "none" }
    return values.dropFirst().reduce("\(name: first)") { $0 + ", \(name: $1)" }
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

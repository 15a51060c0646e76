// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs

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

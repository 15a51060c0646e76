// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs

enum OutputMessages {
  /// The reason why a run does not continue another one, from the keywords that differ.
  static func other(_ keywords: [String]) -> FaultText {
    keywords.enumerated().reduce("was started with other arguments and cannot be continued: ") {
      $0 + ($1.offset > 0 ? ", " : "other ") + label($1.element)
    }
  }

  private static func label(_ keyword: String) -> FaultText {
    switch keyword {
    case "version": "version of weir"
    case "order": "order of the inputs"
    case "names": "names or filters"
    case "directory": "working directory"
    case "path": "PATH"
    case "algorithms": label("algorithm")
    default: "\(name: Array("--\(keyword)".utf8))"
    }
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

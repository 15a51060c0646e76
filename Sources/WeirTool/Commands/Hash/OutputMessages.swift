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
  /// The word of the report on a file that differs.
  private var word: String {
    switch self {
    case .none: "unchanged"
    case .new: "new"
    case .edited: "edited"
    case .touched: "touched"
    case .rot, .movedRot: "rot"
    case .gone: "gone"
    case .linked: "linked"
    case .relinked: "relinked"
    case .moved: "moved"
    }
  }

  var isRot: Bool { self == .rot || self == .movedRot }

  /// Returns the line of a file: `NAME: word`; for one that was moved, `FORMER: moved to NAME`.
  func line(_ name: UnsafeRawBufferPointer, _ former: [UInt8]?) -> [UInt8] {
    let line: Message =
      switch (self, former) {
      case (.moved, let former?): "\(former): moved to \(name)\n"
      case (.movedRot, let former?): "\(former): rot, moved to \(name)\n"
      default: "\(name): \(word)\n"
      }
    return line.bytes
  }

  /// Returns the JSON object of a file.
  func object(_ name: UnsafeRawBufferPointer, _ former: [UInt8]?) -> [UInt8] {
    JSONText.object("change") { json in
      json.append("path", name: name)
      json.append("status", word)
      if let former { json.append("from", name: former) }
    }
  }
}

extension RecordDelivery.Counts {
  private func count(_ change: RecordChange) -> UInt64 { changes[change] ?? 0 }

  var rotten: UInt64 { count(.rot) + count(.movedRot) }

  /// The counts of an update, by the names that JSON has for them.
  var byKind: [(name: String, value: UInt64)] {
    [
      ("unread", unread), ("read", read), ("new", count(.new)), ("edited", count(.edited)),
      ("touched", count(.touched)), ("moved", count(.moved)), ("gone", count(.gone)),
      ("linked", count(.linked)), ("relinked", count(.relinked)),
      ("rot", rotten), ("kept", kept),
    ]
  }

  /// Returns the last object of an update in JSON.
  func object(_ ending: Session.Ending, isDryRun: Bool) -> [UInt8] {
    JSONText.summary(ending, isZeroTerminated: false) { json in
      json.append("dry_run", isDryRun)
      for (name, value) in byKind { json.append(name, value) }
    }
  }

  /// Returns the last line of an update.
  func summary(acceptsRot: Bool) -> String {
    // A touched file has another time, but the same digests.
    let replaced = count(.edited) + (acceptsRot ? rotten : 0)
    let parts = [
      "\(Quantities.count(unread, "file", "files")) not read",
      "\(Quantities.count(read)) read",
      "\(Quantities.count(replaced)) replaced",
      "\(Quantities.count(count(.new))) new",
      "\(Quantities.count(count(.gone))) gone",
    ]
    let more = [
      (count(.moved), "moved"), (count(.linked), "linked"), (count(.relinked), "relinked"),
      (count(.touched), "touched"), (rotten, "rotten"), (kept, "kept"),
    ]
    return
      (parts + more.filter { $0.0 > 0 }.map { "\(Quantities.count($0.0)) \($0.1)" })
      .joined(separator: ", ")
  }
}

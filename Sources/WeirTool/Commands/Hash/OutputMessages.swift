// The messages on the manifest file of weir hash, and the report of --update.

internal import FileJobs

enum OutputMessages {
  /// The reason why a run does not continue another one, from the keywords that differ.
  static func other(_ keywords: [String]) -> Message {
    keywords.enumerated().reduce("was started with other arguments and cannot be continued: ") {
      $0 + ($1.offset > 0 ? ", " : "other ") + label($1.element)
    }
  }

  private static func label(_ keyword: String) -> Message {
    switch keyword {
    case "order": "order of the inputs"
    case "names": "names or filters"
    case "directory": "working directory"
    case "path": "PATH"
    case "algorithms": label("algorithm")
    default: "\(Array("--\(keyword)".utf8))"
    }
  }
}

extension OutputMessages {
  static func line(
    _ name: UnsafeRawBufferPointer, _ word: String, since: UInt32 = 0, isAccepted: Bool = false
  ) -> [UInt8] {
    let date = since == 0 ? "" : " since \(UTCTime.date(since))"
    let line: Message = "\(name): \(word)\(date)\(isAccepted ? ", accepted" : "")\n"
    return line.bytes
  }

  static func object(
    _ name: UnsafeRawBufferPointer, _ word: String, since: UInt32 = 0, isAccepted: Bool = false,
    wasRotten: Bool = false, from former: [UInt8]? = nil
  ) -> [UInt8] {
    JSONText.object("change") { json in
      json.append("path", name: name)
      json.append("status", word)
      if since > 0 { json.append("since", UTCTime.text(since)) }
      if wasRotten { json.append("rot", true) }
      if isAccepted { json.append("accepted", true) }
      if let former { json.append("from", name: former) }
    }
  }
}

extension LedgerVerdict {
  fileprivate var word: String {
    switch self {
    case .same: "unchanged"
    case .touched: "touched"
    case .edited: "edited"
    case .rot: "rot"
    case .new: "new"
    case .gone: "gone"
    case .back: "back"
    case .moved: "moved"
    case .relinked: "relinked"
    case .unlinked: "unlinked"
    }
  }
}

extension UpdateChange {
  /// True if a rotten or gone file has another size or time now: its new content is recorded.
  var endsOpenPoint: Bool { verdict == .edited && since > 0 }

  /// The line of the report; for a file that has moved, `FORMER: moved to NAME`.
  var line: [UInt8] {
    if let former { return ("\(former): moved to \(name)\n" as Message).bytes }
    if endsOpenPoint {
      let kind = wasGone ? "gone" : "rot"
      return ("\(name): edited, was \(kind) since \(UTCTime.date(since))\n" as Message).bytes
    }
    let word = wasRotten ? "\(verdict.word), rot" : verdict.word
    return OutputMessages.line(name, word, since: since, isAccepted: isAccepted)
  }

  var object: [UInt8] {
    OutputMessages.object(
      name, verdict.word, since: since, isAccepted: isAccepted, wasRotten: wasRotten, from: former)
  }
}

extension UpdateCounts {
  private func count(_ verdict: LedgerVerdict) -> UInt64 { verdicts[verdict] ?? 0 }

  var byKind: [(name: String, value: UInt64)] {
    [
      ("unread", unread), ("read", read), ("new", count(.new)), ("edited", count(.edited)),
      ("touched", count(.touched)), ("moved", count(.moved)), ("back", count(.back)),
      ("relinked", count(.relinked)), ("unlinked", count(.unlinked)), ("gone", count(.gone)),
      ("rot", count(.rot)),
      ("accepted", accepted.values.reduce(0, +)), ("kept", kept),
    ]
  }

  func object(_ ending: Session.Ending, isDryRun: Bool) -> [UInt8] {
    JSONText.summary(ending, isZeroTerminated: false) { json in
      json.append("dry_run", isDryRun)
      for (name, value) in byKind { json.append(name, value) }
    }
  }

  var summary: String {
    // A touched file has another time, but the same digests.
    let replaced = count(.edited) + accepted[.rot, default: 0]
    let parts = [
      "\(Quantities.count(unread, "file", "files")) not read",
      "\(Quantities.count(read)) read",
      "\(Quantities.count(replaced)) replaced",
      "\(Quantities.count(count(.new))) new",
      "\(Quantities.count(count(.gone))) gone",
    ]
    let more = [
      (count(.moved), "moved"), (count(.back), "back"), (count(.relinked), "relinked"),
      (count(.unlinked), "unlinked"),
      (count(.touched), "touched"), (count(.rot), "rotten"),
      (accepted[.gone, default: 0], "ended"), (kept, "kept"),
    ]
    return
      (parts + more.filter { $0.0 > 0 }.map { "\(Quantities.count($0.0)) \($0.1)" })
      .joined(separator: ", ")
  }
}

// The output of weir compare: lines, names that end in NUL, JSON, and the summary.

internal import FileJobs
internal import Weir

/// Writes verdicts to standard output, and messages to standard error.
struct CompareOutput: SessionOutput, Sendable {
  let console: Console
  let verb: CompareVerb
  let names: Sides<RawArgument>
  let job: CompareJob
  private let state = Locked(State())

  private struct State {
    var lines: [UInt8] = []
    /// True if two files had no digest, size or time to compare.
    var hasDoubt = false
  }

  private static let pieceSize = 1 << 16

  // MARK: Names

  func write(_ name: [UInt8], _ verdict: EntryVerdict) throws {
    try state.with { state in
      if case .unknown(.nothingShared) = verdict { state.hasDoubt = true }
      if verb.status { return }
      if !verb.only.isEmpty { return try writeName(name, verdict, &state) }
      switch verb.format {
      case .json: state.lines += CompareJSON.line(name, verdict, isZeroTerminated: verb.zero)
      default: append(name, verdict, to: &state.lines)
      }
      if state.lines.count >= CompareOutput.pieceSize { try flush(&state) }
    }
  }

  private func writeName(_ name: [UInt8], _ verdict: EntryVerdict, _ state: inout State) throws {
    switch verdict {
    case .only(let side): append(name, side == .a ? .a : .b, to: &state.lines)
    case .differs: append(name, .differs, to: &state.lines)
    case .moved(let target):
      append(name, .a, to: &state.lines)
      append(target, .b, to: &state.lines)
    case .same, .unknown: return
    }
    if state.lines.count >= CompareOutput.pieceSize { try flush(&state) }
  }

  private func append(_ name: [UInt8], _ kind: NameSelection, to lines: inout [UInt8]) {
    if !verb.only.contains(kind) { return }
    if verb.zero {
      lines += name + [0]
    } else {
      name.withUnsafeBytes { name in
        let isEscaped = name.contains(UInt8(ascii: "\n"))
        if isEscaped { lines.append(LineWriter.backslash) }
        if isEscaped { lines.append(escaping: name) } else { lines.append(contentsOf: name) }
      }
      lines.append(UInt8(ascii: "\n"))
    }
  }

  private func append(_ name: [UInt8], _ verdict: EntryVerdict, to lines: inout [UInt8]) {
    let target = if case .moved(let target) = verdict { target } else { [] as [UInt8] }
    let words = Array(words(verdict).utf8)
    if verb.zero {
      lines += name + [0] + words + target + [0]
      return
    }
    let names = name + target
    if console.isOutputTerminal,
      names.withUnsafeBytes({ TerminalText.hasControls($0, keeping: .nothing) })
    {
      lines += QuotedName.bytes(of: name) + Array(": ".utf8) + words
      if !target.isEmpty { lines += QuotedName.bytes(of: target) }
    } else if names.contains(UInt8(ascii: "\n")) {
      // One backslash at the beginning of a line is for both names.
      lines.append(LineWriter.backslash)
      name.withUnsafeBytes { lines.append(escaping: $0) }
      lines += Array(": ".utf8) + words
      target.withUnsafeBytes { lines.append(escaping: $0) }
    } else {
      lines += name + Array(": ".utf8) + words + target
    }
    lines.append(UInt8(ascii: "\n"))
  }

  /// Returns a verdict in words, which a new name follows if the file has moved.
  private func words(_ verdict: EntryVerdict) -> String {
    switch verdict {
    case .same(let basis, let isTouched):
      "same (\(basis.word)\(isTouched ? ", touched" : ""))"
    case .differs(let basis): "differs (\(basis.word))"
    case .moved: "moved to "
    case .only(let side): "only in \(shown(side))"
    case .unknown(let doubt): "cannot tell (\(doubt.words))"
    }
  }

  private func shown(_ side: Side) -> String {
    String(decoding: Message("\(names[side])").bytes, as: UTF8.self)
  }

  private func flush(_ state: inout State) throws {
    defer { state.lines.removeAll(keepingCapacity: true) }
    try state.lines.withUnsafeBytes { try console.write(lines: $0, isZeroTerminated: verb.zero) }
  }

  func report(_ result: FileResult) {
    guard let finding = FileReporter(console: console).finding(result) else { return }
    console.report(finding, of: result.path)
    if verb.format != .json || verb.status { return }
    state.with { state in
      state.lines += JSONText.object(finding, path: result.path, isZeroTerminated: verb.zero)
    }
  }

  // MARK: End

  func finish(_ ending: Session.Ending) throws {
    let counts = job.counts
    try state.with { state in
      if verb.format == .json && ending.failure == nil {
        state.lines += JSONText.object("summary", isZeroTerminated: verb.zero) { json in
          json.append("complete", ending.isComplete)
          json.append(counts.members)
          json.append("bytes", ending.statistics.bytes)
          json.append("seconds", seconds: ending.seconds)
        }
      }
      try flush(&state)
      if !ending.isComplete { return }
      for side in [Side.a, .b] {
        if let text = CompareOutput.text(counts.faults[side]) {
          console.report("\(names[side]): \(text)")
        }
        let short = counts.faults[side].shortNames
        if short > 0 {
          let limit = side == .a ? verb.stripA : verb.stripB
          console.report(
            """
            \(Quantities.count(short, "name", "names")) in \(names[side]) \(short == 1 ? "has" : "have") \
            no more than \(Quantities.count(limit, "component", "components")) and \
            \(short == 1 ? "was" : "were") left out
            """)
        }
      }
      if state.hasDoubt && !verb.options.reads {
        let doubts = Quantities.count(counts.unknown, "name", "names")
        console.report("\(doubts) could not be compared; --read reads the files of a directory")
      }
      if counts.sharesNone {
        var advice: Message = "--strip-a and --strip-b remove components"
        if let (side, count) = counts.strip {
          advice =
            side == .a
            ? "with --strip-a \(verb.stripA + count) most are"
            : "with --strip-b \(verb.stripB + count) most are"
        }
        console.report("no name is in both \(names.a) and \(names.b); \(advice)")
      }
    }
  }

  /// Returns the sentence on lines that were not understood; `nil` if there is none.
  private static func text(_ faults: ManifestFaults) -> String? {
    if faults.lines == 0 { return nil }
    let lines = Quantities.count(faults.lines, "line", "lines")
    let reason = faults.tag.map { "\($0) is not supported" } ?? "it is improperly formatted"
    return "\(lines) could not be used; the first is line \(faults.firstLine): \(reason)"
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    let counts = job.counts
    let unused = [counts.faults.a, counts.faults.b].map { $0.lines + $0.shortNames }
    let isTrouble = counts.unknown + counts.unreadable + unused[0] + unused[1] > 0
    let isDifferent = counts.differing + counts.moved + counts.onlyA + counts.onlyB > 0
    let line = SummaryLine.counts(
      "\(Quantities.count(counts.same, "name", "names")) the same",
      [
        (counts.touched, nil, "of them touched"), (counts.differing, nil, "different"),
        (counts.moved, nil, "moved"), (counts.onlyA, nil, "only in \(shown(.a))"),
        (counts.onlyB, nil, "only in \(shown(.b))"),
        (counts.unknown, nil, "that could not be compared"),
        (counts.byDigest, nil, "compared by digest"),
        (counts.bySizeAndTime, nil, "by size and time"), (counts.bySize, nil, "by size"),
      ])
    let pace = SummaryLine.pace(ending.statistics, seconds: ending.seconds)
    return Session.Summary(
      line: { verb.options.reads ? "\(line); \(pace)" : line },
      status: isTrouble ? .usage : isDifferent ? .difference : nil,
      counts: counts.members)
  }
}

extension VerdictBasis {
  var word: String {
    switch self {
    case .digest(let algorithm): algorithm.name
    case .sizeAndTime: "size and time"
    case .size: "size"
    case .time: "time"
    case .type: "type"
    case .target: "target"
    case .owner: "owner"
    case .mode: "mode"
    }
  }
}

extension VerdictDoubt {
  fileprivate var words: String {
    switch self {
    case .nothingShared: "no digest or size in common"
    case .contradictory: "its lines contradict each other"
    case .ambiguous: "several files have the name"
    case .unreadable: "could not be read"
    }
  }
}

/// The JSON of weir compare: docs/schema/compare.json.
enum CompareJSON {
  static func line(
    _ name: [UInt8], _ verdict: EntryVerdict, isZeroTerminated: Bool
  ) -> [UInt8] {
    JSONText.object("name", isZeroTerminated: isZeroTerminated) { json in
      json.append("path", name: name)
      switch verdict {
      case .same(let basis, let isTouched):
        json.append("status", "same")
        json.append("by", basis.word)
        if isTouched { json.append("touched", true) }
      case .differs(let basis):
        json.append("status", "differs")
        json.append("by", basis.word)
      case .moved(let target):
        json.append("status", "moved")
        json.append("to", name: target)
      case .only(let side): json.append("status", side == .a ? "only_a" : "only_b")
      case .unknown(let doubt):
        json.append("status", "unknown")
        json.append("message", doubt.words)
      }
    }
  }
}

extension CompareCounts {
  fileprivate var members: [(name: String, value: UInt64)] {
    [
      ("same", same), ("touched", touched), ("differs", differing), ("moved", moved),
      ("only_a", onlyA), ("only_b", onlyB), ("unknown", unknown), ("unreadable", unreadable),
      ("malformed_a", faults.a.lines), ("malformed_b", faults.b.lines),
      ("left_out_a", faults.a.shortNames), ("left_out_b", faults.b.shortNames),
      ("by_digest", byDigest), ("by_size_and_time", bySizeAndTime), ("by_size", bySize),
    ]
  }
}

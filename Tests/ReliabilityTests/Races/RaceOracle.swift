// What a run may report of a race: the promise.

/// The outcome of the file of a race.
enum RaceOutcome: String, CaseIterable, Sendable {
  /// The result of its content before the change, or after it.
  case before, after
  /// No result, and a message: that it changed or was removed; another one; a note on what is
  /// skipped.
  case changed, error, skipped
  /// Neither result nor message: the name was not there when its directory was listed, or was
  /// that of a link or a directory.
  case absent
  /// A result of which the documentation says that it is possible.
  case limit
  // Never allowed.
  case secret, mixture, twice
}

extension Race {
  var allowed: Set<RaceOutcome> {
    var outcomes = allowedByWalk
    switch verb {
    case .hashFollow where kind.leadsOut && kind != .rootLink:
      if phase < .opened { outcomes.formUnion([.secret, .error]) }
      // The other lane may put the directory back before the file is opened.
      if phase < .opened && kind == .directoryAndBack { outcomes.insert(.before) }
    case .check where phase < .opened:
      // A name of a manifest is followed, and is a name: FAILED, and no note on what is skipped.
      if kind.leadsOut { outcomes.insert(.after) }
      if kind == .fifo { outcomes.insert(.error) }
    case .shard:
      if phase <= .opened { outcomes.formUnion([.changed, .error]) }
      // The name of a plan is followed, if size and time are those of the plan.
      if phase < .opened && kind.leadsOut { outcomes.insert(.limit) }
    case .duplicates:
      outcomes.formUnion([.changed, .error])
      if phase >= .unopened { outcomes.formUnion([.before, .after]) }
      // An empty file is in no group, nor is a file whose equals are gone, or a mixture.
      if kind == .truncateAll || kind.target == .root { outcomes.insert(.absent) }
    case .run: return allowedOfCommand
    default: break
    }
    return outcomes
  }

  /// Only names count: a command is run for each file that was listed.
  private var allowedOfCommand: Set<RaceOutcome> {
    if phase >= .unopened || (phase == .listing && kind.target != .name) { return [.before] }
    switch kind {
    case .rootLink: return [.before]
    case .rootAway: return [.absent, .error]
    default: return Set(allowedByWalk.map { $0 == .after ? .before : $0 })
    }
  }

  private var allowedByWalk: Set<RaceOutcome> {
    switch kind.target {
    case .content: allowedOfContent
    case .name: allowedOfName
    case .directory: allowedOfDirectory
    case .root: allowedOfRoot
    }
  }

  private var allowedOfContent: Set<RaceOutcome> {
    let isPrefix = [.grow, .truncateHalf, .truncateAll].contains(kind)
    switch phase {
    case .unlisted, .found, .listing, .unopened, .near: return [.after]
    case .opened: return [.after, .changed]
    case .reading:
      return isPrefix ? [.after, .changed] : [.changed]
    case .read: return kind == .grow ? [.before, .after, .changed] : [.before, .changed]
    case .done: return [.before]
    }
  }

  private var allowedOfName: Set<RaceOutcome> {
    let isReplaced = kind == .replace || kind == .hardLink
    switch phase {
    case .unlisted, .found, .listing:
      return kind == .fifo ? [.skipped] : [isReplaced ? .after : .absent]
    case .unopened, .near: return kind == .fifo ? [.skipped] : [isReplaced ? .after : .error]
    case .opened, .reading, .read: return [.before, .changed]
    case .done: return [.before]
    }
  }

  private var allowedOfDirectory: Set<RaceOutcome> {
    let isReplaced = kind == .directoryReplace
    switch phase {
    case .unlisted: return [isReplaced ? .after : .absent]
    case .found: return [isReplaced ? .after : .error]
    case .listing, .unopened:
      return isReplaced ? [.after] : kind == .directoryAndBack ? [.error, .before] : [.error]
    default: return [.before]
    }
  }

  private var allowedOfRoot: Set<RaceOutcome> {
    guard phase < .near else { return [.before] }
    return switch kind {
    case .rootReplace: [.after]
    case .rootLink: [.limit]
    default: [.error]
    }
  }

  func outcome(_ record: RaceRecord, _ results: RaceResults) -> RaceOutcome {
    let claims = record.claims.filter { $0.name == "t/d/v" }
      .compactMap { meaning($0.result, results) }
    let message = messageOutcome("t/d/v", record)
    if let claim = claims.max(by: { rank($0) < rank($1) }) {
      return message == nil ? claim : .twice
    }
    return message ?? .absent
  }

  private func rank(_ outcome: RaceOutcome) -> Int {
    RaceOutcome.allCases.firstIndex(of: outcome) ?? 0
  }

  private func meaning(_ result: String, _ results: RaceResults) -> RaceOutcome? {
    switch result {
    case "named", "OK", "t/e/before": return .before
    case "FAILED", "t/e/after": return .after
    case "t/e/secret": return kind == .rootLink ? .limit : .secret
    case "t/e/mixture": return .mixture
    default: break
    }
    if verb == .duplicates { return nil }
    switch results[result] {
    case .before: return .before
    case .secret:
      return kind == .rootLink || (verb == .shard && phase < .opened) ? .limit : .secret
    case let text? where text == kind.after: return .after
    default: return .mixture
    }
  }

  private func messageOutcome(_ name: String, _ record: RaceRecord) -> RaceOutcome? {
    let parts = name.split(separator: "/")
    for count in stride(from: parts.count, to: 0, by: -1) {
      let begin = "weir: " + parts[..<count].joined(separator: "/") + ": "
      guard let message = record.messages.first(where: { $0.hasPrefix(begin) }) else { continue }
      let reason = message.dropFirst(begin.count)
      let words = ["changed", "was removed", "vanished while"]
      if words.contains(where: { reason.contains($0) }) { return .changed }
      return reason.hasPrefix("skipped: ") ? .skipped : .error
    }
    return nil
  }

  func violations(_ record: RaceRecord, _ outcome: RaceOutcome, _ results: RaceResults) -> [String]
  {
    var problems = record.problems
    if !record.isReached { problems.append("the step was not reached") }
    let mayLeave =
      kind == .rootLink || (verb == .hashFollow && kind.leadsOut)
      || (verb == .shard && kind.leadsOut && phase < .opened)
    var names: Set = [
      "t/d/a", "t/d/v", "t/d/z", "t/e/x", "t/d/v/in", "t/e/before", "t/e/after", "t/e/secret",
      "t/e/mixture",
    ]
    if mayLeave { names.insert("t/d/secret-name") }
    if verb == .run { names.insert("t") }  // an item that need not be there
    for claim in record.claims where !names.contains(claim.name) {
      problems.append("a name of no file in the tree: \(claim.name)")
    }
    if !mayLeave {
      let secrets = results.results(of: .secret) + ["secret-name", "/t/d/v"]
      for secret in secrets where verb != .count && record.text.contains(secret) {
        problems.append("the output has \(secret)")
      }
    }
    if verb != .duplicates { problems += lost(record, results, mayLeave: mayLeave) }
    return problems + statusProblems(record, outcome)
  }

  private func lost(_ record: RaceRecord, _ results: RaceResults, mayLeave: Bool) -> [String] {
    let ofDirectory = kind.target == .directory || kind.target == .root
    return [("t/d/a", RaceText.first), ("t/d/z", .last), ("t/e/x", .first)].compactMap {
      name, text in
      let found = record.claims.filter { $0.name == name }.map(\.result)
      if found.count > 1 { return "\(name) is there twice" }
      guard let result = found.first else {
        let mayBeAbsent = ofDirectory && phase <= .found
        return mayBeAbsent || messageOutcome(name, record) != nil ? nil : "\(name) is lost"
      }
      let isRight =
        ["OK", "named"].contains(result) || results[result] == text
        || (ofDirectory && result == "FAILED") || (mayLeave && results[result] == .secret)
      return isRight ? nil : "\(name) has a wrong result: \(result)"
    }
  }

  private func statusProblems(_ record: RaceRecord, _ outcome: RaceOutcome) -> [String] {
    let failures = record.messages.filter { $0.hasPrefix("weir: t") && !$0.contains(": skipped: ") }
    let hasFailed =
      !failures.isEmpty || (verb == .check && record.claims.contains { $0.result == "FAILED" })
    let expected: Set<Int32> = !hasFailed ? [0] : verb == .check ? [1, 3] : [3]
    let isRight = record.status.map(expected.contains) ?? false
    return isRight ? [] : ["the status is \(record.status.map(String.init) ?? "a signal")"]
  }
}

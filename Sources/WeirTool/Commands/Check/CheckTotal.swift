// The totals of a check, and the names for an advice.

internal import FileJobs

struct CheckTotal: Sendable {
  private(set) var lines = CheckedManifest()
  /// The files that no line lists.
  var new = 0
  /// The unlisted files and directories that could not be read.
  var unlistedUnread = 0
  /// The manifests that were not read to their ends.
  private(set) var manifestsUnread = 0
  /// True if anything counts as a difference.
  private(set) var isDifferent = false
  var samples = CheckSamples()

  mutating func add(_ manifest: CheckedManifest, _ rules: CheckRules) {
    lines += manifest
    switch manifest.failure {
    case .absent: isDifferent = true
    case nil: isDifferent = isDifferent || manifest.isEmpty
    default: manifestsUnread += 1
    }
    let failures =
      manifest.differing + manifest.damaged + manifest.open
      + (rules.isLenient ? 0 : manifest.malformed) + (rules.isStrict ? manifest.undigested : 0)
    if failures > 0 || manifest.isContradicted { isDifferent = true }
    let isUnverified =
      rules.ignoresMissing
      ? manifest.missing > 0 && manifest.verified == 0 && manifest.elsewhere == 0
      : manifest.missing > 0
    if isUnverified { isDifferent = true }
  }

  /// Counts damages that the state has dropped as a difference: nothing names them again.
  mutating func addDropped(_ report: CheckReport) {
    if let proofs = report.proofs, proofs.dropped > 0 { isDifferent = true }
  }

  /// Counts a run that has left lines to a later one as a difference if it has found only missing
  /// files, which it ignores. Returns true in that case.
  mutating func addUnverified(_ report: CheckReport, _ rules: CheckRules) -> Bool {
    let isUnverified =
      rules.ignoresMissing && !isDifferent && lines.missing > 0 && lines.verified == 0
      && report.postponed > 0 && (report.proofs?.proved ?? 0) == 0
    if isUnverified { isDifferent = true }
    return isUnverified
  }

  /// The reason for which an audit does not look for unlisted files: all files would be new.
  var unlistedReason: String? {
    if manifestsUnread > 0 { return "since a manifest could not be read" }
    return lines.isEmpty ? "since no manifest lists a file" : nil
  }

  var status: ExitStatus? {
    // No manifest could be opened: of one that was read, a line or a difference is known.
    if manifestsUnread > 0 && lines.lines == 0 && !isDifferent { return .usage }
    if isDifferent || lines.isEmpty { return .difference }
    if unread + lines.unsupported + manifestsUnread > 0 { return .unreadable }
    return new + lines.moved > 0 ? .newOrMoved : nil
  }

  var unread: Int { lines.unreadable + unlistedUnread }

  func summary(_ ending: Session.Ending, _ report: CheckReport) -> String {
    func text(_ counts: KeyValuePairs<String, Int>) -> String {
      counts.filter { $0.value > 0 }.map { "\(Quantities.count($0.value)) \($0.key)" }
        .joined(separator: ", ")
    }
    let count = lines.entries + lines.malformed
    let all = Quantities.count(count + report.postponed, "line", "lines")
    let right = text([
      "by BLAKE3, as their files show": lines.guessed, "with another time": lines.touched,
      "without a digest": lines.undigested,
    ])
    let others = text([
      lines.others == 1 ? "directory or link" : "directories and links": lines.others,
      "against the rules of BagIt": lines.invalid, "did not match": lines.mismatched,
      "something else": lines.misplaced, "edited": lines.edited, "rotten": lines.rotten,
      "failed before and not read again": lines.failing, "missing": lines.missing,
      "moved": lines.moved, "could not be read": lines.unreadable,
      "could not be verified": lines.unsupported, "malformed": lines.malformed,
      "more of the same files": lines.repeated,
    ])
    let sentences = [
      (report.postponed > 0 ? "\(Quantities.count(count)) of " : "") + "\(all): "
        + "\(Quantities.count(lines.verified)) right" + (right.isEmpty ? "" : " (\(right))")
        + (others.isEmpty ? "" : ", \(others)"),
      report.postponed > 0 ? "the rest next time" : "",
      text(["not listed": new, "not listed and could not be read": unlistedUnread]),
    ]
    return
      (sentences.filter { !$0.isEmpty } + report.sentences
      + [SummaryLine.pace(ending.statistics, seconds: ending.seconds)]).joined(separator: "; ")
  }
}

/// A few missing names, as long as no listed file was found.
struct CheckSamples: Sendable {
  private(set) var names: [[UInt8]] = []
  private(set) var hasFound = false

  private static let maxCount = 8
  mutating func add(_ line: CheckedLine) {
    // A directory such as `.` exists everywhere.
    if line.kind == .other { return }
    switch line.outcome {
    case .missing: add(line.name)
    case .malformed, .unsupported:
      break
    default: hasFound = true
    }
  }

  mutating func add(_ missing: [UInt8]) {
    if names.count < CheckSamples.maxCount { names.append(missing) }
  }
}

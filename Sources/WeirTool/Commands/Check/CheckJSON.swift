// The JSON of weir check: docs/schema/check.json.

internal import FileJobs
internal import Weir

enum CheckJSON {
  /// Appends the verdict on a line, or the error of a line without one.
  static func append(
    _ line: CheckedLine, _ manifests: [CheckOutput.Manifest], to lines: inout [UInt8]
  ) {
    var json = JSONText()
    let manifest = manifests[line.manifest].argument.bytes
    switch line.outcome {
    case .malformed, .unsupported:
      json.begin("error")
      manifest.withUnsafeBytes { json.append("path", name: $0) }
      json.append("kind", status(line.outcome))
      json.append("line", line.number)
      json.append("message", CheckOutput.reason(line.outcome))
    default:
      json.begin("file")
      json.append("path", name: line.name)
      json.append("status", status(line.outcome))
      manifest.withUnsafeBytes { json.append("manifest", name: $0) }
      json.append("line", line.number)
      let reason = CheckOutput.reason(line.outcome)
      if !reason.isEmpty { json.append("message", reason) }
    }
    json.end()
    lines += json.bytes
  }

  private static func status(_ outcome: CheckedLine.Outcome) -> String {
    switch outcome {
    case .matched: "ok"
    case .touched: "touched"
    case .edited: "edited"
    case .rotten: "rot"
    case .mismatched, .wrongType, .wrongTarget: "failed"
    case .missing: "missing"
    case .changed: "changed"
    case .unreadable, .special: "unreadable"
    case .malformed: "malformed"
    case .unsupported: "unsupported"
    }
  }

  /// Appends the counts of a finished manifest.
  static func append(
    _ manifest: CheckedManifest, _ manifests: [CheckOutput.Manifest], isAudit: Bool,
    to lines: inout [UInt8]
  ) {
    lines += JSONText.object("manifest") { json in
      manifests[manifest.index].argument.bytes.withUnsafeBytes { json.append("path", name: $0) }
      json.append("complete", manifest.failure == nil)
      json.append("lines", manifest.lines)
      json.append("ok", manifest.verified)
      json.append("touched", manifest.touched)
      json.append("failed", manifest.differing)
      json.append("edited", manifest.edited)
      json.append("rot", manifest.rotten)
      json.append("others", manifest.others)
      json.append("missing", manifest.missing)
      if isAudit { json.append("moved", manifest.moved) }
      json.append("unreadable", manifest.unreadable)
      json.append("malformed", manifest.malformed)
      json.append("unsupported", manifest.unsupported)
    }
  }

  /// Appends the summary.
  static func append(
    _ total: CheckTotal, _ ending: Session.Ending, isAudit: Bool, to lines: inout [UInt8]
  ) {
    lines += JSONText.object("summary") { json in
      json.append("complete", ending.isComplete)
      json.append("ok", total.verified)
      json.append("touched", total.touched)
      json.append("failed", total.mismatched + total.misplaced + total.edited + total.rotten)
      json.append("edited", total.edited)
      json.append("rot", total.rotten)
      json.append("others", total.others)
      json.append("missing", total.missing)
      if isAudit {
        json.append("moved", total.moved)
        json.append("new", total.new)
      }
      json.append("unreadable", total.unread)
      json.append("malformed", total.malformed)
      json.append("unsupported", total.unsupported)
      json.append("bytes", ending.statistics.bytes)
      json.append("seconds", seconds: ending.seconds)
    }
  }
}

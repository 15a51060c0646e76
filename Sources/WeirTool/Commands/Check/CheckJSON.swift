// The JSON of weir check: docs/schema/check.json.

internal import FileJobs
internal import Weir

enum CheckJSON {
  /// Appends the verdict on a line, or the error of a line without one.
  static func append(
    _ line: CheckedLine, _ manifests: [CheckOutput.Manifest], to lines: inout [UInt8]
  ) {
    let manifest = manifests[line.manifest].argument.bytes
    let reason = CheckOutput.reason(line.outcome)
    switch line.outcome {
    case .malformed, .unsupported:
      lines += JSONText.object("error") { json in
        manifest.withUnsafeBytes { json.append("path", name: $0) }
        json.append("kind", status(line.outcome))
        json.append("line", max(1, line.number))
        json.append("message", reason)
      }
    default:
      lines += JSONText.object("file") { json in
        json.append("path", name: line.name)
        json.append("status", status(line.outcome))
        manifest.withUnsafeBytes { json.append("manifest", name: $0) }
        json.append("line", line.number)
        if line.isAmbiguous, case .matched = line.outcome, let algorithm = line.algorithm {
          json.append("algorithm", algorithm.name)
        }
        if !reason.isEmpty { json.append("message", reason) }
      }
    }
  }

  private static func status(_ outcome: CheckedLine.Outcome) -> String {
    switch outcome {
    case .matched: "ok"
    case .touched: "touched"
    case .edited: "edited"
    case .rotten: "rot"
    case .mismatched, .wrongType, .wrongTarget, .invalid: "failed"
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
      append(manifest, &json, isAudit: isAudit, unreadable: manifest.unreadable)
    }
  }

  /// Appends the summary.
  static func append(
    _ total: CheckTotal, _ ending: Session.Ending, isAudit: Bool, to lines: inout [UInt8]
  ) {
    lines += JSONText.object("summary") { json in
      json.append("complete", ending.isComplete)
      append(total.lines, &json, isAudit: isAudit, new: total.new, unreadable: total.unread)
      json.append("bytes", ending.statistics.bytes)
      json.append("seconds", seconds: ending.seconds)
    }
  }

  private static func append(
    _ lines: CheckedManifest, _ json: inout JSONText, isAudit: Bool, new: Int? = nil,
    unreadable: Int
  ) {
    json.append("ok", lines.verified)
    json.append("touched", lines.touched)
    json.append("failed", lines.differing)
    json.append("edited", lines.edited)
    json.append("rot", lines.rotten)
    json.append("others", lines.others)
    json.append("missing", lines.missing)
    if isAudit {
      json.append("moved", lines.moved)
      if let new { json.append("new", new) }
    }
    json.append("unreadable", unreadable)
    json.append("malformed", lines.malformed)
    json.append("unsupported", lines.unsupported)
    json.append("undigested", lines.undigested)
  }
}

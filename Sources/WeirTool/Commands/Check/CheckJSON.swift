// The JSON of weir check: docs/schema/check.json.

internal import FileJobs
internal import Weir

enum CheckJSON {
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
        if let known = line.known, known.kind != .failed, known.time > 0, !line.isRight {
          json.append("since", UTCTime.text(known.time))
        }
        if let difference = line.difference {
          json.append("algorithm", difference.algorithm.name)
          json.append("expected", String(decoding: difference.expected, as: UTF8.self))
          json.append("computed", String(decoding: difference.computed, as: UTF8.self))
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
    case .mismatched, .failing, .wrongType, .wrongTarget, .invalid: "failed"
    case .missing: "missing"
    case .changed: "changed"
    case .unreadable, .special: "unreadable"
    case .malformed: "malformed"
    case .unsupported: "unsupported"
    }
  }

  static func append(
    _ manifest: CheckedManifest, _ manifests: [CheckOutput.Manifest], isAudit: Bool,
    to lines: inout [UInt8]
  ) {
    lines += JSONText.object("manifest") { json in
      manifests[manifest.index].argument.bytes.withUnsafeBytes { json.append("path", name: $0) }
      json.append("complete", manifest.failure == nil)
      json.append("lines", manifest.lines)
      for (name, value) in counts(manifest, isAudit: isAudit, unreadable: manifest.unreadable) {
        json.append(name, value)
      }
    }
  }

  static func append(
    _ total: CheckTotal, _ report: CheckReport, _ ending: Session.Ending, isAudit: Bool,
    to lines: inout [UInt8]
  ) {
    lines += JSONText.object("summary") { json in
      json.append("complete", ending.isComplete)
      let counts = counts(
        total.lines, isAudit: isAudit, new: total.new, unreadable: total.unread)
      for (name, value) in counts + report.counts { json.append(name, value) }
      for (name, time) in report.dates { json.append(name, UTCTime.text(time)) }
      json.append("bytes", ending.statistics.bytes)
      json.append("seconds", seconds: ending.seconds)
    }
  }

  static func counts(
    _ lines: CheckedManifest, isAudit: Bool, new: Int? = nil, unreadable: Int
  ) -> [(name: String, value: UInt64)] {
    let counts: [(String, Int?)] = [
      ("ok", lines.verified), ("touched", lines.touched), ("failed", lines.differing),
      ("edited", lines.edited), ("rot", lines.rotten), ("open", lines.open),
      ("others", lines.others),
      ("missing", lines.missing), ("moved", isAudit ? lines.moved : nil),
      ("new", isAudit ? new : nil), ("unreadable", unreadable), ("malformed", lines.malformed),
      ("unsupported", lines.unsupported), ("undigested", lines.undigested),
    ]
    return counts.compactMap { name, count in count.map { (name, UInt64($0)) } }
  }
}

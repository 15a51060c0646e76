// The commands of a race.

import TestSupport

enum RaceVerb: String, CaseIterable, Sendable {
  case hash = "hash"
  case hashOneLane = "hash -j1"
  case hashToFile = "hash -o"
  case hashFollow = "hash --follow"
  case hashParts = "hash -a blake3"
  case check = "check"
  case count = "count"
  case duplicates = "duplicates"
  case run = "run"
  case shard = "hash --shard"

  /// True if a walk finds the file; else its name is given.
  var walks: Bool { self != .check && self != .shard }

  var sizes: [RaceSize] {
    switch self {
    case .hashParts: [.parts]
    case .run: [.one]
    case .hashOneLane, .hashFollow: [.one]
    default: [.one, .three]
    }
  }

  func steps(_ size: RaceSize) -> [RaceStep] {
    let reading = RaceStep.reading(size)
    return switch self {
    case .hash, .hashOneLane: RaceStep.walking + reading
    case .hashFollow: RaceStep.walking.dropLast(2) + reading
    case .hashToFile: RaceStep.walking.suffix(3) + reading + [.beforeManifest]
    case .count: RaceStep.walking.suffix(4) + reading
    case .hashParts, .check: reading
    case .duplicates:
      Array(RaceStep.walking.prefix(7)) + [.beforeNameStatus, .afterNameStatus] + [
        .beforeOpen, .afterOpen, .afterStatus, .afterRead,
      ]
    case .run: Array(RaceStep.walking.prefix(7))
    case .shard: reading
    }
  }

  /// The kinds that say something about the verb.
  func takes(_ kind: RaceKind) -> Bool {
    switch self {
    case .run, .hashFollow: kind.target != .content
    case .check, .shard, .hashOneLane: kind.target != .root
    default: true
    }
  }

  /// A command line before the race.
  var preparation: [String] {
    self == .shard ? ["plan", "--shards", "1", "-o", "plan", "t"] : []
  }

  var arguments: [String] {
    switch self {
    case .hash: ["hash", "-j2", "t"]
    case .hashOneLane: ["hash", "-j1", "t"]
    case .hashToFile: ["hash", "-j2", "-o", "sums", "t"]
    case .hashFollow: ["hash", "-j2", "--follow", "t"]
    case .hashParts: ["hash", "-j2", "-a", "blake3", "--plain", "t"]
    case .check: ["check", "-j2", "sums"]
    case .count: ["count", "-j2", "-l", "-c", "t"]
    case .duplicates: ["duplicates", "-j2", "t"]
    case .run: ["run", "-j1", "t", "--", "echo"]
    case .shard: ["hash", "-j2", "--plan", "plan", "--shard", "0/1", "--out", "parts"]
    }
  }

  /// A command line after the race, whose output is that of the run.
  var ending: [String] { self == .shard ? ["merge", "--plan", "plan", "parts"] : [] }

  /// The results that a text of this verb gives for the names of the race; `OK` and `FAILED` of
  /// `check`, the results of RaceResults, and for `duplicates` the name of a file that it is
  /// equal to.
  func claims(_ text: String) -> [(name: String, result: String)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    switch self {
    case .duplicates:
      return text.split(separator: "\n\n").flatMap { group in
        let names = group.split(separator: "\n").dropFirst()
          .map { String($0.hasPrefix("= ") ? $0.dropFirst(2) : $0) }
        return names.flatMap { name in
          names.filter { $0 != name }.map { (name, $0) }
        }
      }
    case .run:
      return lines.filter { !$0.isEmpty }.map { ($0, "named") }
    case .check:
      return lines.compactMap { line in
        [": OK", ": FAILED"].first { line.hasSuffix($0) }
          .map { (String(line.dropLast($0.count)), String($0.dropFirst(2))) }
      }
    default:
      return lines.compactMap { line in
        let fields = line.split(separator: " ").map(String.init)
        guard let name = fields.last, name != "total" else { return nil }
        return (name, fields.dropLast().joined(separator: " "))
      }
    }
  }
}

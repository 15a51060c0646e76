// What a check has come to.

internal import FileJobs
internal import Weir

/// The sums over all manifests.
struct CheckTotal: Sendable {
  /// Files with the digests that are recorded.
  private(set) var verified = 0
  private(set) var mismatched = 0
  private(set) var misplaced = 0
  private(set) var edited = 0
  private(set) var rotten = 0
  /// Those of the verified that were changed at another time.
  private(set) var touched = 0
  /// Directories, links and special files that are as they should be.
  private(set) var others = 0
  private(set) var missing = 0
  /// Missing files that have another name now, and files that no line names.
  private(set) var moved = 0
  var new = 0
  /// What could not be read of that which no line names.
  var unlistedUnread = 0
  private(set) var unreadable = 0
  private(set) var malformed = 0
  private(set) var unsupported = 0
  /// Manifests that were not read, or not to their end.
  private(set) var manifestsUnread = 0
  /// Whether something counts as a difference.
  private(set) var isDifferent = false
  private(set) var hasEntries = false
  /// Names that were not found.
  var samples = CheckSamples()

  mutating func add(_ manifest: CheckedManifest, _ rules: CheckRules) {
    verified += manifest.verified
    mismatched += manifest.mismatched
    misplaced += manifest.misplaced
    edited += manifest.edited
    rotten += manifest.rotten
    touched += manifest.touched
    others += manifest.others
    missing += manifest.missing
    moved += manifest.moved
    unreadable += manifest.unreadable
    malformed += manifest.malformed
    unsupported += manifest.unsupported
    hasEntries = hasEntries || manifest.entries > 0
    if manifest.failure != nil {
      manifestsUnread += 1
    } else if manifest.entries == 0 {
      isDifferent = true
    }
    if manifest.differing > 0 || (rules.isStrict && manifest.malformed > 0) {
      isDifferent = true
    }
    let isUnverified =
      rules.ignoresMissing
      ? manifest.missing > 0 && manifest.verified == 0 : manifest.missing > 0
    if isUnverified { isDifferent = true }
  }

  /// How the run ends; `nil` for all well.
  var status: ExitStatus? {
    if isDifferent || !hasEntries { return .difference }
    if unreadable + unlistedUnread + unsupported + manifestsUnread > 0 { return .unreadable }
    return new + moved > 0 ? .newOrMoved : nil
  }

  /// All that could not be read.
  var unread: Int { unreadable + unlistedUnread }

  /// What was done and how fast.
  func summary(_ statistics: FileStatistics, seconds: Double) -> String {
    let parts = [
      "\(Quantities.count(verified, "line", "lines")) verified",
      touched > 0 ? "\(Quantities.count(touched)) of them touched" : nil,
      others > 0
        ? "\(Quantities.count(others, "directory or link", "directories and links"))" : nil,
      mismatched > 0 ? "\(Quantities.count(mismatched)) did not match" : nil,
      misplaced > 0 ? "\(Quantities.count(misplaced)) something else" : nil,
      edited > 0 ? "\(Quantities.count(edited)) edited" : nil,
      rotten > 0 ? "\(Quantities.count(rotten)) rotten" : nil,
      missing > 0 ? "\(Quantities.count(missing)) missing" : nil,
      moved > 0 ? "\(Quantities.count(moved)) moved" : nil,
      new > 0 ? "\(Quantities.count(new)) new" : nil,
      unread > 0 ? "\(Quantities.count(unread)) could not be read" : nil,
      unsupported > 0 ? "\(Quantities.count(unsupported)) could not be verified" : nil,
      malformed > 0 ? "\(Quantities.count(malformed)) malformed" : nil,
    ].compactMap { $0 }
    return "\(parts.joined(separator: ", ")); \(FileReport.pace(statistics, seconds: seconds))"
  }
}

/// A few names that were not found, as long as nothing is.
struct CheckSamples: Sendable {
  private(set) var names: [[UInt8]] = []
  /// Where the first of them is now, if that is known.
  private(set) var move: (from: [UInt8], to: [UInt8])?
  /// Whether something was found.
  private(set) var hasFound = false

  private static let countMax = 8

  /// Takes a line whose file has moved.
  mutating func take(_ line: CheckedLine, movedTo new: UnsafeRawBufferPointer) {
    if hasFound { return }
    take(line)
    if move == nil { move = (Array(line.name), Array(new)) }
  }

  mutating func take(_ line: CheckedLine) {
    // There is a directory `.` everywhere.
    if line.kind == .other { return }
    switch line.outcome {
    case .missing:
      if !hasFound && names.count < CheckSamples.countMax { names.append(Array(line.name)) }
    case .malformed, .unsupported:
      break
    default:
      hasFound = true
      names = []
      move = nil
    }
  }
}

internal import FileJobs
internal import Weir

/// The totals over all manifests.
struct CheckTotal: Sendable {
  /// The files with the recorded digests.
  private(set) var verified = 0
  private(set) var mismatched = 0
  private(set) var misplaced = 0
  private(set) var edited = 0
  private(set) var rotten = 0
  /// The verified files that have another time.
  private(set) var touched = 0
  /// The directories, links and special files that match.
  private(set) var others = 0
  private(set) var missing = 0
  /// The missing files that exist under another name.
  private(set) var moved = 0
  /// The files that no line lists.
  var new = 0
  /// The unlisted files and directories that could not be read.
  var unlistedUnread = 0
  private(set) var unreadable = 0
  private(set) var malformed = 0
  private(set) var unsupported = 0
  /// The manifests that were not read to their ends.
  private(set) var manifestsUnread = 0
  /// True if anything counts as a difference.
  private(set) var isDifferent = false
  private(set) var hasEntries = false
  /// Some of the missing names.
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

  /// The exit status; `nil` for success.
  var status: ExitStatus? {
    if isDifferent || !hasEntries { return .difference }
    if unreadable + unlistedUnread + unsupported + manifestsUnread > 0 { return .unreadable }
    return new + moved > 0 ? .newOrMoved : nil
  }

  /// The files that could not be read.
  var unread: Int { unreadable + unlistedUnread }

  /// Returns the line of --summary.
  func summary(_ ending: Session.Ending) -> String {
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
    let pace = FileReporter.pace(ending.statistics, seconds: ending.seconds)
    return "\(parts.joined(separator: ", ")); \(pace)"
  }
}

/// A few missing names, as long as no listed file was found.
struct CheckSamples: Sendable {
  private(set) var names: [[UInt8]] = []
  /// The old and the new name of the first moved file.
  private(set) var move: (from: [UInt8], to: [UInt8])?
  /// True if a listed file was found.
  private(set) var hasFound = false

  private static let maxCount = 8

  /// Adds a line whose file has moved.
  mutating func add(_ line: CheckedLine, movedTo new: UnsafeRawBufferPointer) {
    if hasFound { return }
    add(line)
    if move == nil { move = (Array(line.name), Array(new)) }
  }

  mutating func add(_ line: CheckedLine) {
    // A directory such as `.` exists everywhere.
    if line.kind == .other { return }
    switch line.outcome {
    case .missing:
      if !hasFound && names.count < CheckSamples.maxCount { names.append(Array(line.name)) }
    case .malformed, .unsupported:
      break
    default:
      hasFound = true
      names = []
      move = nil
    }
  }
}

// The report of a check: verdicts on standard output, messages on standard error.
//
// DESIGN. `weir check` and the drop-in names have one writer, since their words are the same. The
// drop-in names have no advice, and what only other manifests lead to does not occur.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The options on the output of a check, and on differences.
struct CheckRules: Sendable {
  var format = OutputFormat.text
  var isQuiet: Bool
  var isSilent: Bool
  var warns: Bool
  /// True if a file without a digest is a difference.
  var isStrict = false
  /// True if a malformed line is none.
  var isLenient: Bool
  var ignoresMissing: Bool
  /// True for an audit, which also finds new files.
  var isAudit = false
  var namesAlgorithm = false
  /// True if the digests of a failure are reported.
  var showsDigests = false
  var colorsOutput = false
  var colorsErrors = false
  /// The advice of `weir check`; `nil` for the drop-in names.
  var advice: CheckAdvice?
}

extension Errno {
  /// The error of a manifest that could not be read to its end, in the words of the drop-in names;
  /// not an error of the system.
  static let readError = Errno(rawValue: 0x7F02)
}

/// Standard output and standard error.
protocol CheckSink: Sendable {
  var isOutputTerminal: Bool { get }
  func write(_ lines: [UInt8]) throws
  func report(_ message: Message)
}

extension Console: CheckSink {}

/// Writes verdicts to standard output and messages to standard error, in the order of the
/// lines of the manifests.
final class CheckOutput: SessionOutput, Sendable {
  struct Manifest: Sendable {
    let argument: RawArgument
    let isStandardInput: Bool
    /// The directory that the name is relative to, as a descriptor for openat.
    let base: Int32

    /// The name in messages.
    var shown: [UInt8] { isStandardInput ? Array("standard input".utf8) : argument.bytes }
  }

  let console: any CheckSink
  let rules: CheckRules
  let manifests: [Manifest]
  let state = Locked(State())
  private let report: @Sendable () -> CheckReport
  /// The number of failures that a report names.
  private static let failuresMax = 100

  struct State {
    /// The lines that are not written to standard output yet.
    var lines: [UInt8] = []
    var total = CheckTotal()
    var failures: [[UInt8]] = []
    var open = CheckedManifest()
  }

  init(
    _ console: any CheckSink, _ rules: CheckRules, manifests: [RawArgument],
    method report: @escaping @Sendable () -> CheckReport = { CheckReport() }
  ) {
    self.report = report
    self.console = console
    self.rules = rules
    let base = rules.advice?.here.base ?? AT_FDCWD
    self.manifests = manifests.map { name in
      let isInput =
        rules.advice == nil
        ? name.bytes == Array("-".utf8) : name.openDescriptor == .standardInput
      return Manifest(argument: name, isStandardInput: isInput, base: base)
    }
  }

  func write(_ event: CheckEvent) throws {
    try state.with { state in
      switch event {
      case .line(let line): try write(line, &state)
      case .end(let manifest): try end(manifest, &state)
      case .pause: try flush(&state)
      }
    }
  }

  func flush(_ state: inout State) throws {
    defer { state.lines.removeAll(keepingCapacity: true) }
    try console.write(state.lines)
  }

  /// Writes a message to standard error, after the collected lines.
  func report(_ text: Message, _ state: inout State) throws {
    try flush(&state)
    console.report(text)
  }

  private func report(_ manifest: Int, _ text: Message, _ state: inout State) throws {
    try report("\(manifests[manifest].shown): \(text)", &state)
  }

  // MARK: Lines

  /// - Parameter tag: The algorithm of a malformed line, for the drop-in names.
  func write(_ line: CheckedLine, tag: String? = nil, _ state: inout State) throws {
    state.total.samples.add(line)
    state.open.count(line)
    switch line.outcome {
    case .matched:
      // A directory or link that matches has no line.
      if !rules.isQuiet && line.kind != .other { write(line, "OK", &state) }
    case .touched:
      if !rules.isQuiet { write(line, "OK (touched)", &state) }
    case .mismatched, .edited, .rotten, .failing, .wrongType, .wrongTarget, .invalid:
      write(line, CheckOutput.failure(line), &state)
      guard let difference = line.difference else { break }
      if state.failures.count < CheckOutput.failuresMax {
        var object: [UInt8] = []
        CheckJSON.append(line, manifests, to: &object)
        state.failures.append(Array(object.dropLast()))
      }
      if rules.showsDigests {
        try report(
          """
          \(shortened(line.name)): \(difference.algorithm.name) is \(difference.computed), \
          recorded is \(difference.expected)
          """, &state)
      }
    case .missing where line.isOpen && (rules.ignoresMissing || line.known?.kind != .failed):
      write(line, CheckOutput.failure(line), isShort: true, &state)
    case .missing where rules.ignoresMissing: break
    case .malformed:
      if rules.format == .json { CheckJSON.append(line, manifests, to: &state.lines) }
      if rules.warns { try reportLine(line, tag, &state) }
    case .unsupported:
      if rules.format == .json { CheckJSON.append(line, manifests, to: &state.lines) }
      try reportLine(line, tag, &state)
    case .missing, .unreadable, .special, .changed:
      try report("\(shortened(line.name)): \(CheckOutput.reason(line.outcome))", &state)
      write(line, CheckOutput.failure(line), isShort: true, &state)
    }
  }

  private static func failure(_ line: CheckedLine) -> String {
    var verdict = "FAILED"
    var reasons: [String] = []
    let known = line.known
    switch line.outcome {
    case .edited: reasons = ["edited"]
    case .rotten where known?.kind != .rot: reasons = ["rot"]
    case .wrongType, .wrongTarget, .invalid: reasons = [reason(line.outcome)]
    case .missing where line.kind != .checksum && known?.kind != .gone: reasons = ["missing"]
    case .missing where line.kind == .checksum, .unreadable, .special, .changed:
      verdict += " open or read"
    default: break
    }
    if let known {
      let date = known.time > 0 ? UTCTime.text(known.time).prefix(10) : "an unknown time"
      let since = known.time > 0 ? " since \(date)" : ""
      switch known.kind {
      case .rot: reasons.append("rot\(since)")
      case .gone: reasons.append("gone\(since)")
      case .failed: if case .failing = line.outcome { reasons.append("as of \(date)") }
      }
    }
    return reasons.isEmpty ? verdict : "\(verdict) (\(reasons.joined(separator: "; ")))"
  }

  private func reportLine(_ line: CheckedLine, _ tag: String?, _ state: inout State) throws {
    let reason = CheckOutput.reason(line.outcome, tag: tag)
    try report(line.manifest, line.number > 0 ? "\(line.number): \(reason)" : "\(reason)", &state)
  }

  static func message(_ line: CheckedLine) -> Message {
    "\(LongName.shortened(line.name)): \(reason(line.outcome))"
  }

  static func reason(_ outcome: CheckedLine.Outcome, tag: String? = nil) -> String {
    switch outcome {
    case .missing: "\(Errno.noSuchFileOrDirectory)"
    case .unreadable(.notSupported): "this libcrypto does not offer its algorithm"
    case .unreadable(let error): "\(error)"
    case .changed(nil): "changed while it was read"
    case .changed: "vanished while it was read"
    case .special(let type), .wrongType(let type): "is \(FileReporter.kind(type))"
    case .malformed: "improperly formatted \(tag.map { "\($0) " } ?? "")checksum line"
    case .unsupported(let tag): "\(tag) is not supported"
    case .wrongTarget: "points elsewhere"
    case .rotten: "the content differs, size and time do not"
    case .failing: "failed in an earlier run, and was not read again"
    case .invalid(let reason): reason
    case .matched, .mismatched, .touched, .edited: ""
    }
  }

  private func shortened(_ name: [UInt8]) -> [UInt8] {
    rules.advice == nil ? name : LongName.shortened(name)
  }

  private func write(
    _ line: CheckedLine, _ verdict: String, isShort: Bool = false, _ state: inout State
  ) {
    if rules.isSilent { return }
    if rules.format == .json {
      CheckJSON.append(line, manifests, to: &state.lines)
      return
    }
    if isShort {
      append(name: shortened(line.name), &state)
    } else {
      line.withName { append(name: $0, &state) }
    }
    state.lines.append(contentsOf: [UInt8(ascii: ":"), UInt8(ascii: " ")])
    let isFailure = rules.colorsOutput && verdict.hasPrefix("FAILED")
    state.lines.append(contentsOf: (isFailure ? TerminalColor.red(verdict) : verdict).utf8)
    state.lines.append(UInt8(ascii: "\n"))
  }

  /// Appends a name as the GNU tools write it before a verdict: escaped if it contains a
  /// newline, which would break the line. A terminal gets no control byte of a name.
  func append(name: UnsafeRawBufferPointer, _ state: inout State) {
    if console.isOutputTerminal, TerminalText.hasControls(name, keeping: .nothing) {
      QuotedName.append(name, to: &state.lines)
    } else if name.contains(UInt8(ascii: "\n")) {
      state.lines.append(LineWriter.backslash)
      state.lines.append(escaping: name)
    } else {
      state.lines.append(contentsOf: name)
    }
  }

  func append(name: [UInt8], _ state: inout State) {
    name.withUnsafeBytes { append(name: $0, &state) }
  }

  // MARK: Manifests

  func end(_ manifest: CheckedManifest, _ state: inout State) throws {
    state.open = CheckedManifest()
    state.total.add(manifest, rules)
    if rules.format == .json {
      CheckJSON.append(manifest, manifests, isAudit: rules.isAudit, to: &state.lines)
    }
    if let failure = manifest.failure {
      try report(failure, of: manifest, &state)
      if case .absent(let tree) = failure { return state.total.samples.add(tree.example) }
      if manifest.lines == 0 { return }
    }
    if manifest.isEmpty && manifest.isMtree {
      try report(manifest.index, "nothing was verified", &state)
      if !rules.isSilent { try warn(manifest, &state) }
    } else if manifest.isEmpty {
      let hint = rules.advice?.forNoLine(of: manifest, in: manifests[manifest.index]) ?? ""
      try report(manifest.index, "no properly formatted checksum lines found\(hint)", &state)
    } else if !rules.isSilent {
      try warn(manifest, &state)
      try hint(at: manifest, &state)
    }
  }

  /// Reports the algorithm that probably made the digests of a manifest if none matched.
  private func hint(at manifest: CheckedManifest, _ state: inout State) throws {
    guard rules.advice != nil, !manifest.isMtree, !rules.namesAlgorithm, manifest.verified == 0,
      manifest.mismatched > 0, let hint = CheckAdvice.forMismatch(in: manifests[manifest.index])
    else { return }
    try report(manifest.index, "\(hint)", &state)
  }

  private func report(
    _ failure: CheckManifestFailure, of manifest: CheckedManifest, _ state: inout State
  ) throws {
    let file = manifests[manifest.index]
    switch failure {
    case .failed(.readError):
      try report(manifest.index, "read error", &state)
    case .failed(.isDirectory) where rules.advice != nil:
      try report(
        manifest.index,
        """
        is a directory without bagit.txt, and so no bag; to hash it, use weir hash, to compare it \
        with another or with a manifest, weir compare
        """, &state)
    case .failed(let error):
      try report(manifest.index, "\(error)", &state)
    case .foreign(let foreign):
      try report(manifest.index, "\(foreign.reason(of: file.argument.bytes))", &state)
    case .absent(let tree):
      let place = tree.directory.isEmpty ? workingDirectory() ?? [] : tree.directory
      let names = Quantities.count(tree.names, "name", "names")
      try report(
        """
        \(place): is \(tree.isEmpty ? "empty" : "missing"), and \(file.shown) has \(names) below it; \
        mount it, or name another directory with -C
        """, &state)
    case .special:
      try report(
        manifest.index,
        "is not a regular file; to read it, use: weir check - < \(file.argument)", &state)
    }
  }

  private func warn(
    _ manifest: CheckedManifest, isWhole: Bool = true, _ state: inout State
  ) throws {
    let missing = rules.ignoresMissing ? manifest.gone : manifest.recordedMissing
    let others = rules.ignoresMissing ? 0 : manifest.othersMissing
    let files = rules.ignoresMissing ? 0 : manifest.missing - others - missing
    // The drop-in names count lines.
    let unread = manifest.unreadable + files + (rules.advice == nil ? manifest.repeatedUnread : 0)
    for (count, one, several, end) in [
      (manifest.malformed, "line is", "lines are", "improperly formatted"),
      (manifest.unsupported, "line", "lines", "could not be verified"),
      (unread, "listed file", "listed files", "could not be read"),
      (missing, "listed file is", "listed files are", "missing"),
      (others, "listed directory or link is", "listed directories or links are", "missing"),
      (manifest.moved, "listed file has", "listed files have", "moved"),
      (manifest.mismatched, "computed checksum", "computed checksums", "did NOT match"),
      (manifest.invalid, "requirement", "requirements", "of BagIt NOT met"),
      (manifest.misplaced, "listed name", "listed names", "did NOT match in type or target"),
      (manifest.edited, "listed file was", "listed files were", "edited"),
      (manifest.rotten, "listed file has", "listed files have", "ROT"),
      (
        manifest.failing, "listed file", "listed files", "failed before, and NOT read again"
      ),
      (
        manifest.undigested, "listed file has", "listed files have",
        "no digest: the content was NOT verified"
      ),
    ] where count > 0 {
      try report("\(warning): \(count) \(count == 1 ? one : several) \(end)", &state)
    }
    if isWhole && manifest.entries > 0 && rules.ignoresMissing && manifest.verified == 0
      && manifest.elsewhere == 0
    {
      try report(manifest.index, "no file was verified", &state)
    }
  }

  var warning: String { rules.colorsErrors ? TerminalColor.red("WARNING") : "WARNING" }

  // MARK: End

  private func addInterrupted(_ state: inout State) throws {
    let open = state.open
    state.open = CheckedManifest()
    if open.entries + open.malformed == 0 { return }
    state.total.add(open, rules)
    if !rules.isSilent { try warn(open, isWhole: false, &state) }
  }

  func finish(_ ending: Session.Ending) throws {
    try state.with { state in
      if !ending.isComplete { try addInterrupted(&state) }
      state.total.addDropped(report())
      let isUnverified = ending.isComplete && state.total.addUnverified(report(), rules)
      if isUnverified && !rules.isSilent { try report("no file was verified", &state) }
      if rules.format == .json && ending.failure == nil {
        CheckJSON.append(
          state.total, report(), ending, isAudit: rules.isAudit, to: &state.lines)
      }
      if rules.isAudit && ending.isComplete { try warnOfUnlisted(&state) }
      try warnOfUndropped(&state)
      if report().proofs?.isUnused == true && !rules.isSilent {
        try report("no line with a digest was found; the state keeps its proofs", &state)
      }
      if ending.isComplete && !rules.isSilent,
        let advice = rules.advice?.relocation(of: state.total.samples, manifests)
      {
        try report(advice, &state)
      }
      try flush(&state)
    }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    let ((total, failures), report) = (state.with { ($0.total, $0.failures) }, report())
    return Session.Summary(
      line: { total.summary(ending, report) }, status: total.status,
      counts: CheckJSON.counts(
        total.lines, isAudit: rules.isAudit, new: total.new, unreadable: total.unread)
        + report.counts, dates: report.dates, failures: failures)
  }

  private func warnOfUndropped(_ state: inout State) throws {
    let count = report().undropped
    if count == 0 || rules.isSilent { return }
    let files = Quantities.count(count, "file", "files")
    try self.report(
      "\(warning): \(files) could not be dropped from memory, and may not come from the disk",
      &state)
  }

  var status: ExitStatus? {
    state.with { $0.total }.status
  }
}

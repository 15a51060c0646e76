// The options of weir check on what is read, how much of it, and what was proved before.

internal import FileJobs

struct ProofOptions: OptionGroup {
  var noRead = false
  var fromDisk = false
  var maxTime: Double?
  var maxBytes: UInt64?
  var state: RawArgument?
  var oldestFirst = false

  static let section = OptionSection<ProofOptions>(
    "Proofs",
    [
      Option(
        flag: "--no-read", \.noRead, "Compare names, types, sizes and times only",
        ": no file is opened, and a file is OK by its status", isBrief: false, on: .wholeRun),
      Option(
        flag: "--from-disk", \.fromDisk, "Drop files from memory before they are read",
        "; a warning counts those for which it was impossible", on: .wholeRun),
      Option(
        "--max-time TIME", .time, optional: \.maxTime, "Begin no file after TIME",
        ", such as 90m or 6h; the files that are being read are read to their ends",
        on: .wholeRun),
      Option(
        "--max-bytes SIZE", .size, optional: \.maxBytes, "Read at most SIZE",
        ", such as 500G, or one larger file", on: .wholeRun),
      Option(
        "--state FILE", .outputFile, optional: \.state,
        "Remember in FILE when each line was proved",
        on: .wholeRun),
      Option(
        flag: "--oldest-first", \.oldestFirst, "Verify first what was verified longest ago",
        "; with --state; with a budget, what failed before precedes that",
        on: .wholeRun),
    ])

  var isLimited: Bool { maxTime != nil || maxBytes != nil || state != nil }

  var content: CheckedContent { noRead ? .none : fromDisk ? .disk : .any }

  var budget: CheckBudget { CheckBudget(seconds: maxTime, bytes: maxBytes) }

  func openState() throws(Fault) -> ProofState? {
    try state.map { name throws(Fault) in try ProofState(name.bytes, in: workingDirectory()) }
  }

  func validate(
    _ operands: Operands, isAudit: Bool, isShard: Bool, resumes: Bool
  ) throws(UsageError) {
    let hasBudget = maxTime != nil || maxBytes != nil
    let isInput = operands.names.isEmpty || operands.names.contains { $0.openDescriptor != nil }
    for (isGiven, fault) in [
      (resumes && state == nil, "--resume needs --state FILE, or --plan FILE"),
      (oldestFirst && state == nil, "--oldest-first needs --state FILE"),
      (state != nil && isInput, "--state needs manifests that are files, since it outlives a run"),
      (
        isShard && state != nil,
        "--state keeps the proofs of whole manifests; omit --shard, and use --max-bytes or --max-time"
      ),
      (noRead && fromDisk, "--no-read and --from-disk exclude each other"),
      (noRead && state != nil, "--no-read proves no content, which --state would remember"),
      (noRead && maxBytes != nil, "--no-read reads nothing, which --max-bytes would limit"),
      (
        isAudit && noRead, "--no-read does not apply to --audit, which finds moved files by content"
      ),
      (
        isAudit && (state != nil || hasBudget),
        "--state, --max-time and --max-bytes do not apply to --audit, which needs all lines"
      ),
    ] where isGiven { throw UsageError("\(fault)") }
  }

  /// Returns the message of a failure that the state drops.
  static func message(_ name: [UInt8], _ failed: UInt32) -> Message {
    """
    \(name): failed at \(UTCTime.text(failed)), and the expected digest is in no list any more; \
    unless it was edited or accepted, restore it from a copy
    """
  }

  func report(_ check: CheckJob, _ job: ProofJob) -> @Sendable () -> CheckReport {
    { [self] in
      CheckReport(
        undropped: check.undropped, isUnread: noRead, postponed: job.postponedCount,
        hasBudget: maxTime != nil || maxBytes != nil, proofs: job.report)
    }
  }
}

/// The facts about a whole check that are no verdicts: its limits, its proofs, its method.
struct CheckReport: Sendable {
  /// The number of files that could not be dropped from memory.
  var undropped: UInt64 = 0
  var isUnread = false
  /// The number of lines that were left to a later run.
  var postponed = 0
  var hasBudget = false
  var proofs: ProofReport?

  /// The sentences of the summary before the amount and the speed.
  var sentences: [String] {
    var sentences = isUnread ? ["contents were not read"] : []
    guard let proofs else { return sentences }
    if proofs.proved > 0 {
      let lines = Quantities.count(proofs.proved, "line", "lines")
      sentences.append("\(lines) proved before in this round")
    }
    if let oldest = proofs.oldest {
      let age = Int(UTCTime.now) - Int(oldest)
      let days = Quantities.count(age / 86400, "day", "days")
      sentences.append("the oldest proof is of \(UTCTime.text(oldest)), \(days) ago")
    }
    if proofs.never > 0 {
      sentences.append("\(Quantities.count(proofs.never, "line was", "lines were")) never proved")
    }
    return sentences
  }

  var counts: [(name: String, value: UInt64)] {
    var counts: [(name: String, value: UInt64)] = []
    if undropped > 0 { counts.append(("undropped", undropped)) }
    if hasBudget || proofs != nil { counts.append(("postponed", UInt64(postponed))) }
    if let proofs {
      counts.append(("proved_before", UInt64(proofs.proved)))
      counts.append(("never_proved", UInt64(proofs.never)))
      if proofs.dropped > 0 { counts.append(("dropped", UInt64(proofs.dropped))) }
    }
    return counts
  }

  /// The times, as JSON and reports name them, in seconds since 1970.
  var dates: [(name: String, time: UInt32)] {
    proofs?.oldest.map { [("oldest_proof", $0)] } ?? []
  }
}

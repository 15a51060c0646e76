// An update of a manifest, and the continuation of an interrupted run.

internal import FileJobs
internal import SystemPackage
internal import Weir

extension HashToFile {
  /// Brings the output up to date: the plan, what differs, and the new ledger.
  func update(_ former: FormerManifest?, _ partial: FileDescriptor?) throws {
    let job = try makeJob(besides: former?.descriptor) { (options) throws(Errno) in
      try UpdateJob(options, former, partial: partial, directory: directory)
    }
    if partial == nil && !options.dryRun { try output.begin(with: header.line) }
    let reporter = FileReporter(console: console, verb: "hash")
    if !options.dryRun { session.resumption = resumption }
    let expected = ExpectedWork()
    let ending = session.perform(job, expected: expected) {
      let totals = try job.makePlan(sources) { reporter.report($0) }
      expected.set(WorkAmount(files: totals.files, bytes: totals.bytesToRead))
      if !totals.written.isEmpty {
        console.report("\(first: totals.written): written by this run, and not read")
      }
      if options.update { try refuse(totals, job) }
      if !options.dryRun { try job.read(sources, into: output) { reporter.report($0) } }
    }
    try conclude(ending) {
      if options.dryRun { return try reportPlan(job, ending) }
      if !job.changesNothing {
        try output.beginOutput(
          with: form.beginning(header), ledger: keepsRecords ? header.line : nil)
      }
      let counts = try job.write(into: output, now: UTCTime.now)
      try expectFiles(counts, ending)
      try checkLosses(counts, former)
      if try job.changesNothing || output.isUnchanged { try keepOutput() } else { try replace() }
      session.enter(.lastLines)
      if options.update {
        try report(job, counts, ending, hasLedger: former?.isText != true)
      }
      if let edited = counts.verdicts[.edited], edited > 0, former?.isText == true,
        !options.accept.acceptsRot
      {
        let files = Quantities.count(edited, "file has", "files have")
        console.report(
          "\(output.path): \(files) another digest, and without a ledger rot is not told from an edit"
        )
      }
      return counts
    }
  }

  // MARK: Refusals

  /// Throws `Unwritten` if a list could not be read, a PATH is empty that had files (a file system that
  /// is not mounted, perhaps), or lines of the manifest cannot be compared.
  private func refuse(_ totals: UpdateTotals, _ job: UpdateJob) throws {
    let name = output.path
    for case .list(let list, _) in operands.inputs where job.isUnreadable(list: list.bytes) {
      throw Unwritten(
        "\(list): is a list that could not be read to its end; \(name) is left unchanged")
    }
    if totals.useless > 0 && !options.accept.acceptsRot {
      let lines = Quantities.count(totals.useless, "line", "lines")
      throw Unwritten(
        "\(name): is left unchanged, since \(lines) cannot be compared; \(HashToFile.mend)")
    }
    if let limit = options.maxGone {
      try expect(totals.newlyGone, of: totals.former, within: limit)
    }
    guard let emptied = totals.emptied, operands.inputs.indices.contains(emptied.source),
      case .path(let path) = operands.inputs[emptied.source]
    else { return }
    let kinds = [
      emptied.lost.files > 0 ? Quantities.count(emptied.lost.files, "file", "files") : nil,
      emptied.lost.links > 0 ? Quantities.count(emptied.lost.links, "link", "links") : nil,
    ]
    let files = kinds.compactMap(\.self).joined(separator: " and ")
    let quiet = options.quiet ? " --quiet" : ""
    let wayOut =
      operands.inputs.count == 1
      ? "replace --update\(quiet) by --replace" : "omit it and add --accept-gone"
    throw Unwritten(
      """
      \(path): nothing was found in it, and \(name) has \(files) below it; \(name) is left \
      unchanged; mount what is missing, or if it is gone for good, \(wayOut)
      """)
  }

  /// Throws `Unwritten` if more records would end than the limit permits, or if all digests are taken
  /// for those of another algorithm.
  private func checkLosses(_ counts: UpdateCounts, _ former: FormerManifest?) throws {
    try expect(
      counts.accepted[.gone, default: 0], of: counts.former, within: options.maxGone ?? .usual)
    let edited = counts.verdicts[.edited, default: 0]
    let differing = edited + counts.verdicts[.new, default: 0]
    guard let former, former.isText, edited > 0, counts.read + counts.unread == differing,
      !options.accept.acceptsRot
    else { return }
    let algorithms = try former.firstAlgorithms().map(\.name).joined(separator: " or ")
    throw Unwritten(
      """
      \(output.path): is left unchanged, since no file has its digest by \(algorithms); name the \
      algorithm with -a, or add --accept-rot to replace all digests
      """)
  }

  private func expect(_ gone: UInt64, of former: UInt64, within limit: GoneLimit) throws {
    let refusal = limit.refusal(
      output.path, gone: gone, of: former,
      advice: "mount what is missing, name the PATHs as before")
    if let refusal { throw Unwritten(refusal) }
  }

  // MARK: Reports

  /// Reports the changes of an update, which has replaced the output. Open points are reported in any
  /// case, and edited files if nothing tells them from rotten ones.
  private func report(
    _ job: UpdateJob, _ counts: UpdateCounts, _ ending: Session.Ending, hasLedger: Bool
  ) throws {
    var unused = accept
    try job.forEachChange { change in
      if change.verdict.isOpen || change.verdict == .back || change.endsOpenPoint {
        unused.removePatterns(of: change.name)
      }
      // The end of known rot by another time is no news of the program that wrote the file.
      let isSaid =
        change.verdict.isOpen && !change.isAccepted || change.endsOpenPoint
        || change.verdict == .edited && !hasLedger
      if options.quiet && !isSaid { return }
      try console.write(reportsJSON ? change.object : change.line)
    }
    try reportSummary(counts, ending)
    if !options.quiet || counts.open > 0 { unused.filters.forEach(console.reportUnused) }
  }

  private func reportSummary(_ counts: UpdateCounts, _ ending: Session.Ending) throws {
    if reportsJSON {
      try console.write(counts.object(ending, isDryRun: options.dryRun))
    } else if !options.quiet {
      try console.write(Array("\(counts.summary)\n".utf8))
    }
  }

  private func reportPlan(_ job: UpdateJob, _ ending: Session.Ending) throws -> UpdateCounts {
    var counts = UpdateCounts()
    var unused = accept
    try job.forEachStep { name, step, since, isAccepted in
      // Only reading tells if a changed file is rot that a pattern accepts.
      unused.removePatterns(of: name)
      let verdict: LedgerVerdict? = step == .gone ? .gone : step == .rot ? .rot : nil
      if let verdict { counts.count(verdict, isAccepted: isAccepted) }
      if options.quiet && (verdict == nil || isAccepted) { return }
      try console.write(
        reportsJSON
          ? OutputMessages.object(name, step.rawValue, since: since, isAccepted: isAccepted)
          : OutputMessages.line(name, step.rawValue, since: since, isAccepted: isAccepted))
    }
    guard let totals = job.totals else { return UpdateCounts() }
    (counts.unread, counts.read) = (totals.unchanged + totals.known, totals.toRead)
    (counts.kept, counts.former) = (totals.kept, totals.former)
    counts.verdicts[.new] = totals.new
    if reportsJSON {
      try console.write(counts.object(ending, isDryRun: true))
    } else if !options.quiet {
      let files = Quantities.count(totals.toRead, "file", "files")
      try console.write(
        Array(
          """
          \(files) to read, \(Quantities.bytes(Double(totals.bytesToRead))); \
          \(Quantities.count(counts.unread)) unchanged, \(Quantities.count(totals.new)) new, \
          \(Quantities.count(totals.gone)) gone\n
          """.utf8))
    }
    if !options.quiet || counts.open > 0 { unused.filters.forEach(console.reportUnused) }
    return counts
  }
}

extension Console {
  /// Reports a pattern of `--accept` by which nothing was settled.
  func reportUnused(_ filter: FileFilter) {
    report("--accept \(filter.pattern.dropLast()): matched nothing")
  }
}

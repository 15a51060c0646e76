// A check on one shard of a plan, and the merge of all of them.

internal import FileJobs
internal import SystemPackage

extension CheckVerb {
  func runShard(_ operands: Operands) throws {
    let descriptors = OpenDescriptors.current()
    try validateShard(operands)
    // The shard itself goes to the directory of the plan.
    let base = FileDescriptor(
      rawValue: try CheckDirectories.open(RawArgument(".")))
    // Other records beside a manifest are another check.
    let manifests = operands.names.map { name in
      manifest(name, descriptors, from: base.rawValue) { Console().report($0) }
    }
    let proofs =
      try operands.names.map { name throws(FileError) in
        try CheckVerb.identity(name, from: base)
      } + manifests.compactMap { $0.records.flatMap { try? ManifestIdentity($0, from: base) } }
    let shard = try ShardRun(
      shardOptions, verb: "check", operands, commonOptions,
      words: operands.names.map(\.shown)
        + proofs.map { PartWords.digest($0.sha256) },
      resumes: shardOptions.resume)
    if try shard.isDone() { return }
    let job = try CheckJob(
      untagged: algorithms, isZeroTerminated: zero, descriptors: descriptors,
      options: shard.processorOptions())
    // A part without its last record proves nothing, so a canceled run is never complete.
    try shard.run(job, isCut: { true }) { writer in
      let path = shard.planPath
      let selection = CheckSelection(
        shard: shard.choice.index, of: shard.plan.shards, skipping: writer.totals.items
      ) { () throws(Fault) in try PlanReader(path) }
      let recorder = CheckPartWriter(
        writer, ignoresMissing: ignoreMissing, isStrict: strict, isLenient: lenient)
      try job.run(manifests, of: selection, recorder) { event in
        if case .line(let line) = event { report(line, to: shard.console) }
      }
      if let failure = selection.failure { throw error(failure, operands.names) }
      for proof in proofs where !proof.isCurrent {
        throw FileError("\(proof.path): changed while it was read")
      }
      try recorder.finish(lines: selection.lines)
    }
  }

  private func validateShard(_ operands: Operands) throws(UsageError) {
    try validateWalk(operands)
    try shardOptions.validate(operands, takesOperands: true)
    if operands.names.isEmpty {
      throw UsageError("with --plan, check needs a MANIFEST, which every shard reads")
    }
    if let name = operands.names.first(where: { $0.openDescriptor != nil }) {
      throw UsageError(
        "with --plan, every shard reads the manifests: name a file, and not \(name)")
    }
  }

  private static func identity(
    _ name: RawArgument, from base: FileDescriptor
  ) throws(FileError) -> ManifestIdentity {
    do throws(Errno) {
      return try ManifestIdentity(name.bytes, from: base)
    } catch .invalidArgument {
      throw FileError("\(name): is not a regular file")
    } catch {
      throw FileError(name, error)
    }
  }

  private func report(_ line: CheckedLine, to console: Console) {
    switch line.outcome {
    case .missing where ignoreMissing && !line.isOpen: break
    case .missing, .unreadable, .special, .changed: console.report(CheckOutput.message(line))
    default: break
    }
  }

  private func error(_ failure: CheckSelection.Failure, _ manifests: [RawArgument]) -> any Error {
    switch failure {
    case .plan(let error): error
    case .manifest(let index, let error): FileError(manifests[index], error)
    case .notInPlan(let index, let line, let name):
      FileError(
        """
        \(manifests[index]): line \(line): \(name) is not in the plan, or in another order; \
        use weir plan --files0-from with the names of the manifest, or --shard K/N without --plan
        """)
    }
  }

  // MARK: Quick form

  /// Returns the selection of the lines of one shard by the hash of the name; `nil` for all.
  func selection() throws(UsageError) -> CheckSelection? {
    guard let selection = try shardOptions.selection(resumes: true) else { return nil }
    if audit != nil {
      throw UsageError("--shard does not apply to --audit, which finds what no line lists")
    }
    return CheckSelection(shard: selection.shard, of: selection.count)
  }
}

extension CheckVerb: MergeableVerb {
  /// Lines, and not files of the plan, are answered: the merge itself proves that all are.
  var answersEveryFile: Bool { false }

  func merge(_ merge: MergeRun) throws {
    let manifests = merge.header.operands.map { RawArgument(bytes: $0) }
    do {
      try CheckMerge.prove(merge.parts.readers(), name: merge.name.bytes)
    } catch let error as Fault {
      merge.console.report(error)
      throw ExitStatus.damaged
    }
    let directories = try CheckDirectories(audit: nil, directory: nil)
    let output = CheckOutput(merge.console, rules(in: directories), manifests: manifests)
    let job = CheckMerge(
      try merge.parts.readers(), manifestCount: manifests.count, name: merge.name.bytes)
    try merge.run(job, output, isCut: { true }) {
      try job.run { event in try output.write(event) }
    }
  }
}

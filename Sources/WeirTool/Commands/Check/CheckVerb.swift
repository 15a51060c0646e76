// The verb `check`: the verification of manifests.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct CheckVerb: Verb {
  var algorithms: [DigestAlgorithm] = []
  var zero = false
  var quiet = false
  var status = false
  var warn = false
  var strict = false
  var ignoreMissing = false
  var color = TerminalWhen.auto
  var audit: RawArgument?
  var walkOptions = WalkOptions()
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var shardOptions = ShardOptions()

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try selection()
    let descriptors = OpenDescriptors.current()
    try validateWalk(operands)
    let session = try Session(
      commonOptions, verb: "check", inputs: operands.names, terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "MANIFEST")
    let names =
      operands.names.isEmpty ? [RawArgument("-")] : operands.names
    let directories = try CheckDirectories(
      audit: audit, directory: commonOptions.directory)
    let manifests = names.map { CheckManifest($0, open: descriptors, from: directories.base) }
    let output = CheckOutput(
      session.console, rules(operands), manifests: names, in: directories)
    let work = try makeWork(session, operands, names, descriptors, directories, selection)
    try session.run(
      work.job,
      expected: { [zero] isOver in
        CheckManifest.size(of: manifests, isZeroTerminated: zero, until: isOver)
          .map { WorkAmount(files: $0.names, bytes: $0.bytes) }
      }
    ) {
      try work.run(manifests, output)
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      Session.Summary(line: output.summary(ending), status: output.status)
    }
  }

  func rules(_ operands: Operands) -> CheckRules {
    CheckRules(
      format: format, isQuiet: quiet, isSilent: status, warns: warn && !status,
      isStrict: strict, ignoresMissing: ignoreMissing, isAudit: audit != nil,
      namesAlgorithm: !algorithms.isEmpty, isVerbose: commonOptions.verbose,
      colorsOutput: color.applies(to: .output), colorsErrors: color.applies(to: .error),
      invocation: CheckInvocation(
        directory: commonOptions.directory?.bytes, audit: audit?.bytes,
        options: operands.given.filter { !$0.option.shardRole.isOfRun }.map(\.word)))
  }

  /// Throws an error if an option of the walk is given without a walk.
  func validateWalk(_ operands: Operands) throws(UsageError) {
    let names = Set(WalkOptions.table.map(\.text.name))
    if audit == nil, let given = operands.given.first(where: { names.contains($0.option.name) }) {
      throw UsageError(
        "\(given.option.name) needs --audit DIR: the files of a manifest are fixed")
    }
  }

  // MARK: Jobs

  /// A check or an audit, ready to run.
  private struct Work {
    let job: any FileJob
    let run: ([CheckManifest], CheckOutput) throws -> Void
  }

  private func makeWork(
    _ session: Session, _ operands: Operands, _ names: [RawArgument], _ descriptors: Set<Int32>,
    _ directories: CheckDirectories, _ selection: CheckSelection?
  ) throws(FileError) -> Work {
    if audit == nil { return try makeCheck(session, descriptors, selection) }
    return try makeAudit(
      session, operands, descriptors, directories, excluding: directories.ownFiles(of: names))
  }

  private func starting<Job>(_ make: () throws(Errno) -> Job) throws(FileError) -> Job {
    do throws(Errno) {
      return try make()
    } catch {
      throw FileError(message: Array("cannot start: \(error)".utf8))
    }
  }

  private func makeCheck(
    _ session: Session, _ descriptors: Set<Int32>, _ selection: CheckSelection?
  ) throws(FileError) -> Work {
    var options = session.processorOptions
    // A listed file is read even if it is the output.
    options.excluded = []
    try session.apply(
      StoragePlan([], includesHere: true, jobs: commonOptions.jobs), to: &options)
    let job = try starting { () throws(Errno) in
      try CheckJob(
        untagged: algorithms, isZeroTerminated: zero, descriptors: descriptors,
        options: options)
    }
    return Work(job: job) { manifests, output in
      try job.run(manifests, of: selection) { event in try output.write(event) }
    }
  }

  private func makeAudit(
    _ session: Session, _ operands: Operands, _ descriptors: Set<Int32>,
    _ directories: CheckDirectories, excluding excluded: Set<FileIdentity>
  ) throws(FileError) -> Work {
    var options = session.processorOptions
    walkOptions.apply(to: &options)
    let root = RawArgument(bytes: directories.root)
    let plan = StoragePlan([root], includesHere: true, jobs: commonOptions.jobs)
    try session.apply(plan, to: &options)
    let job = try starting { () throws(Errno) in
      try AuditJob(
        of: directories.root, on: plan.storage(of: root), rootNames: directories.names,
        excluding: excluded, untagged: algorithms, isZeroTerminated: zero,
        descriptors: descriptors, options: options)
    }
    return Work(job: job) { manifests, output in
      try job.run(manifests) { event in try output.write(event) }
    }
  }
}

extension CheckManifest {
  /// The manifest of an argument. `-`, `/dev/stdin` and `/dev/fd/N` are descriptors that
  /// were open at the start.
  init(_ argument: RawArgument, open: Set<Int32>, from base: Int32) {
    if let descriptor = argument.openDescriptor {
      // By now the program itself may have opened a file with that number.
      let isOpen = open.contains(descriptor.rawValue)
      self = .descriptor(isOpen ? descriptor : FileDescriptor(rawValue: -1))
    } else {
      self = .path(bytes: argument.bytes, from: FileDescriptor(rawValue: base))
    }
  }
}

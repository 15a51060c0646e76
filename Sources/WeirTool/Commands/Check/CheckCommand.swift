// The verb `check`: the verification of manifests.

internal import ArgumentParser
internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct CheckCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify the files that manifests list.")

  @Option(
    name: [.customShort("a"), .long],
    help: ArgumentHelp("Digest algorithm of untagged lines.", valueName: "name"),
    completion: .list(AlgorithmArgument.allValueStrings))
  var algorithm: [AlgorithmArgument] = []

  @Flag(name: [.customShort("z"), .long], help: "Read lines that end with NUL.")
  var zero = false

  @Flag(help: "Print nothing for files that are OK.")
  var quiet = false

  @Flag(help: "Print no verdicts; only set the exit status.")
  var status = false

  @Flag(name: [.customShort("w"), .long], help: "Report each malformed line.")
  var warn = false

  @Flag(help: "Count a malformed line of any format as a difference.")
  var strict = false

  @Flag(help: "Ignore missing files.")
  var ignoreMissing = false

  @Flag(help: "Continue the part of an attempt that did not end.")
  var resume = false

  @Option(help: ArgumentHelp("Color what failed.", valueName: "when"))
  var color = ColorWhen.auto

  @Argument(
    help: ArgumentHelp("Manifests; - is standard input.", valueName: "manifest"),
    completion: .file())
  var manifests: [RawArgument] = []

  @OptionGroup var auditOptions: AuditOptions
  @OptionGroup var walkOptions: WalkOptions
  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var shardOptions: ShardOptions

  static let optionTable =
    OptionTable(
      values: [
        "--algorithm": AlgorithmArgument.option,
        "--color": .word(ColorWhen.allCases.map(\.rawValue)),
      ],
      flags: [
        "--zero", "--quiet", "--status", "--warn", "--strict", "--ignore-missing", "--resume",
      ],
      letters: ["a": "--algorithm", "z": "--zero", "w": "--warn"])
    + AuditOptions.table + FormatOptions.table + CommonOptions.table + ShardOptions.table
    + .common

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try selection()
    let descriptors = OpenDescriptors.current()
    try auditOptions.validate(operands, walkOptions)
    let session = try Session(
      commonOptions, verb: "check", inputs: operands.names, terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "MANIFEST")
    let names =
      operands.names.isEmpty ? [RawArgument(bytes: Array("-".utf8))] : operands.names
    let directories = try CheckDirectories(
      audit: auditOptions.audit, directory: commonOptions.directory)
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
      format: formatOptions.format, isQuiet: quiet, isSilent: status, warns: warn && !status,
      isStrict: strict, ignoresMissing: ignoreMissing, isAudit: auditOptions.audit != nil,
      namesAlgorithm: !algorithm.isEmpty, isVerbose: commonOptions.verbose,
      colorsOutput: color.applies(to: .output), colorsErrors: color.applies(to: .error),
      invocation: invocation(operands))
  }

  private func invocation(_ operands: Operands) -> CheckInvocation {
    let flags = [
      (zero, "-z"), (quiet, "--quiet"), (status, "--status"), (warn, "-w"),
      (strict, "--strict"), (ignoreMissing, "--ignore-missing"),
      (formatOptions.format == .json, "--format json"),
    ]
    let names = algorithm.map(\.algorithm.name).joined(separator: ",")
    return CheckInvocation(
      directory: commonOptions.directory?.bytes,
      audit: auditOptions.audit?.bytes, auditWords: auditOptions.words(operands, walkOptions),
      options: (names.isEmpty ? [] : ["-a \(names)"]) + flags.filter(\.0).map(\.1))
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
    if auditOptions.audit == nil { return try makeCheck(session, descriptors, selection) }
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
        untagged: algorithm.map(\.algorithm), isZeroTerminated: zero, descriptors: descriptors,
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
    walkOptions.apply(to: &options, operands)
    let root = RawArgument(bytes: directories.root)
    let plan = StoragePlan([root], includesHere: true, jobs: commonOptions.jobs)
    try session.apply(plan, to: &options)
    let job = try starting { () throws(Errno) in
      try AuditJob(
        of: directories.root, on: plan.storage(of: root), rootNames: directories.names,
        excluding: excluded, untagged: algorithm.map(\.algorithm), isZeroTerminated: zero,
        descriptors: descriptors, options: options)
    }
    return Work(job: job) { manifests, output in
      try job.run(manifests) { event in try output.write(event) }
    }
  }

  static let brief = """
    usage: weir check [OPTION ...] [MANIFEST ...]
      -a, --algorithm NAME   Digest algorithm of untagged lines [default: by length]
      -z, --zero             Read lines that end with NUL
          --quiet, --status  Print only what failed, or nothing
      -w, --warn, --strict   Report malformed lines, or count them as differences
          --ignore-missing   Ignore missing files
          --color WHEN       Color FAILED: auto, always or never [default: auto]
          --format FORMAT    Write text or json [default: text]
    \(AuditOptions.brief)
    \(ShardOptions.brief)
    \(CommonOptions.brief)
    """

  static let helpPage = """
    usage: weir check [OPTION ...] [MANIFEST ...]

    Verify the files that manifests list. A MANIFEST is the output of weir hash,
    sha256sum, md5sum, b2sum, b3sum, xxhsum, cksum -a or the BSD tools, or mtree(5);
    without MANIFEST, or if it is -, standard input is read. Each line is answered
    with NAME: OK or NAME: FAILED, in the order of the manifest, however many files
    are read at once. For mtree(5) the answer may also be OK (touched), FAILED
    (edited), FAILED (rot) or FAILED (missing). Names are relative to the working
    directory, or to -C.

    Manifest:
      -a, --algorithm NAME   Use digest NAME for lines that name none [default: by
                             length: md5, sha1, sha224, sha256 or blake3 (whichever
                             the file has), sha384, sha512, and xxh64 for 16 digits]
      -z, --zero             Read lines that end with NUL and escape no names

    Output:
          --quiet            Print nothing for files that are OK
          --status           Print no verdicts; only set the exit status
      -w, --warn             Report each malformed line
          --strict           Count a malformed line, and a file without a digest,
                             as a difference; in mtree(5), the line always is one
          --ignore-missing   Ignore missing files
          --color WHEN       Color FAILED: auto (on a terminal, unless NO_COLOR is
                             set), always or never [default: auto]
          --format FORMAT    Write text or json (an object per line) [default: text]

    \(AuditOptions.help)

    \(ShardOptions.help)

    With --plan, every shard reads the manifests, whose names have to be in the
    plan, in its order. --audit and --allow-changed do not apply.

    \(CommonOptions.help)

    Exit status:
      0  Success
      1  Something differs: a file has another digest or is missing, or there was
         nothing to verify
      2  Usage error, or nothing could be started or written
      3  A file could not be verified (unreadable, changed while it was read, or of
         an unknown algorithm), and nothing differs
      4  --audit found new or moved files, and nothing else

    Examples:
      weir check SHA256SUMS                 Verify, with a line for each file
      weir check --quiet -C /srv SUMS       Print what changed below /srv: /srv/SUMS
      weir check -C /srv - < srv.mtree      Tell edited files from bit rot
      weir check --audit /srv SUMS          Print also new and moved files
      weir check -a blake2b B2SUMS          Verify the output of b2sum
      ssh host weir hash -C /srv . | weir check -C /srv
    """
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

// The verb `check`: the verification of manifests.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct CheckVerb: Verb {
  var algorithms: [DigestAlgorithm] = []
  var zero = false
  var names = NameRules()
  var quiet = false
  var status = false
  var warn = false
  var strict = false
  var lenient = false
  var ignoreMissing = false
  var color = TerminalWhen.auto
  var audit: RawArgument?
  var walkOptions = WalkOptions()
  var format = OutputFormat.text
  var proofOptions = ProofOptions()
  var commonOptions = CommonOptions()
  var shardOptions = ShardOptions()

  static let page = VerbPage(
    name: "check", abstract: "Verify the files that manifests list",
    usage: "[OPTION ...] [MANIFEST ...]", takesManifests: true,
    description: """
      Verify the files that manifests list. A MANIFEST is the output of weir hash, sha256sum,
      md5sum, b2sum, b3sum, xxhsum, cksum -a or the BSD tools, hashdeep, cksfv, or mtree(5), or a
      bag (BagIt): a directory with bagit.txt. Without MANIFEST, or if it is -, standard input is
      read. Each line is answered with NAME: OK or NAME: FAILED, in the
      order of the manifest, however many files are read at once. For mtree(5), and for a MANIFEST
      with MANIFEST.mtree beside it, the answer may also be OK (touched), FAILED (edited), FAILED
      (rot), FAILED (missing) or, for what earlier runs have left open, FAILED (rot since DATE),
      FAILED (gone since DATE) or FAILED (as of DATE). Names in manifests, and bags, are relative to the
      working directory, or to that of -C.
      """,
    statuses: """
      0  Success
      1  Something differs: a file has another digest or is missing, a line is none of a list
         (without --lenient), or there was nothing to verify
      2  Usage error, or nothing could be started or written
      3  A file could not be verified (unreadable, changed while it was read, or of an unknown
         algorithm), and nothing differs
      4  --audit found new or moved files, and nothing else
      """,
    examples: """
      weir check SHA256SUMS                 Verify, with a line for each file
      weir check --quiet -C /srv SUMS       Print what changed below /srv
      weir check -C /srv - < srv.mtree      Tell edited files from bit rot
      weir check --audit /srv SUMS          Print also new and moved files
      weir check --state S --oldest-first --max-time 4h SUMS
      weir check -a blake2b B2SUMS          Verify the output of b2sum
      weir check BAG/                       Verify a bag: BagIt, RFC 8493
      ssh host weir hash -C /srv . | weir check -C /srv
      """)

  static let (stripName, windowsName) = ("--strip", "--windows-names")

  static let sections = [
    OptionSection<CheckVerb>(
      "Manifest",
      [
        Option(
          "-a, --algorithm NAME", .algorithms, "Digest of lines that name none",
          """
          ; by length this is md5, sha1, sha224, sha256 or blake3 (whichever the file has),
          sha384, sha512, and xxh64 for 16 digits
          """, default: "by length", isBrief: false
        ) { verb, _, algorithms in verb.algorithms += algorithms },
        Option(
          flag: "-z, --zero", \.zero, "Read lines that end with NUL", " and escape no names",
          isBrief: false),
        Option(
          "\(stripName) N", .number(0...Int.max), \.names.stripped,
          "Drop N leading components of each name",
          ", as patch -p", isBrief: false),
        Option(
          flag: windowsName, \.names.areOfWindows, "Read names of Windows",
          ": a backslash separates, a drive is left out, and case does not matter", isBrief: false),
        Option(
          flag: "--beside", \.names.areBesideList, "Look for files beside the list that names them",
          ", and not in the working directory", isBrief: false),
      ]),
    OptionSection(
      "Output",
      [
        Option(flag: "--quiet", \.quiet, "Print nothing for files that are OK"),
        Option(flag: "--status", \.status, "Print no verdicts; only set the exit status"),
        Option(flag: "-w, --warn", \.warn, "Report each malformed line", isBrief: false),
        Option(
          flag: "--strict", \.strict, "Count a file without a digest as a difference",
          isBrief: false),
        Option(
          flag: "--lenient", \.lenient, "Count no malformed line as a difference",
          ", as the GNU tools do without --strict", isBrief: false),
        Option(flag: "--ignore-missing", \.ignoreMissing, "Ignore missing files"),
        Option(
          "--color WHEN", .choice(TerminalWhen.allCases), \.color,
          "Color FAILED and warnings: auto, always or never",
          "; auto is on a terminal, unless NO_COLOR is set", isBrief: false),
        .format(\.format),
      ]),
    OptionSection(
      "Audit",
      [
        Option(
          "--audit DIR", .directory, optional: \.audit, "Report also new and moved files in DIR",
          """
          : walk DIR, and report files that no manifest lists (new) and missing files found under
          another name (moved); without -C, names are relative to DIR
          """, on: .wholeRun)
      ] + WalkOptions.table.map { $0.unlisted.lifted(by: \.walkOptions) }),
    ProofOptions.section.lifted(by: \.proofOptions),
    ShardOptions.section(
      resume: ShardOptions.resume(
        "Leave out what the state proves for this round",
        """
        : with --state, the lines that an earlier run of the round has proved are not read again, and
        a round ends when all lines were verified; with --plan, continue the part of an attempt that
        did not end
        """),
      changed: .wholeRun,
      note: """
        With --plan, every shard reads the manifests, whose names have to be in the plan, in its
        order. --audit and --allow-changed do not apply. --shard does not apply to --state.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    try proofOptions.validate(
      operands, isAudit: audit != nil, isShard: shardOptions.shard != nil,
      resumes: shardOptions.resume)
    let selection = try selection()
    let descriptors = OpenDescriptors.current()
    try validateWalk(operands)
    let session = try Session(
      commonOptions, verb: "check", inputs: operands.names,
      output: ("state", proofOptions.state), terminals: operands.terminals, bags: operands.names)
    session.announceKeyboard(operands, missing: "MANIFEST")
    let names = operands.names.isEmpty ? [RawArgument("-")] : operands.names
    try validateBags(names)
    let directories = try CheckDirectories(audit: audit, directory: commonOptions.directory)
    let manifests = names.map { name in
      var manifest = manifest(name, descriptors, from: directories.base) {
        session.console.report($0)
      }
      manifest.listName = directories.listName(name)
      return manifest
    }
    for name in names where name.openDescriptor == nil {
      session.report?.add(manifest: name.bytes, from: directories.base)
    }
    let expected = ExpectedWork { [zero] isOver in
      CheckManifest.size(of: manifests, isZeroTerminated: zero, until: isOver)
        .map { WorkAmount(files: $0.names, bytes: $0.bytes) }
    }
    if audit == nil {
      let state = try proofOptions.openState()
      let budget = proofOptions.budget
      let check = try makeCheck(session, descriptors, budget)
      let job = ProofJob(
        check, budget, state, oldestFirst: proofOptions.oldestFirst, resumes: shardOptions.resume,
        ignoresMissing: ignoreMissing,
        dropped: { [console = session.console, status] in
          if !status { console.report(ProofOptions.message($0, $1)) }
        })
      let output = CheckOutput(
        session.console, rules(in: directories), manifests: names,
        method: proofOptions.report(check, job))
      if let state = proofOptions.state { resumption(state, session) }
      try session.run(job, output, expected: expected) {
        try job.run(manifests, of: selection) { event in try output.write(event) }
      }
    } else {
      let job = try makeAudit(session, descriptors, directories, names)
      let output = CheckOutput(
        session.console, rules(in: directories), manifests: names,
        method: { CheckReport(undropped: job.undropped) })
      try session.run(job, output, expected: expected) {
        try job.run(manifests) { event in try output.write(event) }
      }
    }
  }

  /// Throws an error if an option that does not apply to bags is given with one.
  private func validateBags(_ names: [RawArgument]) throws(UsageError) {
    let isDirectory = { (name: RawArgument) in
      name.openDescriptor == nil
        && stat.of(name.bytes).map { $0.st_mode & S_IFMT == S_IFDIR } == true
    }
    for (isGiven, fault) in [
      (audit != nil, "--audit does not apply"),
      (shardOptions.shard != nil, "--shard does not apply"),
      (zero, "--zero does not apply"), (proofOptions.isLimited, "no state and no budget applies"),
    ] where isGiven {
      guard let bag = names.first(where: isDirectory) else { return }
      throw UsageError("\(fault) to \(bag), a directory: a bag is verified as a whole")
    }
  }

  func rules(in directories: CheckDirectories) -> CheckRules {
    CheckRules(
      format: format, isQuiet: quiet, isSilent: status, warns: warn && !status,
      isStrict: strict, isLenient: lenient, ignoresMissing: ignoreMissing, isAudit: audit != nil,
      namesAlgorithm: !algorithms.isEmpty, showsDigests: commonOptions.verbose && !status,
      colorsOutput: color.applies(to: .output), colorsErrors: color.applies(to: .error),
      advice: CheckAdvice(
        directory: commonOptions.directory?.bytes, audit: audit?.bytes, here: directories,
        names: names, isZeroTerminated: zero))
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

  private func makeCheck(
    _ session: Session, _ descriptors: Set<Int32>, _ budget: CheckBudget
  ) throws -> CheckJob {
    var options = session.processorOptions
    // A listed file is read even if it is the output.
    options.excluded = []
    session.closeOwnFiles()
    try session.apply(
      StoragePlan([], includesHere: true, jobs: commonOptions.jobs), to: &options)
    return try CheckJob(
      untagged: algorithms, isZeroTerminated: zero, descriptors: descriptors,
      content: proofOptions.content, budget: budget, options: options)
  }

  /// Returns a manifest with the records beside it, if there are any: the lines alone say less.
  func manifest(
    _ name: RawArgument, _ descriptors: Set<Int32>, from base: Int32,
    report: @escaping @Sendable (Message) -> Void
  ) -> CheckManifest {
    var manifest = CheckManifest(name, open: descriptors, from: base).withRecords
    (manifest.names, manifest.isElsewhere) = (names, commonOptions.directory != nil)
    if name.openDescriptor != nil { return manifest }
    let beside = manifest.records ?? []
    manifest.report = { remark in
      let isUnused = "is therefore not used: rot cannot be told from an edit"
      switch remark {
      case .unusable:
        report("\(beside): cannot be read or has no records of \(name), and \(isUnused)")
      case .differs(let line):
        report("\(name): line \(line) and what follows differ from \(beside), which \(isUnused)")
      case .replaced(let count):
        let entries = Quantities.count(count, "entry counts", "entries count")
        report("\(name): \(entries) no more, since later ones have the same name")
      case .twins(let first, let second, let count):
        let more = count > 1 ? "; \(count - 1) more do so too" : ""
        report(
          """
          \(name): warning: \(first) and \(second) differ only in case or in the form of Unicode, so \
          that other file systems take them for one\(more)
          """)
      }
    }
    return manifest
  }

  /// Sets the message on an interrupted run that has a state.
  private func resumption(_ state: RawArgument, _ session: Session) {
    let option = shardOptions.resume ? nil : ShardOptions.resumeName
    session.resumption = Session.Resumption(
      "\(state) has what was proved; to continue:", command: CommandText.ofProcess(adding: option))
  }

  private func makeAudit(
    _ session: Session, _ descriptors: Set<Int32>, _ directories: CheckDirectories,
    _ manifests: [RawArgument]
  ) throws -> AuditJob {
    var options = session.processorOptions
    walkOptions.apply(to: &options)
    let root = RawArgument(bytes: directories.root)
    let plan = StoragePlan([root], includesHere: true, jobs: commonOptions.jobs)
    try session.apply(plan, to: &options)
    return try AuditJob(
      of: directories.root, on: plan.storage(of: root), rootNames: directories.names,
      excluding: directories.ownFiles(of: manifests), untagged: algorithms,
      isZeroTerminated: zero, descriptors: descriptors, content: proofOptions.content,
      options: options)
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

// The verb `duplicates`: groups of files with the same content.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct DuplicatesVerb: Verb {
  var options = DuplicatesJob.Options()
  var minimumSize: UInt64?
  var filesOnly = false
  var known: [RawArgument] = []
  var unknown = false
  var records: RawArgument?
  var algorithms: [DigestAlgorithm] = []
  var action: DuplicatesAction?
  var keep: [RawArgument] = []
  var zero = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  static let page = VerbPage(
    name: "duplicates", abstract: "Find groups of files with the same content",
    description: """
      Find groups of files with the same content, and change nothing. The groups that take the most
      room come first. A file with several names (hard links) counts once. A file with a unique size
      is not opened. A large file is read at its beginning and end first, and completely only if
      these agree. The digest is XXH128.

      A group is a heading, a line for each name, and an empty line. A name after "= " is a hard
      link to the file above it.

        # 2 files of 4,096 bytes: 4,096 bytes could be saved
        a/one
        = a/the same file as one
        b/two

      Directories that hold the same names with the same contents, and nothing else, are a group
      too, each with a slash at its end; their files are then in no other group, unless they have
      further copies.
      """,
    statuses: """
      0  Success, with or without duplicates
      2  Usage error, or nothing could be started or written
      3  A file could not be read, or changed during the run; the groups of the others are
         written
      """,
    examples: """
      weir duplicates ~/Pictures            Find duplicate pictures
      weir duplicates --summary --min-size 1M /srv > /tmp/groups
      weir duplicates --verify a b          Compare to the last byte
      weir duplicates --format json . | jq 'select(.type == "group").saving'
      weir duplicates . | grep -v '^[#=] '  Print groups of names only
      weir duplicates --known archive.mtree --unknown .
      weir duplicates --action link --keep oldest /srv > script
      """)

  static let sections = [
    OptionSection<DuplicatesVerb>(
      "Groups",
      [
        Option(
          "--min-size SIZE", .size, "Skip files smaller than SIZE",
          """
          , such as 4096, 4K or 10MB; 0 lists empty files too. Without it empty files are skipped,
          but not under --known
          """
        ) { verb, _, size in
          verb.minimumSize = size
          verb.options.minimumSize = size
        },
        Option(
          "--records FILE", .file, optional: \.records, "Take digests from FILE in place of reads",
          """
          , as weir hash -o FILE recorded them, of files whose size and time are the recorded ones. Files
          that may equal such a file are read as a whole, with the algorithm of FILE
          """, isBrief: false, on: .wholeRun),
        Option(
          flag: "--files-only", \.filesOnly,
          "List the files in directories that are the same as wholes", isBrief: false),
        Option(
          flag: "--verify", \.options.verifies, "Compare files with the same digest byte by byte",
          isBrief: false),
        Option(
          flag: "--across", \.options.spansSources,
          "List only groups with files of two PATHs or more",
          """
          ; a list counts as one PATH. Copies in the same PATH are listed if there is one in another
          """, isBrief: false, on: .wholeRun),
        Option(
          flag: "--hard-links", \.options.listsLinks,
          "Print also groups of one file with several names", isBrief: false),
      ]),
    OptionSection(
      "Archive",
      [
        Option(
          "--known MANIFEST", .file, "Print only files whose content MANIFEST lists",
          """
          , each with the name that it has there; may be repeated. Nothing that MANIFEST names is
          read, and of the input only files of a size in it, if it is one of mtree(5)
          """, on: .wholeRun
        ) { verb, _, name in verb.known.append(name) },
        Option(
          flag: "--unknown", \.unknown, "With --known: print the other files", on: .wholeRun),
        Option(
          "-a, --algorithm NAME", .algorithms, "With --known: digest of lines that name none",
          default: "by length", isBrief: false, on: .wholeRun
        ) { verb, _, algorithms in verb.algorithms += algorithms },
      ]),
    OptionSection(
      "Script",
      [
        Option(
          "--action ACTION", .choice(DuplicatesAction.allCases), optional: \.action,
          "Print a script: link, reflink or delete",
          """
          . It replaces all files of a group but one by hard links to that, or by copies that share
          its blocks, or deletes them; it compares again before each step, and refuses what changed
          """, on: .wholeRun),
        Option(
          "--keep WHICH", .word, "Keep the first, last, oldest or newest file of a group",
          """
          , or each file that lies below the path WHICH; may be repeated. A group without a file
          below a path stays as it is, unless there is a word too. Without it the first file stays
          """, on: .wholeRun
        ) { verb, _, which in verb.keep.append(which) },
      ]),
    SourceOptions.section(
      "Input (the working directory if no PATH and no list is given)",
      path: "Read a file, or walk a directory", unordered: "Write each group as it is found",
      \.sourceOptions, \.walkOptions),
    OptionSection(
      "Format",
      [
        Option(
          flag: "-z, --zero", \.zero, "Print names only, each ended by NUL, as is each group",
          "; escape no names"),
        .format(\.format),
      ]),
    ShardOptions.section(
      resume: ShardOptions.resume(
        "Begin again after an attempt that did not end", isBrief: false),
      changed: .wholeRun,
      note: """
        The plan has to be one by size-class; without a plan, the size of a file decides on its
        shard. --unordered and --allow-changed do not apply.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    try validate(operands)
    if !known.isEmpty { return try runKnown(operands) }
    let selection = try shardOptions.selection()
    let session = try makeSession(operands)
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions,
      readsWorkingDirectory: true)
    var options = options
    if let selection { options.selectsSize = { selection.contains(size: $0) } }
    options.recorded = try records.map { try readRecords($0, session) }
    let job = try DuplicatesJob(options, processorOptions: input.processorOptions(session))
    let script = try action.map { try DuplicatesScript($0, keep: keep) }
    let output = DuplicatesOutput(session.console, self, script: script) { job.found }
    let writeDirectories: @Sendable (DuplicateDirectories) throws -> Void = { directories in
      try output.write(directories)
    }
    // The job reports a cancellation only if groups may be missing.
    try session.run(job, output, wording: DuplicatesOutput.wording, isCut: { true }) {
      try job.run(
        placed: input.sources(),
        directories: filesOnly || script != nil ? nil : writeDirectories
      ) { event, _ in try output.write(event) }
    }
  }

  private func readRecords(_ name: RawArgument, _ session: Session) throws -> LedgerDigests {
    var manifest = CheckManifest.path(bytes: name.bytes).withRecords
    let beside = manifest.records
    manifest.report = { remark in
      switch remark {
      case .differs(let line):
        session.console.report(
          """
          \(name): line \(line) and what follows differ from \(beside ?? []): these files are read
          """)
      default: session.console.report("\(beside ?? []): has no records of \(name)")
      }
    }
    let records: LedgerDigests?
    do throws(Errno) {
      records = try LedgerDigests(manifest)
    } catch {
      throw error.rawValue < 0
        ? FileError("\(name): is not a regular file") : FileError(name, error)
    }
    guard let records else {
      throw FileError("\(name): records no files with size, time and digest; see weir hash -o")
    }
    return records
  }

  private func validate(_ operands: Operands) throws(UsageError) {
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("duplicates compares files by name, and cannot compare \(name)")
    }
    for (isMistaken, fault) in [
      (unknown && known.isEmpty, "--unknown needs --known MANIFEST"),
      (!algorithms.isEmpty && known.isEmpty, "--algorithm needs --known MANIFEST"),
      (
        options.spansSources && operands.inputs.count < 2,
        "--across needs two PATHs or more: only groups that span them are listed"
      ),
      (action == nil && !keep.isEmpty, "--keep needs --action ACTION"),
      (
        records != nil && !known.isEmpty,
        "--known reads the files whose sizes it lists; omit --records"
      ),
      (
        !known.isEmpty && action != nil,
        "--known compares files with a manifest only; omit --action"
      ),
      (
        !known.isEmpty && (options.verifies || options.listsLinks || options.spansSources),
        "--known compares files with a manifest only; omit --verify, --hard-links and --across"
      ),
      (
        action != nil && (zero || format == .json),
        "--action prints a shell script; omit --zero and --format json"
      ),
    ] where isMistaken { throw UsageError("\(fault)") }
  }

  func makeSession(_ operands: Operands) throws(FileError) -> Session {
    try Session(
      commonOptions, verb: "duplicates",
      inputs: operands.allNames + known + [records].compactMap { $0 },
      terminals: operands.inputs.isEmpty ? nil : operands.terminals)
  }

  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    // A group is known when all its files are read, and an attempt that did not end may have
    // missed any: --resume begins again.
    let shard = try ShardRun(
      shardOptions, verb: "duplicates", operands, commonOptions, resumes: false,
      strategy: .sizeClass)
    if try shard.isDone() { return }
    shard.session.resumption = Session.Resumption(
      "a search cannot be continued; to begin again:", command: CommandText.ofProcess(adding: nil))
    let job = try DuplicatesJob(options, processorOptions: shard.processorOptions())
    let output = DuplicatesOutput(shard.console, self) { job.found }
    try shard.run(job, wording: DuplicatesOutput.wording, isCut: { true }) { writer in
      let recorder = DuplicatesPartWriter(writer)
      let found = try job.run(placed: [shard.feed.placedSource]) { event, position in
        try recorder.append(event, at: position)
        output.report(event)
      }
      try recorder.finish(items: shard.feed.count, found, job.statistics)
    }
  }
}

extension DuplicatesVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let job = DuplicatesMerge(merge.reader, try merge.parts.readers(), name: merge.name.bytes)
    let output = DuplicatesOutput(merge.console, self) { job.found }
    try merge.run(job, output, isCut: { true }) {
      try job.run { event in
        switch event {
        case .group(let group): try output.write(group)
        case .other(let event): try output.write(event)
        }
      }
    }
  }
}

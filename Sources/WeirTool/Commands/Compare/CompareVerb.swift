// The verb `compare`: two manifests or directories, name by name.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct CompareVerb: Verb {
  var options = CompareJob.Options()
  var stripA = 0
  var stripB = 0
  var listsSame = false
  var only: Set<NameSelection> = []
  var quiet = false
  var status = false
  var zero = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var walkOptions = WalkOptions()

  private static let memoryMin: UInt64 = 8 << 20

  static let page = VerbPage(
    name: "compare", abstract: "Compare two manifests or directories by name",
    usage: "[OPTION ...] A B", takesManifests: true,
    description: """
      Print how the files of B differ from those of A: what differs, has moved, or is on one side
      only. A and B are manifests of any kind that weir check reads, in any order, or directories;
      one may be - for standard input. Names in a directory are relative to it, and a directory to
      that of -C. Where both sides have a digest by one algorithm, it decides; else size and time
      do, or the size alone. The line says which. Files of a directory are read with --read only.
      """,
    statuses: """
      0  Both sides are the same
      1  They differ
      2  Usage error, or something could not be read or compared
      """,
    examples: """
      weir compare old.sums new.sums        Compare two manifests
      weir compare srv.mtree /srv           By size and time, without reading
      weir compare --read SHA256SUMS .      By digest
      weir compare --read /srv /mnt/copy    Compare two trees by content
      ssh host weir hash -C /srv . | weir compare srv.sums -
      """)

  static let sections = [
    OptionSection<CompareVerb>(
      "Comparison",
      words: [("A, B", "A manifest, a directory to walk, or - for standard input")],
      [
        Option(
          flag: "--read", \.options.reads, "Read the files of directories",
          """
          , by the algorithms of the other side, or by xxh128 if both sides are directories; not
          files whose sizes tell
          """),
        Option(
          "-a, --algorithm NAME", .algorithms, "Digest of lines that name none",
          ", as for weir check", default: "by length"
        ) { verb, _, algorithms in verb.options.untagged += algorithms },
        Option(
          "--strip-a N", .number(0...Int.max), \.stripA,
          "Remove the first N components of the names in A",
          ", as patch -p does: /srv/a has three", isBrief: false),
        Option(
          "--strip-b N", .number(0...Int.max), \.stripB,
          "Remove the first N components of the names in B", isBrief: false),
        Option(
          "--modify-window N", .number(0...Int.max), \.options.rules.timeWindow,
          "Take times that differ by at most N seconds for equal",
          ": FAT keeps two seconds, and an hour is that of a clock change", isBrief: false),
        Option(
          flag: "--owner", \.options.rules.comparesOwner,
          "Compare the owners and groups of two directories", isBrief: false),
        Option(
          flag: "--mode", \.options.rules.comparesMode,
          "Compare the permissions of two directories", isBrief: false),
        Option(
          "--memory SIZE", .size, \.options.space.memory, "Use about SIZE of memory to sort",
          """
          , at least 8M; nothing is sorted if both sides have the order of weir hash. The rest goes
          to an unnamed file in TMPDIR or /tmp
          """),
      ]),
    OptionSection(
      "Output",
      [
        Option(flag: "--all", \.listsSame, "Print names that are the same, too"),
        Option(
          "--only KIND", .choice(NameSelection.allCases),
          "Print only names, of one kind: a or b, on one side alone, or differs",
          """
          ; may be repeated. A moved file is on both sides alone, under its two names. With -z, for
          rsync --from0 --files-from=-
          """
        ) { verb, _, kind in verb.only.insert(kind) },
        Option(
          flag: "--quiet", \.quiet, "Print only what is not the same", ", also with --all",
          isBrief: false),
        Option(flag: "--status", \.status, "Print no verdicts; only set the exit status"),
        Option(
          flag: "-z, --zero", \.zero, "Read and write lines that end with NUL",
          """
          , and escape no names: a name and its verdict are two fields, each ended by NUL
          """),
        .format(\.format),
      ]),
    OptionSection("Walk", WalkOptions.table.map { $0.lifted(by: \.walkOptions) }),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    guard operands.names.count == 2 else {
      throw UsageError("compare takes two manifests or directories, A and B")
    }
    if !only.isEmpty && format == .json {
      throw UsageError("--only prints names alone, and JSON has the status of each name")
    }
    let names = Sides(operands.names[0], operands.names[1])
    if options.space.memory < CompareVerb.memoryMin {
      throw UsageError("--memory takes a size of at least 8M")
    }
    let opened = operands.names.compactMap(\.openDescriptor)
    if opened.count == 2 && opened[0] == opened[1] {
      throw UsageError("only one side of a comparison can be \(names.b)")
    }
    let descriptors = OpenDescriptors.current()
    let session = try Session(
      commonOptions, verb: "compare", inputs: operands.names, terminals: operands.terminals)
    let plan = StoragePlan(
      operands.names.filter { $0.openDescriptor == nil }, includesHere: false,
      jobs: commonOptions.jobs)
    var a = try input(names.a, stripping: stripA, plan, descriptors)
    var b = try input(names.b, stripping: stripB, plan, descriptors)
    if b.directory != nil { a = a.withRecords }
    if a.directory != nil { b = b.withRecords }
    if a.directory == nil && b.directory == nil {
      if options.reads {
        throw UsageError("--read needs a directory: a manifest has nothing to read")
      }
      let walk = walkOptions
      if !walk.filters.isEmpty || walk.maxDepth != nil || walk.oneFileSystem || walk.follow {
        throw UsageError("options of the walk need a directory: a manifest is compared whole")
      }
    }
    let rules = options.rules
    if rules.comparesOwner || rules.comparesMode, a.directory == nil || b.directory == nil {
      throw UsageError("--owner and --mode need two directories: a manifest records neither")
    }
    var processorOptions = session.processorOptions
    walkOptions.apply(to: &processorOptions)
    try session.apply(plan, to: &processorOptions)
    let job = CompareJob(a, b, jobOptions, processorOptions: processorOptions)
    let output = CompareOutput(console: session.console, verb: self, names: names, job: job)
    let wording = ProgressWording(counts: { [job] statistics in
      SummaryLine.counts(
        "\(Quantities.count(job.names, "name", "names")) compared", SummaryLine.unread(statistics))
    })
    try session.run(job, output, wording: wording, isCut: { true }) {
      try job.run(deliver: output.write, report: output.report)
    }
  }

  private var jobOptions: CompareJob.Options {
    var options = options
    options.isZeroTerminated = zero
    options.listsSame = listsSame && !quiet
    return options
  }

  /// Returns a side. A name that cannot be opened ends the run before it begins.
  private func input(
    _ name: RawArgument, stripping stripped: Int, _ plan: StoragePlan, _ open: Set<Int32>
  ) throws(FileError) -> CompareInput {
    if name.openDescriptor == nil {
      guard let status = stat.of(name.bytes) else { throw FileError(name, Errno(rawValue: errno)) }
      if FileWalk.EntryType(mode: status.st_mode) == .directory {
        let source = FileSource.path(bytes: name.bytes)
        return .directory(
          plan.storage(of: name).map { source.on($0.forReading) } ?? source, stripping: stripped)
      }
      if !status.isRegularFile {
        throw FileError(
          "\(name): is not a regular file; to read it, use - in its place, and < \(name)")
      }
    }
    return .manifest(CheckManifest(name, open: open, from: AT_FDCWD), stripping: stripped)
  }
}

/// The names that `--only` selects.
enum NameSelection: String, CaseIterable, Sendable {
  case a, b, differs
}

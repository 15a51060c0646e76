// The verb `plan`: the files of a set, divided among shards.

internal import FileJobs
internal import Weir

struct PlanVerb: Verb {
  var output: RawArgument?
  var shards: Int?
  var strategy = ShardStrategy.size
  var memory: UInt64 = 64 << 20
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()

  static let page = VerbPage(
    name: "plan", abstract: "Divide the files of a set among the shards of a cluster",
    usage: "[OPTION ...] PATH ... --shards N -o FILE",
    description: """
      Walk directories once and record every entry in FILE, in the order of weir hash, each file
      with its size, its time and its shard. Then hash, check, count, duplicates and run process one
      shard each, with --plan FILE --shard K/N, and weir merge makes one result of their parts. No
      file is opened. The plan of an unchanged tree has the same bytes again. How evenly the files
      are divided is printed: the largest shard over the mean one, 1.000 at best.
      """,
    statuses: """
      0  Success
      2  Usage error, or nothing could be started or written
      3  Something could not be read, and the plan says so
      """,
    examples: """
      weir plan /srv --shards 64 -o set.plan
      weir plan /srv --shards 64 --by size-class -o dup.plan
      find /srv -name '*.tif' -print0 | sort -z |
        weir plan --files0-from - --shards 64 -o tif.plan
      weir hash --plan set.plan --shard 3/64 --out parts
      weir merge --plan set.plan parts -o manifest
      """)

  static let sections = [
    OptionSection<PlanVerb>(
      "Plan",
      [
        Option(
          "-o, --output FILE", .outputFile, optional: \.output,
          "Write the plan to FILE when it is complete"),
        Option(
          "--shards N", .number(1...PlanHeader.shardsMax), optional: \.shards, "Number of shards",
          """
          , 1 to \(PlanHeader.shardsMax); 4 to 10 for each place where one runs let the cluster
          balance the load
          """),
        Option(
          "--by RULE", .choice(ShardStrategy.allCases), \.strategy,
          "Rule: size, count, hash or size-class",
          """
          : size is equal bytes, and 256 KiB a file; count is equal numbers of files; hash is that
          of the name, so that a file keeps its shard when others come and go; size-class puts
          files of one size together, for weir duplicates
          """),
        Option(
          "--memory SIZE", .size, \.memory, "Use about SIZE of memory",
          ": with more, more files are divided one by one, the largest first"),
      ]),
    OptionSection(
      "Input", words: [("PATH", "A file, or a directory to walk")],
      SourceOptions.lists.map { $0.lifted(by: \.sourceOptions) }
        + WalkOptions.table.map { $0.lifted(by: \.walkOptions) }),
    CommonOptions.section(jobs: "Number of files examined at once", default: "by storage")
      .lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    if let name = operands.names.first(where: { operands.opened[$0.bytes] != nil }) {
      throw UsageError("plan records names, which another process can open, and not \(name)")
    }
    if operands.inputs.isEmpty {
      throw UsageError("no input is given; name a PATH, or use --files0-from - for a list")
    }
    guard let name = output else { throw UsageError("plan needs --output FILE") }
    guard let shards else { throw UsageError("plan needs --shards N, the number of shards") }
    let session = try Session(
      commonOptions, verb: "plan", inputs: operands.allNames, output: ("output", name),
      terminals: operands.terminals)
    guard let root = PlanVerb.root(of: operands) else {
      throw FileError("the working directory has no path")
    }
    let writer = try PlanWriter(
      name.bytes, shards: shards, strategy: strategy, root: root, memory: memory)
    try operands.expectInputs { operands.opened[$0.bytes] == nil && writer.isOwn($0.bytes) }
    let input = FileInput(operands, sourceOptions, walkOptions, commonOptions)
    var options = try input.processorOptions(session)
    if let previous = writer.previous { options.excluded.append(previous) }
    let named = PlanNamedInputs(operands)
    let job = try PlanJob(options: options)
    let sources = try input.sources()
    let reporter = FileReporter(console: session.console)
    session.cleanup = { writer.discard() }
    session.resumption = Session.Resumption("no plan is written")
    let summary = PlanSummary(console: session.console)
    try session.run(job, summary, wording: PlanSummary.wording, isCut: { true }) {
      let statistics = try job.run(sources, lists: operands.lists) { record, _ in
        try writer.add(record)
      } report: { result in
        reporter.report(result)
      }
      summary.balance = try writer.finish(
        filtered: statistics.filtered, named: named, isCanceled: { job.wasCanceled })
    }
  }

  /// Returns the directory in which the names of a plan begin: `/` if all names are absolute, so
  /// that a shard needs no other directory than those of the files. `nil` if the working
  /// directory has no path.
  private static func root(of operands: Operands) -> [UInt8]? {
    let isAbsolute = operands.inputs.allSatisfy { input in
      if case .path(let name) = input { name.bytes.first == .slash } else { false }
    }
    return isAbsolute ? [.slash] : workingDirectory()
  }
}

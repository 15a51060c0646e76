// The table of `weir plan`.

internal import FileJobs

extension PlanVerb {
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
}

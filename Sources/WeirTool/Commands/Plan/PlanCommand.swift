// The verb `plan`: the files of a set, divided among shards.

internal import ArgumentParser
internal import FileJobs
internal import Weir

struct PlanCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Divide the files of a set among the shards of a cluster.")

  @Argument(
    help: ArgumentHelp("Files and directories.", valueName: "path"), completion: .file())
  var paths: [RawArgument] = []

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write the plan to FILE when it is complete.", valueName: "file"),
    completion: .file())
  var output: RawArgument?

  @Option(help: ArgumentHelp("Number of shards.", valueName: "n"))
  var shards: Int?

  @Option(
    help: ArgumentHelp("Rule that divides the files.", valueName: "rule"),
    completion: .list(ShardStrategy.allCases.map(\.rawValue)))
  var by: String?

  @Option(help: ArgumentHelp("Use about SIZE of memory.", valueName: "size"))
  var memory: UInt64 = PlanRequest.memoryDefault

  @Option(
    name: .customLong("files-from"),
    help: ArgumentHelp("Read paths from FILE, one per line.", valueName: "file"),
    completion: .file())
  var filesFrom: [RawArgument] = []

  @Option(
    name: .customLong("files0-from"),
    help: ArgumentHelp("Read paths from FILE, each ended by NUL.", valueName: "file"),
    completion: .file())
  var files0From: [RawArgument] = []

  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var walkOptions: WalkOptions

  static let optionTable =
    OptionTable(
      values: [
        "--output": .outputFile, "--shards": .number(1...PlanHeader.shardsMax),
        "--by": .word(ShardStrategy.allCases.map(\.rawValue)), "--memory": .size,
        "--files-from": .name, "--files0-from": .name,
      ],
      letters: ["o": "--output"])
    + WalkOptions.table + CommonOptions.table + .common

  var request: any VerbRequest {
    PlanRequest(
      output: output, shards: shards, strategy: by.flatMap { ShardStrategy(rawValue: $0) },
      memory: memory, commonOptions: commonOptions, walkOptions: walkOptions)
  }

  static let brief = """
    usage: weir plan [OPTION ...] PATH ... --shards N -o FILE
      -o, --output FILE      Write the plan to FILE when it is complete
          --shards N         Number of shards
          --by RULE          Rule: size, count, hash or size-class [default: size]
          --memory SIZE      Use about SIZE of memory [default: 64M]
          --files-from FILE, --files0-from FILE  Read paths from FILE
    \(WalkOptions.brief)
    \(CommonOptions.brief(jobs: "Number of files examined at once [default: by storage]"))
    """

  static let helpPage = """
    usage: weir plan [OPTION ...] PATH ... --shards N -o FILE

    Walk directories once and record every entry in FILE, in the order of weir hash,
    each file with its size, its time and its shard. Then hash, check, count,
    duplicates and run process one shard each, with --plan FILE --shard K/N, and
    weir merge makes one result of their parts. No file is opened. The plan of an
    unchanged tree has the same bytes again. How evenly the files are divided is
    printed: the largest shard over the mean one, 1.000 at best.

    Plan:
      -o, --output FILE      Write the plan to FILE when it is complete
          --shards N         Number of shards, 1 to \(PlanHeader.shardsMax); 4 to 10 for each place
                             where one runs let the cluster balance the load
          --by RULE          Divide by size (equal bytes, and 256 KiB a file), count
                             (equal numbers of files), hash (of the name: a file
                             keeps its shard when others come and go) or size-class
                             (files of one size together, for duplicates)
                             [default: size]
          --memory SIZE      Use about SIZE of memory: with more, more files are
                             divided one by one, the largest first [default: 64M]

    Input:
      PATH                   A file, or a directory to walk
          --files-from FILE  Read paths from FILE (- for standard input), by line
          --files0-from FILE Read paths from FILE, each ended by NUL
    \(WalkOptions.help)

    \(CommonOptions.help(
      jobs: """
        Number of files examined at once, 1 to \(Lanes.widthMax) [default:
                                 by storage type]
        """))

    Exit status:
      0  Success
      2  Usage error, or nothing could be started or written
      3  Something could not be read, and the plan says so

    Examples:
      weir plan /srv --shards 64 -o set.plan
      weir plan /srv --shards 64 --by size-class -o dup.plan
      find /srv -name '*.tif' -print0 | sort -z |
        weir plan --files0-from - --shards 64 -o tif.plan
      weir hash --plan set.plan --shard 3/64 --out parts
      weir merge --plan set.plan parts -o manifest
    """
}

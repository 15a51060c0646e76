// The options of a shard: --plan, --shard, --out and their like.

internal import ArgumentParser
internal import FileJobs
internal import Weir

/// The options that limit a verb to one shard of its files.
struct ShardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Take the files from the plan FILE.", valueName: "file"),
    completion: .file())
  var plan: RawArgument?

  @Option(help: ArgumentHelp("Process one shard: K/N, from 0, or auto.", valueName: "shard"))
  var shard: String?

  @Option(
    help: ArgumentHelp("Write the part of the shard into DIR.", valueName: "dir"),
    completion: .directory)
  var out: RawArgument?

  @Option(help: ArgumentHelp("Number that is the shard: rank or array.", valueName: "level"))
  var shardBy: ShardLevelArgument?

  @Option(help: ArgumentHelp("Number of the first shard: 0 or 1.", valueName: "n"))
  var indexBase: Int?

  @Flag(help: "Read files that changed since the plan was made.")
  var allowChanged = false

  @Flag(help: "Exit with 0 once the part is written.")
  var exitZero = false

  /// The values if no option is given.
  static var defaults: ShardOptions {
    var options = ShardOptions()
    options.plan = nil
    options.shard = nil
    options.out = nil
    options.shardBy = nil
    options.indexBase = nil
    options.allowChanged = false
    options.exitZero = false
    return options
  }

  static let table = OptionTable(
    values: [
      "--plan": .name, "--shard": .name, "--out": .name,
      "--shard-by": .word(ShardLevelArgument.allCases.map(\.rawValue)),
      "--index-base": .number(0...1),
    ],
    flags: ["--allow-changed", "--exit-zero"])

  /// The lines of the short help.
  static let brief = brief(plan: "--resume, ")

  /// The same for a verb that lists --resume among its own options.
  static let briefAfterResume = brief(plan: "")

  private static func brief(plan: String) -> String {
    """
          --shard K/N, --plan FILE, --out DIR  Process one shard, of a plan
          \(plan)--shard-by LEVEL, --index-base N, --allow-changed, --exit-zero
    """
  }

  /// The section of the help page.
  static let help = """
    Many machines (see weir help plan):
          --shard K/N        Process the files of shard K, from 0 to N-1: by hash of
                             the name, or with --plan as the plan says; auto takes
                             K from Slurm, MPI, Kubernetes, AWS Batch, PBS or LSF
          --plan FILE        Take the files from a plan of weir plan, not from PATHs
          --out DIR          With --plan, write the results as the part of the shard
                             into DIR, for weir merge
          --resume           With --plan, continue the part of an attempt that did
                             not end
          --shard-by LEVEL   If auto finds two numbers, use rank or array
          --index-base N     Number of the first shard of the launcher, 0 or 1
          --allow-changed    Read files that changed since the plan was made
          --exit-zero        Exit with 0 once the part is written: launchers that
                             end all tasks if one fails need this, and weir merge
                             has the exit status of the verb
    """

  /// The options that decide which files are read or where the results go, and not what the
  /// results are: parts of one plan may differ in them.
  static let placeOptions: Set<String> = [
    "--plan", "--shard", "--out", "--shard-by", "--index-base", "--resume", "--jobs",
    "--allow-changed", "--exit-zero",
    "--descriptors", "--halt", "--progress", "--summary", "--verbose", "--trace", "--directory",
  ]

  /// Throws an error if options of the verb contradict those of a plan.
  ///
  /// - Parameter others: The options of the verb that no shard has, and whether they are given.
  func validate(
    _ operands: Operands, _ others: [(option: String, isGiven: Bool)]
  ) throws(UsageError) {
    if !operands.inputs.isEmpty || !operands.filters.isEmpty {
      throw UsageError(
        "with --plan, the plan names the files; give PATHs and filters to weir plan instead")
    }
    for (option, isGiven) in others where isGiven {
      throw UsageError("\(option) does not apply to a shard of a plan, which writes a part")
    }
    for name in ["--max-depth", "--one-file-system", "--follow"]
    where operands.rest.contains(where: { $0.prefix { $0 != "=" } == name }) {
      throw UsageError("\(name) belongs to weir plan, which walks")
    }
  }

  /// The shard by the hash of the name; `nil` if all files are processed, or a plan decides.
  func selection() throws(UsageError) -> ShardSelection? {
    for (isGiven, option) in [
      (out != nil, "--out"), (shardBy != nil, "--shard-by"), (indexBase != nil, "--index-base"),
      (allowChanged, "--allow-changed"), (exitZero, "--exit-zero"),
    ] where isGiven && plan == nil {
      throw UsageError("\(option) needs --plan FILE")
    }
    guard let shard, plan == nil else { return nil }
    guard shard != "auto" else {
      throw UsageError(
        "--shard auto needs --plan FILE: a launcher knows the number of its tasks, and not "
          + "that of the shards")
    }
    let choice = try Launcher.choose(
      argument: shard, by: nil, indexBase: nil, shards: nil, environment: [:])
    guard let count = choice.count else {
      throw UsageError("--shard takes K/N, such as 0/8, if there is no --plan")
    }
    return ShardSelection(shard: choice.index, of: count)
  }
}

/// The values of `--shard-by`.
enum ShardLevelArgument: String, ExpressibleByArgument, CaseIterable {
  case rank
  case array
}

/// The files of a shard by the hash of their names.
struct ShardSelection {
  let shard: Int
  let count: Int

  init(shard: Int, of count: Int) {
    self.shard = shard
    self.count = count
  }

  /// Decides on a size instead of a name: all files of one size are in one shard.
  func contains(size: UInt64) -> Bool {
    withUnsafeBytes(of: size.littleEndian) { contains($0) }
  }

  /// The shard as words: K/N.
  var number: String { "\(shard)/\(count)" }

  func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    NameHash.shard(of: name, count: count) == shard
  }

  /// Selects the entries of a walk for a processor. Directories are always entered.
  var selector: @Sendable (borrowing FoundFile) -> FileSelection {
    { [shard, count] file in
      NameHash.shard(of: file.path, count: count) == shard ? .take : .skip
    }
  }
}

// The verb `submit`: the text that runs the shards of a plan on a cluster.

internal import ArgumentParser
internal import FileJobs
internal import WeirLibC

struct SubmitCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Print the script that runs the shards of a plan on a cluster.")

  @Flag(help: "For Slurm: an array of jobs.")
  var slurm = false

  @Flag(help: "For GNU parallel, on this machine or over ssh.")
  var parallel = false

  @Flag(help: "For Kubernetes: an Indexed Job.")
  var kubernetes = false

  @Flag(help: "For AWS Batch: an array job.")
  var awsBatch = false

  @Flag(help: "For PBS: an array of jobs.")
  var pbs = false

  @Flag(help: "For LSF: an array of jobs.")
  var lsf = false

  @Option(help: ArgumentHelp("The plan.", valueName: "file"), completion: .file())
  var plan: RawArgument?

  @Option(
    help: ArgumentHelp("The directory of the parts.", valueName: "dir"), completion: .directory)
  var out: RawArgument?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file that the merge writes.", valueName: "file"),
    completion: .file())
  var output: RawArgument?

  @Flag(help: "Only the shards without a part.")
  var missing = false

  @Option(help: ArgumentHelp("Number of shards at once.", valueName: "n"))
  var concurrent: Int?

  @Option(help: ArgumentHelp("The hosts for GNU parallel.", valueName: "list"))
  var hosts: RawArgument?

  @Option(help: ArgumentHelp("The image of the containers.", valueName: "name"))
  var image: RawArgument?

  @Flag(help: "Print the script, and start nothing.")
  var dryRun = false

  static let optionTable =
    OptionTable(
      values: [
        "--plan": .name, "--out": .name, "--output": .name,
        "--concurrent": .number(1...1_000_000), "--hosts": .name, "--image": .name,
      ],
      flags: Set(SubmitEngine.allCases.map(\.rawValue) + ["--missing", "--dry-run"]),
      letters: ["o": "--output"]) + .common

  static let takesCommand = true

  func run(_ operands: Operands) throws {
    if let name = operands.names.first {
      throw UsageError("unexpected operand ", name, "; the verb and its options come after --")
    }
    let engine = try engine()
    let words = try SubmitCommand.words(operands.command ?? [])
    guard let plan else { throw UsageError("no plan is given; use --plan FILE") }
    guard let out else { throw UsageError("no directory of parts is given; use --out DIR") }
    if !dryRun { throw UsageError("submit only prints; add --dry-run") }
    let header = try ShardRun.plan(plan).header
    let here = try SubmitCommand.here()
    let submission = Submission(
      verb: words[0], words: Array(words.dropFirst()),
      plan: SubmitCommand.absolute(plan, from: here),
      directory: SubmitCommand.absolute(out, from: here),
      output: output.map { SubmitCommand.absolute($0, from: here) },
      root: RawArgument(bytes: try SubmitCommand.root(plan, header)).text, shards: header.shards,
      chosen: missing ? try missingShards(out, header) : Array(0..<header.shards),
      concurrent: concurrent, hosts: try hostNames(), image: image?.text ?? "", here: here)
    let console = Console()
    let text = RawArgument(argument: try submission.text(for: engine)).bytes
    try text.withUnsafeBytes { try console.write(lines: $0) }
    try console.closeOutput()
  }

  // MARK: Options

  /// Returns the engine, with the options that only some engines have.
  private func engine() throws(UsageError) -> SubmitEngine {
    let given = [
      (slurm, SubmitEngine.slurm), (parallel, .parallel), (kubernetes, .kubernetes),
      (awsBatch, .awsBatch), (pbs, .pbs), (lsf, .lsf),
    ].filter(\.0).map(\.1)
    guard let engine = given.first else {
      let all = SubmitEngine.allCases.map(\.rawValue)
      throw UsageError("no engine is given; use \(OptionValue.alternatives(all))")
    }
    if given.count > 1 {
      throw UsageError("\(given[0].rawValue) cannot be combined with \(given[1].rawValue)")
    }
    if hosts != nil && engine != .parallel { throw UsageError("--hosts needs --parallel") }
    if image != nil && !engine.hasImage {
      throw UsageError("--image needs --kubernetes or --aws-batch")
    }
    if engine.hasImage && image?.bytes.isEmpty ?? true {
      throw UsageError("\(engine.rawValue) needs --image NAME, an image that contains weir")
    }
    if concurrent != nil && engine == .awsBatch {
      throw UsageError(
        "--concurrent does not apply to --aws-batch; the compute environment of the queue "
          + "limits the jobs")
    }
    return engine
  }

  private func hostNames() throws(UsageError) -> [String] {
    guard let hosts else { return [] }
    let names = hosts.text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !hosts.bytes.isEmpty, !names.contains("") else {
      throw UsageError("--hosts takes names such as a,b, not ", hosts)
    }
    return names
  }

  /// The verbs that process the shards of a plan.
  private static let verbs = ["hash", "check", "count", "duplicates", "run"]

  /// Returns the verb and its words.
  private static func words(_ words: [RawArgument]) throws(UsageError) -> [String] {
    guard let first = words.first else {
      throw UsageError("no verb is given; use weir submit ... -- hash, or another one")
    }
    guard verbs.contains(first.text), let verb = Verbs.named(first.text) else {
      throw UsageError(
        "the verb of a shard is \(OptionValue.alternatives(verbs)), not ", first,
        UsageError.suggestion(for: first.text, among: verbs))
    }
    let rest = Array(words.dropFirst())
    // Mistakes in the options of the verb are better found here than in every task.
    let operands = try Operands(
      in: rest, table: verb.optionTable, takesCommand: verb.takesCommand)
    for word in operands.rest {
      let name = String(word.prefix { $0 != "=" })
      if ["--plan", "--shard", "--out", "--index-base"].contains(name) {
        throw UsageError("\(name) comes from weir submit, and not from the words after --")
      }
    }
    return words.map(\.text)
  }

  /// Returns the shards without a part in a directory.
  ///
  /// - Throws: The error of a part that has to be removed first.
  private func missingShards(
    _ name: RawArgument, _ plan: PlanHeader
  ) throws(FileError) -> [Int] {
    do throws(PartError) {
      let directory = try PartDirectory(name.bytes, shards: plan.shards)
      let missing = Set(directory.missing)
      for shard in 0..<plan.shards where !missing.contains(shard) {
        let path = directory.file(shard).path
        let found = try PartReader.glance(at: path).header
        if found.plan != plan.id || found.shard != shard {
          throw PartError(path, .other("belongs to another plan or shard; remove it first"))
        }
      }
      return missing.sorted()
    } catch {
      throw FileError(error)
    }
  }

  /// Returns the directory that a container needs for the files: that of the plan's names, or of
  /// all absolute names.
  private static func root(_ plan: RawArgument, _ header: PlanHeader) throws -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard header.root == [slash] else { return header.root }
    let reader = try ShardRun.plan(plan)
    var common: [UInt8]?
    do throws(PlanError) {
      while let record = try reader.next() {
        guard record.shard != nil, let end = record.path.lastIndex(of: slash) else { continue }
        let directory = record.path[..<end]
        guard let known = common else {
          common = Array(directory)
          continue
        }
        if directory.count >= known.count && directory.starts(with: known)
          && (directory.count == known.count
            || directory[directory.startIndex + known.count] == slash)
        {
          continue
        }
        let shared = zip(known, directory).prefix { $0 == $1 }.count
        common = Array(known[..<(known[..<shared].lastIndex(of: slash) ?? 0)])
      }
    } catch {
      throw FileError(error)
    }
    return common ?? header.root
  }

  // MARK: Names

  /// Returns the name of the working directory: the shell's, if it is one. It may contain
  /// symbolic links that mean the same on all nodes, and what they mean here need not.
  private static func here() throws(FileError) -> String {
    let place = FileIdentity.of(Array(".".utf8))
    if let shell = getenv("PWD") {
      let name = Array(UnsafeRawBufferPointer(start: shell, count: strlen(shell)))
      if name.first == UInt8(ascii: "/"), FileIdentity.of(name) == place {
        return RawArgument(bytes: name).text
      }
    }
    guard let name = workingDirectory() else {
      throw FileError(message: Array("the working directory has no name".utf8))
    }
    return RawArgument(bytes: name).text
  }

  private static func absolute(_ name: RawArgument, from here: String) -> String {
    let slash = UInt8(ascii: "/")
    var bytes = name.bytes[...]
    if bytes.first == slash { return name.text }
    while bytes.starts(with: "./".utf8) { bytes = bytes.dropFirst(2) }
    let directory = RawArgument(argument: here).bytes
    let separator = directory.last == slash ? [] : [slash]
    return RawArgument(bytes: directory + separator + bytes).text
  }
}

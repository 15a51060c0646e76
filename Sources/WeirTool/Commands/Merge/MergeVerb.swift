// The verb `merge`: one output of the parts of all shards.

internal import FileJobs
internal import Weir

extension Option {
  static func plan(_ path: PropertyPath<Group, RawArgument?>) -> Option {
    Option("--plan FILE", .file, optional: path, "The plan of the parts")
  }
}

struct MergeVerb: Verb {
  var plan: RawArgument?
  var output: RawArgument?
  var replace = false
  var commonOptions = CommonOptions()

  static let page = VerbPage(
    name: "merge", abstract: "Join the parts of all shards of a plan",
    usage: "[OPTION ...] --plan FILE DIR", operand: .directory,
    description: """
      Join the parts that the shards of a plan have written into DIR: write what one process would
      have written, byte for byte. All parts are checked before anything is written: none may be
      missing, cut, changed, or belong to another plan, shard or command. The faults are reported
      one by one, with a command that runs the missing shards again.
      """,
    statusTitle: "Exit status (0, 1 and 3 also as of the verb that made the parts)",
    statuses: """
      0  Success
      1  Something differs, or a command failed
      2  Usage error, or nothing could be started or written
      3  Shards are missing, and nothing is written; or a file could not be read, and the output is
         written
      4  A part belongs to another plan or command; nothing is written
      5  A part is cut or changed; nothing is written
      """,
    examples: """
      weir merge --plan set.plan parts > manifest
      weir merge --plan set.plan -o manifest parts
      weir status --plan set.plan parts     Show which shards are done
      """)

  static let sections = [
    OptionSection<MergeVerb>(
      "Input and output",
      [
        .plan(\.plan),
        Option(
          "-o, --output FILE", .output, optional: \.output,
          "Write to FILE, which appears when it is complete", ", instead of standard output"),
        Option(
          flag: "--replace", \.replace, "Replace a FILE that is a manifest, and forget what it says"
        ),
      ]),
    CommonOptions.partsSection.lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    let (planName, directoryName) = try MergeVerb.names(plan, operands, verb: "merge")
    let session = try Session(
      commonOptions, verb: "merge", inputs: [planName, directoryName],
      output: ("output", output))
    let reader = try PlanReader(planName.bytes)
    let plan = reader.header
    var parts = PartSet(try PartDirectory(directoryName.bytes, shards: plan.shards), of: plan)
    // Nothing has to be cleaned up yet.
    session.signals.unblock()
    let faults = parts.check()
    guard faults.isEmpty, let header = parts.header else {
      let found = MergeFaults(
        faults: faults, header: parts.header, plan: plan, planName: planName,
        directory: directoryName)
      throw found.report(to: session.console)
    }
    let request = try MergeVerb.request(of: header, in: directoryName)
    try MergeVerb.expectItems(planName, request, parts, session)
    session.signals.block()
    let hash = (request as? HashVerb).flatMap { $0.outputFormat == .json ? nil : $0 }
    let file = try output.map {
      try RedirectedOutput($0, manifestOf: hash?.algorithms, replaces: replace)
    }
    session.console.outputName.with { [output] in $0 = output }
    session.cleanup = { file?.discard() }
    if file != nil { session.resumption = Session.Resumption("no file is written") }
    defer { file?.discard() }
    try request.merge(
      MergeRun(session: session, reader: reader, name: planName, parts: parts, header: header) {
        if $0.isComplete { try file?.replace() }
      })
  }

  static func names(
    _ plan: RawArgument?, _ operands: Operands, verb: String
  ) throws(UsageError) -> (plan: RawArgument, directory: RawArgument) {
    guard let plan else { throw UsageError("no plan is given; use weir \(verb) --plan FILE DIR") }
    guard let directory = operands.names.first else {
      throw UsageError("no directory of parts is given; use weir \(verb) --plan FILE DIR")
    }
    if let extra = operands.names.dropFirst().first {
      throw UsageError("unexpected operand \(extra)")
    }
    return (plan, directory)
  }

  /// Reads the whole plan, so that nothing is written if it is damaged or the parts do not
  /// answer all its files.
  private static func expectItems(
    _ name: RawArgument, _ request: any MergeableVerb, _ parts: PartSet, _ session: Session
  ) throws {
    let errors = try parts.expectItems(of: PlanReader(name.bytes))
    if errors.isEmpty || !request.answersEveryFile { return }
    for error in errors { session.console.report(error) }
    session.console.report("nothing is written; remove the parts named above, and run them again")
    throw ExitStatus.damaged
  }

  private static func request(
    of header: PartHeader, in directory: RawArgument
  ) throws(FileError) -> any MergeableVerb {
    let words = header.options.map { RawArgument(bytes: $0) }
    let verbs: [any MergeableVerb.Type] = [
      HashVerb.self, CheckVerb.self, CountVerb.self, DuplicatesVerb.self, RunVerb.self,
    ]
    if let verb = verbs.first(where: { $0.name == header.verb }),
      let request = try? verb.parse(words).verb
    {
      return request
    }
    throw FileError(
      "\(directory): has parts of a command that this weir cannot merge: "
        + "\(command: header.command)")
  }
}

// A run of `weir hash --bagit`, which makes a bag of a directory in place.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct HashBag {
  private let request: HashVerb
  private let session: Session
  private let directory: RawArgument

  static func validate(_ operands: Operands) throws(UsageError) {
    let digest = HashVerb.sections[0].options.map(\.text.name)
    let allowed =
      [bagitName, infoName, OutputOptions.acceptName, OutputOptions.maxGoneName] + digest
      + CommonOptions.section().options.map(\.text.name)
    if let other = operands.given.first(where: { !allowed.contains($0.option.name) }) {
      throw UsageError("\(other.option.name) does not apply to \(bagitName)")
    }
    if let path = operands.allNames.first {
      throw UsageError("\(bagitName) takes one directory and no PATH, and \(path.text) is another")
    }
  }

  static let (bagitName, infoName) = ("--bagit", "--bag-info")

  init(_ request: HashVerb, _ session: Session, _ directory: RawArgument) {
    (self.request, self.session, self.directory) = (request, session, directory)
  }

  func run() throws {
    let bag = BagDirectory(directory.bytes)
    let algorithms = try BagJob.algorithms(of: bag, adding: request.given)
    let plan = StoragePlan([directory], includesHere: false, jobs: request.commonOptions.jobs)
    var options = session.processorOptions
    try session.apply(plan, to: &options)
    let job = try request.withAlgorithms { () throws(Errno) in
      try BagJob(bag, algorithms, options: options)
    }
    session.resumption = Session.Resumption("nothing is lost; the same command completes the bag")
    let console = session.console
    let reporter = FileReporter(console: console)
    let output = BagOutput()
    let accept = request.outputOptions.accept
    let unused = Locked(accept)
    unused.with { $0.paths = [directory.bytes] }
    // All files may be read, and the manifests not be written.
    try session.run(job, output, isCut: { true }) {
      try job.run(
        on: plan.storage(of: directory), agent: "weir \(WeirVersion.description)",
        fields: request.bagFields, accepting: accept.filters,
        report: { reporter.report($0) },
        change: { name, change in
          output.count(change)
          name.withUnsafeBytes { name in unused.with { $0.removePatterns(of: name) } }
          let line: Message = "\(name): \(change.rawValue)\n"
          try console.write(line.bytes)
        },
        permit: { listed, gone in
          let refusal = (request.outputOptions.maxGone ?? .usual).refusal(
            directory.bytes, gone: gone, of: listed, advice: "mount what is missing")
          if let refusal { throw FileError(refusal) }
        })
      unused.with { $0.filters }.forEach(console.reportUnused)
    }
  }
}

private final class BagOutput: SessionOutput, Sendable {
  private let changes = Locked<[BagChange: UInt64]>([:])

  func count(_ change: BagChange) { changes.with { $0[change, default: 0] += 1 } }

  func finish(_ ending: Session.Ending) {}

  func summary(_ ending: Session.Ending) -> Session.Summary {
    var summary = Session.Summary(ending)
    let changes = changes.with { $0 }
    summary.counts = [("files", ending.statistics.files)]
    summary.counts += BagChange.allCases.map { ($0.rawValue, changes[$0, default: 0]) }
    if let remark = summary.remark {
      summary.remark =
        "\(remark); the manifests are left as they were; mend this and run the command again"
    }
    return summary
  }
}

// weir check: the verification of manifests.

internal import ArgumentParser
internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

struct CheckCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verifies what a manifest says of files.")

  @Option(
    name: [.customShort("a"), .long],
    help: ArgumentHelp("Which digest untagged lines have.", valueName: "name"),
    completion: .list(AlgorithmArgument.allValueStrings))
  var algorithm: [AlgorithmArgument] = []

  @Flag(name: [.customShort("z"), .long], help: "Lines end in NUL.")
  var zero = false

  @Flag(help: "Print nothing for files that are as they should be.")
  var quiet = false

  @Flag(help: "Print nothing; the exit status tells.")
  var status = false

  @Flag(name: [.customShort("w"), .long], help: "Say which lines are malformed.")
  var warn = false

  @Flag(help: "Count a malformed line as a difference.")
  var strict = false

  @Flag(help: "Pass over files that are not there.")
  var ignoreMissing = false

  @Argument(
    help: ArgumentHelp("Manifests; - is standard input.", valueName: "manifest"),
    completion: .file())
  var manifests: [RawArgument] = []

  @OptionGroup var auditOptions: AuditOptions
  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var runOptions: CommonOptions

  static let optionTable =
    OptionTable(
      values: ["--algorithm": .words(AlgorithmArgument.allValueStrings)],
      flags: ["--zero", "--quiet", "--status", "--warn", "--strict", "--ignore-missing"],
      letters: ["a": "--algorithm", "z": "--zero", "w": "--warn"])
    + AuditOptions.table + FormatOptions.table + CommonOptions.table + .common

  func run(_ operands: Operands) throws {
    let descriptors = CheckDescriptors.openNow()
    try auditOptions.validate(operands)
    let wanted = try auditOptions.lists()
    let session = try Session(runOptions, verb: "check", inputs: operands.names)
    let names =
      operands.names.isEmpty ? [RawArgument(bytes: Array("-".utf8))] : operands.names
    let (place, lists) = try prepare(session, names, wanted)
    defer { lists.discard() }
    session.clearing.with { $0 = { lists.abandon() } }
    let output = CheckOutput(
      session.console, rules(operands), manifests: names, in: place, lists: lists)
    let manifests = names.map { CheckManifest($0, open: descriptors, from: place.base) }
    let work = try makeWork(
      session, operands, descriptors, place, lists,
      excluding: { place.kept(names).union(lists.identities) })
    let ending = session.run(
      statistics: work.statistics, cancel: work.cancel, busy: work.busy,
      expecting: { isOver in CheckManifest.bytesRecorded(in: manifests, until: isOver) }
    ) {
      try work.run(manifests, output)
    }
    try conclude(work.statistics(), ending, session, output, lists)
  }

  /// Goes to the directory of an audit, and begins the lists.
  private func prepare(
    _ session: Session, _ manifests: [RawArgument],
    _ wanted: [(kind: NameKind, file: RawArgument)]
  ) throws(ExitStatus) -> (CheckPlace, NameLists) {
    do throws(FileError) {
      let place = try CheckPlace(
        audit: auditOptions.audit, directory: runOptions.directory)
      if wanted.isEmpty { return (place, try NameLists([], from: place.base, sparing: [:])) }
      let kept = "is a manifest or kept beside one, and a list of names would take its place"
      var taken = Dictionary(uniqueKeysWithValues: place.kept(manifests).map { ($0, kept) })
      for descriptor in session.processorOptions.excluded {
        var status = stat()
        if fstat(descriptor.rawValue, &status) == 0 {
          taken[FileIdentity(status)] = "is what --trace writes"
        }
      }
      return (place, try NameLists(wanted, from: place.base, sparing: taken))
    } catch {
      session.console.say(error.message)
      throw .usage
    }
  }

  private func rules(_ operands: Operands) -> CheckRules {
    CheckRules(
      format: formatOptions.format, isQuiet: quiet, isSilent: status, warns: warn && !status,
      isStrict: strict, ignoresMissing: ignoreMissing, isAudit: auditOptions.audit != nil,
      invocation: invocation(operands))
  }

  private func invocation(_ operands: Operands) -> CheckInvocation {
    let flags = [
      (zero, "-z"), (quiet, "--quiet"), (status, "--status"), (warn, "-w"),
      (strict, "--strict"), (ignoreMissing, "--ignore-missing"),
      (formatOptions.format == .json, "--format json"),
    ]
    let names = algorithm.map(\.algorithm.name).joined(separator: ",")
    let audit = auditOptions
    return CheckInvocation(
      directory: runOptions.directory?.bytes,
      audit: audit.audit?.bytes,
      auditWords: { file in audit.words(operands, file: file) },
      options: (names.isEmpty ? [] : ["-a \(names)"]) + flags.filter(\.0).map(\.1))
  }

  // MARK: Work

  /// What is done with manifests.
  private struct Work {
    let run: ([CheckManifest], CheckOutput) throws -> Void
    let statistics: @Sendable () -> FileStatistics
    let cancel: @Sendable () -> Void
    let busy: Watch.Busy
  }

  private func makeWork(
    _ session: Session, _ operands: Operands, _ descriptors: Set<Int32>, _ place: CheckPlace,
    _ lists: NameLists, excluding excluded: () -> Set<FileIdentity>
  ) throws(ExitStatus) -> Work {
    do throws(Errno) {
      if auditOptions.audit == nil { return try makeCheck(session, descriptors, lists) }
      return try makeAudit(
        session, operands, descriptors, place, lists, excluding: excluded())
    } catch {
      session.console.say("cannot verify anything: \(error)")
      throw .usage
    }
  }

  private func makeCheck(
    _ session: Session, _ descriptors: Set<Int32>, _ lists: NameLists
  ) throws(Errno) -> Work {
    var options = session.processorOptions
    // What is listed is read, also where this is written to.
    options.excluded = []
    session.suit(
      &options, to: StoragePlan([], includesHere: true, jobs: runOptions.jobs))
    let job = try CheckJob(
      untagged: algorithm.map(\.algorithm), isZeroTerminated: zero, descriptors: descriptors,
      options: options)
    return Work(
      run: { manifests, output in
        try job.run(manifests) { (event: CheckEvent) in
          if case .line(let line) = event { lists.note(line) }
          try output.take(event)
        }
      },
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) })
  }

  private func makeAudit(
    _ session: Session, _ operands: Operands, _ descriptors: Set<Int32>, _ place: CheckPlace,
    _ lists: NameLists, excluding excluded: Set<FileIdentity>
  ) throws(Errno) -> Work {
    var options = session.processorOptions
    auditOptions.walk.apply(to: &options, operands)
    let root = RawArgument(bytes: place.root)
    let plan = StoragePlan([root], includesHere: true, jobs: runOptions.jobs)
    session.suit(&options, to: plan)
    let job = try AuditJob(
      of: place.root, on: plan.storage(of: root), rootNames: place.names, excluding: excluded,
      untagged: algorithm.map(\.algorithm), isZeroTerminated: zero, descriptors: descriptors,
      options: options)
    return Work(
      run: { manifests, output in
        try job.run(manifests) { (event: AuditEvent) in
          if case .line(let line) = event { lists.note(line) }
          try output.take(event)
        }
      },
      statistics: { job.statistics }, cancel: { job.cancel() },
      busy: { job.busyFiles(nanoseconds: $0) })
  }

  /// Writes what is to be written last, and ends.
  private func conclude(
    _ statistics: FileStatistics, _ ending: Session.Ending, _ session: Session,
    _ output: CheckOutput, _ lists: NameLists
  ) throws {
    try session.conclude(ending, statistics) { ending in
      try output.conclude(statistics, ending)
      guard ending.isComplete else { return lists.discard() }
      session.enter(.replacing)
      let left = try lists.replace()
      left.dropLast().forEach { session.console.say($0.message) }
      if let last = left.last { throw last }
    } closing: { ending in
      Session.Closing(
        summary: output.summary(statistics, seconds: ending.seconds), status: output.status)
    }
  }
}

extension CheckManifest {
  /// What a MANIFEST stands for: `-`, `/dev/stdin` and `/dev/fd/N` are
  /// descriptors that are open already.
  init(_ argument: RawArgument, open: Set<Int32>, from base: Int32) {
    if let descriptor = argument.openDescriptor {
      // It may be open by now, as the program's own.
      let isOpen = open.contains(descriptor.rawValue)
      self = .descriptor(isOpen ? descriptor : FileDescriptor(rawValue: -1))
    } else {
      self = .path(bytes: argument.bytes, from: FileDescriptor(rawValue: base))
    }
  }
}

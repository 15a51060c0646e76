// weir check: the verification of manifests.

#if Tool
  internal import ArgumentParser
  internal import FileJobs
  internal import SystemPackage
  internal import Weir

  struct CheckCommand: Verb {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Verifies what a manifest says of files.")

    @Option(
      name: [.customShort("a"), .long],
      help: ArgumentHelp("Which digest untagged lines have.", valueName: "name"))
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

    @OptionGroup var runOptions: RunOptions

    static let optionTable =
      OptionTable(
        values: ["--algorithm": .words(AlgorithmArgument.allValueStrings)],
        flags: ["--zero", "--quiet", "--status", "--warn", "--strict", "--ignore-missing"],
        letters: ["a": "--algorithm", "z": "--zero", "w": "--warn"])
      + RunOptions.table + .common

    func run(_ operands: Operands) throws {
      let descriptors = CheckDescriptors.openNow()
      let session = try Session(runOptions, verb: "check", inputs: operands.names)
      let names =
        operands.names.isEmpty ? [RawArgument(bytes: Array("-".utf8))] : operands.names
      let job = try makeJob(session, descriptors)
      let output = CheckOutput(
        session.console, rules, manifests: names.map(CheckOutput.Manifest.init))
      let manifests = names.map { CheckManifest($0, open: descriptors) }
      let ending = session.run(
        figures: { job.figures }, cancel: { job.cancel() },
        busy: { job.busyFiles(nanoseconds: $0) },
        expecting: { isOver in CheckManifest.bytesRecorded(in: manifests, until: isOver) }
      ) {
        try job.run(manifests) { event in try output.take(event) }
      }
      try conclude(job.figures, ending, session, output)
    }

    private var rules: CheckRules {
      CheckRules(
        format: runOptions.format, isQuiet: quiet, isSilent: status, warns: warn && !status,
        isStrict: strict, ignoresMissing: ignoreMissing, invocation: invocation)
    }

    private var invocation: CheckInvocation {
      let flags = [
        (zero, "-z"), (quiet, "--quiet"), (status, "--status"), (warn, "-w"),
        (strict, "--strict"), (ignoreMissing, "--ignore-missing"),
        (runOptions.format == .json, "--format json"),
      ]
      let names = algorithm.map(\.algorithm.name).joined(separator: ",")
      return CheckInvocation(
        directory: runOptions.directory?.bytes,
        options: (names.isEmpty ? [] : ["-a \(names)"]) + flags.filter(\.0).map(\.1))
    }

    private func makeJob(_ session: Session, _ descriptors: Set<Int32>) throws -> CheckJob {
      var options = session.processorOptions
      // What is listed is read, also where this is written to.
      options.excluded = []
      session.suit(
        &options, to: StoragePlan([], includesHere: true, jobs: runOptions.jobs))
      do {
        return try CheckJob(
          untagged: algorithm.map(\.algorithm), isZeroTerminated: zero,
          descriptors: descriptors, options: options)
      } catch {
        session.console.say("cannot verify anything: \(error)")
        throw ExitStatus.usage
      }
    }

    /// Says what is left to be said.
    private func conclude(
      _ figures: FileFigures, _ ending: Session.Ending, _ session: Session, _ output: CheckOutput
    ) throws {
      var ending = ending
      do {
        try output.conclude(figures, ending)
      } catch {
        ending = Session.Ending(seconds: ending.seconds, failure: error, signal: ending.signal)
      }
      if ending.signal != nil {
        session.console.say(session.interruption(figures))
      } else if ending.failure == nil && runOptions.summary {
        session.console.say(output.summary(figures, seconds: ending.seconds))
      }
      try session.end(ending, with: output.status)
    }
  }

  extension CheckManifest {
    /// What a MANIFEST stands for: `-`, `/dev/stdin` and `/dev/fd/N` are
    /// descriptors that are open already.
    init(_ argument: RawArgument, open: Set<Int32>) {
      if let descriptor = argument.openDescriptor {
        // It may be open by now, as the program's own.
        let isOpen = open.contains(descriptor.rawValue)
        self = .descriptor(isOpen ? descriptor : FileDescriptor(rawValue: -1))
      } else {
        self = .path(bytes: argument.bytes)
      }
    }
  }
#endif

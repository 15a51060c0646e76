// weir hash: digests of files and whole trees.

#if Tool
  internal import ArgumentParser
  internal import Dispatch
  internal import FileJobs
  internal import SystemPackage
  internal import Weir

  struct HashCommand: TakesOperands {
    static let valueOptions = FileOptions.valueOptions.union(["-a", "--algorithm"])

    static let configuration = CommandConfiguration(
      commandName: "hash",
      abstract: "Digests of files and whole trees, as sha256sum writes them.",
      discussion: """
        A line for each file: its digest and its name, in the order of the \
        arguments and, within a directory, of the bytes of the names. \
        Directories are walked. What can be read is written; what cannot is one \
        line on standard error, and the run goes on.

        Exit status: 0 all well; 2 usage, or nothing could be started or written; \
        3 something that is there could not be read: the rest is written.

        Examples:
          weir hash /srv > /tmp/manifest      then: sha256sum -c --quiet /tmp/manifest
          weir hash -a xxh128 .               then: xxhsum -c
          weir hash --jobs 8 --summary a b c
          tar c . | weir hash
        """)

    @Option(
      name: [.customShort("a", allowingJoined: true), .long],
      help: ArgumentHelp("Which digest.", valueName: "algorithm"))
    var algorithm = AlgorithmArgument(.sha256)

    @OptionGroup var files: FileOptions

    func run() throws {
      let console = Console()
      let sources = files.sources
      let job = try makeJob(console)
      let progress = Progress(files.progress, on: console) { job.figures }
      let begin = DispatchTime.now()
      let failure = process(sources, with: job, console)
      let seconds =
        Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
      progress?.finish()
      try conclude(job.figures, seconds: seconds, failure: failure, console)
    }

    private func makeJob(_ console: Console) throws -> HashJob {
      do throws(Errno) {
        return try HashJob(algorithm.algorithm, options: files.processorOptions)
      } catch {
        let name = algorithm.algorithm.name
        let reason = error == .notSupported ? "this libcrypto does not offer it" : "\(error)"
        console.say("cannot compute \(name): \(reason)")
        throw ExitStatus.usage
      }
    }

    /// Reads and writes everything. Returns what ended it early, if anything did.
    private func process(
      _ sources: [FileSource], with job: HashJob, _ console: Console
    ) -> (any Error)? {
      let report = FileReport(console: console, verb: "hash")
      do {
        try job.run(sources) { batch in
          try console.write(batch.output)
          for index in 0..<batch.count {
            report.tell(batch[index])
          }
        }
        return nil
      } catch {
        return error
      }
    }

    private func conclude(
      _ figures: FileFigures, seconds: Double, failure: (any Error)?, _ console: Console
    ) throws {
      if let failure {
        console.say("\(failure)")
        throw ExitStatus.usage
      }
      let isIncomplete = figures.failed > 0 || figures.specialNamed > 0
      if files.summary {
        console.say(FileReport.summary(figures, seconds: seconds))
      } else if isIncomplete {
        console.say(FileReport.counts(figures))
      }
      if isIncomplete {
        throw ExitStatus.unreadable
      }
    }
  }

  /// A digest algorithm by its name.
  struct AlgorithmArgument: ExpressibleByArgument {
    let algorithm: DigestAlgorithm

    init(_ algorithm: DigestAlgorithm) {
      self.algorithm = algorithm
    }

    init?(argument: String) {
      guard let algorithm = DigestAlgorithm(argument) else { return nil }
      self.algorithm = algorithm
    }

    var defaultValueDescription: String { algorithm.name }

    static var allValueStrings: [String] { DigestAlgorithm.allCases.map(\.name) }
  }
#endif

// The verb `hash`: digests of files and whole trees.

internal import ArgumentParser
internal import FileJobs
internal import SystemPackage
internal import Weir

struct HashCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print digests of files and whole trees, like sha256sum.")

  @Option(
    name: [.customShort("a"), .long],
    help: ArgumentHelp("Digest algorithm.", valueName: "name"),
    completion: .list(AlgorithmArgument.allValueStrings))
  var algorithm: [AlgorithmArgument] = []

  @Flag(help: "Write BSD lines: ALGORITHM (NAME) = DIGEST.")
  var tag = false

  @Flag(help: "Write DIGEST  NAME for every algorithm.")
  var plain = false

  @Flag(name: .shortAndLong, help: "End lines with NUL, and escape no names.")
  var zero = false

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp("Write text, json or mtree.", valueName: "format"))
  var outputFormat = OutputFormat.text

  @OptionGroup var outputOptions: OutputOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions

  static let optionTable =
    OptionTable(
      values: [
        "--algorithm": AlgorithmArgument.option,
        "--format": .word(OutputFormat.names(with: [.mtree])),
      ],
      flags: ["--tag", "--plain", "--zero"],
      letters: ["a": "--algorithm", "z": "--zero"])
    + OutputOptions.table + CommonOptions.table + SourceOptions.table + .common

  static var withoutOptions: HashCommand? {
    var command = HashCommand()
    command.algorithm = []
    command.tag = false
    command.plain = false
    command.zero = false
    command.outputFormat = .text
    command.outputOptions = OutputOptions.defaults
    command.commonOptions = CommonOptions.defaults
    command.sourceOptions = SourceOptions.defaults
    command.walkOptions = WalkOptions.defaults
    return command
  }

  func run(_ operands: Operands) throws {
    for (isGiven, option) in [(tag, "--tag"), (plain, "--plain")]
    where isGiven && outputFormat != .text {
      let name = outputFormat.rawValue
      throw UsageError("\(option) applies to --format text, not to --format \(name)")
    }
    if plain { try validatePlain() }
    if Set(algorithms).count > DigestAlgorithm.countMax {
      throw UsageError("--algorithm takes at most \(DigestAlgorithm.countMax) algorithms")
    }
    if zero && outputFormat == .mtree {
      throw UsageError("--zero does not apply to --format mtree, whose lines end in a newline")
    }
    try HashToFile.validate(self)
    let session = try Session(
      commonOptions, verb: "hash", inputs: operands.allNames, output: outputOptions.output,
      terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "PATH")
    if let name = outputOptions.output {
      return try HashToFile(self, operands, session, name).run()
    }
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let options = input.processorOptions(session)
    let job = try withAlgorithms { () throws(Errno) in
      try HashJob(algorithms, format: format, isZeroTerminated: zero, options: options)
    }
    let output = HashOutput(session.console, outputFormat, isZeroTerminated: zero)
    try session.run(job, expected: input.expected) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    } finish: { ending in
      try output.finish(ending)
    } summary: { ending in
      summary(ending)
    }
  }

  /// Throws an error if plain lines could not be verified.
  private func validatePlain() throws(UsageError) {
    if tag { throw UsageError("--plain and --tag exclude each other: a line has one form") }
    if Set(algorithms).count > 1 {
      throw UsageError("--plain takes one algorithm, since a plain line does not name its own")
    }
    if let other = algorithms.first(where: \.isAlwaysTagged) {
      throw UsageError(
        "--plain does not apply to \(other.name): xxhsum takes a plain line of that length for xxh64"
      )
    }
  }

  var algorithms: [DigestAlgorithm] {
    algorithm.isEmpty ? [.sha256] : algorithm.map(\.algorithm)
  }

  var format: ManifestFormat {
    switch outputFormat {
    case .json: .json
    case .mtree: .mtree
    case .text: tag ? .tagged : plain ? .plain : .text
    }
  }

  /// Makes a job that uses the algorithms.
  func withAlgorithms<Job>(_ make: () throws(Errno) -> Job) throws(FileError) -> Job {
    do throws(Errno) {
      return try make()
    } catch {
      let names = algorithms.map(\.name).joined(separator: ", ")
      let reason = error == .notSupported ? "this libcrypto does not offer it" : "\(error)"
      throw FileError(message: Array("cannot compute \(names): \(reason)".utf8))
    }
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    Session.Summary(ending, listsLinks: format == .mtree)
  }

  static let brief = """
    usage: weir hash [OPTION ...] [PATH ...]
      -a, --algorithm NAME   Digest algorithm [default: sha256]
          --tag, --plain     Write ALGORITHM (NAME) = DIGEST, or DIGEST  NAME
      -z, --zero             End lines with NUL, and escape no names
          --format FORMAT    Write text, json or mtree [default: text]
    \(OutputOptions.brief)
    \(SourceOptions.brief)
    \(CommonOptions.brief)
    """

  static let helpPage = """
    usage: weir hash [OPTION ...] [PATH ...]

    Print a line with digest and name for each file, like sha256sum. Directories are
    walked. The order is that of the PATHs and, within a directory, of the bytes of
    the names, however many files are read at once. A file that cannot be read is
    reported on standard error, and the others are hashed.

    Digest:
      -a, --algorithm NAME   Use md5, sha1, sha224, sha256, sha384, sha512,
                             sha512-256, sha3-256, sha3-512, sm3, blake2b, blake3,
                             xxh64, xxh3, xxh128, or blake2b-N for N bits; compute
                             several from one read with -a NAME,NAME or several -a
                             [default: sha256]

    \(SourceOptions.help)

    Format:
          --tag              Write BSD lines: ALGORITHM (NAME) = DIGEST (always used
                             for several algorithms, and for those whose lines look
                             like those of SHA-2: blake3, sha512-256, sha3, sm3)
          --plain            Write DIGEST  NAME for these too; check needs -a then,
                             except for blake3
      -z, --zero             End lines with NUL, and escape no names
          --format FORMAT    Write text, json (an object per line) or mtree (type,
                             size, time and digests, see mtree(5)) [default: text]

    \(OutputOptions.help)

    \(CommonOptions.help)

    Exit status:
      0  Success
      1  --update found bit rot
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed while it was read; the lines
         of the others are written

    Examples:
      weir hash /srv > /tmp/manifest        Hash a tree
      weir check --quiet /tmp/manifest      Verify it
      weir hash --output /tmp/M /srv        Write to a file; --resume continues
      weir hash --output /tmp/M --update /srv
                                            Read only what has changed
      weir hash -a xxh128 .                 Write lines for xxhsum -c
      weir hash -a blake3 --plain .         Write lines for b3sum -c
      weir hash --format mtree -C /srv . > srv.mtree
      weir hash --exclude .git/ --exclude '*.o' src
      git ls-files -z | weir hash --files0-from -
      tar c . | weir hash
    """
}

/// A digest algorithm by name.
struct AlgorithmArgument: ExpressibleByArgument {
  let algorithm: DigestAlgorithm

  init?(argument: String) {
    guard let algorithm = DigestAlgorithm(argument) else { return nil }
    self.algorithm = algorithm
  }

  /// The values of an option that takes several.
  static let option = OptionValue.words(allValueStrings) { DigestAlgorithm($0) != nil }

  static var allValueStrings: [String] { DigestAlgorithm.listed.map(\.name) }
}

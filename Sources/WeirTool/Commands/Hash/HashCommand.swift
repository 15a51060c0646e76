// The verb `hash`: digests of files and whole trees.

internal import ArgumentParser
internal import FileJobs

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
  var outputFormat: OutputFormat?

  @OptionGroup var outputOptions: OutputOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions
  @OptionGroup var shardOptions: ShardOptions

  static let optionTable =
    OptionTable(
      values: [
        "--algorithm": AlgorithmArgument.option,
        "--format": .word(OutputFormat.names(with: [.mtree])),
      ],
      flags: ["--tag", "--plain", "--zero"],
      letters: ["a": "--algorithm", "z": "--zero"])
    + OutputOptions.table + CommonOptions.table + SourceOptions.table + ShardOptions.table
    + .common

  static var withoutOptions: (any VerbRequest)? { HashRequest() }

  var request: any VerbRequest {
    HashRequest(
      given: algorithm.map(\.algorithm), tag: tag, plain: plain, zero: zero,
      outputFormat: outputFormat ?? .text, isFormGiven: outputFormat != nil || tag || plain,
      outputOptions: outputOptions, commonOptions: commonOptions,
      sourceOptions: sourceOptions, walkOptions: walkOptions, shardOptions: shardOptions)
  }

  static let brief = """
    usage: weir hash [OPTION ...] [PATH ...]
      -a, --algorithm NAME   Digest algorithm [default: sha256]
          --tag, --plain     Write ALGORITHM (NAME) = DIGEST, or DIGEST  NAME
      -z, --zero             End lines with NUL, and escape no names
          --format FORMAT    Write text, json or mtree [default: text]
    \(OutputOptions.brief)
    \(SourceOptions.brief)
    \(ShardOptions.briefAfterResume)
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
                             like those of SHA-2: blake3, sha512-256, sha3, sm3,
                             blake2b-256)
          --plain            Write DIGEST  NAME for these too; check needs -a then,
                             except for blake3
      -z, --zero             End lines with NUL, and escape no names
          --format FORMAT    Write text, json (an object per line) or mtree (type,
                             size, time and digests, see mtree(5)) [default: text]

    \(OutputOptions.help)

    \(ShardOptions.help)

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

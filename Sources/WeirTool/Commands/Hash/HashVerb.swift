// The verb `hash`: digests of files and whole trees.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct HashVerb: Verb {
  /// The algorithms of `-a`.
  var given: [DigestAlgorithm] = []
  var tag = false
  var plain = false
  var zero = false
  /// The format; `nil` if none is given.
  var format: OutputFormat?
  /// The directory of `--bagit`.
  var bagit: RawArgument?
  var bagFields: [BagField] = []
  var outputOptions = OutputOptions()
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  static let formatDefault = OutputFormat.text
  static let algorithmDefault = DigestAlgorithm.sha256

  static let page = VerbPage(
    name: "hash", abstract: "Print digests of files and whole trees, like sha256sum",
    description: """
      Print a line with digest and name for each file, like sha256sum. Directories are walked. The
      order is that of the PATHs and, within a directory, of the bytes of the names, however many
      files are read at once. A file that cannot be read is reported on standard error, and the
      others are hashed.
      """,
    statuses: """
      0  Success
      1  --update: a file is rotten or gone, and not accepted
      2  Usage error, or nothing could be started or written
      3  A file could not be read, or changed while it was read; the lines of the others
         are written
      """,
    examples: """
      weir hash /srv > /tmp/manifest        Hash a tree
      weir check --quiet /tmp/manifest      Verify it
      weir hash --output /tmp/M /srv        Write to a file; --resume continues
      weir hash --output /tmp/M --update /srv   Read only what has changed
      weir hash -a xxh128 .                 Write lines for xxhsum -c
      weir hash -a blake3 --plain .         Write lines for b3sum -c
      weir hash --format mtree -C /srv . > srv.mtree
      weir hash --exclude .git/ --exclude '*.o' src
      weir hash --bagit /srv/box --bag-info 'Contact-Name=Jane Doe'
      git ls-files -z | weir hash --files0-from -
      tar c . | weir hash
      """)

  static let sections = [
    OptionSection<HashVerb>(
      "Digest",
      [
        Option(
          "-a, --algorithm NAME", .algorithms, "Digest algorithm",
          """
          : \(UsageError.alternatives(DigestAlgorithm.listed.map(\.name))), blake2b-N or blake3-N for
          N bits, or for old lists xxh32 or crc32; several are computed from one read with
          -a NAME,NAME or several -a. All cores hash a big file together if blake3 is the only one
          """, default: algorithmDefault.name
        ) { verb, _, algorithms in verb.given += algorithms }
      ]),
    SourceOptions.section(
      "Input (standard input if no PATH and no list is given)",
      path: "A file, a directory to walk, or - for standard input", \.sourceOptions,
      \.walkOptions),
    OptionSection(
      "Format",
      [
        Option(
          flag: "--tag", \.tag, "Write BSD lines: ALGORITHM (NAME) = DIGEST",
          """
          , as always for several algorithms, and for those whose digests look like those of others:
          blake3, sha512-256, sha3, sm3, most of blake2b-N, and xxh3
          """, isBrief: false),
        Option(
          flag: "--plain", \.plain, "Write DIGEST  NAME for these too",
          "; weir check needs -a then, except for blake3", isBrief: false),
        Option(
          flag: "-z, --zero", \.zero, "End lines with NUL, and escape no names", isBrief: false),
        Option(
          "--format FORMAT", .choice([.text, .json, .mtree]), optional: \.format,
          "Write text, json or mtree",
          """
          : json is an object per line, mtree has the type, size, time and digests of each file, see
          mtree(5). With --update, json is the format of the report, and the manifest keeps its own
          """, default: formatDefault.rawValue),
      ]),
    OutputOptions.section,
    OptionSection(
      "Bag",
      [
        Option(
          "\(HashBag.bagitName) DIR", .directory, optional: \.bagit,
          "Make a bag of DIR, or bring one up to date",
          """
           (BagIt, RFC 8493): move what is in DIR to DIR/data, and write manifests of the payload and of the tag files
          for each -a and each algorithm that the bag has, sha512 if it has none; a bag's new, edited
          and gone files are listed. An interrupted run is continued by the same command
          """, on: .wholeRun),
        Option(
          "\(HashBag.infoName) FIELD=VALUE", .bagField,
          "Write a line FIELD: VALUE into bag-info.txt",
          """
          , in place of those that FIELD has; may be repeated, also for one FIELD. An empty VALUE
          removes FIELD
          """, isBrief: false, on: .wholeRun
        ) { verb, _, field in verb.bagFields.append(field) },
      ]),
    ShardOptions.section(resume: nil).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    for (isGiven, fault) in [
      (tag, "--tag applies to --format text"), (plain, "--plain applies to --format text"),
    ] where isGiven && outputFormat != .text && !(outputOptions.update && outputFormat == .json) {
      throw UsageError("\(fault), not to --format \(outputFormat.rawValue)")
    }
    if plain { try validatePlain() }
    if Set(algorithms).count > DigestAlgorithm.countMax {
      throw UsageError("--algorithm takes at most \(DigestAlgorithm.countMax) algorithms")
    }
    if zero && outputFormat == .mtree {
      throw UsageError("--zero does not apply to --format mtree, whose lines end in a newline")
    }
    if bagit != nil {
      try HashBag.validate(operands)
    } else if !bagFields.isEmpty {
      throw UsageError("\(HashBag.infoName) needs \(HashBag.bagitName) DIR")
    }
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection(resumes: true)
    try validateOutput()
    let session = try Session(
      commonOptions, verb: "hash", inputs: operands.allNames,
      output: ("output", outputOptions.output),
      terminals: operands.terminals, bags: bagit.map { [$0] } ?? [])
    if let bagit { return try HashBag(self, session, bagit).run() }
    session.announceKeyboard(operands, missing: "PATH")
    if let name = outputOptions.output {
      return try HashToFile(self, operands, session, name, selection).run()
    }
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let options = try input.processorOptions(session)
    let job = try withAlgorithms { () throws(Errno) in
      try HashJob(
        algorithms, format: manifestFormat, isZeroTerminated: zero, options: options,
        select: selection?.selector)
    }
    let output = HashOutput(session.console, outputFormat, isZeroTerminated: zero)
    try session.run(job, output, expected: input.expected, isBrief: input.isSmallFile) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    }
  }

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

  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    let shard = try ShardRun(
      shardOptions, verb: "hash", operands, commonOptions, resumes: shardOptions.resume)
    if try shard.isDone() { return }
    let options = try shard.processorOptions()
    let job = try withAlgorithms { () throws(Errno) in
      try HashJob(algorithms, format: manifestFormat, isZeroTerminated: zero, options: options)
    }
    try shard.run(job, FileReporter(console: shard.console, verb: "hash")) { source, deliver in
      try job.run([source], deliver: deliver)
    }
  }

  var algorithms: [DigestAlgorithm] {
    given.isEmpty ? [HashVerb.algorithmDefault] : given
  }

  var outputFormat: OutputFormat { format ?? HashVerb.formatDefault }

  var isFormGiven: Bool { format != nil || tag || plain }

  var manifestFormat: ManifestFormat {
    switch outputFormat {
    case .json: .json
    case .mtree: .mtree
    case .text: tag ? .tagged : plain ? .plain : .text
    }
  }

  func withAlgorithms<Job>(_ make: () throws(Errno) -> Job) throws(FileError) -> Job {
    do throws(Errno) {
      return try make()
    } catch {
      let names = algorithms.map(\.name).joined(separator: ", ")
      let reason = error == .notSupported ? "this libcrypto does not offer it" : "\(error)"
      throw FileError("cannot compute \(names): \(reason)")
    }
  }
}

extension HashVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let output = HashOutput(merge.console, outputFormat, isZeroTerminated: zero)
    try merge.run(output, deliversWholeTree: outputFormat == .mtree) { batch in
      try output.write(batch)
    }
  }
}

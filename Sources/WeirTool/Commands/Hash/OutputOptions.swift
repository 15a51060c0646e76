// The options on the manifest file of weir hash: --output, --update, --replace, --dry-run, --quiet,
// --accept, --accept-gone, --accept-rot, --max-gone.

internal import FileJobs
internal import Weir

struct OutputOptions {
  var output: RawArgument?
  var update = false
  var replace = false
  var dryRun = false
  var quiet = false
  var accept = Acceptance()
  var maxGone: GoneLimit?

  static let (acceptName, maxGoneName) = ("--accept", "--max-gone")

  static let section = OptionSection<HashVerb>(
    "Output file",
    [
      Option(
        "-o, --output FILE", .output, optional: \.outputOptions.output,
        "Write to FILE, which appears when it is complete",
        "; until then the records are in FILE.partial", on: .wholeRun),
      ShardOptions.resume(
        "Continue an interrupted run with the same arguments",
        ", or with --plan the part of an attempt that did not end"
      ).lifted(by: \.shardOptions),
      Option(
        flag: "--update", \.outputOptions.update, "Bring FILE up to date",
        """
        : read only files that are new or have another size or time, and report the changes. A file
        that is not read is not verified. What is rotten or gone keeps its record, and is reported,
        with status 1, until it is right again or accepted
        """, on: .wholeRun),
      Option(
        flag: "--replace", \.outputOptions.replace,
        "Replace a FILE that is a manifest, and forget what it says",
        isBrief: false, on: .wholeRun),
      Option(
        flag: "--dry-run", \.outputOptions.dryRun, "Report what an update would read",
        ", and what is open, and change nothing; with --update", on: .wholeRun),
      Option(
        flag: "--quiet", \.outputOptions.quiet, "Report only what is rotten or gone",
        ", with --update; with --format json, only that and the summary", on: .wholeRun),
      Option(
        "\(acceptName) GLOB", .word, "Settle what is open for names that match GLOB",
        """
        , with --update: GLOB is matched as by --exclude, the records of gone files end, and files
        are read and recorded as they are. With --bagit, record tag files that match as they are
        """, on: .wholeRun
      ) { verb, _, glob in verb.outputOptions.accept.filters.append(.exclude(bytes: glob.bytes)) },
      Option(
        flag: "--accept-gone", \.outputOptions.accept.acceptsGone,
        "With --update, end the records of gone files", "", isBrief: false, on: .wholeRun),
      Option(
        flag: "--accept-rot", \.outputOptions.accept.acceptsRot,
        "With --update, read all files and record them as they are",
        """
        , also those that changed without a change of size and time, and drop lines that cannot be
        compared
        """, isBrief: false, on: .wholeRun),
      Option(
        "\(maxGoneName) N", .share, optional: \.outputOptions.maxGone,
        "With --update or --bagit, leave the manifests unchanged if more than N of their files",
        """
        , or N% of them, are newly gone. Without it an update has no such limit, but ends no more than
        half of its records by --accept and --accept-gone; a bag may lose half
        """, isBrief: false, on: .wholeRun),
    ])
}

extension HashVerb {
  func validateOutput() throws(UsageError) {
    let options = outputOptions
    if bagit != nil { return }
    let ofUpdate = [
      (options.maxGone != nil, "--max-gone needs"),
      (!options.accept.filters.isEmpty, "--accept needs"),
      (options.accept.acceptsGone, "--accept-gone needs"),
      (options.accept.acceptsRot, "--accept-rot needs"),
      (options.dryRun, "--dry-run needs"), (options.quiet, "--quiet needs"),
    ]
    guard let name = options.output else {
      let ofOutput = [
        (shardOptions.resume, "--resume needs"), (options.update, "--update needs"),
        (options.replace, "--replace needs"),
      ]
      for (isGiven, option) in ofOutput + ofUpdate where isGiven {
        throw UsageError("\(option) --output FILE")
      }
      return
    }
    if name.bytes == Array("-".utf8) {
      throw UsageError("--output takes the name of a file; omit it for standard output")
    }
    for (isGiven, option) in ofUpdate where isGiven && !options.update {
      throw UsageError("\(option) --update, since nothing is compared without it")
    }
    if options.update && options.replace {
      throw UsageError("--update and --replace exclude each other: the second forgets FILE")
    }
    if outputFormat == .json && !options.update {
      throw UsageError(
        "--output supports --format text and mtree only, and json with --update: the errors and the "
          + "summary of json are not recorded")
    }
    if sourceOptions.unordered {
      throw UsageError(
        "--output keeps the order of the files, which --resume relies on; omit --unordered")
    }
  }
}

extension OptionValue where Value == GoneLimit {
  /// A number, or a percentage.
  fileprivate static var share: OptionValue {
    OptionValue("a number, or a percentage such as 50%") { text in
      let isPercentage = text.hasSuffix("%")
      guard let number = UInt64(decimal: text.utf8.dropLast(isPercentage ? 1 : 0)),
        !isPercentage || number <= 100
      else { return nil }
      return GoneLimit(number: number, isPercentage: isPercentage)
    }
  }
}

/// The number or percentage of files that an update may drop.
struct GoneLimit: CustomStringConvertible {
  fileprivate let number: UInt64
  fileprivate let isPercentage: Bool

  static let usual = GoneLimit(number: 50, isPercentage: true)

  func isExceeded(by count: UInt64, of total: UInt64) -> Bool {
    isPercentage ? count * 100 > total * number : count > number
  }

  /// - Parameter advice: The ways out besides the option.
  func refusal(_ name: [UInt8], gone: UInt64, of former: UInt64, advice: String) -> Message? {
    if !isExceeded(by: gone, of: former) { return nil }
    return """
      \(name): is left unchanged, since \(Quantities.count(gone)) of its \
      \(Quantities.count(former, "file", "files")) would be gone, more than --max-gone \
      \(description); \(advice), or add --max-gone 100%
      """
  }

  var description: String { isPercentage ? "\(number)%" : "\(number)" }
}

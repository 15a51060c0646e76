// The options on the manifest file of weir hash: --output, --update, --dry-run, --quiet,
// --accept-rot, --max-gone.

internal import FileJobs

/// The options on the manifest file, and on the use of an earlier one.
struct OutputOptions: OptionGroup {
  var output: RawArgument?
  var update = false
  var dryRun = false
  var quiet = false
  var acceptRot = false
  var maxGone: GoneLimit?

  static let maxGoneName = "--max-gone"

  static let section = OptionSection<HashVerb>(
    "Output file",
    [
      Option<OutputOptions>(
        "-o, --output FILE", .file, optional: \.output,
        "Write to FILE, which appears when it is complete",
        "; until then the records are in FILE.partial", on: .wholeRun
      ).lifted(by: \.outputOptions),
      ShardOptions.resume(
        "Continue an interrupted run with the same arguments",
        ", or with --plan the part of an attempt that did not end"
      ).lifted(by: \.shardOptions),
      Option<OutputOptions>(
        flag: "--update", \.update, "Bring FILE up to date",
        """
        : read only files that are new or have another size or time, and report the changes. A file
        that is not read is not verified
        """, on: .wholeRun
      ).lifted(by: \.outputOptions),
      Option<OutputOptions>(
        flag: "--dry-run", \.dryRun, "With --update, only report what would change", "",
        isBrief: false, on: .wholeRun
      ).lifted(by: \.outputOptions),
      Option<OutputOptions>(
        flag: "--quiet", \.quiet,
        "With --update, report no files but those with rot, and no counts",
        "; with --format json, only these and the summary", isBrief: false, on: .wholeRun
      ).lifted(by: \.outputOptions),
      Option<OutputOptions>(
        flag: "--accept-rot", \.acceptRot, "With --update, read all files",
        """
        , record the new content of those that changed without a change of size and time, and drop
        lines that cannot be compared
        """, isBrief: false, on: .wholeRun
      ).lifted(by: \.outputOptions),
      Option<OutputOptions>(
        "\(maxGoneName) N", .share, optional: \.maxGone,
        "With --update or --bagit, leave the manifests unchanged if more than N of their files",
        ", or N% of them, would be gone", default: "\(GoneLimit.usual)", isBrief: false,
        on: .wholeRun
      ).lifted(by: \.outputOptions),
    ])
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

  /// Returns the reason not to lose files; `nil` if the limit permits it.
  ///
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

// The verb `count`: lines, words, characters and bytes of files and whole trees.

internal import ArgumentParser
internal import FileJobs

struct CountCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count lines, words, characters and bytes, like wc.")

  @Flag(name: .shortAndLong, help: "Count newlines.")
  var lines = false

  @Flag(name: .shortAndLong, help: "Count words.")
  var words = false

  @Flag(name: [.customShort("m"), .long], help: "Count characters.")
  var chars = false

  @Flag(name: [.customShort("c"), .long], help: "Count bytes.")
  var bytes = false

  @Flag(name: [.customShort("L"), .long], help: "Measure the longest line, in columns.")
  var maxLineLength = false

  @Flag(name: .shortAndLong, help: "End lines with NUL, and quote no names.")
  var zero = false

  @Flag(help: "Continue the part of an attempt that did not end.")
  var resume = false

  @OptionGroup var formatOptions: FormatOptions
  @OptionGroup var commonOptions: CommonOptions
  @OptionGroup var sourceOptions: SourceOptions
  @OptionGroup var walkOptions: WalkOptions
  @OptionGroup var shardOptions: ShardOptions

  static let optionTable =
    OptionTable(
      flags: [
        "--lines", "--words", "--chars", "--bytes", "--max-line-length", "--zero", "--resume",
      ],
      letters: [
        "l": "--lines", "w": "--words", "m": "--chars", "c": "--bytes",
        "L": "--max-line-length", "z": "--zero",
      ]) + FormatOptions.table + CommonOptions.table + SourceOptions.table + ShardOptions.table
    + .common

  static var withoutOptions: (any VerbRequest)? { CountRequest() }

  var request: any VerbRequest {
    CountRequest(
      columns: columns, zero: zero, formatOptions: formatOptions, commonOptions: commonOptions,
      sourceOptions: sourceOptions, walkOptions: walkOptions, shardOptions: shardOptions,
      resume: resume)
  }

  private var columns: CountColumns {
    var columns: CountColumns = []
    if lines { columns.insert(.lines) }
    if words { columns.insert(.words) }
    if chars { columns.insert(.characters) }
    if bytes { columns.insert(.bytes) }
    if maxLineLength { columns.insert(.longestLine) }
    return columns.isEmpty ? .asWC : columns
  }

  static let brief = """
    usage: weir count [OPTION ...] [PATH ...]
      -l, --lines            Count newlines
      -w, --words            Count words
      -m, --chars            Count characters
      -c, --bytes            Count bytes
      -L, --max-line-length  Measure the longest line, in columns
      -z, --zero             End lines with NUL, and quote no names
          --format FORMAT    Write text or json [default: text]
    \(SourceOptions.brief)
    \(ShardOptions.brief)
    \(CommonOptions.brief)
    """

  static let helpPage = """
    usage: weir count [OPTION ...] [PATH ...]

    Print lines, words and bytes of each file, like wc, and a total if there are
    several. Directories are walked, and all cores share a big file. The order is
    that of the PATHs and, within a directory, of the bytes of the names. A file
    that cannot be read is reported on standard error, and the others are counted.

    Counts [default: -l -w -c]:
      -l, --lines            Count newlines
      -w, --words            Count words: printable characters between blanks
      -m, --chars            Count characters of the locale
      -c, --bytes            Count bytes; alone, it does not read regular files
      -L, --max-line-length  Measure the longest line, in columns

    \(SourceOptions.help)

    Format:
      -z, --zero             End lines with NUL, and quote no names
          --format FORMAT    Write text or json (an object per line) [default: text]

    \(ShardOptions.help)

    \(CommonOptions.help)

    Exit status:
      0  Success
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed while it was read; the lines
         and the total of the others are written

    Examples:
      weir count /srv                       Count a whole tree
      weir count -l --include '*.swift' .   Count lines of Swift
      weir count -c --unordered /srv        Add up sizes, without reading
      git ls-files -z | weir count --files0-from -
      weir count --format json . | jq 'select(.type == "total")'
      LC_ALL=C weir count -w big.txt        Count ASCII words, which is faster
    """
}

extension CountColumns {
  /// The columns that wc writes by default.
  static let asWC: CountColumns = [.lines, .words, .bytes]
}

// The table of `weir count`.

internal import FileJobs

extension CountVerb {
  static let page = VerbPage(
    name: "count", abstract: "Count lines, words, characters and bytes, like wc",
    description: """
      Print lines, words and bytes of each file, like wc, and a total if there are several.
      Directories are walked, and all cores share a big file. The order is that of the PATHs and,
      within a directory, of the bytes of the names. A file that cannot be read is reported on
      standard error, and the others are counted.
      """,
    statuses: """
      0  Success
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed while it was read; the lines and the total
         of the others are written
      """,
    examples: """
      weir count /srv                       Count a whole tree
      weir count -l --include '*.swift' .   Count lines of Swift
      weir count -c --unordered /srv        Add up sizes, without reading
      git ls-files -z | weir count --files0-from -
      weir count --format json . | jq 'select(.type == "total")'
      LC_ALL=C weir count -w big.txt        Count ASCII words, which is faster
      """)

  static let sections = [
    OptionSection<CountVerb>(
      "Counts [default: -l -w -c]",
      [
        Option(flag: "-l, --lines", \.selected[.lines], "Count newlines"),
        Option(
          flag: "-w, --words", \.selected[.words], "Count words",
          ": printable characters between blanks"),
        Option(
          flag: "-m, --chars", \.selected[.characters], "Count characters", " of the locale"),
        Option(
          flag: "-c, --bytes", \.selected[.bytes], "Count bytes",
          "; alone, it does not read regular files"),
        Option(
          flag: "-L, --max-line-length", \.selected[.longestLine],
          "Measure the longest line, in columns"),
      ]),
    SourceOptions.section(
      "Input (standard input if no PATH and no list is given)",
      path: "A file, a directory to walk, or - for standard input", \.sourceOptions,
      \.walkOptions),
    OptionSection(
      "Format",
      [
        Option(
          flag: "-z, --zero", \.zero, "End lines with NUL, and quote no names", isBrief: false),
        .format(\.format),
      ]),
    ShardOptions.section().lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]
}

extension CountColumns {
  /// The columns that wc writes by default.
  static let asWC: CountColumns = [.lines, .words, .bytes]

  /// True if these columns are selected.
  fileprivate subscript(columns: CountColumns) -> Bool {
    get { isSuperset(of: columns) }
    set { if newValue { formUnion(columns) } else { subtract(columns) } }
  }
}

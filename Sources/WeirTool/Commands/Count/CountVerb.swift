// The verb `count`: lines, words, characters and bytes of files and whole trees.

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

struct CountVerb: Verb {
  var selected: CountColumns = []
  var zero = false
  var format = OutputFormat.text
  var commonOptions = CommonOptions()
  var sourceOptions = SourceOptions()
  var walkOptions = WalkOptions()
  var shardOptions = ShardOptions()

  private var columns: CountColumns { selected.isEmpty ? .asWC : selected }

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
      3  A file could not be read, or changed while it was read; the lines and the total
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

  func run(_ operands: Operands) throws {
    if shardOptions.plan != nil { return try runShard(operands) }
    let selection = try shardOptions.selection()
    let session = try Session(
      commonOptions, verb: "count", inputs: operands.allNames, terminals: operands.terminals)
    session.announceKeyboard(operands, missing: "PATH")
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsSmallFileInline: true)
    let job = try CountJob(
      columns, usesLocale: true, options: input.processorOptions(session),
      select: selection?.selector)
    let isText = format == .text
    let line = CountLine(
      columns, width: isText ? PlanNamedInputs(operands).width(of: columns) : 1,
      isZeroTerminated: zero,
      hasName: !operands.inputs.isEmpty)
    let output = CountOutput(session.console, line, format)
    try session.run(job, output, expected: input.expected, isBrief: input.isSmallFile) {
      try job.run(input.sources()) { batch in try output.write(batch) }
    }
  }

  private func runShard(_ operands: Operands) throws {
    try shardOptions.validate(operands)
    let shard = try ShardRun(
      shardOptions, verb: "count", operands, commonOptions, resumes: shardOptions.resume)
    if try shard.isDone() { return }
    let job = try CountJob(columns, usesLocale: true, options: shard.processorOptions())
    try shard.run(job, FileReporter(console: shard.console, verb: "count")) { source, deliver in
      try job.run([source], deliver: deliver)
    }
  }
}

extension CountVerb: MergeableVerb {
  func merge(_ merge: MergeRun) throws {
    let isText = format == .text
    let width = isText ? merge.plan.named.width(of: columns) : 1
    let line = CountLine(columns, width: width, isZeroTerminated: zero, hasName: true)
    let output = CountOutput(merge.console, line, format)
    try merge.run(output) { batch in try output.write(batch) }
  }
}

extension CountColumns {
  /// The columns that wc writes by default.
  static let asWC: CountColumns = [.lines, .words, .bytes]

  fileprivate subscript(columns: CountColumns) -> Bool {
    get { isSuperset(of: columns) }
    set { if newValue { formUnion(columns) } else { subtract(columns) } }
  }
}

/// The inputs of a command line, as far as they decide the width of the columns.
extension PlanNamedInputs {
  init(_ operands: Operands) {
    self.init()
    if operands.inputs.isEmpty {
      add(stat.of(descriptor: STDIN_FILENO))
      isSingle = true
    }
    for input in operands.inputs {
      switch input {
      case .path(let name):
        let status = PlanNamedInputs.status(of: name, operands)
        let isDirectory = status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
        isSingle = operands.inputs.count == 1 && !isDirectory
        add(status)
      case .list(let name, let separator): add(listed: name, separator, operands)
      }
    }
  }

  private static func status(of name: RawArgument, _ operands: Operands) -> stat? {
    if let descriptor = operands.opened[name.bytes] {
      return stat.of(descriptor: descriptor.rawValue)
    }
    return stat.of(name.bytes)
  }

  private mutating func add(listed name: RawArgument, _ separator: UInt8, _ operands: Operands) {
    let given = operands.opened[name.bytes]?.rawValue
    let descriptor =
      given
      ?? withPath(name.bytes) { open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    defer { if given == nil && descriptor >= 0 { close(descriptor) } }
    guard let status = stat.of(descriptor: descriptor),
      status.isRegularFile, status.st_size <= PlanNamedInputs.listMax
    else { return }
    // Without moving the offset of the descriptor, from which the run reads the list.
    let names = ManifestReader(
      FileDescriptor(rawValue: descriptor), from: Int64(max(0, lseek(descriptor, 0, SEEK_CUR))),
      terminator: separator)
    while let name = try? names.next() {
      // A name that is longer than any path is skipped.
      if name.isEmpty || name.count >= PATH_MAX { continue }
      add(stat.of(UnsafeRawBufferPointer(name)))
    }
  }
}

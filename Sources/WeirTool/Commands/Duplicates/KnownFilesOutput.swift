// A run of weir duplicates --known, and its output.

internal import FileJobs
internal import WeirLibC
internal import Weir

struct KnownFilesOutput: SessionOutput, Sendable {
  private struct Counts {
    var (known, unknown, knownBytes) = (UInt64(0), UInt64(0), UInt64(0))
    /// The manifest of the last heading.
    var manifest: Int?
  }

  let console: Console
  let verb: DuplicatesVerb
  let known: KnownFiles
  /// True if a manifest has lines that cannot be used.
  let hasUnusableLines: Bool
  private let counts = Locked(Counts())

  func write(_ events: [KnownFilesJob.Event]) throws {
    var text: [UInt8] = []
    for event in events {
      switch event {
      case .file(let path, let size, let number):
        counts.with { counts in
          if number == nil { counts.unknown += 1 } else { counts.known += 1 }
          if number != nil { counts.knownBytes += size }
        }
        if (number == nil) == verb.unknown {
          append(path, size, number.map { known.name(of: $0) }, to: &text)
        }
      case .other(let result):
        let kind = FileReporter.kind(result.type)
        let finding =
          FileReporter(console: console).finding(result)
          ?? FileReporter.Finding(kind: "special", reason: "is \(kind)")
        if verb.format == .json {
          text += JSONText.object(finding, path: result.path, isZeroTerminated: verb.zero)
        }
        console.report(finding, of: result.path)
      }
    }
    try text.withUnsafeBytes { try console.write(lines: $0, isZeroTerminated: verb.zero) }
  }

  private func append(
    _ path: UnsafeRawBufferPointer, _ size: UInt64, _ recorded: (name: [UInt8], manifest: Int)?,
    to text: inout [UInt8]
  ) {
    if verb.format == .json {
      text += JSONText.object(
        recorded == nil ? "unknown" : "known", isZeroTerminated: verb.zero
      ) { json in
        json.append("path", name: path)
        json.append("size", size)
        guard let recorded else { return }
        json.append("known_as", name: recorded.name)
        json.append("manifest", name: verb.known[recorded.manifest].bytes)
      }
    } else if verb.zero {
      text += path + [0]
    } else {
      if let recorded { appendHeading(recorded.manifest, to: &text) }
      text.append(nameLine: Array(path))
      if let recorded { text.append(nameLine: recorded.name, mark: DuplicatesText.linkMark) }
    }
  }

  private func appendHeading(_ manifest: Int, to text: inout [UInt8]) {
    let last = counts.with { counts in
      defer { counts.manifest = manifest }
      return counts.manifest
    }
    if last == manifest { return }
    if last != nil { text.append(UInt8(ascii: "\n")) }
    text.append(nameLine: verb.known[manifest].shown, mark: "# in ")
  }

  func summary(_ ending: Session.Ending) -> Session.Summary {
    let (counts, statistics) = (counts.with { $0 }, ending.statistics)
    let files = DuplicatesOutput.counts(statistics)
    let isIncomplete =
      statistics.failed > 0 || statistics.changed > 0 || statistics.specialNamed > 0
    let known = Quantities.bytes(Double(counts.knownBytes))
    return Session.Summary(
      line: {
        """
        \(files); \(Quantities.count(counts.known)) known with \(known), \
        \(Quantities.count(counts.unknown)) unknown; \
        \(SummaryLine.pace(statistics, seconds: ending.seconds))
        """
      },
      remark: isIncomplete ? files : nil,
      status: isIncomplete || hasUnusableLines ? .unreadable : nil,
      counts: [("known", counts.known), ("unknown", counts.unknown)])
  }

  func finish(_ ending: Session.Ending) throws {
    let counts = counts.with { $0 }
    if counts.manifest != nil { try console.write([UInt8(ascii: "\n")]) }
    guard verb.format == .json, ending.failure == nil else { return }
    try console.write(
      JSONText.summary(ending, isZeroTerminated: verb.zero) { json in
        json.append("read", ending.statistics.files - ending.statistics.unread)
        json.append("known", counts.known)
        json.append("unknown", counts.unknown)
        json.append("known_bytes", counts.knownBytes)
      })
  }
}

extension DuplicatesVerb {
  func runKnown(_ operands: Operands) throws {
    let selection = try shardOptions.selection()
    let descriptors = OpenDescriptors.current()
    let session = try makeSession(operands)
    let input = FileInput(
      operands, sourceOptions, walkOptions, commonOptions, readsWorkingDirectory: true)
    let (files, hasUnusableLines) = try readManifests(session, descriptors)
    let job = try KnownFilesJob(files, options: input.processorOptions(session)) {
      [minimumSize] size in
      size >= minimumSize ?? 0 && selection?.contains(size: size) ?? true
    }
    let output = KnownFilesOutput(
      console: session.console, verb: self, known: files, hasUnusableLines: hasUnusableLines)
    try session.run(job, output, wording: DuplicatesOutput.wording, expected: input.expected) {
      try job.run(input.sources()) { events in try output.write(events) }
    }
  }

  /// Reads the manifests. A signal ends the process meanwhile.
  private func readManifests(
    _ session: Session, _ descriptors: Set<Int32>
  ) throws -> (KnownFiles, hasUnusableLines: Bool) {
    session.signals.unblock()
    defer {
      session.signals.block()
      // The run answers it.
      signal(SIGUSR1, SIG_DFL)
    }
    let files = KnownFiles()
    var hasUnusableLines = false
    for (number, name) in known.enumerated() {
      let manifest = CheckManifest(name, open: descriptors, from: AT_FDCWD).withRecords
      let reading = files.add(manifest, number: number, untagged: algorithms)
      switch reading.failure {
      case .failed(let error): throw FileError(name, error)
      case .foreign(let foreign): throw FileError("\(name): \(foreign.reason(of: name.bytes))")
      case .special: throw FileError("\(name): is not a regular file; use --known - < \(name)")
      case .absent, nil: break
      }
      if reading.files == 0 {
        throw FileError("\(name): lists no file with a digest, on lines that end with a newline")
      }
      if reading.unusable > 0 {
        hasUnusableLines = true
        let lines = Quantities.count(reading.unusable, "line", "lines")
        session.console.report(
          "\(name): line \(reading.firstUnusable): is no line with a digest; \(lines) not used")
      }
      if reading.lacksSize && commonOptions.verbose {
        session.console.report("\(name): records no sizes: all files are read; use mtree(5)")
      }
    }
    files.finish()
    return (files, hasUnusableLines)
  }
}

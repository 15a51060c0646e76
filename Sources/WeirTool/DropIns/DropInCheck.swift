// The verification of manifests, as GNU's checksum tools do it.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Verifies the manifests of the command line.
struct DropInCheck {
  let tool: DropIn
  let options: DropInHashOptions
  let streams: DropInStreams

  /// Verifies all manifests.
  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    // cksum without -a has a digest only with the first line.
    let algorithm = options.algorithm.digest ?? .md5
    let manifests = DropInManifests(
      options, options.makeParser(for: tool), standard)
    let report = Locked(DropInCheckReport(options, streams))
    let line = DropInCheckLine(
      algorithm: algorithm, isSilent: options.isQuiet || options.isSilent)
    let files = DropInFiles(line, streams, standard, isSingle: false)
    files.run({ manifests.next() }) { [streams] result in
      report.with { report in
        switch result {
        case .line(let line):
          streams.write(line)
          report.addMatch()
        case .failed(let name, _, .mismatch): report.addMismatch(name)
        case .failed(let name, _, let error): report.addUnreadable(name, error)
        case .note(let note): report.add(note.loadUnaligned(as: DropInManifestEvent.self))
        }
      }
    }
    return DropInOutcome(
      isSuccess: report.with { $0.isSuccess },
      hasReadStandardInput: manifests.hasReadStandardInput)
  }
}

/// The line of a file whose digest matches: `NAME: OK`.
struct DropInCheckLine: DropInLine {
  /// The algorithm that a lane needs first.
  let algorithm: DigestAlgorithm
  let isSilent: Bool

  func makeContent() throws(Errno) -> DropInDigests { try DropInDigests(algorithm) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    isSilent ? 1 : LineWriter.checkCapacity(name, ": OK\n")
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ digests: DropInDigests,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    guard digests.matches(note) else { throw .mismatch }
    if isSilent { return 0 }
    var line = LineWriter(memory)
    line.append(checked: name)
    line.append(": OK\n")
    return line.count
  }
}

extension LineWriter {
  /// Returns the maximum number of bytes that `append(checked:)` and a text take.
  fileprivate static func checkCapacity(
    _ name: UnsafeRawBufferPointer, _ text: StaticString
  ) -> Int {
    1 + 2 * name.count + text.utf8CodeUnitCount
  }

  /// Appends the name of a file that was checked. Unlike in a manifest, only a newline in the
  /// name causes escapes.
  fileprivate mutating func append(checked name: UnsafeRawBufferPointer) {
    if name.contains(UInt8(ascii: "\n")) {
      append(LineWriter.backslash)
      append(escaping: name)
    } else {
      append(name)
    }
  }
}

/// Reports the result of each file and of each manifest, and counts the results.
private struct DropInCheckReport {
  private let options: DropInHashOptions
  private let streams: DropInStreams
  /// A Boolean value that indicates whether all manifests so far passed.
  private(set) var isSuccess = true
  // The counts of the current manifest.
  private var index = 0
  private var malformed = 0
  private var unreadable = 0
  private var mismatched = 0
  private var hasEntries = false
  private var hasMatch = false

  init(_ options: DropInHashOptions, _ streams: DropInStreams) {
    self.options = options
    self.streams = streams
  }

  /// Counts a file whose digest matches; its line has been written.
  mutating func addMatch() {
    hasEntries = true
    hasMatch = true
  }

  /// Reports a file whose digest differs.
  mutating func addMismatch(_ name: UnsafeRawBufferPointer) {
    hasEntries = true
    mismatched += 1
    write(name, ": FAILED\n")
  }

  /// Reports a file that could not be read.
  mutating func addUnreadable(_ name: UnsafeRawBufferPointer, _ error: Errno) {
    hasEntries = true
    if options.ignoresMissing && error == .noSuchFileOrDirectory { return }
    streams.report(QuotedName.bytes(of: name), error: error.rawValue)
    unreadable += 1
    write(name, ": FAILED open or read\n")
  }

  /// Reports an event of the current manifest.
  mutating func add(_ event: DropInManifestEvent) {
    switch event {
    case .malformed(let line, let algorithm):
      malformed += 1
      if options.warns {
        let tag = algorithm.map { DigestAlgorithm(index: $0).tag } ?? options.algorithm.tag
        reportManifest(": \(line): improperly formatted \(tag) checksum line")
      }
    case .unopened(let error):
      streams.report(QuotedName.bytes(of: title), error: error)
      endManifest(isSuccess: false)
    case .unread:
      reportManifest(": read error")
      endManifest(isSuccess: false)
    case .end:
      reportTotals()
      endManifest(
        isSuccess: hasMatch && mismatched == 0 && unreadable == 0
          && (!options.isStrict || malformed == 0))
    }
  }

  private func reportTotals() {
    if !hasEntries {
      reportManifest(": no properly formatted checksum lines found")
    } else if !options.isSilent {
      warn(malformed, "line is improperly formatted", "lines are improperly formatted")
      warn(unreadable, "listed file could not be read", "listed files could not be read")
      warn(mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
      if options.ignoresMissing && !hasMatch { reportManifest(": no file was verified") }
    }
  }

  /// The name of the current manifest, for messages.
  private var title: [UInt8] {
    let name = Array(options.name(at: index))
    return name == DropInOptionParser.standardInput ? Array("standard input".utf8) : name
  }

  /// Adds the result of the current manifest to that of all, and begins the next manifest.
  private mutating func endManifest(isSuccess: Bool) {
    self.isSuccess = self.isSuccess && isSuccess
    index += 1
    (malformed, unreadable, mismatched) = (0, 0, 0)
    (hasEntries, hasMatch) = (false, false)
  }

  private func warn(_ count: Int, _ one: String, _ many: String) {
    if count > 0 { streams.report("WARNING: \(count) \(count == 1 ? one : many)") }
  }

  /// Reports a text about the current manifest.
  private func reportManifest(_ text: String) {
    streams.report(QuotedName.bytes(of: title) + Array(text.utf8))
  }

  /// Writes a line about a file to standard output.
  private func write(_ name: UnsafeRawBufferPointer, _ text: StaticString) {
    if options.isSilent { return }
    streams.write(
      LineWriter.bytes(capacity: LineWriter.checkCapacity(name, text)) { line in
        line.append(checked: name)
        line.append(text)
      })
  }
}

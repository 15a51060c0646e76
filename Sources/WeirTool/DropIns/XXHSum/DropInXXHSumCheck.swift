// The verification of manifests, as xxhsum does it.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Verifies the manifests of the command line.
struct DropInXXHSumCheck {
  let options: DropInXXHSumOptions
  let streams: DropInStreams

  /// Verifies all manifests. Returns true if all passed.
  func run(_ standard: StandardDescriptors) -> Bool {
    let standardInput = Array(DropInXXHSumOptions.standardInput.description.utf8)
    let manifests = DropInManifests(
      options, ManifestParser(asXXHSum: options.isLittleEndian), standard,
      standardInput: standardInput)
    let report = Locked(DropInXXHSumReport(options, streams))
    let line = DropInCheckLine(
      algorithm: options.algorithm, isSilent: options.isQuiet || options.isSilent,
      standardInput: standardInput, escapesNewlines: false)
    let files = DropInFiles(line, streams, standard, isSingle: false)
    files.run({ manifests.next() }) { [streams] result in
      report.with { report in
        switch result {
        case .line(let line):
          streams.write(line)
          report.addMatch()
        case .failed(let name, _, .mismatch): report.addMismatch(name)
        case .failed(let name, let note, let error):
          report.addUnreadable(name, line: DropInExpectedDigest.number(of: note), error)
        case .note(let note): report.add(note.loadUnaligned(as: DropInManifestEvent.self))
        }
      }
    }
    return report.with { $0.isSuccess }
  }
}

/// Reports the result of each file and of each manifest, and counts the results.
private struct DropInXXHSumReport {
  private let options: DropInXXHSumOptions
  private let streams: DropInStreams
  /// A Boolean value that indicates whether all manifests so far passed.
  private(set) var isSuccess = true
  // The counts of the current manifest.
  private var index = 0
  private var malformed = 0
  private var unreadable = 0
  private var mismatched = 0
  private var hasEntries = false

  init(_ options: DropInXXHSumOptions, _ streams: DropInStreams) {
    self.options = options
    self.streams = streams
  }

  /// Counts a file whose digest matches; its line has been written.
  mutating func addMatch() { hasEntries = true }

  /// Reports a file whose digest differs.
  mutating func addMismatch(_ name: UnsafeRawBufferPointer) {
    hasEntries = true
    mismatched += 1
    write(Array(name) + Array(": FAILED".utf8))
  }

  /// Reports a file that could not be opened or read.
  mutating func addUnreadable(_ name: UnsafeRawBufferPointer, line: Int, _ error: Errno) {
    hasEntries = true
    unreadable += 1
    let place = title + Array(":\(line): Could not open or read '".utf8)
    write(place + name + Array("': \(error.description).".utf8))
  }

  /// Reports an event of the current manifest.
  mutating func add(_ event: DropInManifestEvent) {
    switch event {
    case .malformed(let line, _):
      malformed += 1
      if options.warns { report(":\(line): Error: Improperly formatted checksum line.") }
    case .unopened(let error):
      streams.writeError(
        Array("Error: Could not open '".utf8) + title
          + Array("': \(Errno(rawValue: error).description)".utf8))
      endManifest(isSuccess: false)
    case .unread:
      report(": read error")
      endManifest(isSuccess: false)
    case .end:
      reportTotals()
      endManifest(
        isSuccess: hasEntries && mismatched == 0 && unreadable == 0
          && (!options.isStrict || malformed == 0))
    }
  }

  private func reportTotals() {
    if !hasEntries { return report(": no properly formatted xxHash checksum lines found") }
    write(malformed, "line is improperly formatted", "lines are improperly formatted")
    write(unreadable, "listed file could not be read", "listed files could not be read")
    write(mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
  }

  /// The name of the current manifest.
  private var title: [UInt8] { Array(options.name(at: index)) }

  /// Adds the result of the current manifest to that of all, and begins the next manifest.
  private mutating func endManifest(isSuccess: Bool) {
    self.isSuccess = self.isSuccess && isSuccess
    index += 1
    (malformed, unreadable, mismatched) = (0, 0, 0)
    hasEntries = false
  }

  /// Reports a text about the current manifest.
  private func report(_ text: String) {
    streams.writeError(title + Array(text.utf8))
  }

  private func write(_ count: Int, _ one: String, _ many: String) {
    if count > 0 { write(Array("\(count) \(count == 1 ? one : many)".utf8)) }
  }

  /// Writes a line to standard output, except with --status.
  private func write(_ line: [UInt8]) {
    if !options.isSilent { streams.write(line + [UInt8(ascii: "\n")]) }
  }
}

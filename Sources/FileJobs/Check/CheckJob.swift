// The verification of manifests.

public import SystemPackage
public import Weir

/// A job that verifies what manifests say of files.
///
///     let job = try CheckJob()
///     try job.run([.path(bytes: "SHA256SUMS".utf8)]) { event in
///       if case .line(let line) = event, case .mismatched = line.outcome {
///         print(String(decoding: line.name, as: UTF8.self))
///       }
///     }
///
/// A manifest is read as its files are, so a million lines take no more memory
/// than a thousand. Names are relative to the working directory; one that is a
/// directory is not walked; `-`, `/dev/stdin` and `/dev/fd/N` are descriptors.
public struct CheckJob: FileJob {
  private let processor: FileProcessor<CheckLane, Void>
  private let untagged: [DigestAlgorithm]
  private let isZeroTerminated: Bool
  private let descriptors: DescriptorNames

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - untagged: The algorithms of lines that name none, as of
  ///     ``ManifestParser/init(untagged:isZeroTerminated:)``.
  ///   - isZeroTerminated: Whether lines end in NUL instead of a newline.
  ///   - descriptors: Which descriptors names in manifests may mean; `nil` for
  ///     any. A name of another one cannot be read. Those that are open before
  ///     the program opens any are a good choice: later ones are its own.
  ///   - options: How the files are processed. The order is always that of the
  ///     lines.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    untagged: [DigestAlgorithm] = [], isZeroTerminated: Bool = false,
    descriptors: Set<Int32>? = nil, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    self.untagged = untagged
    self.descriptors = DescriptorNames(open: descriptors)
    self.isZeroTerminated = isZeroTerminated
    var options = options
    options.order = .input
    processor = try FileProcessor(
      options,
      context: { () throws(Errno) -> CheckLane in CheckLane() },
      job: { (file, lane) throws(Errno) in try lane.verify(file) })
  }

  /// Verifies manifests; returns when all is said.
  ///
  /// - Parameters:
  ///   - manifests: The manifests, in the order in which they are read.
  ///   - deliver: Called with each event in the order of the lines, never two at
  ///     a time, on any thread. What it throws ends the run and is thrown.
  /// - Returns: The figures of the run, in files and bytes. What became of the
  ///   lines is said at the end of each manifest.
  /// - Throws: `Errno.canceled` after ``cancel()``, `Errno.resourceBusy` where a
  ///   run is under way, `Errno.noMemory`, or what `deliver` throws.
  ///
  /// Blocks: yes, as ``Weir/FileProcessor/run(_:deliver:)`` does.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ manifests: [CheckManifest], deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws -> FileStatistics {
    try run(manifests, passed: { _, _ in }, deliver: deliver)
  }

  /// - Parameter passed: Called on the calling thread for each entry that gets no
  ///   verdict with its name.
  func run(
    _ manifests: [CheckManifest],
    passed: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void,
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws -> FileStatistics {
    let feed = CheckFeed(
      manifests,
      parser: ManifestParser(untagged: untagged, isZeroTerminated: isZeroTerminated),
      terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"), descriptors: descriptors,
      passed: passed)
    let delivery = CheckDelivery(deliver)
    return try processor.run([.items { feed.item() }]) { batch in
      for index in 0..<batch.count { try delivery.tell(batch[index]) }
      try deliver(.pause)
    }
  }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}

/// Turns results into events.
///
/// @unchecked Sendable: used by one thread at a time, that which delivers.
private final class CheckDelivery: @unchecked Sendable {
  private let deliver: (CheckEvent) throws -> Void
  private var manifest = CheckedManifest()

  init(_ deliver: @escaping (CheckEvent) throws -> Void) {
    self.deliver = deliver
  }

  func tell(_ result: FileResult) throws {
    let note = result.note
    guard let header = CheckNote.header(of: note) else { return }
    switch CheckNote.Kind(rawValue: header.kind) {
    case .malformed:
      try tell(line(header.line, of: header, .malformed, name: result.path))
    case .unsupported:
      let outcome = CheckedLine.Outcome.unsupported(CheckNote.tag(of: note))
      try tell(line(header.line, of: header, outcome, name: result.path))
    case .end:
      try end(header)
    case .entry:
      try tellEntry(result, header, note)
    case .other:
      let (verdict, name) = CheckVerdict.of(note)
      guard let outcome = verdict.outcome else { return }
      var line = line(header.line, of: header, outcome, name: name)
      line.kind = .other
      try tell(line)
    default:
      try tellFile(result, header, note)
    }
  }

  /// One read can answer several lines.
  private func tellFile(
    _ result: FileResult, _ header: CheckNote.Header, _ note: UnsafeRawBufferPointer
  ) throws {
    var expected = ExpectedDigest.first(of: note)
    for index in 0..<Int(header.count) {
      let outcome = CheckDelivery.outcome(of: result, index)
      var line = line(expected.line, of: header, outcome, name: result.path)
      line.expected = expected
      try tell(line)
      if index + 1 < Int(header.count) { expected = expected.next }
    }
  }

  /// A file in a manifest of mtree(5).
  private func tellEntry(
    _ result: FileResult, _ header: CheckNote.Header, _ note: UnsafeRawBufferPointer
  ) throws {
    let recorded = RecordedFile.of(note)
    let outcome: CheckedLine.Outcome
    switch result.outcome {
    case .done:
      let kind = CheckVerdict.Kind(rawValue: result.output[0]) ?? .mismatched
      outcome = CheckVerdict(kind).outcome ?? .mismatched
    case .failed(.noSuchFileOrDirectory), .failed(.notDirectory):
      if recorded.isOptional { return }
      outcome = .missing
    case .failed(.isDirectory) where recorded.hasType: outcome = .wrongType(.directory)
    case .special where recorded.hasType: outcome = .wrongType(result.type)
    default: outcome = CheckDelivery.outcome(of: result, 0)
    }
    var line = line(header.line, of: header, outcome, name: result.path)
    line.kind = .file
    if header.count > 0 { line.expected = ExpectedDigest.first(of: note) }
    try tell(line)
  }

  private static func outcome(of result: FileResult, _ index: Int) -> CheckedLine.Outcome {
    switch result.outcome {
    case .done: result.output[index] == 1 ? .matched : .mismatched
    case .failed(.noSuchFileOrDirectory): .missing
    case .failed(let error): .unreadable(error)
    case .special: .special(result.type)
    case .changed(let error): .changed(error)
    case .noted, .directory, .link: .malformed
    }
  }

  private func line(
    _ number: UInt64, of header: CheckNote.Header, _ outcome: CheckedLine.Outcome,
    name: UnsafeRawBufferPointer
  ) -> CheckedLine {
    CheckedLine(
      manifest: Int(header.manifest), number: Int(number), name: name, outcome: outcome)
  }

  private func tell(_ line: CheckedLine) throws {
    manifest.count(line)
    try deliver(.line(line))
  }

  private func end(_ header: CheckNote.Header) throws {
    manifest.index = Int(header.manifest)
    manifest.lines = Int(header.line)
    manifest.isMtree = header.count == 1
    switch header.error {
    case 0: break
    case CheckFeed.special: manifest.failure = .special
    default: manifest.failure = .failed(Errno(rawValue: header.error))
    }
    let ended = manifest
    manifest = CheckedManifest()
    try deliver(.end(ended))
  }
}

public import SystemPackage
public import Weir

/// A job that verifies the files that manifests list.
///
///     let job = try CheckJob()
///     try job.run([.path(bytes: "SHA256SUMS".utf8)]) { event in
///       if case .line(let line) = event, case .mismatched = line.outcome {
///         print(String(decoding: line.name, as: UTF8.self))
///       }
///     }
///
/// An untagged line of 64 digits is verified with SHA-256 and, if the file has another digest,
/// with BLAKE3: either is a match. ``CheckedLine/algorithm`` says which it was. Name the algorithm
/// to allow only one. The digest that a lane found last is the one that it tries first.
///
/// A manifest is read while its files are, so a million lines take no more memory than a
/// thousand. Names are relative to the working directory. Directories are not walked. `-`,
/// `/dev/stdin` and `/dev/fd/N` are descriptors.
public struct CheckJob: FileJob {
  private let processor: FileProcessor<CheckLane, Void>
  private let method: CheckMethod
  private let untagged: [DigestAlgorithm]
  private let isZeroTerminated: Bool
  private let descriptors: DescriptorNames

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - untagged: The algorithms that untagged lines may have; any if there is none.
  ///   - isZeroTerminated: True if lines end in NUL instead of a newline.
  ///   - descriptors: The descriptors that names in manifests may mean; `nil` for any. Names
  ///     of other descriptors are unreadable. A good choice are the descriptors that are
  ///     open at the start of the program: later ones are its own.
  ///   - options: The options of the file processor. The order is always that of the lines.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    untagged: [DigestAlgorithm] = [], isZeroTerminated: Bool = false,
    descriptors: Set<Int32>? = nil, options: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    try self.init(
      untagged: untagged, isZeroTerminated: isZeroTerminated, descriptors: descriptors,
      content: .any, options: options)
  }

  package init(
    untagged: [DigestAlgorithm], isZeroTerminated: Bool, descriptors: Set<Int32>?,
    content: CheckedContent, budget: CheckBudget? = nil, options: FileProcessorOptions
  ) throws(Errno) {
    let method = CheckMethod(content: content, budget: budget)
    self.method = method
    self.untagged = untagged
    self.descriptors = DescriptorNames(open: descriptors)
    self.isZeroTerminated = isZeroTerminated
    var options = options
    options.order = .input
    if content == .none { options.opensLate = true }
    // What is mapped cannot be dropped, and another lane may read the same file.
    if content == .disk { options.mapsLargeFiles = false }
    let helpers = HelperLanes(options)
    processor = try FileProcessor(
      options,
      context: { () throws(Errno) -> CheckLane in CheckLane(helpers, method) },
      job: { (file, lane) throws(Errno) in try lane.verify(file) })
  }

  /// Verifies manifests; returns when all events are delivered.
  ///
  /// - Parameters:
  ///   - manifests: The manifests, in the order in which they are read.
  ///   - deliver: Called with each event in the order of the lines, never two at a time, on
  ///     any thread. An error that it throws ends the run.
  /// - Returns: The statistics of the run, in files and bytes. ``CheckEvent/end(_:)`` has
  ///   the verdicts of each manifest.
  /// - Throws: `Errno.canceled` after ``FileJob/cancel()``,
  ///   ``/Weir/FileProcessorError/runInProgress`` during another run, `Errno.noMemory`, or
  ///   the error of `deliver`.
  ///
  /// Blocks: yes, until the run ends.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ manifests: [CheckManifest], deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws -> FileStatistics {
    try run(manifests, of: nil) { event in
      if case .line(let line) = event { try deliver(.line(line.owned)) } else { try deliver(event) }
    }
  }

  /// Verifies the lines of one shard, or of an audit. The ``CheckSelection/failure`` of `selection`
  /// has to be asked afterwards. `skipped` is called on the calling thread with the name of each
  /// entry that gets no verdict.
  @discardableResult
  package func run(
    _ manifests: [CheckManifest], of selection: CheckSelection?, _ recorder: CheckPartWriter? = nil,
    skipped: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void = { _, _ in },
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws -> FileStatistics {
    let feed = feed(manifests, of: selection, skipped: skipped)
    let delivery = CheckDelivery(feed.unread) { event in
      recorder?.take(event)
      try deliver(event)
    }
    return try run({ feed.item() }) { batch in
      for index in 0..<batch.count {
        try delivery.deliver(batch[index])
        try recorder?.append(batch[index])
      }
      try recorder?.flush()
      try deliver(.pause)
    }
  }

  func feed(
    _ manifests: [CheckManifest], of selection: CheckSelection?,
    skipped: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void = { _, _ in }
  ) -> CheckFeed {
    CheckFeed(
      manifests, untagged: untagged,
      isZeroTerminated: isZeroTerminated, descriptors: descriptors, selection: selection,
      skipped: skipped)
  }

  func run(
    _ item: @escaping @Sendable () -> FileItem?,
    deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try processor.run([.items(item)], deliver: deliver)
  }

  /// The number of files that could not be dropped from memory before they were read.
  package var undropped: UInt64 { method.undropped.with { $0 } }

  /// The handle on the present run.
  public var control: JobControl { JobControl(processor) }
}

package import SystemPackage
package import Weir
internal import WeirLibC

/// A job that makes a bag (RFC 8493) of a directory in place, or brings one up to date.
///
/// All digests of a payload file come from one read. Memory grows with the lines of the manifests
/// that a bag has already, and not with new ones.
package struct BagJob: FileJob {
  private let bag: BagDirectory
  private let algorithms: [DigestAlgorithm]
  private let processor: FileProcessor<DigestSet, Void>
  private let isCanceled = Locked(false)

  /// Returns the algorithms of a bag's manifests, and of others that it is to get.
  /// Throws a `Fault` if the bag has a manifest of an algorithm that Weir does not compute.
  package static func algorithms(
    of bag: BagDirectory, adding given: [DigestAlgorithm]
  ) throws(Fault) -> [DigestAlgorithm] {
    var all: [DigestAlgorithm] = []
    let names = try Fault.of(bag.root, bag.isBag ? bag.names() : [])
    for manifest in names.compactMap(BagManifest.init) {
      guard let algorithm = manifest.algorithm else {
        throw Fault(
          bag.path(manifest.name),
          .refused("is of an algorithm that is not supported; remove it, or keep it up to date"))
      }
      all.append(algorithm)
    }
    all = (all + given).withoutDuplicates
    return all.isEmpty ? [.sha512] : all
  }

  /// Makes the job. Throws `Errno.notSupported` if libcrypto does not offer an algorithm.
  package init(
    _ bag: BagDirectory, _ algorithms: [DigestAlgorithm], options: FileProcessorOptions
  ) throws(Errno) {
    self.bag = bag
    self.algorithms = algorithms
    var options = options
    options.order = .input
    let helpers = HelperLanes(options)
    processor = try FileProcessor(
      options, select: nil,
      context: { () throws(Errno) -> DigestSet in try DigestSet(algorithms, helpers: helpers) },
      job: { (file, set) throws(Errno) in
        try set.compute(file)
        try file.write(bytesOf: set.size.littleEndian)
        for digest in set.digests { try file.write(digest.bytes) }
      })
  }

  /// Makes the bag. If a file could not be read, nothing is written, and no change is told.
  ///
  /// - Parameters:
  ///   - fields: Lines of bag-info.txt, which replace those of the same label.
  ///   - accepted: Patterns of tag files that are recorded as they are, though the manifests differ.
  ///   - report: Called with each result that is not a digest.
  ///   - change: Called after the manifests have been replaced with each difference from those
  ///     before, in the order of the names: first of the tag files, then of the payload.
  ///   - permit: Called with the numbers of files that the manifests list and of those that are
  ///     gone, before the manifests are replaced; they stay if it throws an error.
  ///
  /// Blocks: yes, until the run ends.
  package func run(
    on storage: Storage?, agent: String, fields: [BagField], accepting accepted: [FileFilter],
    report: @escaping @Sendable (FileResult) throws -> Void,
    change: @escaping @Sendable ([UInt8], BagChange) throws -> Void,
    permit: (_ listed: UInt64, _ gone: UInt64) throws -> Void
  ) throws {
    let lock = try lock()
    defer { close(lock.rawValue) }
    try BagLayout(bag).prepare { isCanceled.with { $0 } }
    let table = try table()
    let changes = Locked<[(path: [UInt8], kind: BagChange)]>([])
    let receive = { (name: [UInt8], kind: BagChange) in
      changes.with { $0.append((bag.path(name), kind)) }
    }
    try bag.compareTagFiles(with: table, algorithms, accepting: accepted, receive)
    let writer = try BagWriter(bag, table, algorithms, receive)
    defer { writer.discard() }
    do {
      if isCanceled.with({ $0 }) { throw Errno.canceled }
      if try hash(on: storage, into: writer, report) {
        try writer.finish(agent: agent, fields: fields, permit: permit)
        for one in changes.with({ $0 }) { try change(one.path, one.kind) }
      }
    } catch let error as Errno where error != .canceled {
      throw Fault(bag.root, .system(error))
    }
  }

  /// Computes the digests of the payload. Returns false if a file could not be read.
  private func hash(
    on storage: Storage?, into writer: BagWriter,
    _ report: @escaping @Sendable (FileResult) throws -> Void
  ) throws -> Bool {
    let source = FileSource.path(bytes: bag.path("data".utf8))
    let statistics = try processor.run([storage.map { source.on($0.forReading) } ?? source]) {
      batch in
      for index in 0..<batch.count {
        let result = batch[index]
        guard case .done = result.outcome else {
          try report(result)
          continue
        }
        let name = result.path.dropFirst(bag.root.count).rebased
        try writer.add(name, result.output)
      }
    }
    return statistics.failed + statistics.changed + statistics.special + statistics.links == 0
  }

  /// Keeps other runs from the directory.
  private func lock() throws(Fault) -> FileDescriptor {
    let lock = try Fault.of(bag.root, openFile(bag.root, O_RDONLY | O_DIRECTORY))
    if flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
      close(lock.rawValue)
      throw Fault(bag.root, .refused("is in use by another run of weir; wait for its end"))
    }
    return lock
  }

  private func table() throws(Fault) -> BagTable {
    do throws(BagFinding) {
      let table = try BagTable(bag)
      guard case .utf8 = table.declaration.encoding else {
        let reason = "has another encoding than UTF-8; convert the tag files"
        throw BagFinding(BagDirectory.declaration, reason)
      }
      table.readManifests()
      table.sort()
      if let failure = table.findings.first(where: { $0.error != nil }) { throw failure }
      if let fault = table.findings.first {
        throw BagFinding(fault.name, "\(fault.reason); mend or remove the line")
      }
      for one in table.manifests {
        let name = one.algorithm.map { table.name(of: $0, isTag: one.isTag) }
        if name == one.name { continue }
        throw BagFinding(one.name, "is a second manifest of its algorithm; remove it")
      }
      for one in table.records where one.source == BagStatement.fetch && !bag.exists(one.name) {
        throw BagFinding(Array(one.name), "is listed in fetch.txt; fetch it before an update")
      }
      return table
    } catch {
      let reason =
        error.isUnsupported ? "has \(error.reason), which is not supported" : error.reason
      throw Fault(bag.path(error.name), .refused("\(reason)"))
    }
  }

  package var control: JobControl { JobControl(processor).setting(isCanceled) }
}

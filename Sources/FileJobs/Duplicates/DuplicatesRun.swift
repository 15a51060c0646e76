internal import SystemPackage
internal import Weir
internal import WeirLibC

/// One run of a ``DuplicatesJob``.
///
/// DESIGN. A stage is a run of a file processor: finding, reading the beginnings and ends (or all
/// of small files), reading the rest, and comparing. It begins when the one before has ended: only
/// then are its files known, to be read in the order of the input, as on the disk. The last result
/// of a class decides on the class, so that groups are known early.
///
/// @unchecked Sendable: deliveries come one at a time; only the calling thread uses the rest.
final class DuplicatesRun: @unchecked Sendable {
  private typealias Class = DuplicatesCandidates.Class
  private typealias Verdict = DuplicatesComparison.Verdict

  private let options: DuplicatesJob.Options
  private let processorOptions: FileProcessorOptions
  private let sources: [FileSource]
  private let progress: Locked<DuplicatesProgress>
  private let stages: JobStages
  private let receive: @Sendable (DuplicatesEvent, DuplicatesPosition) throws -> Void
  /// Receives the directories that are the same; `nil` if they are not searched.
  private let receiveDirectories: (@Sendable (DuplicateDirectories) throws -> Void)?
  /// The walked directories without anything but files and directories, by their numbers.
  private var wholeDirectories: Set<UInt32> = []
  /// The directories of files that are left out, as the output is.
  private let leftOut = Locked<Set<[UInt8]>>([])
  private let table = DuplicatesTable()
  private lazy var candidates = DuplicatesCandidates(table, options)
  private var statistics = DuplicatesStatistics()
  /// Classes to read completely, since beginnings and ends agree.
  private var undecided: [Class] = []
  /// Classes to compare.
  private var unverified: [Class] = []
  /// Groups to deliver at the end.
  private var kept: [Class] = []

  init(
    _ options: DuplicatesJob.Options, _ processorOptions: FileProcessorOptions,
    _ sources: [FileSource], _ progress: Locked<DuplicatesProgress>, _ stages: JobStages,
    _ receive: @escaping @Sendable (DuplicatesEvent, DuplicatesPosition) throws -> Void,
    _ receiveDirectories: (@Sendable (DuplicateDirectories) throws -> Void)?
  ) {
    self.options = options
    self.processorOptions = processorOptions
    // With filters and the like, a directory may hold more than the walk finds.
    let isWholeWalk =
      processorOptions.filters.isEmpty && processorOptions.maximumDepth == nil
      && !processorOptions.staysOnFileSystem && !processorOptions.followsSymbolicLinks
    let isPossible = isWholeWalk && options.selectsSize == nil && processorOptions.order == .input
    self.receiveDirectories = isPossible ? receiveDirectories : nil
    self.sources = sources
    self.progress = progress
    self.stages = stages
    self.receive = receive
  }

  func run() throws -> DuplicatesStatistics {
    defer { progress.with { $0.found = statistics } }
    do {
      try find()
      try decideUnread()
      let several = candidates.classes.filter { $0.pending > 1 }
      undecided = several.filter { candidates.has(options.recorded, in: $0) }
      try read(several.filter { !candidates.has(options.recorded, in: $0) }, whole: false)
      try read(undecided, whole: true)
      try compare()
      // A cancellation does not stop this: all groups are found, so the run is complete.
      for group in kept { findUnfreed(in: group) }
    } catch let error as Errno where error == .canceled {
      try deliverKept(with: nil)
      throw error
    }
    try deliverKept(with: try findDirectories())
    return statistics
  }

  private func deliver(_ event: DuplicatesEvent, _ stage: DuplicatesPosition.Stage, at name: UInt32)
    throws
  {
    try receive(event, DuplicatesPosition(stage: stage, place: table.place(name)))
  }

  /// Runs a stage. Takes results also after cancellation; `take` returns false for an incomplete
  /// one. Throws `Errno.canceled` if the run was cancelled before all results were taken.
  private func run<Context>(
    _ processor: FileProcessor<Context, Void>, _ sources: [FileSource], bytes: UInt64,
    count: Int?, isLast: Bool, take: @escaping @Sendable (borrowing FileResult) throws -> Bool
  ) throws {
    let before = stages.control.statistics().bytes
    progress.with { $0.planned = before &+ $0.compared &+ bytes }
    try stages.expectMore(!isLast)
    let taken = Locked(0)
    try stages.run(JobControl(processor)) {
      do {
        try processor.run(sources) { [stages] batch in
          // The run may have been cancelled just before this stage began.
          if stages.isCanceled { processor.cancel() }
          for index in 0..<batch.count where try take(batch[index]) {
            taken.with { $0 += 1 }
          }
        }
        if !stages.isCanceled { return }
      } catch let error as Errno where error == .canceled && stages.isCanceled {}
      if taken.with({ $0 }) != count { throw Errno.canceled }
    }
  }

  // MARK: Finding

  private func find() throws {
    var options = processorOptions
    options.opensLate = true
    options.order = .input
    options.deliversWholeTree = receiveDirectories != nil
    table.mayHaveLinks = options.followsSymbolicLinks
    let minimum = self.options.minimumSize
    let selectsSize = self.options.selectsSize
    let expectsPlanned = options.expectsPlannedFiles
    let excluded = Set(options.excluded.compactMap { try? stat(of: $0) }.map { FileIdentity($0) })
    let finder = try FileProcessor(options) { [leftOut] (file) throws(Errno) -> Void in
      let status = try file.pathStatus()
      guard status.type == .file else { return }
      if excluded.contains(status.file) {
        let directory = Array(file.path).directory + [.slash]
        leftOut.with { _ = $0.insert(directory) }
      }
      if expectsPlanned, let planned = PlannedFile(note: file.lentNote), !planned.matches(status) {
        throw PlannedFile.changed
      }
      if let selectsSize, !selectsSize(status.size) {
        return try file.write(bytesOf: DuplicatesRun.unselected)
      }
      // An empty file counts in the comparison of directories.
      if status.size < minimum && status.size > 0 { return }
      try file.write(bytesOf: DuplicatesMetadata(status))
    }
    try run(finder, sources, bytes: 0, count: nil, isLast: false) { [self] result in
      try take(found: result)
      return true
    }
  }

  /// The output for a file that is not searched because of its size.
  private static let unselected: UInt8 = 0

  private func take(found result: FileResult) throws {
    let place = PlannedFile.place(in: result.note)
    let position = DuplicatesPosition(stage: .found, place: place ?? 0)
    switch result.outcome {
    case .done where result.type == .file && result.output.count == 1:
      progress.with { $0.unselected += 1 }
    case .done where result.type == .file:
      statistics.names += 1
      let metadata = DuplicatesMetadata(result.output)
      if let metadata, metadata.size < options.minimumSize {
        statistics.small += 1
        if receiveDirectories == nil { return }
        try table.add(metadata, path: result.path, source: result.source, place: place)
      } else if let metadata {
        // A link that is an operand is followed.
        if result.isNamed { table.mayHaveLinks = true }
        try table.add(metadata, path: result.path, source: result.source, place: place)
      } else {
        statistics.small += 1
        excludeDirectory(of: result.path)
      }
    case .directory: wholeDirectories.insert(table.paths.enter(result.path))
    case .link: excludeDirectory(of: result.path)
    case .noted: break
    case .special where !result.isNamed:
      excludeDirectory(of: result.path)
      try receive(.result(result.copied()), position)
    case .done, .failed, .changed, .special:
      // What cannot be listed may be a directory that the walk has entered.
      if !result.path.isEmpty {
        (Array(result.path) + [.slash]).withUnsafeBytes { excludeDirectory(of: $0) }
      }
      excludeDirectory(of: result.path)
      statistics.failures += 1
      try receive(.result(result.copied()), position)
    }
  }

  /// Notes that a directory holds something but files and directories.
  private func excludeDirectory(of path: UnsafeRawBufferPointer) {
    guard receiveDirectories != nil else { return }
    wholeDirectories.remove(table.paths.directory(of: path))
  }

  /// Decides classes that need no reading: one file with several names. Files with size 0
  /// are read, since in /proc and similar file systems all files have that size.
  private func decideUnread() throws {
    for one in candidates.classes where one.pending == 1 {
      // Members are in the order of their inodes.
      for part in candidates.split(one, parts: one.range.map { _ in 0 }) { try keep(part) }
    }
  }

  // MARK: Reading

  private func read(_ classes: [Class], whole: Bool) throws {
    if classes.isEmpty { return }
    let candidates = candidates
    candidates.begin(classes)
    var queue = candidates.ordered(classes)
    if whole, let recorded = self.options.recorded {
      try queue.removeAll { file in
        guard let digest = candidates.digest(of: file, in: recorded) else { return false }
        try take(candidates.store(digest, of: file), isKnown: true)
        return true
      }
    }
    if queue.isEmpty { return }
    let algorithm = whole ? self.options.recorded?.algorithm ?? .xxh128 : .xxh128
    var options = processorOptions
    options.opensLate = false
    options.deliversWholeTree = false
    let processor = try FileProcessor(
      options, context: { () throws(Errno) -> DuplicatesLane in try DuplicatesLane(algorithm) },
      job: { (file, lane) throws(Errno) -> Void in try lane.read(file, isWhole: whole) })
    let bytes = queue.reduce(0) { $0 &+ candidates.size(of: $1) }
    let feed = DuplicatesFeed(
      candidates, queue.map { .init(file: $0, number: $0) }, stages)
    try run(
      processor, feed.sources(sources), bytes: bytes, count: queue.count,
      isLast: whole && !self.options.verifies
    ) { [self] result in
      try take(read: result, whole: whole)
      return true
    }
  }

  private func take(read result: FileResult, whole: Bool) throws {
    guard let metadata = DuplicatesMetadata(result.note) else { return }
    var digest: DuplicatesCandidates.Digest?
    if case .done = result.outcome, result.output.count == DuplicatesLane.recordCount {
      digest = result.output.loadUnaligned(as: DuplicatesCandidates.Digest.self)
    } else {
      try report(
        unread: result, whole ? .readWhole : .read, at: candidates.name(of: metadata.number))
    }
    let isKnown = whole || candidates.size(of: metadata.number) <= DuplicatesLane.wholeMaximum
    try take(candidates.store(digest, of: metadata.number), isKnown: isKnown)
  }

  /// Takes the class of which the last digest has come, if one has. With `isKnown`, the digests are
  /// those of whole contents.
  private func take(_ decided: Class?, isKnown: Bool) throws {
    guard let decided else { return }
    for part in candidates.split(decided) {
      if part.range.count == 1 {
        try keep(part)  // one file with several names
      } else if !isKnown {
        undecided.append(part)
      } else if options.verifies && candidates.size(of: part) > 0 {
        unverified.append(part)
      } else {
        try keep(part)
      }
    }
  }

  private func report(
    unread result: FileResult, _ stage: DuplicatesPosition.Stage, at name: UInt32
  ) throws {
    let path = Array(result.path)
    switch result.outcome {
    case .failed, .changed: try fail(.result(result.copied()), stage, at: name)
    case .special: try fail(.changed(path: path), stage, at: name)
    case .done where result.output.first == DuplicatesLane.sizeMismatch:
      try fail(.sizeMismatch(path: path), stage, at: name, \.failed)
    default: try fail(.changed(path: path), stage, at: name, \.changed)
    }
  }

  /// Delivers the failure of a file at the place of a name, and counts it.
  private func fail(
    _ event: DuplicatesEvent, _ stage: DuplicatesPosition.Stage, at name: UInt32,
    _ counter: WritableKeyPath<DuplicatesProgress, UInt64>? = nil
  ) throws {
    statistics.failures += 1
    if let counter { progress.with { $0[keyPath: counter] += 1 } }
    try deliver(event, stage, at: name)
  }

  // MARK: Comparing

  private func compare() throws {
    if unverified.isEmpty { return }
    let candidates = candidates
    let members = candidates.members  // a copy: deliveries rearrange them
    let groups = unverified.sorted {
      candidates.name(of: members[Int($0.begin)]) < candidates.name(of: members[Int($1.begin)])
    }
    let table = table
    var options = processorOptions
    options.opensLate = true  // the job itself opens the files that it compares
    options.deliversWholeTree = false
    options.filesPerBatch = 4
    let progress = progress
    let stages = stages
    let comparer = try FileProcessor(
      options,
      context: { () throws(Errno) -> DuplicatesComparison in
        DuplicatesComparison(
          countBytes: { count in progress.with { $0.compared += UInt64(count) } },
          isCanceled: { stages.isCanceled })
      },
      job: { (file, comparison) throws(Errno) -> Void in
        guard let metadata = DuplicatesMetadata(file.lentNote) else { throw .invalidArgument }
        let range = groups[Int(metadata.number)].range
        // After cancellation the job writes nothing: no file has failed.
        let verdicts = try? comparison.compare(range.count) { index in
          let file = members[range.lowerBound + index]
          return DuplicatesComparison.File(
            path: table.path(candidates.name(of: file)) + [0],
            metadata: candidates.metadata(of: file, number: 0))
        }
        guard let verdicts else { return }
        try file.write(capacity: verdicts.count * MemoryLayout<Verdict>.stride) { memory in
          verdicts.withUnsafeBytes { bytes in
            memory.copyMemory(from: bytes)
            return bytes.count
          }
        }
      })
    let bytes = groups.reduce(0) { $0 &+ UInt64($1.range.count) &* candidates.size(of: $1) }
    let items = groups.enumerated().map { number, group in
      DuplicatesFeed.Item(file: members[Int(group.begin)], number: UInt32(number))
    }
    let feed = DuplicatesFeed(candidates, items, stages)
    try run(
      comparer, feed.sources(sources), bytes: bytes, count: groups.count, isLast: true
    ) { [self] result in try take(compared: result, groups, members) }
  }

  /// Returns false if the comparison was cancelled.
  private func take(
    compared result: FileResult, _ groups: [Class], _ members: [UInt32]
  ) throws -> Bool {
    guard let metadata = DuplicatesMetadata(result.note) else { return false }
    let group = groups[Int(metadata.number)]
    let first = candidates.name(of: members[Int(group.begin)])
    guard case .done = result.outcome else {
      try report(unread: result, .compared, at: first)
      return true
    }
    let size = MemoryLayout<Verdict>.stride
    guard result.output.count == group.range.count * size else { return false }
    var parts: [UInt32?] = []
    for (index, member) in members[group.range].enumerated() {
      let verdict = result.output.loadUnaligned(fromByteOffset: index * size, as: Verdict.self)
      if case .part(let part) = verdict { parts.append(part) } else { parts.append(nil) }
      try report(verdict, of: member, at: first)
    }
    for part in candidates.split(group, parts: parts) { try keep(part) }
    return true
  }

  private func report(_ verdict: Verdict, of file: UInt32, at first: UInt32) throws {
    if case .part = verdict { return }
    let path = table.path(candidates.name(of: file))
    if case .failed(let error) = verdict {
      try fail(.failed(error, path: path), .compared, at: first, \.failed)
    } else {
      try fail(.changed(path: path), .compared, at: first, \.changed)
    }
  }

  // MARK: Groups

  private func keep(_ members: Class) throws {
    if options.spansSources {
      let files = candidates.members[members.range]
      guard table.spansSources(files.lazy.flatMap { [candidates] in candidates.names(of: $0) })
      else {
        return
      }
    }
    let isDelivered = processorOptions.order == .completion
    let count = UInt64(members.range.count - 1)
    statistics.groups += 1
    statistics.duplicates += count
    statistics.saving &+= candidates.size(of: members) &* count
    if isDelivered { findUnfreed(in: members) }
    for member in candidates.members[members.range] {
      statistics.links += UInt64(candidates.names(of: member).count - 1)
    }
    if isDelivered { try deliver(members) } else { kept.append(members) }
  }

  /// Finds the bytes of a group that the removal of all files but the first would not free.
  private func findUnfreed(in members: Class) {
    let size = candidates.size(of: members)
    if members.range.count < 2 || size == 0 { return }
    let files = candidates.members[members.range]
    let blocks = files.map { candidates.blocks(of: $0) }
    let unfreed = candidates.unfreed(files, blocks) { $0 == 0 }
    for (file, bytes) in zip(files, unfreed).dropFirst() where bytes != UnfreedBytes() {
      candidates.unfreed[file] = bytes
      statistics.shared &+= bytes.shared
      statistics.saving &-= bytes.shared &+ bytes.holes
    }
  }

  private func unfreed(in members: Class) -> UnfreedBytes {
    var sum = UnfreedBytes()
    if candidates.unfreed.isEmpty { return sum }
    for file in candidates.members[members.range].dropFirst() {
      guard let bytes = candidates.unfreed[file] else { continue }
      sum.shared &+= bytes.shared
      sum.holes &+= bytes.holes
    }
    return sum
  }

  private func saving(of members: Class) -> UInt64 {
    let unfreed = unfreed(in: members)
    return candidates.size(of: members) &* UInt64(members.range.count - 1)
      &- unfreed.shared &- unfreed.holes
  }

  private func name(of members: Class) -> UInt32 {
    candidates.name(of: candidates.members[Int(members.begin)])
  }

  private func deliver(_ members: Class) throws {
    try deliver(.group(group(of: members)), .groups, at: name(of: members))
  }

  /// Returns the directories that are the same; `nil` if they are not searched.
  private func findDirectories() throws(Errno) -> DuplicatesDirectories? {
    if receiveDirectories == nil || kept.isEmpty { return nil }
    let (paths, leftOut) = (table.paths, leftOut.with { $0 })
    let isWhole = (0..<UInt32(paths.parents.count)).map { directory in
      wholeDirectories.contains(directory)
        && (leftOut.isEmpty || !leftOut.contains(Array(paths.path(ofDirectory: directory))))
    }
    return try DuplicatesDirectories(
      candidates, kept, isWhole: isWhole, spansSources: options.spansSources)
  }

  private func deliverKept(with directories: DuplicatesDirectories?) throws {
    var items: [(saving: UInt64, name: UInt32, files: Class?, directories: DuplicateDirectories?)]
    items = kept.filter { directories?.imply($0) != true }.map {
      (saving(of: $0), name(of: $0), $0, nil)
    }
    items += (directories?.found ?? []).map {
      ($0.directories.saving, $0.name, nil, $0.directories)
    }
    kept = []
    items.sort { left, right in
      if left.saving != right.saving { return left.saving > right.saving }
      if left.name != right.name { return left.name < right.name }
      return left.files == nil && right.files != nil
    }
    statistics.directories = UInt64(directories?.found.count ?? 0)
    for item in items {
      if let files = item.files { try deliver(files) }
      if let directories = item.directories { try receiveDirectories?(directories) }
    }
  }

  private func group(of members: Class) -> DuplicatesGroup {
    let size = candidates.size(of: members)
    let digest = candidates.digest(of: candidates.members[Int(members.begin)])
    // Beside records, a digest is the beginning of another one than XXH128.
    let isRead = members.range.count > 1 && size > 0 && options.recorded == nil
    return DuplicatesGroup(
      candidates: candidates, members: Array(candidates.members[members.range]), size: size,
      saving: saving(of: members), shared: unfreed(in: members).shared,
      digest: isRead ? withUnsafeBytes(of: digest) { Array($0) } : [])
  }
}

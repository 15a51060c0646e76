// One search for duplicates, stage by stage.

internal import SystemPackage
internal import Weir

/// One run of a ``DuplicatesJob``.
///
/// DESIGN. A stage is a run of a file processor: finding, reading the beginnings and
/// ends (or all of what is small), reading what is left, and comparing. Each begins when
/// the one before has ended: that is when it is known what there is to read, and read in
/// the order of the input, as it lies on the disk. What a stage has found out of the
/// last file of a class decides about that class, so that groups are known as early as
/// they can be.
///
/// @unchecked Sendable: deliveries come one at a time, and the rest is the caller's.
final class DuplicatesRun: @unchecked Sendable {
  private typealias Class = DuplicatesContents.Class

  private let options: DuplicatesJob.Options
  private let processorOptions: FileProcessorOptions
  private let sources: [FileSource]
  private let stages: Locked<DuplicatesStages>
  private let deliver: @Sendable (DuplicatesEvent) throws -> Void
  private let table = DuplicatesTable()
  private lazy var contents = DuplicatesContents(table, listsLinks: options.listsLinks)
  private var statistics = DuplicatesFigures()
  /// What is to be read whole, once beginnings and ends are known.
  private var undecided: [Class] = []
  /// What is to be compared.
  private var unverified: [Class] = []
  /// Groups that wait for their turn.
  private var kept: [Kept] = []

  private struct Kept {
    let saving: UInt64
    /// The number of the first name.
    let name: UInt32
    let members: Class
  }

  init(
    _ options: DuplicatesJob.Options, _ processorOptions: FileProcessorOptions,
    _ sources: [FileSource], _ stages: Locked<DuplicatesStages>,
    _ deliver: @escaping @Sendable (DuplicatesEvent) throws -> Void
  ) {
    self.options = options
    self.processorOptions = processorOptions
    self.sources = sources
    self.stages = stages
    self.deliver = deliver
  }

  func run() throws -> DuplicatesFigures {
    defer { stages.with { $0.found = statistics } }
    do {
      try find()
      try decideUnread()
      let several = contents.classes.filter { $0.pending > 1 }
      try read(several, whole: false)
      try read(undecided, whole: true)
      try compare()
    } catch let error as Errno where error == .canceled {
      try deliverKept()
      throw error
    }
    try deliverKept()
    return statistics
  }

  private var isCanceled: Bool { stages.with { $0.isCanceled } }

  /// Runs a stage. What was read is taken, also where it was cancelled meanwhile.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes it is to read.
  ///   - count: How many results there are to be, where that is known.
  ///   - isLast: Whether no other stage comes behind it.
  ///   - take: Takes a result. Returns whether it is one; what was cut short is none.
  /// - Throws: `Errno.canceled` where it was cancelled and has not taken them all.
  private func run<Context>(
    _ processor: FileProcessor<Context, Void>, _ sources: [FileSource], bytes: UInt64,
    count: Int?, isLast: Bool, take: @escaping @Sendable (borrowing FileResult) throws -> Bool
  ) throws {
    let isCanceled = stages.with { stages in
      stages.planned = stages.statistics.bytes + bytes
      stages.isLast = isLast
      stages.all.append(JobControl(processor))
      return stages.isCanceled
    }
    // Also where it does not begin: the stages are held by what they would hold.
    defer {
      let final = processor.statistics
      stages.with { $0.all[$0.all.count - 1] = JobControl(ended: final) }
    }
    if isCanceled { throw Errno.canceled }
    let taken = Locked(0)
    do {
      try processor.run(sources) { [self] batch in
        // It may have been cancelled just before this stage began.
        if self.isCanceled { processor.cancel() }
        for index in 0..<batch.count where try take(batch[index]) {
          taken.with { $0 += 1 }
        }
      }
      if !self.isCanceled { return }
    } catch let error as Errno where error == .canceled && self.isCanceled {}
    if taken.with({ $0 }) != count { throw Errno.canceled }
  }

  // MARK: Finding

  private func find() throws {
    var options = processorOptions
    options.opensLate = true
    options.order = .input
    options.deliversWholeTree = false
    table.mayHaveLinks = options.followsSymbolicLinks
    let minimum = self.options.minimumSize
    let finder = try FileProcessor(options) { (file) throws(Errno) -> Void in
      let status = try file.pathStatus()
      guard status.type == .file, status.size >= minimum else { return }
      let stamp = DuplicatesStamp(status)
      try file.write(capacity: DuplicatesStamp.byteCount) { memory in
        memory.storeBytes(of: stamp, as: DuplicatesStamp.self)
        return DuplicatesStamp.byteCount
      }
    }
    try run(finder, sources, bytes: 0, count: nil, isLast: false) { [self] result in
      try take(found: result)
      return true
    }
  }

  private func take(found result: FileResult) throws {
    switch result.outcome {
    case .done where result.type == .file:
      statistics.names += 1
      if let stamp = DuplicatesStamp(result.output) {
        // A link that is named is followed.
        if result.isNamed { table.mayHaveLinks = true }
        try table.add(stamp, path: result.path, source: result.source)
      } else {
        statistics.small += 1
      }
    case .noted, .directory, .link: break
    case .special where !result.isNamed: try deliver(.result(result))
    case .done, .failed, .changed, .special:
      statistics.troubles += 1
      try deliver(.result(result))
    }
  }

  /// What need not be read to be known: one file with several names. What is said to
  /// be empty is read, since in /proc and its like all is said to be.
  private func decideUnread() throws {
    for one in contents.classes where one.pending == 1 {
      // They stand in the order of their inodes.
      for part in contents.cut(one, parts: one.range.map { _ in 0 }) {
        try keep(part)
      }
    }
  }

  // MARK: Reading

  private func read(_ classes: [Class], whole: Bool) throws {
    if classes.isEmpty { return }
    let contents = contents
    contents.begin(classes)
    let queue = contents.ordered(classes)
    var options = processorOptions
    options.opensLate = false
    options.deliversWholeTree = false
    let processor = try FileProcessor(
      options, context: { () throws(Errno) -> DuplicatesLane in try DuplicatesLane() },
      job: { (file, lane) throws(Errno) -> Void in try lane.read(file, isWhole: whole) })
    let bytes = classes.reduce(0) { $0 + UInt64($1.range.count) * contents.size(of: $1) }
    let feed = DuplicatesFeed(
      table, count: queue.count, isCanceled: { [self] in isCanceled },
      name: { contents.name(of: queue[$0]) },
      note: { contents.stamp(of: queue[$0], number: queue[$0]) })
    try run(
      processor, feed.sources(sources), bytes: bytes, count: queue.count,
      isLast: whole && !self.options.verifies
    ) { [self] result in
      try take(read: result, whole: whole)
      return true
    }
  }

  private func take(read result: FileResult, whole: Bool) throws {
    guard let stamp = DuplicatesStamp(result.note) else { return }
    var digest: DuplicatesContents.Digest?
    if case .done = result.outcome, result.output.count == DuplicatesLane.recordCount {
      digest = result.output.loadUnaligned(as: DuplicatesContents.Digest.self)
    } else {
      try tell(unread: result)
    }
    guard let decided = contents.take(digest, of: stamp.number) else { return }
    let isKnown = whole || contents.size(of: decided) <= DuplicatesLane.wholeMaximum
    for part in contents.cut(decided) {
      if part.range.count == 1 {
        try keep(part)  // one file with several names
      } else if !isKnown {
        undecided.append(part)
      } else if options.verifies && contents.size(of: part) > 0 {
        unverified.append(part)
      } else {
        try keep(part)
      }
    }
  }

  /// A file that was found and could not be read.
  private func tell(unread result: FileResult) throws {
    statistics.troubles += 1
    switch result.outcome {
    case .failed, .changed:
      try deliver(.result(result))
    case .special:
      try deliver(.changed(path: Array(result.path)))
    case .done where result.output.first == DuplicatesLane.misfit:
      stages.with { $0.failed += 1 }
      try deliver(.misfit(path: Array(result.path)))
    default:
      stages.with { $0.changed += 1 }
      try deliver(.changed(path: Array(result.path)))
    }
  }

  // MARK: Comparing

  private func compare() throws {
    if unverified.isEmpty { return }
    let contents = contents
    let members = contents.members  // as they are now: they are placed anew meanwhile
    let groups = unverified.sorted {
      contents.name(of: members[Int($0.begin)]) < contents.name(of: members[Int($1.begin)])
    }
    let table = table
    var options = processorOptions
    options.opensLate = true  // and it never is: the job opens what it compares
    options.deliversWholeTree = false
    options.filesPerBatch = 4
    let stages = stages
    let isCanceled = { @Sendable in stages.with { $0.isCanceled } }
    let comparer = try FileProcessor(
      options,
      context: { () throws(Errno) -> DuplicatesComparison in
        DuplicatesComparison(
          count: { count in stages.with { $0.compared += UInt64(count) } },
          isCanceled: isCanceled)
      },
      job: { (file, comparison) throws(Errno) -> Void in
        guard let stamp = DuplicatesStamp(file.note) else { throw .invalidArgument }
        let range = groups[Int(stamp.number)].range
        // Where it was cancelled it writes nothing: no file has failed by that.
        let verdicts = try? comparison.compare(range.count) { index in
          let content = members[range.lowerBound + index]
          return DuplicatesComparison.File(
            path: table.path(contents.name(of: content)) + [0],
            stamp: contents.stamp(of: content, number: 0))
        }
        guard let verdicts else { return }
        try file.write(capacity: verdicts.count * 8) { memory in
          for (index, verdict) in verdicts.enumerated() {
            memory.storeBytes(of: verdict.code, toByteOffset: index * 8, as: Int64.self)
          }
          return verdicts.count * 8
        }
      })
    let bytes = groups.reduce(0) { $0 + UInt64($1.range.count) * contents.size(of: $1) }
    let feed = DuplicatesFeed(
      table, count: groups.count, isCanceled: isCanceled,
      name: { contents.name(of: members[Int(groups[$0].begin)]) },
      note: {
        contents.stamp(of: members[Int(groups[$0].begin)], number: UInt32($0))
      })
    try run(
      comparer, feed.sources(sources), bytes: bytes, count: groups.count, isLast: true
    ) { [self] result in try take(compared: result, groups, members) }
  }

  /// Returns whether it was compared to the end.
  private func take(
    compared result: FileResult, _ groups: [Class], _ members: [UInt32]
  ) throws -> Bool {
    guard let stamp = DuplicatesStamp(result.note) else { return false }
    let group = groups[Int(stamp.number)]
    guard case .done = result.outcome else {
      try tell(unread: result)
      return true
    }
    guard result.output.count == group.range.count * 8 else { return false }
    var parts: [UInt32?] = []
    for (index, member) in members[group.range].enumerated() {
      let code = result.output.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
      let verdict = DuplicatesComparison.Verdict(code: code)
      if case .part(let part) = verdict { parts.append(part) } else { parts.append(nil) }
      try tell(verdict, of: member)
    }
    for part in contents.cut(group, parts: parts) { try keep(part) }
    return true
  }

  private func tell(_ verdict: DuplicatesComparison.Verdict, of content: UInt32) throws {
    switch verdict {
    case .part: return
    case .changed:
      stages.with { $0.changed += 1 }
      statistics.troubles += 1
      try deliver(.changed(path: table.path(contents.name(of: content))))
    case .failed(let error):
      stages.with { $0.failed += 1 }
      statistics.troubles += 1
      try deliver(.failed(error, path: table.path(contents.name(of: content))))
    }
  }

  // MARK: Groups

  private func keep(_ members: Class) throws {
    let count = UInt64(members.range.count - 1)
    let saving = contents.size(of: members) * count
    statistics.groups += 1
    statistics.duplicates += count
    statistics.saving += saving
    for member in contents.members[members.range] {
      statistics.links += UInt64(contents.names(of: member).count - 1)
    }
    if processorOptions.order == .completion {
      try deliver(.group(group(of: members)))
    } else {
      let first = contents.name(of: contents.members[Int(members.begin)])
      kept.append(Kept(saving: saving, name: first, members: members))
    }
  }

  private func deliverKept() throws {
    let groups = kept.sorted { left, right in
      left.saving == right.saving ? left.name < right.name : left.saving > right.saving
    }
    kept = []
    for one in groups { try deliver(.group(group(of: one.members))) }
  }

  private func group(of members: Class) -> DuplicatesGroup {
    let files = DuplicatesGroup.Files(
      contents: contents, members: Array(contents.members[members.range]))
    let size = contents.size(of: members)
    let digest = contents.digest(of: contents.members[Int(members.begin)])
    let isRead = files.count > 1 && size > 0
    return DuplicatesGroup(
      files: files, size: size, digest: isRead ? withUnsafeBytes(of: digest) { Array($0) } : [])
  }
}

extension DuplicatesComparison.Verdict {
  /// As a number: a part, -1 for a change, and below that what failed.
  var code: Int64 {
    switch self {
    case .part(let part): Int64(part)
    case .changed: -1
    case .failed(let error): -1 - Int64(error.rawValue)
    }
  }

  init(code: Int64) {
    self =
      code >= 0
      ? .part(UInt32(code)) : code == -1 ? .changed : .failed(Errno(rawValue: Int32(-1 - code)))
  }
}

extension DuplicatesContents {
  /// What is known of a content by its first name.
  func stamp(of content: UInt32, number: UInt32) -> DuplicatesStamp {
    let entry = table[name(of: content)]
    return DuplicatesStamp(entry, device: table.device(of: entry), number: number)
  }
}

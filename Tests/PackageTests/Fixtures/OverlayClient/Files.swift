// Files, in both forms.

import SystemPackage
import Weir

func blockingFiles(below tree: FilePath) throws {
  let walk: FileWalk = FileWalk(tree, [.staysOnFileSystem])
  let options: FileWalk.Options = [.followsSymbolicLinks, .staysOnFileSystem]
  expect(options.contains(.staysOnFileSystem), "options are a set")
  let filter: FileFilter = .exclude("*")
  let nothing = FileWalk(tree, filters: [filter, .include("nothing at all")], maximumDepth: 1)
  expect(nothing.map(\.depth) == [0], "filters pass over")
  var names = 0
  walk.visit { (entry: borrowing FileWalk.LentEntry) -> FileWalk.Step in
    names += 1
    return entry.depth == 0 ? .next : .skipContents
  }
  var iterator: FileWalk.Iterator = walk.makeIterator()
  let root: FileWalk.Entry? = iterator.next()
  let type: EntryType? = root?.type
  expect(type == .directory && root?.path == tree && root?.error == nil, "the root comes first")
  iterator.skipContents()
  expect(names > 1 && iterator.next() == nil, "a directory is passed over")

  let job: FileProcessor<[UInt8], Int>.Job = {
    (file: borrowing OpenFile, kept: inout [UInt8]) throws(Errno) in
    kept.removeAll(keepingCapacity: true)
    if let known: UnsafeRawBufferPointer = file.remembered { return known.count }
    file.remember(UnsafeRawBufferPointer(start: nil, count: 0))
    while let piece = try file.read() { kept.append(contentsOf: piece) }
    try file.write(kept)
    return kept.count
  }
  var settings: FileProcessorOptions = FileProcessorOptions()
  settings.jobs = 2
  let counter = try FileProcessor(settings, context: { () throws(Errno) in [UInt8]() }, job: job)
  let sources: [FileSource] = [.tree(tree), .path(bytes: Array("no such file".utf8))]
  let statistics: FileStatistics = try counter.run(sources) { (batch: borrowing FileBatch) in
    for index in 0..<batch.count {
      let result: FileResult = batch[index]
      let outcome: FileResult.Outcome = result.outcome
      if case .failed(let error) = outcome {
        expect(error as? Errno == .noSuchFileOrDirectory, "\(error)")
      }
      if case .changed(let error) = outcome { expect(error == nil, "\(result.size)") }
    }
  }
  expect(statistics.files > 0 && statistics.failed == 1, "\(statistics)")
  let reason: FileStatistics.ReadersReason = statistics.readersReason
  expect(reason == .asGiven, "a fixed number of readers")
  let given = OwnedQueue<[FilePath]>(label: "names", context: ["no such file", "a note"])
  let items: FileSource = .items {
    guard let name = given.sync({ $0.popLast() }) else { return nil }
    let bytes = Array(name.string.utf8)
    let item: FileItem = bytes.count == 6 ? .note(bytes) : FileItem(path: name, note: bytes)
    return item
  }
  try counter.run([items]) { batch in
    expect(batch[0].note.count == 6 && batch[1].path.count == 12, "items in order")
    guard case .noted = batch[0].outcome else { return expect(false, "a note is noted") }
  }
  var storage: Storage = try Storage(of: tree)
  let kind: Storage.Kind = storage.kind
  storage.readers = 1
  expect(kind == storage.kind && !storage.evidence.isEmpty, "storage is told by something")
  let stored = try counter.run([FileSource.tree(tree).on(storage)]) { _ in }
  let busy: [BusyFile] = counter.busyFiles()
  expect(stored.files == statistics.files && busy.isEmpty, "\(stored)")
  try lateFiles(below: tree)
  try piecesOfFiles(below: tree)
  counter.pause()
  counter.resume()
  counter.cancel()
  expect(
    counter.statistics.found == stored.found && !counter.statistics.isFeeding, "statistics stay")

  let pair = try DescriptorBudget.withDescriptors(2) { 2 }
  let again = try DescriptorBudget.retrying { () throws(Errno) in 2 }
  let usage = DescriptorBudget.usage
  expect(pair + again == 4 && usage.inUse == 0 && usage.peak > 0, "\(usage)")
  expect(DescriptorBudget.total <= DescriptorBudget.limit, "half of what there is")
  let budget: Gate = DescriptorBudget.gate
  expect(budget.permits == DescriptorBudget.total, "a permit a descriptor")
}

private func lateFiles(below tree: FilePath) throws {
  var settings = FileProcessorOptions()
  (settings.opensLate, settings.deliversWholeTree) = (true, true)
  let annotate: FileProcessor<Void, FileTime>.Annotate = { (found: borrowing FoundFile) in
    guard found.source == 0 && found.depth > 0 && found.type == .file else { return nil }
    return Array("a note".utf8)
  }
  let readable: FileSelector = { (found: borrowing FoundFile) in
    let selection: FileSelection = found.error == nil ? .take : .skip
    return selection
  }
  let looker = try FileProcessor(
    settings, annotate: annotate, select: readable
  ) { (file) throws(Errno) in
    let status: FileStatus = try file.pathStatus()
    guard file.note.count == 6, status.size < .max, status.links > 0 else { throw .ioError }
    return status.modified
  }
  let statistics = try looker.run([.tree(tree)]) { (batch: borrowing FileBatch) in
    for index in 0..<batch.count {
      let result: FileResult = batch[index]
      switch result.outcome {
      case .done: expect(result.note.count == 6 && result.source == 0, "a note")
      case .directory: expect(result.type == .directory, "a directory")
      case .link: expect(!result.output.isEmpty, "a link leads somewhere")
      default: expect(false, "\(result.outcome)")
      }
    }
  }
  expect(statistics.unread == statistics.files && statistics.opened == 0, "\(statistics)")
  expect(FileTime(seconds: 1, nanoseconds: 2) > FileTime(seconds: 1, nanoseconds: 1), "in order")
}

private func piecesOfFiles(below tree: FilePath) throws {
  let helpers = Lanes(label: "helpers", width: 1)
  let job = try FileProcessor { (file) throws(Errno) -> Int in
    try file.concurrentReduce(into: 0, on: helpers, helpers: 1, pieceSize: 1) {
      (count, bytes) throws(Errno) in
      count += bytes.count
    } combine: { (count, next) throws(Errno) in
      count += next
    }
  }
  let statistics = try job.run([.tree(tree)]) { _ in }
  expect(statistics.failed == 0 && statistics.bytes > 0, "\(statistics)")
}

func suspendingFiles(below tree: FilePath) async throws {
  let entries: FileWalk.Entries = FileWalk(tree).entries
  var walking: FileWalk.Entries.AsyncIterator = entries.makeAsyncIterator()
  let first: FileWalk.Entries.Element? = try await walking.next()
  expect(first?.depth == 0, "the root comes first")
  do throws(FileWalk.Entries.Failure) {
    for try await entry in entries { expect(entry.error == nil, "all is well") }
  } catch {
    expect(false, "nobody cancelled: \(error)")
  }

  let sizes = try FileProcessor { (file) throws(Errno) in file.size }
  var total: Int64 = 0
  for try await file in sizes.results(of: .tree(tree)) {
    let file: ProcessedFile<Int64> = file
    let outcome: FileOutcome<Int64> = file.outcome
    if case .done(let size) = outcome { total += size }
    expect(file.value != nil, "\(outcome)")
  }
  let busy: FileProcessorError = .runInProgress
  expect("\(busy)".contains("another run"), "\(busy)")
  let results: FileResults<Int64> = sizes.results(of: [.path(tree)])
  var processed: FileResults<Int64>.AsyncIterator = results.makeAsyncIterator()
  let one: FileResults<Int64>.Element? = try await processed.next()
  expect(total > 0 && one != nil, "sizes of files")
  while try await processed.next() != nil {}
  await sizes.wait()
  let statistics = try await sizes.run([.tree(tree)]) { batch in _ = batch.count }
  expect(statistics.failed == 0, "\(statistics)")
  let two = try await DescriptorBudget.withDescriptors(2) { 2 }
  let three = try await DescriptorBudget.retrying { () async throws(Errno) in 3 }
  expect(two + three == 5, "withDescriptors and retrying")
}

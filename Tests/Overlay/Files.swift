// Files, both ways.

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
  let figures: FileFigures = try counter.run(sources) { (batch: borrowing FileBatch) in
    for index in 0..<batch.count {
      let result: FileResult = batch[index]
      let outcome: FileResult.Outcome = result.outcome
      if case .failed(let error) = outcome { expect(error == .noSuchFileOrDirectory, "\(error)") }
      if case .changed(let error) = outcome { expect(error == nil, "\(result.size)") }
    }
  }
  expect(figures.files > 0 && figures.failed == 1, "\(figures)")
  let names = OwnedQueue<[StaticString]>(label: "names", context: ["no such file", "a note"])
  let items: FileSource = .items {
    guard let name = names.sync({ $0.popLast() }) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    let item: FileItem = bytes.count == 6 ? .note(bytes) : FileItem(path: bytes, note: bytes)
    return item
  }
  try counter.run([items]) { batch in
    expect(batch[0].note.count == 6 && batch[1].path.count == 12, "items in order")
    guard case .noted = batch[0].outcome else { return expect(false, "a note is noted") }
  }
  counter.pause()
  counter.resume()
  counter.cancel()
  expect(counter.figures.found == 1 && !counter.figures.isFeeding, "figures stay")

  let pair = try DescriptorBudget.withDescriptors(2) { 2 }
  let again = try DescriptorBudget.retrying { () throws(Errno) in 2 }
  let usage = DescriptorBudget.usage
  expect(pair + again == 4 && usage.inUse == 0 && usage.peak > 0, "\(usage)")
  expect(DescriptorBudget.total <= DescriptorBudget.limit, "half of what there is")
  let budget: Gate = DescriptorBudget.gate
  expect(budget.permits == DescriptorBudget.total, "a permit a descriptor")
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
    total += file.value ?? 0
  }
  let results: FileResults<Int64> = sizes.results(of: [.path(tree)])
  var processed: FileResults<Int64>.AsyncIterator = results.makeAsyncIterator()
  let one: FileResults<Int64>.Element? = try await processed.next()
  expect(total > 0 && one != nil, "sizes of files")
  while try await processed.next() != nil {}
  await sizes.wait()
  let figures = try await sizes.run([.tree(tree)]) { batch in _ = batch.count }
  expect(figures.failed == 0, "\(figures)")
  let two = try await DescriptorBudget.withDescriptors(2) { 2 }
  let three = try await DescriptorBudget.retrying { () async throws(Errno) in 3 }
  expect(two + three == 5, "withDescriptors and retrying")
}

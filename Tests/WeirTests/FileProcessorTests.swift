// FileProcessor: its options, sources, items and open files, and the ends of its runs.
// (Tests/CLibrary has the order of delivery, the limits, the outcomes and the errors.)

import CWeir
import FileJobs
import SystemPackage
import TestSupport
import Testing
import WeirLibC

@testable import Weir

// The module that declares the fields of `stat` is the one that the compiler loaded first.
#if canImport(SwiftOverlayShims)
  import SwiftOverlayShims
#endif

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileProcessorTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var tree: FileSource { .path(bytes: directory.path) }

  private func fill(_ count: Int) throws {
    for number in 0..<count { try directory.write("\(number)", to: "f\(number + 1000)") }
  }

  // MARK: Runs

  @Test(
    "the context of each lane is made once and freed once, also if one throws", arguments: [1, 5])
  func contexts(jobs: Int) async throws {
    try fill(40)
    let lives = Shared(Crowd())
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.filesPerBatch = 1
    do {
      let processor = try FileProcessor<Life, Void>(
        options, context: { () throws(Errno) in Life(lives) }, job: { _, _ in })
      for _ in 0..<2 { _ = try await run(processor, [tree], in: directory) }
      #expect(lives.value.ever == jobs && lives.value.now == jobs)
    }
    #expect(await eventually { lives.value.now == 0 })
    #expect(throws: Errno.notSupported) {
      _ = try FileProcessor<Life, Void>(
        options,
        context: { () throws(Errno) in
          if lives.value.now == jobs - 1 { throw .notSupported }
          return Life(lives)
        }, job: { _, _ in })
    }
    #expect(await eventually { lives.value.now == 0 } && lives.value.ever == 2 * jobs - 1)
  }

  @Test("the error of the delivery ends the run and is thrown unchanged", arguments: [1, 8])
  func deliverThrows(jobs: Int) async throws {
    try fill(300)
    let copier = try makeCopier {
      $0.jobs = jobs
      $0.filesPerBatch = 3
    }
    let deliveries = Shared(0)
    let tree = tree
    try await onThread {
      _ = #expect(throws: Bad(number: 7)) {
        try copier.run([tree]) { _ in if deliveries.next() == 7 { throw Bad(number: 7) } }
      }
    }
    #expect(deliveries.value == 7)
    #expect(try await run(copier, [tree], in: directory).lines.count == 300)
  }

  @Test(
    "a lane takes as many descriptors as its jobs need, or as there are", arguments: [1, 3, 4, 9])
  func descriptorsPerLane(most: Int) async throws {
    try fill(40)
    let crowd = Shared(Crowd())
    var options = FileProcessorOptions()
    options.jobs = 4
    options.filesPerBatch = 1
    options.descriptors = most
    options.descriptorsPerLane = 4
    options.opensLate = true
    let processor = try FileProcessor(options) { _ throws(Errno) in
      crowd.change { $0.enter() }
      crowd.change { $0.leave() }
    }
    let statistics = try await run(processor, [tree], in: directory).statistics
    #expect(statistics.files == 40 && statistics.unread == 40)
    #expect(statistics.descriptorsPeak <= most && statistics.descriptorsPeak >= min(4, most))
    #expect(crowd.value.most <= max(1, most / 4))
    options.descriptorsPerLane = 0
    #expect(throws: Errno.invalidArgument) {
      try FileProcessor(options) { (file) throws(Errno) in file.size }
    }
  }

  @Test("the statistics have each number of C once")
  func statistics() {
    var c = weir_files_stats_t()
    withUnsafeMutableBytes(of: &c) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        bytes.storeBytes(of: UInt64(offset + 8), toByteOffset: offset, as: UInt64.self)
      }
    }
    let totals = Mirror(reflecting: FileStatistics(c)).children.compactMap { $0.value as? UInt64 }
    #expect(totals.count == 21)
    #expect(!totals.contains(0) && Set(totals).count == totals.count, "\(totals)")
  }

  // MARK: Sources and items

  @Test("sources of strings, paths and bytes; one file that is a directory names the walk")
  func sources() async throws {
    try directory.makeDirectory("d")
    try directory.write("x", to: "d/f")
    try directory.makeFIFO("fifo")
    let root = directory.text + "//d/"
    let run = try await run(
      makeCopier(),
      [
        .tree(root), .path(FilePath(root)), .path(bytes: root.utf8), .file(root + "f"),
        .file(FilePath(root + "f")), .file(root), .file(directory.text + "/fifo"),
        .tree(directory.text + "/none"),
      ], in: directory)
    #expect(
      run.lines == [
        "d/f done x", "d/f done x", "/d/f done x", "d/f named done x", "d/f named done x",
        "d named failed(Is a directory)", "fifo named special",
        "none named failed(No such file or directory)",
      ])
    for try await file in try makeCopier().results(of: .file(root)) {
      #expect("\(file.outcome)" == "failed(is a directory; use .tree to read its files)")
    }
    // The natural program, in one expression.
    for try await file in try FileProcessor(job: { file in
      var count = 0
      while let piece = try file.read() { count += piece.count }
      if count > 1 { throw Bad(number: count) }
      return count
    }).results(of: .tree(root)) {
      guard case .done(1) = file.outcome else {
        Issue.record("it is \(file.outcome)")
        continue
      }
    }
  }

  @Test("excluded files are skipped under any name, and counted")
  func excluded() async throws {
    for name in ["a", "b", "c"] { try directory.write(name, to: name) }
    #expect(WeirLibC.link(directory.text + "/b", directory.text + "/b2") == 0)
    let file = try FileDescriptor.open(FilePath(directory.text + "/b"), .readOnly)
    defer { try? file.close() }
    let copier = try makeCopier { $0.excluded = [FileDescriptor(rawValue: 999_999), file] }
    let run = try await run(copier, [tree], in: directory)
    #expect(run.lines == ["a done a", "c done c"] && run.output == Array("ac".utf8))
    #expect(run.statistics.excluded == 2 && run.statistics.files == 2)
  }

  @Test("items are delivered in order, with their notes, in the job and after it")
  func items() async throws {
    for name in ["a", "b"] { try directory.write(name, to: name) }
    let (a, b) = (directory.path("a"), directory.path("b"))
    let items: [FileItem] = [
      FileItem(path: a, note: [1, 0]), .note([2]), FileItem(path: b, note: [], isWalked: false),
      .failure(.ioError, path: b, note: [3]),
      FileItem(path: a + [0x7E], note: [4], isWalked: false),
      FileItem(path: directory.path, note: [5]),
    ]
    let turn = Shared(0)
    let noter = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      try file.write(file.note)
      return file.note
    }
    var lines: [String] = []
    for try await file in noter.results(
      of: .items {
        let number = turn.next() - 1
        return number < items.count ? items[number] : nil
      })
    {
      let name = String(decoding: file.pathBytes.dropFirst(directory.path.count), as: UTF8.self)
      lines.append("\(name) \(file.note) \(file.outcome)")
      #expect(file.value == nil || (file.output == file.note && file.value == file.note))
    }
    #expect(
      lines == [
        "/a [1, 0] done([1, 0])", " [2] noted", "/b [] done([])",
        "/b [3] failed(Input/output error)", "/a~ [4] failed(No such file or directory)",
        "/a [5] done([5])", "/b [5] done([5])",
      ])
    #expect(noter.statistics.found == 6 && !noter.statistics.isFeeding)
  }

  @Test("filters and a depth bound a walk and a processor alike")
  func filters() async throws {
    for name in ["a", "a/b", ".git"] { try directory.makeDirectory(name) }
    for name in ["x.c", "x.h", "a/y.c", "a/b/z.c", ".git/g.c"] {
      try directory.write("", to: name)
    }
    let filters: [FileFilter] = [
      .include("*.c"), .exclude(".git/"), .exclude(bytes: Array("y.?".utf8)),
      .include(bytes: "none".utf8),
    ]
    for (depth, expected) in [(nil, ["a/b/z.c", "x.c"]), (2, ["x.c"]), (1, ["x.c"])] {
      let root = directory.path
      let (walked, skipped) = try await onThread {
        var walked: [[UInt8]] = []
        var walk = FileWalk(bytes: root, filters: filters, maximumDepth: depth).makeIterator()
        while let entry = walk.next() {
          if entry.type == .file { walked.append(entry.pathBytes) }
        }
        return (walked, walk.filteredCount)
      }
      let copier = try makeCopier {
        $0.filters = filters
        $0.maximumDepth = depth
      }
      let run = try await run(copier, [tree], in: directory)
      #expect(walked == expected.map { directory.path($0) } && skipped == (depth == 1 ? 2 : 3))
      #expect(run.lines == expected.map { "\($0) done " })
      #expect(run.statistics.filtered == skipped)
    }
    #expect(throws: Errno.invalidArgument) { try makeCopier { $0.maximumDepth = 0 } }
  }

  /// An item is opened without a question.
  @Test("a closure selects entries; it sees each with its type, depth and source, but no items")
  func selection() async throws {
    for name in ["t", "t/a", "t/b", "t/b/deep"] { try directory.makeDirectory(name) }
    for name in ["t/a/1", "t/a/2", "t/b/1", "t/b/deep/1", "t/c"] {
      try directory.write("", to: name)
    }
    try directory.makeFIFO("t/fifo")
    try directory.link("t/link", to: "nowhere")
    let shown = Shared<[String]>([])
    let prefix = directory.path.count + 1
    let selecting = try FileProcessor(
      FileProcessorOptions(),
      select: { file in
        let path = String(decoding: file.path.dropFirst(prefix), as: UTF8.self)
        let error = file.error.map { " \($0.rawValue)" } ?? ""
        let line = "\(file.source) \(file.depth) \(file.type) \(path)\(error)"
        shown.change { $0.append(line) }
        return file.name.elementsEqual("1".utf8) ? .take : .skip
      }
    ) { (_) throws(Errno) in }
    let item = directory.path("t/c")
    let isGiven = Shared(0)
    let sources = ["t/a", "t/c", "none", "t/fifo"].map {
      FileSource.path(bytes: directory.path($0))
    }
    let given = FileSource.items {
      isGiven.next() == 1 ? FileItem(path: item, isWalked: false) : nil
    }
    let run = try await run(selecting, sources + [given], in: directory)
    #expect(
      shown.value == [
        "0 0 directory t/a", "0 1 file t/a/1", "0 1 file t/a/2", "1 0 file t/c",
        "2 0 unknown none 2", "3 0 fifo t/fifo",
      ])
    #expect(run.lines == ["t/a/1 done ", "t/c named done "] && run.statistics.failed == 0)
    // The content of a directory that is not taken is walked.
    let inner = FileSource.path(bytes: directory.path("t"))
    let whole = try await WeirTests.run(selecting, [inner], in: directory)
    #expect(whole.lines == ["t/a/1 done ", "t/b/1 done ", "t/b/deep/1 done "])
    #expect(whole.statistics.found == 3 && whole.statistics.directories == 4)
    #expect(whole.statistics.special == 0 && whole.statistics.links == 0)
  }

  // MARK: Open files

  /// Bytes in one piece, which nobody may take one by one.
  private struct Piece: Sequence {
    let bytes: [UInt8]
    let isTaken: Shared<Bool>

    func makeIterator() -> IndexingIterator<[UInt8]> {
      isTaken.change { $0 = true }
      return bytes.makeIterator()
    }

    func withContiguousStorageIfAvailable<R>(
      _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
      try bytes.withUnsafeBufferPointer(body)
    }
  }

  @Test("a file has its path, size and descriptor; bytes in one piece are written from their place")
  func openFile() async throws {
    try directory.write("12345".utf8, to: [0x66, 0xFF])
    let isTaken = Shared(false)
    let processor = try FileProcessor<Int, Void>(
      context: { () throws(Errno) in 0 }
    ) { (file, _) throws(Errno) in
      var status = stat()
      guard fstat(file.descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      try file.write("\(file.size) \(status.st_size) ".utf8)
      try file.write(Piece(bytes: Array("one ".utf8), isTaken: isTaken))
      try file.write(Piece(bytes: [], isTaken: isTaken))
      while let piece = try file.read() { try file.write(piece) }
      try file.write(AnySequence(" two ".utf8))
      try file.write(file.path)
    }
    let run = try await run(processor, [tree], in: directory)
    #expect(run.output == Array("5 5 one 12345 two ".utf8) + directory.path([0x66, 0xFF]))
    #expect(!isTaken.value)
  }

  @Test("what a job remembers of a file comes with its other names")
  func names() async throws {
    try directory.write("content", to: "f")
    try #require(WeirLibC.link(directory.text + "/f", directory.text + "/g") == 0)
    let processor = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      if let known = file.remembered { return Array(known) + [0x21] }
      var bytes: [UInt8] = []
      while let piece = try file.readPiece() { bytes += piece }
      bytes.withUnsafeBytes { file.remember($0) }
      return bytes
    }
    // Either name may be read, whichever thread is first.
    var values: Set<[UInt8]?> = []
    for try await file in processor.results(of: .tree(directory.text)) { values.insert(file.value) }
    #expect(values == [Array("content".utf8), Array("content!".utf8)])
    let statistics = processor.statistics
    #expect(statistics.linked == 1 && statistics.files == 2 && statistics.opened == 2)
    #expect(statistics.bytes == 7 && statistics.bytesExpected == 7)
  }

  @Test("a file that changes while it is read has no value", arguments: [false, true])
  func change(isRemoval: Bool) async throws {
    try directory.write([UInt8](repeating: 1, count: 3_000_000), to: Array("f".utf8))
    let path = directory.text + "/f"
    let processor = try FileProcessor { (file) throws(Errno) -> Int in
      var count = 0
      while let piece = try file.read() {
        if count == 0 { _ = isRemoval ? unlink(path) : truncate(path, 2_000_000) }
        count += piece.count
      }
      return count
    }
    for try await file in processor.results(of: .path(FilePath(path))) {
      guard case .changed(let error) = file.outcome else {
        Issue.record("\(file.outcome)")
        continue
      }
      #expect(error == (isRemoval ? .noSuchFileOrDirectory : nil) && file.value == nil)
    }
    #expect(processor.statistics.changed == 1 && processor.statistics.failed == 0)
  }

  // MARK: Storage

  @Test("a virtual file system is in memory, and what does not exist has no storage")
  func storage() throws {
    let made = try Storage(bytes: "/proc".utf8)
    #expect(made.kind == .memory && made.fileSystem == "proc" && made.disk == nil)
    #expect(!made.readsByInode && !made.evidence.isEmpty && made.readers ?? 0 > 0)
    #expect(throws: Errno.noSuchFileOrDirectory) { try Storage(bytes: "/no/such/place".utf8) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Storage(bytes: []) }
    #expect(throws: Errno.badFileDescriptor) { try Storage(of: FileDescriptor(rawValue: -1)) }
  }

  /// Said for the source, and for all.
  @Test(
    "files are delivered in order, in whatever order they are read",
    arguments: [true, false], [true, false])
  func readingByStorage(byInode: Bool, isOption: Bool) async throws {
    for number in (0..<300).reversed() { try directory.write("", to: "f\(1000 + number)") }
    let root = directory.path
    var storage = try await onThread { try Storage(bytes: root) }
    storage.readers = 1
    storage.readsByInode = byInode
    let crowd = Shared(Crowd())
    var options = FileProcessorOptions()
    options.jobs = 3
    options.storage = isOption ? storage.forReading : nil
    let processor = try FileProcessor(options) { (file) throws(Errno) in
      crowd.change { $0.enter() }
      crowd.change { $0.leave() }
    }
    let run = try await run(
      processor, [isOption ? tree : tree.on(storage.forReading)], in: directory)
    #expect(run.lines == (0..<300).map { "f\(1000 + $0) done " })
    #expect(crowd.value.most == 1)
    #expect(processor.statistics.nanosecondsFeeding > 0 && processor.busyFiles().isEmpty)
  }
}

/// A whole run: each file, without the directory, with its outcome and output; the output of the
/// batches in order; the statistics.
struct Run: Sendable {
  var lines: [String] = []
  var output: [UInt8] = []
  var statistics: FileStatistics
}

func run<Context, Value>(
  _ processor: FileProcessor<Context, Value>, _ sources: [FileSource],
  in directory: TemporaryDirectory
) async throws -> Run {
  try await onThread {
    let seen = Shared((lines: [String](), output: [UInt8]()))
    let statistics = try processor.run(sources) { batch in
      let lines = (0..<batch.count).map { index -> String in
        let file = batch[index]
        let path = String(decoding: file.path.dropFirst(directory.path.count + 1), as: UTF8.self)
        let output = String(decoding: file.output, as: UTF8.self)
        if case .done = file.outcome {
          return "\(path)\(file.isNamed ? " named" : "") done \(output)"
        }
        return "\(path)\(file.isNamed ? " named" : "") \(file.outcome)"
      }
      let output = Array(batch.output)
      seen.change {
        $0.lines += lines
        $0.output += output
      }
    }
    return Run(lines: seen.value.lines, output: seen.value.output, statistics: statistics)
  }
}

/// A processor whose output is the content of the files.
func makeCopier(
  _ change: (inout FileProcessorOptions) -> Void = { _ in }
) throws -> FileProcessor<Int, Void> {
  var options = FileProcessorOptions()
  change(&options)
  return try FileProcessor(options, context: { () throws(Errno) in 0 }) {
    (file, count) throws(Errno) in
    count += 1
    while let piece = try file.read() { try file.write(piece) }
  }
}

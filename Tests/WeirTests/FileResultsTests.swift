// The files of a run as a sequence, as a reduction and by an async run: the same results as in
// batches, never far ahead of the consumer, and no run after the consumer has left.

import CWeir
import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileResultsTests {
  private let directory: TemporaryDirectory
  private var tree: FileSource { .path(bytes: directory.path) }

  init() throws { directory = try TemporaryDirectory() }

  private func fill(_ count: Int) throws {
    for number in 0..<count { try directory.write("\(number) ", to: "f\(number + 1000)") }
  }

  /// The number of descriptors of this process that refer to files of the directory, without one that
  /// is opened here, which shows that they are found.
  private var openFiles: Int {
    get throws {
      let own = try FileDescriptor.open(directory.text, .readOnly)
      defer { try? own.close() }
      return openDescriptors().count { $0.starts(with: directory.path) } - 1
    }
  }

  // MARK: What comes

  @Test("an error of any type that a job throws is the outcome of its file", arguments: [1, 8])
  func errors(jobs: Int) async throws {
    try fill(40)
    try directory.makeDirectory("d")
    try directory.makeFIFO("fifo")
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.filesPerBatch = 3
    let reader = try FileProcessor(options) { file in
      guard let piece = try file.readPiece(),
        let number = Int(String(decoding: piece.dropLast(), as: UTF8.self))
      else { throw Bad(number: -1) }
      if number % 10 == 3 { throw Bad(number: number) }
      if number % 10 == 4 { throw Errno.tooManyLinks }
      if number % 10 == 5 { throw Errno(rawValue: 0) }
      try file.write(piece)
      return number
    }
    let sources = [tree, .path(bytes: directory.path("none"))]
    var seen: [String] = []
    for try await file in reader.results(of: sources) {
      #expect(file.value.map { file.output == Array("\($0) ".utf8) } ?? file.output.isEmpty)
      #expect((file.type == .file) == (seen.count < 40))
      switch file.outcome {
      case .done(let number): seen.append("\(number)")
      case .failed(let error as Bad): seen.append("bad \(error.number)")
      case .failed(let error as Errno): seen.append("errno \(error.rawValue)")
      default: seen.append("\(file.outcome)")
      }
    }
    let expected =
      (0..<40).map { number in
        switch number % 10 {
        case 3: "bad \(number)"
        case 4: "errno \(Errno.tooManyLinks.rawValue)"
        case 5: "errno 0"
        default: "\(number)"
        }
      } + ["special", "errno \(Errno.noSuchFileOrDirectory.rawValue)"]
    #expect(difference(seen, expected) == nil)
    #expect(reader.statistics.failed == 13 && reader.statistics.files == 28)
    // The same errors, delivered in batches, which have no values.
    let lines = try await run(reader, sources, in: directory).lines.filter { !$0.contains("done") }
    #expect(lines.count == 14 && lines[0] == "f1003 failed(WeirTests.Bad(number: 3))")
  }

  @Test("without sources there is no element; each iteration is a run, also inside another's")
  func again() async throws {
    try fill(1)
    let processor = try makeReader()
    for try await _ in processor.results(of: []) { Issue.record("a file of no sources") }
    let results = processor.results(of: tree)
    for _ in 0..<3 {
      var iterator = results.makeAsyncIterator()
      #expect(try await iterator.next()?.output == Array("0 ".utf8))
      for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    }
    let other = try FileProcessor { (_) throws(Errno) in }
    for try await file in results {
      #expect(file.value == Array(" 0".utf8))
      for try await file in other.results(of: tree) { #expect(file.value != nil) }
    }
  }

  @Test("stored results stay valid, and every value is freed once", arguments: [1, 8])
  func values(jobs: Int) async throws {
    try fill(300)
    let lives = Shared(Crowd())
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.filesPerBatch = 4
    let processor = try FileProcessor(options) { (file) throws(Errno) -> Life in
      if file.path.last == UInt8(ascii: "7") { throw .ioError }
      return Life(lives)
    }
    var kept: [ProcessedFile<Life>] = []
    for try await file in processor.results(of: tree) { kept.append(file) }
    #expect(lives.value.now == 270 && kept.count == 300)
    #expect(kept.count { $0.value == nil } == 30)
    kept = []
    #expect(lives.value.now == 0)
    // The ones that nobody takes, too.
    for try await file in processor.results(of: tree) where file.value != nil { break }
    await processor.wait()
    _ = try await run(processor, [tree], in: directory)
    #expect(lives.value.now == 0 && lives.value.ever >= 540)
  }

  // MARK: The consumer's pace

  @Test(
    "a consumer that stands still stops the lanes", arguments: [ResultOrder.input, .completion])
  func backPressure(order: ResultOrder) async throws {
    try fill(1000)
    let ran = Shared(0)
    let processor = try makeFiller(ran) {
      $0.jobs = 2
      $0.filesPerBatch = 2
      $0.order = order
    }
    var iterator = processor.results(of: tree).makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    // Those that the consumer holds, those that wait for it, and the batches there are. It never
    // gets to more, however long one waits.
    let most = 2 * (8 + 2) + 64 * 2 + 2
    for _ in 0..<200 { await Task.yield() }
    #expect(ran.value <= most)
    var count = 1
    while try await iterator.next() != nil {
      count += 1
      #expect(ran.value <= count + most)
    }
    #expect(count == 1000 && ran.value == 1000)
  }

  @Test("a consumer may take the whole budget", arguments: [1, 2])
  func consumerNeedsDescriptors(jobs: Int) async {
    await #expect(processExitsWith: .success) { [jobs] in
      #expect(weir_descriptor_set_budget(12) == 0)
      let directory = try TemporaryDirectory()
      for number in 0..<500 { try directory.write("", to: "f\(number)") }
      let processor = try makeFiller {
        $0.jobs = jobs
        $0.filesPerBatch = 1
      }
      var count = 0
      for try await _ in processor.results(of: .path(bytes: directory.path)) {
        try await DescriptorBudget.withDescriptors(12) { count += 1 }
      }
      #expect(count == 500 && DescriptorBudget.gate.statistics.inUse == 0)
    }
  }

  // MARK: Ends

  /// Eight files are ahead of the consumer, and the others wait for it.
  @Test("a consumer that is behind may cancel the processor and wait for the end")
  func cancelWhileBehind() async throws {
    try fill(1000)
    let ran = Shared(0)
    let processor = try makeFiller(ran) {
      $0.jobs = 1
      $0.filesPerBatch = 1
    }
    var iterator = processor.results(of: tree).makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    #expect(await eventually { ran.value >= 9 })
    processor.cancel()
    await processor.wait()
    // What was delivered can still be had.
    var count = 1
    await #expect(throws: Errno.canceled) {
      while try await iterator.next() != nil { count += 1 }
    }
    #expect(count >= 8 && count < 1000)
  }

  @Test("leaving the loop ends the run, and what was open is closed", arguments: [1, 8])
  func leaving(jobs: Int) async throws {
    try fill(2000)
    let processor = try makeReader {
      $0.jobs = jobs
      $0.filesPerBatch = 2
    }
    for after in [0, 1, 63, 500] {
      var seen = 0
      for try await _ in processor.results(of: tree) {
        seen += 1
        if seen > after { break }
      }
      await processor.wait()
      #expect(try openFiles == 0 && processor.statistics.files < 2000)
    }
    // Other tests may have some for a moment.
    #expect(await eventually { DescriptorBudget.gate.statistics.inUse == 0 })
    // A loop may follow at once.
    var count = 0
    for try await _ in processor.results(of: tree) { break }
    for try await _ in processor.results(of: tree) { count += 1 }
    #expect(count == 2000)
  }

  @Test("a cancelled task gets an error, at whatever moment it is cancelled")
  func cancellation() async throws {
    var random = SeededGenerator(for: "cancel results")
    try fill(1000)
    let (processor, tree) = (try makeReader { $0.filesPerBatch = 2 }, tree)
    for round in 0..<60 {
      let seen = Shared(0)
      let task = Task {
        for try await _ in processor.results(of: tree) { seen.next() }
      }
      let after = Int.random(in: 0..<(round < 30 ? 3 : 400), using: &random)
      while seen.value < after { await Task.yield() }
      task.cancel()
      let outcome = await task.result
      if case .success = outcome {
        #expect(seen.value == 1000)
      } else {
        #expect(throws: CancellationError.self) { try outcome.get() }
      }
      await processor.wait()
      #expect(try openFiles == 0)
    }
    #expect(await eventually { DescriptorBudget.gate.statistics.inUse == 0 })
  }

  @Test("a consumer that waits for a file that never comes can be cancelled")
  func cancelWhileWaiting() async throws {
    let pipe = try FileDescriptor.pipe()
    let reading = Latch()
    let processor = try FileProcessor { (file) throws(Errno) in
      reading.open()
      while try file.read() != nil {}
    }
    let task = Task {
      for try await _ in processor.results(of: .descriptor(pipe.readEnd, name: "-".utf8)) {}
    }
    _ = try await onThread { reading.wait() }
    // A second run is refused, not delayed, in every form.
    let source = FileSource.tree("/weir/none")
    await #expect(throws: FileProcessorError.runInProgress) {
      for try await _ in processor.results(of: source) {}
    }
    await #expect(throws: FileProcessorError.runInProgress) {
      try await processor.run([source]) { _ in }
    }
    _ = try await onThread {
      #expect(throws: FileProcessorError.runInProgress) { _ = try processor.run([source]) { _ in } }
    }
    #expect("\(FileProcessorError.runInProgress)".contains("; wait for its end"))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // What is open is finished first.
    try pipe.writeEnd.close()
    await processor.wait()
    try pipe.readEnd.close()
  }

  @Test("an async run delivers the same as a blocking one, and can be cancelled")
  func asyncRun() async throws {
    try fill(1000)
    let (copier, tree) = (try makeCopier { $0.filesPerBatch = 4 }, tree)
    let output = Shared<[UInt8]>([])
    let statistics = try await copier.run([tree]) { batch in
      let more = Array(batch.output)
      output.change { $0 += more }
    }
    #expect(statistics.files == 1000)
    #expect(String(decoding: output.value, as: UTF8.self) == (0..<1000).map { "\($0) " }.joined())
    await #expect(throws: Bad(number: 3)) {
      try await copier.run([tree]) { _ in throw Bad(number: 3) }
    }
    let (begun, held, batches) = (Latch(), Latch(), Shared(0))
    let task = Task {
      try await copier.run([tree]) { _ in
        if batches.next() == 1 { begun.open() }
        held.wait()
      }
    }
    _ = try await onThread { begun.wait() }
    task.cancel()
    held.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    // It returned when the run was over.
    #expect(try openFiles == 0)
    await #expect(throws: Errno.canceled) {
      try await copier.run([tree]) { _ in copier.cancel() }
    }
  }

  // MARK: Reductions

  /// A processor whose values are the numbers in the files. It fails for one small file in three,
  /// and cuts the big ones, whose number is 0, while it reads them.
  private func makeNumbers(
    _ jobs: Int, changing: Bool, order: ResultOrder
  ) throws -> FileProcessor<Void, Int> {
    try fill(300)
    for number in 0..<5 {
      let zero = Array("0 ".utf8) + [UInt8](repeating: 0x20, count: 2_000_000)
      try directory.write(zero, to: "big\(number)".utf8)
    }
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.order = order
    return try FileProcessor(options) { file -> Int in
      var number: Int?
      while let piece = try file.readPiece() {
        if changing && number == nil && file.size > 5 {
          _ = truncate(String(decoding: file.pathBytes, as: UTF8.self), 1_500_000)
        }
        let digits = piece.prefix { $0 != 0x20 }
        number = number ?? Int(String(decoding: digits, as: UTF8.self))
      }
      if changing && (number ?? 1) % 3 == 1 { throw Bad(number: number ?? -1) }
      return number ?? -1
    }
  }

  @Test(
    "the values of files that are done add up, and no others",
    arguments: [1, 4], [ResultOrder.input, .completion])
  func sum(jobs: Int, order: ResultOrder) async throws {
    let (whole, tree) = (try makeNumbers(jobs, changing: false, order: order), tree)
    let all = (0..<300).reduce(0, +)
    for _ in 0..<2 {
      let sum = try await whole.reduce(into: 0, of: [tree, tree], add, combine: add)
      #expect(sum == 2 * all && whole.statistics.files == 610)
    }
    let twice = try await whole.reduce(into: 0, of: tree, tree, accumulate: add, combine: add)
    #expect(twice == 2 * all)
    #expect(try await onThread { try whole.reduce(into: 0, of: [tree], add, combine: add) } == all)
    #expect(try await whole.reduce(into: 7, of: [], add, combine: add) == 7)
    let changing = try makeNumbers(jobs, changing: true, order: order)
    let numbers = try await changing.reduce(into: [Int](), of: [tree]) {
      $0.append($1)
    } combine: {
      $0 += $1
    }
    #expect(numbers.sorted() == (0..<300).filter { $0 % 3 != 1 })
    let statistics = changing.statistics
    #expect(statistics.failed == 100 && statistics.changed == 5 && statistics.files == 200)
  }

  @Test("the completed part is unknown while files are found, and then goes up to 1")
  func fraction() async throws {
    try fill(300)
    let parts = Shared<[Double?]>([])
    let whole = Shared<FileProcessor<Void, Void>?>(nil)
    let processor = try FileProcessor { _ in
      parts.change { $0.append(whole.value?.statistics.fractionCompleted) }
    }
    whole.change { $0 = processor }
    #expect(processor.statistics.fractionCompleted == nil)
    // Files without a value count.
    let count = try await processor.reduce(into: 0, of: [tree]) { (count, _) in
      count += 1
    } combine: {
      $0 += $1
    }
    whole.change { $0 = nil }
    #expect(count == 300 && parts.value.compactMap { $0 }.allSatisfy { (0..<1).contains($0) })
    #expect(processor.statistics.fractionCompleted == 1)
  }

  @Test("an error of a closure ends the run, and so does a cancellation")
  func reductionErrors() async throws {
    let (reader, tree) = (try makeNumbers(2, changing: false, order: .input), tree)
    await #expect(throws: Bad(number: 5)) {
      try await reader.reduce(into: 0, of: [tree]) { _, number in
        if number == 5 { throw Bad(number: 5) }
      } combine: { _, _ in
      }
    }
    await #expect(throws: Bad(number: 6)) {
      try await reader.reduce(into: 0, of: [tree], add) { _, _ in throw Bad(number: 6) }
    }
    await #expect(throws: Errno.canceled) {
      try await reader.reduce(into: 0, of: [tree]) { _, _ in
        reader.cancel()
      } combine: {
        $0 += $1
      }
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.reduce(into: 0, of: [tree], add, combine: add)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

private func add(_ sum: inout Int, _ number: Int) { sum += number }

/// A processor whose values are the contents of the files, reversed.
private func makeReader(
  _ change: (inout FileProcessorOptions) -> Void = { _ in }
) throws -> FileProcessor<Void, [UInt8]> {
  var options = FileProcessorOptions()
  change(&options)
  return try FileProcessor(options) { (file) throws(Errno) -> [UInt8] in
    var content: [UInt8] = []
    while let piece = try file.readPiece() {
      content += piece
      try file.write(piece)
    }
    return content.reversed()
  }
}

/// A processor with results so large that eight files fill what may be ahead of the consumer.
private func makeFiller(
  _ ran: Shared<Int> = Shared(0), _ change: (inout FileProcessorOptions) -> Void
) throws -> FileProcessor<Void, Void> {
  var options = FileProcessorOptions()
  change(&options)
  return try FileProcessor(options) { (file) throws(Errno) in
    ran.next()
    try file.write(capacity: 8192) { _ in 8192 }
  }
}

// The files of a run as a sequence: the same results as with a closure, never far ahead of the
// consumer, and no run after the consumer has left.

import Dispatch
import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileResultsTests {
  // ---- what comes ----

  @Test("a failed file has no value, also if its job returns none")
  func outcomes() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("1", to: "a")
    try directory.write("throw", to: "b")
    try directory.makeFIFO("f")
    let reader = try FileProcessor { (file) throws(Errno) -> Int in
      if file.size == 5 { throw .ioError }
      return Int(file.size)
    }
    var seen: [String] = []
    for try await file in reader.results(
      of: .path(bytes: directory.path), directory.source("none"))
    {
      seen.append("\(file.outcome) \(file.value.map { "\($0)" } ?? "-") \(file.isNamed)")
    }
    #expect(
      seen == [
        "done(1) 1 false", "failed(Input/output error) - false", "special - false",
        "failed(No such file or directory) - true",
      ])
    let silent = try FileProcessor { (_) throws(Errno) in }
    for try await file in silent.results(of: directory.source("a"), directory.source("none")) {
      #expect((file.value != nil) == (file.bytesRead == 0 && file.type == .file))
    }
  }

  @Test("an error of any type that a job throws is the outcome of its file", arguments: [1, 8])
  func anyError(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<40 { try directory.write("\(number)", to: "f\(number + 100)") }
    try directory.makeDirectory("d")
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.filesPerBatch = 3
    options.isLiteral = true
    let reader = try FileProcessor(options) { file in
      guard let piece = try file.readPiece(), let text = String(validating: piece, as: UTF8.self),
        let number = Int(text)
      else { throw OwnError(number: -1) }
      if number % 10 == 3 { throw OwnError(number: number) }
      if number % 10 == 4 { throw Errno.tooManyLinks }
      if number % 10 == 5 { throw Errno(rawValue: 0) }
      try file.write(piece)
      return number
    }
    let sources = (0..<40).map { directory.source("f\($0 + 100)") } + [directory.source("d")]
    var seen: [String] = []
    for try await file in reader.results(of: sources) {
      switch file.outcome {
      case .done(let number): seen.append("\(number) \(file.output == Array("\(number)".utf8))")
      case .failed(Errno.tooManyLinks): seen.append("links")
      case .failed(let error as OwnError): seen.append("own \(error.number)")
      case .failed(let error as Errno): seen.append("errno \(error.rawValue)")
      default: seen.append("\(file.outcome)")
      }
    }
    let expected =
      (0..<40).map { number in
        switch number % 10 {
        case 3: "own \(number)"
        case 4: "links"
        case 5: "errno 0"
        default: "\(number) true"
        }
      } + ["errno \(Errno.isDirectory.rawValue)"]
    #expect(difference(seen, expected) == nil)
    #expect(reader.statistics.failed == 13 && reader.statistics.files == 28)
    // The same errors, delivered in batches, which have no values.
    let run = try await reader.collecting(sources)
    let errors = run.outcomes.filter { $0 != "done" }
    #expect(
      errors.count == 13 && errors[0] == "OwnError(number: 3)"
        && errors[1] == "\(Errno.tooManyLinks.rawValue)")
  }

  @Test("without sources there is no element, and each iteration is a run")
  func again() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let processor = try makeReader()
    for try await _ in processor.results(of: []) { Issue.record("a file of no sources") }
    let results = processor.results(of: directory.source("a"))
    for _ in 0..<3 {
      var iterator = results.makeAsyncIterator()
      #expect(try await iterator.next()?.output == [UInt8(ascii: "x")])
      for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    }
  }

  @Test("stored results stay valid, and every value is freed once", arguments: [1, 8])
  func values(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<300 { try directory.write("\(number)", to: "f\(number + 1000)") }
    let crowd = Shared(Crowd())
    do {
      var options = FileProcessorOptions()
      options.jobs = jobs
      options.filesPerBatch = 4
      let processor = try FileProcessor(options) { (file) throws(Errno) -> Life in
        if file.path.last == UInt8(ascii: "7") { throw .ioError }
        return Life(crowd)
      }
      var kept: [ProcessedFile<Life>] = []
      for try await file in processor.results(of: .path(bytes: directory.path)) {
        kept.append(file)
      }
      #expect(crowd.value.now == 270 && kept.count == 300)
      #expect(kept.count { $0.value == nil } == 30)
      kept = []
      #expect(crowd.value.now == 0)
      // The ones that nobody takes, too.
      for try await file in processor.results(of: .path(bytes: directory.path))
      where file.pathBytes.last == UInt8(ascii: "2") {
        break
      }
      await processor.wait()
      _ = try await onThread { try processor.run([.path(bytes: directory.path)]) { _ in } }
    }
    #expect(crowd.value.now == 0 && crowd.value.ever >= 270)
  }

  // ---- the consumer's pace ----

  @Test(
    "a consumer that stands still stops the lanes", arguments: [ResultOrder.input, .completion])
  func backPressure(order: ResultOrder) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<1000 { try directory.write("", to: "f\(number)") }
    var options = FileProcessorOptions()
    options.jobs = 2
    options.filesPerBatch = 2
    options.order = order
    let ran = Shared(0)
    let processor = try FileProcessor(options) { (file) throws(Errno) in
      ran.change { $0 += 1 }
      // 8 files fill what may be ahead of the consumer.
      try file.write(capacity: 8192) { _ in 8192 }
    }
    var iterator = processor.results(of: .path(bytes: directory.path)).makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    // Those that the consumer holds, those that wait for him, and the strides
    // there are. It never gets to more, however long one waits.
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
      alarm(40)
      try DescriptorBudget.setTotal(12)
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

  @Test("a consumer that is behind may cancel the processor and wait for the end")
  func cancelWhileBehind() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<1000 { try directory.write("", to: "f\(number)") }
    let processor = try makeFiller {
      $0.jobs = 1
      $0.filesPerBatch = 1
    }
    var iterator = processor.results(of: .path(bytes: directory.path)).makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    // Until as much is ahead of it as may be, and everything stands still.
    var calm = 0
    var before: UInt64 = 0
    while before < 9 || calm < 1000 {
      let files = processor.statistics.files
      calm = files == before ? calm + 1 : 0
      before = files
      await Task.yield()
    }
    processor.cancel()
    await processor.wait()
    // What was delivered can still be had.
    var count = 1
    await #expect(throws: Errno.canceled) {
      while try await iterator.next() != nil { count += 1 }
    }
    #expect(count >= 9 && count < 1000)
  }

  // ---- ends ----

  @Test("leaving the loop ends the run, and what was open is closed", arguments: [1, 8])
  func leaving(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<2000 { try directory.write("x", to: "f\(number)") }
    let processor = try makeReader {
      $0.jobs = jobs
      $0.filesPerBatch = 2
    }
    for after in [0, 1, 2, 63, 500] {
      var seen = 0
      for try await _ in processor.results(of: .path(bytes: directory.path)) {
        seen += 1
        if seen > after { break }
      }
      await processor.wait()
      #expect(openFiles(in: directory) == 0)
      #expect(processor.statistics.files < 2000)
    }
    // Other tests may have some for a moment.
    #expect(await eventually { DescriptorBudget.gate.statistics.inUse == 0 })
    // A loop may follow at once.
    var count = 0
    for try await _ in processor.results(of: .path(bytes: directory.path)) { break }
    for try await _ in processor.results(of: .path(bytes: directory.path)) { count += 1 }
    #expect(count == 2000)
  }

  @Test("a cancelled task gets an error, at whatever moment it is cancelled")
  func cancellation() async throws {
    var random = SeededGenerator(for: "cancel results")
    let directory = try TemporaryDirectory()
    for number in 0..<1000 { try directory.write("x", to: "f\(number)") }
    let processor = try makeReader { $0.filesPerBatch = 2 }
    for round in 0..<60 {
      let seen = Shared(0)
      let task = Task {
        for try await _ in processor.results(of: .path(bytes: directory.path)) {
          seen.change { $0 += 1 }
        }
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
      #expect(openFiles(in: directory) == 0)
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
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // What is open is finished first.
    try pipe.writeEnd.close()
    await processor.wait()
    try pipe.readEnd.close()
  }

  @Test("a run inside another one is refused, not delayed")
  func busy() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.write("x", to: "b")
    let processor = try makeReader { $0.filesPerBatch = 1 }
    let latch = Latch()
    let holder = try FileProcessor { (_) throws(Errno) in latch.wait() }
    let held = Task {
      var count = 0
      for try await _ in holder.results(of: directory.source("a")) { count += 1 }
      return count
    }
    while holder.statistics.lanesPeak == 0 { await Task.yield() }
    await #expect(throws: FileProcessorError.runInProgress) {
      for try await _ in holder.results(of: directory.source("b")) {}
    }
    await #expect(throws: FileProcessorError.runInProgress) {
      try await holder.run([directory.source("b")]) { _ in }
    }
    _ = try await onThread {
      #expect(throws: FileProcessorError.runInProgress) {
        _ = try holder.run([directory.source("b")]) { _ in }
      }
    }
    #expect("\(FileProcessorError.runInProgress)".contains("; wait for its end"))
    latch.open()
    #expect(try await held.value == 1)
    // Of another processor they may be.
    for try await _ in processor.results(of: directory.source("a")) {
      for try await _ in holder.results(of: directory.source("b")) {}
    }
  }

  // ---- the async run ----

  @Test("an async run delivers the same as a blocking one, and can be cancelled")
  func asyncRun() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<1000 { try directory.write("\(number) ", to: "f\(number + 1000)") }
    let copier = try makeCopier { $0.filesPerBatch = 4 }
    let output = Shared<[UInt8]>([])
    let statistics = try await copier.run([.path(bytes: directory.path)]) { batch in
      let more = Array(batch.output)
      output.change { $0 += more }
    }
    #expect(statistics.files == 1000)
    #expect(String(decoding: output.value, as: UTF8.self) == (0..<1000).map { "\($0) " }.joined())
    await #expect(throws: OwnError(number: 3)) {
      try await copier.run([.path(bytes: directory.path)]) { _ in throw OwnError(number: 3) }
    }
    let begun = Latch()
    let held = Latch()
    let batches = Shared(0)
    let task = Task {
      try await copier.run([.path(bytes: directory.path)]) { _ in
        let number = batches.next()
        if number == 1 { begun.open() }
        held.wait()
      }
    }
    _ = try await onThread { begun.wait() }
    task.cancel()
    held.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    // It returned when the run was over.
    #expect(openFiles(in: directory) == 0)
    await #expect(throws: Errno.canceled) {
      try await copier.run([.path(bytes: directory.path)]) { _ in copier.cancel() }
    }
  }
}

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

/// A processor with results so large that eight files fill the consumer's channel.
private func makeFiller(
  _ change: (inout FileProcessorOptions) -> Void
) throws -> FileProcessor<Void, Void> {
  var options = FileProcessorOptions()
  change(&options)
  return try FileProcessor(options) { (file) throws(Errno) in
    try file.write(capacity: 8192) { _ in 8192 }
  }
}

/// The number of descriptors of this process that refer to files of a directory.
private func openFiles(in directory: TemporaryDirectory) -> Int {
  var count = 0
  for number in 0..<200 {
    var target = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/fd/\(number)", &target, target.count)
    let path = target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
    if path.starts(with: directory.path) { count += 1 }
  }
  return count
}

// One round of every job and of every form of the libraries, whose results are verified.

import Dispatch
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

/// The files that the rounds read, and the results of the first round.
final class EnduranceRounds: Sendable {
  private let directory: TemporaryDirectory
  private let tree: [UInt8]
  private let manifest = Shared<[UInt8]?>(nil)
  private let fileCount = 150

  init() throws {
    directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "endurance")
    try directory.fill("t", files: fileCount, using: &random)
    try directory.write(random.bytes(9 << 20), to: Array("t/large".utf8))
    try directory.write("same", to: "t/one")
    try directory.write("same", to: "t/two")
    tree = directory.path("t")
  }

  private var source: FileSource { .path(bytes: tree) }
  private var files: Int { fileCount + 3 }

  /// Runs everything once.
  func run() async throws {
    try await onThread { [self] in
      try hash()
      try check()
      try count()
      try duplicates()
      try commands()
      try shards()
      try cancelled()
      try output()
      try blockingForms()
      try children()
    }
    try await sequences()
    try await suspendingForms()
  }

  // MARK: Jobs

  private func hash() throws {
    for (algorithms, format) in [
      ([DigestAlgorithm.sha256], ManifestFormat.text), ([.sha256, .md5], .json),
      ([.blake3], .mtree),
    ] {
      let lines = Shared<[UInt8]>([])
      try HashJob(algorithms, format: format).run([source]) { batch in
        let output = Array(batch.output)
        lines.change { $0 += output }
      }
      guard format == .text else { continue }
      let expected = manifest.change { known in
        known = known ?? lines.value
        return known
      }
      #expect(lines.value == expected)
    }
    try directory.write(manifest.value ?? [], to: Array("M".utf8))
  }

  private func check() throws {
    let matched = Shared(0)
    try CheckJob().run([.path(bytes: directory.path("M"))]) { event in
      guard case .line(let line) = event, case .matched = line.outcome else { return }
      matched.change { $0 += 1 }
    }
    #expect(matched.value == files)
    let new = Shared(0)
    try AuditJob(of: tree).run([.path(bytes: directory.path("M"))]) { event in
      if case .new = event { new.change { $0 += 1 } }
    }
    #expect(new.value == 0)
  }

  private func count() throws {
    let statistics = try CountJob([.lines, .words, .bytes]).run([source]) { _ in }
    #expect(statistics.files == UInt64(files))
  }

  private func duplicates() throws {
    var options = DuplicatesJob.Options()
    options.verifies = true
    let groups = Shared(0)
    try DuplicatesJob(options).run([source]) { event in
      if case .group = event { groups.change { $0 += 1 } }
    }
    #expect(groups.value >= 1)
  }

  private func commands() throws {
    let template = CommandTemplate(words("sh", "-c", "echo $1; [ $1 != 3 ]", "sh", "{}"))
    for (resumption, expected) in [(JobLog.Resumption.none, 4), (.all, 0), (.successes, 1)] {
      var options = CommandJobOptions()
      options.log = try JobLog(directory.path("L"), resumption)
      let finished = Shared(0)
      let job = try CommandJob(template, options)
      try job.run((1...4).map { .path(Array("\($0)".utf8)) }) { event in
        if case .finished = event { finished.change { $0 += 1 } }
      }
      #expect(finished.value == expected)
    }
    unlink("\(directory.text)/L")
  }

  private func shards() throws {
    let plan = directory.path("P")
    let writer = try PlanWriter(
      plan, shards: 2, strategy: .size, root: Array("/".utf8), memory: 64 << 20)
    try PlanJob(options: FileProcessorOptions()).run([source], lists: []) { record, _ in
      try writer.add(record)
    } report: { _ in
    }
    _ = try writer.finish(
      filtered: 0, named: PlanNamedInputs(bytes: 0, hasOther: false, isSingle: false))
    for shard in 0..<2 {
      let reader = try PlanReader(plan)
      let header = PartHeader(
        plan: reader.header.id, shard: shard, shards: 2, verb: "hash", words: [], engine: "test",
        attempt: 1)
      let part = try PartWriter(
        PartFile(in: directory.path, shard: shard, of: 2), header, resumes: false)
      let feed = ShardFeed(reader, shard: shard, skipping: 0, expectsUnchanged: true)
      var options = FileProcessorOptions()
      options.expectsPlannedFiles = true
      try HashJob([.sha256], options: options).run([feed.source]) { batch in
        for index in 0..<batch.count {
          var record: [UInt8] = []
          batch[index].append(to: &record)
          try part.append(
            record, items: 1, nameCheck: NameHash.check(batch[index].path), .success)
        }
      }
      _ = try part.finish()
    }
    let reader = try PlanReader(plan)
    var set = PartSet(try PartDirectory(directory.path, shards: 2), of: reader.header)
    #expect(set.check().isEmpty)
    var merged: [UInt8] = []
    try ResultReplay(reader, try set.readers(), deliversWholeTree: false).run { batch in
      merged += Array(batch.output)
    }
    #expect(merged == manifest.value)
    for shard in 0..<2 {
      let name = PartFile(in: directory.path, shard: shard, of: 2).name
      unlink("\(directory.text)/\(name)")
    }
  }

  /// Runs that are cancelled, or whose delivery fails.
  private func cancelled() throws {
    struct Failure: Error {}
    let job = try HashJob(.sha256)
    #expect(throws: Failure.self) { try job.run([source]) { _ in throw Failure() } }
    #expect(throws: Errno.canceled) { try job.run([source]) { _ in job.cancel() } }
    try job.run([.path(bytes: directory.path("no such file"))]) { _ in }
    #expect(job.statistics.failed == 1)
  }

  private func output() throws {
    let output = try OutputFile(directory.path("O"))
    _ = try output.lock()
    try output.begin(with: LedgerHeader(version: "1", words: []).line)
    try output.beginOutput(with: Array("made\n".utf8), ledger: nil)
    try output.finish(keepsRecords: false)
    unlink("\(directory.text)/O")
  }

  // MARK: The overlay

  private func blockingForms() throws {
    let gate = Gate(label: "endurance", permits: 3)
    let numbers = Array(1...1000)
    let sum = numbers.concurrentReduce(0) { $0 + $1 }
    #expect(sum == 500_500)
    #expect(numbers.concurrentMap { number in gate.withPermit { number } } == numbers)
    let lanes = Lanes(label: "endurance", width: 3, backlog: 20)
    let group = WorkGroup(label: "endurance")
    let queue = OwnedQueue(label: "endurance", context: 0)
    for number in 1...100 {
      group.async(on: lanes) { try gate.withPermits(2) { queue.async { $0 += number } } }
    }
    #expect(try group.wait() == .success)
    #expect(queue.sync { $0 } == 5050)
    lanes.wait()
    lanes.close()
    let recorder = TraceRecorder(eventsPerThread: 128)
    try recorder.record { concurrentLoop(0..<100) { _ in WeirTrace.note("endurance") } }
    let sink = try FileDescriptor.open("/dev/null", .writeOnly)
    defer { try? sink.close() }
    try recorder.write(to: sink, format: .jsonLines)
    try WeirTrace.writeSnapshot(to: sink)
    #expect(FileWalk(FilePath(directory.text)).filter { $0.type == .file }.count >= files)
    gate.close()
  }

  private func children() throws {
    let child = try ChildProcess(
      ["sh", "-c", "echo out; exit 3"], ChildProcess.Options(output: .pipe))
    let ending = try child.collect(timeout: .seconds(60)) { _ in }
    #expect(ending == .exited(3))
    #expect(throws: Errno.noSuchFileOrDirectory) { _ = try ChildProcess(["/weir/no/such"]) }
    let sorted = try ChildProcess.run(["sort"], input: Array("b\na\n".utf8))
    #expect(sorted.standardOutput == Array("a\nb\n".utf8))
  }

  private func sequences() async throws {
    var done = 0
    for try await file in try HashJob(.md5).results(of: [source]) {
      if case .done = file.outcome { done += 1 }
    }
    #expect(done == files)
    // A consumer that goes away cancels the run.
    for try await _ in try HashJob(.md5).results(of: [source]) { break }
  }

  private func suspendingForms() async throws {
    let gate = Gate(label: "endurance", permits: 2)
    let squares = try await (1...200).mapConcurrently(limit: 4, within: gate) { $0 * $0 }
    #expect(squares.count == 200)
    let lanes = Lanes(label: "endurance", width: 2)
    #expect(try await lanes.run { 42 } == 42)
    let permit = try await gate.acquire(2)
    await #expect(throws: TimeoutError.self) {
      _ = try await gate.acquire(1, timeout: .milliseconds(1))
    }
    permit.release()
    let task = Task { try await gate.withPermits(2) { try await Task.sleep(for: .seconds(60)) } }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    let results = try await (1...20).mapConcurrently(limit: 4, failures: .becomeResults) { number in
      if number % 2 == 0 { throw GateError.closed }
      return number
    }
    #expect(results.count == 20)
    await lanes.wait()
  }
}

// FileProcessor: order, contexts, errors of single files, the end of runs, and statistics.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(2)))
struct FileProcessorTests {
  // ---- order and content ----

  @Test("order and content are the same for any number of lanes")
  func sameForAnyWidth() async throws {
    var random = SeededGenerator(for: "width")
    let directory = try TemporaryDirectory()
    let files = try directory.fill("tree", files: 400, using: &random)
    let expected = try files.flatMap { try directory.content($0) }
    var variants: [(inout FileProcessorOptions) -> Void] = [{ $0.isInline = true }]
    for (jobs, stride, descriptors) in [
      (1, nil, nil), (2, nil, nil), (16, nil, nil), (2, 1, nil), (16, 3, nil), (16, 500, nil),
      (3, nil, 1), (16, 7, 2), (16, 64, 3),
    ] as [(Int, Int?, Int?)] {
      variants.append {
        $0.jobs = jobs
        $0.filesPerBatch = stride
        $0.descriptors = descriptors
      }
    }
    for variant in variants {
      let run = try await makeCopier(variant).collecting([directory.source("tree")])
      #expect(difference(run.paths, files.map { directory.path($0) }) == nil)
      #expect(difference(run.output, expected) == nil)
      #expect(difference(run.results.flatMap(\.output), expected) == nil)
      #expect(run.statistics.files == 400 && run.statistics.bytes == UInt64(expected.count))
    }
  }

  @Test("in the order of completion no file is missing and none is delivered twice")
  func completionOrder() async throws {
    var random = SeededGenerator(for: "completion")
    let directory = try TemporaryDirectory()
    let files = try directory.fill("tree", files: 300, using: &random)
    let copier = try makeCopier {
      $0.order = .completion
      $0.jobs = 8
      $0.filesPerBatch = 2
    }
    let run = try await copier.collecting([directory.source("tree")])
    let paths = run.paths.sorted(by: precedesInWalk)
    #expect(difference(paths, files.map { directory.path($0) }) == nil)
    for result in run.results where result.bytesRead < 50 {
      #expect(
        result.output == (try directory.content(result.path.dropFirst(directory.path.count + 1))))
    }
  }

  @Test("sources are delivered in order, also one that is listed twice")
  func sourcesInOrder() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write(name, to: name) }
    let run = try await makeCopier { $0.jobs = 4 }.collecting(
      ["c", "a", "b", "a"].map(directory.source))
    #expect(String(decoding: run.output, as: UTF8.self) == "caba")
    #expect(run.results.allSatisfy { $0.isNamed && $0.type == .file })
  }

  @Test("without sources nothing is delivered")
  func noSources() async throws {
    let run = try await makeCopier().collecting([])
    #expect(run.results.isEmpty && run.statistics.files == 0 && run.statistics.directories == 0)
  }

  @Test("batches are never delivered two at a time", arguments: [ResultOrder.input, .completion])
  func oneDeliveryAtATime(order: ResultOrder) async throws {
    var random = SeededGenerator(for: "one")
    let directory = try TemporaryDirectory()
    try directory.fill("tree", files: 200, using: &random)
    let copier = try makeCopier {
      $0.jobs = 8
      $0.filesPerBatch = 1
      $0.order = order
    }
    let most = try await onThread {
      let state = Shared((now: 0, most: 0))
      try copier.run([directory.source("tree")]) { _ in
        state.change {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        for _ in 0..<20 { sched_yield() }
        state.change { $0.now -= 1 }
      }
      return state.value.most
    }
    #expect(most == 1)
  }

  // ---- contexts ----

  @Test("the context of each lane is created once and destroyed once", arguments: [1, 2, 5])
  func contexts(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<40 { try directory.write("x", to: "f\(number)") }
    let made = Shared(0)
    let destroyed = Shared(0)
    let all = DispatchSemaphore(value: 0)
    try await onThread {
      do {
        var options = FileProcessorOptions()
        options.jobs = jobs
        options.filesPerBatch = 1
        let processor = try FileProcessor<Token, Void>(
          options,
          context: { () throws(Errno) in
            made.change { $0 += 1 }
            return Token {
              destroyed.change { $0 += 1 }
              all.signal()
            }
          }, job: { _, _ in })
        #expect(made.value == jobs)
        for _ in 0..<2 { try processor.run([.path(bytes: directory.path)]) { _ in } }
        #expect(made.value == jobs && destroyed.value == 0)
      }
      for _ in 0..<jobs { #expect(all.wait(timeout: .now() + 40) == .success) }
      #expect(all.wait(timeout: .now()) == .timedOut)
    }
    #expect(made.value == jobs && destroyed.value == jobs)
  }

  @Test("a job finds the lane's context as the job before it left it")
  func contextIsKept() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<9 { try directory.write("x", to: "f\(number)") }
    var options = FileProcessorOptions()
    options.jobs = 1
    let processor = try FileProcessor<[UInt8], Void>(
      options, context: { () throws(Errno) in [] }
    ) { (file, seen) throws(Errno) in
      seen.append(file.path.last ?? 0)
      try file.write(seen)
    }
    let run = try await processor.collecting([.path(bytes: directory.path)])
    #expect(run.results.last?.output == Array("012345678".utf8))
  }

  @Test("the initializer throws the error of creating a context")
  func contextThrows() async throws {
    for failing in 0..<3 {
      let made = Shared(0)
      let destroyed = DispatchSemaphore(value: 0)
      var options = FileProcessorOptions()
      options.jobs = 3
      #expect(throws: Errno.notSupported) {
        _ = try FileProcessor<Token, Void>(
          options,
          context: { () throws(Errno) in
            let number = made.change { made in
              made += 1
              return made - 1
            }
            if number == failing { throw .notSupported }
            return Token { destroyed.signal() }
          }, job: { _, _ in })
      }
      try await onThread {
        for _ in 0..<2 { #expect(destroyed.wait(timeout: .now() + 40) == .success) }
      }
    }
  }

  // ---- errors ----

  @Test("the error of a job stays with its file, and its output is dropped", arguments: [1, 8])
  func jobThrows(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 10..<60 { try directory.write("\(number) ", to: "f\(number)") }
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.filesPerBatch = 7
    let processor = try FileProcessor<Int, Void>(
      options, context: { () throws(Errno) in 0 }
    ) { (file, _) throws(Errno) in
      while let piece = try file.read() { try file.write(piece) }
      if file.path.last == UInt8(ascii: "3") { throw .invalidArgument }
    }
    let run = try await processor.collecting([.path(bytes: directory.path)])
    let good = (10..<60).filter { $0 % 10 != 3 }
    #expect(String(decoding: run.output, as: UTF8.self) == good.map { "\($0) " }.joined())
    let expected = (10..<60).map { $0 % 10 == 3 ? "\(Errno.invalidArgument.rawValue)" : "done" }
    #expect(run.outcomes == expected)
    #expect(
      run.results.allSatisfy { $0.bytesRead == 3 && ($0.outcome == "done" || $0.output.isEmpty) })
    #expect(run.statistics.files == 45 && run.statistics.failed == 5 && run.statistics.bytes == 150)
  }

  @Test("an unreadable file is a result in its place", arguments: [1, 2, 16])
  func failures(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("1", to: "a")
    try directory.makeDirectory("d")
    try directory.link("d/back", to: "..")
    try directory.link("d/dangling", to: "nowhere")
    try directory.makeFIFO("f")
    try directory.makeSocket("s")
    try directory.write("2", to: "z")
    let copier = try makeCopier {
      $0.jobs = jobs
      $0.followsSymbolicLinks = true
    }
    let run = try await copier.collecting(
      [
        directory.source("none"), .path(bytes: directory.path), .path(bytes: []),
        directory.source("f"),
      ])
    let none = "\(Errno.noSuchFileOrDirectory.rawValue)"
    let expected = [
      none, "done", "\(Errno.tooManySymbolicLinkLevels.rawValue)", none, "special", "special",
      "done", none, "special",
    ]
    #expect(run.outcomes == expected)
    try #require(run.results.count == expected.count)
    #expect(
      run.names.dropFirst().dropLast(2).map { $0.dropFirst(directory.path.count + 1) }
        == ["a", "d/back", "d/dangling", "f", "s", "z"])
    #expect(run.results[4].type == .fifo && run.results[5].type == .socket)
    #expect(run.results[7].path.isEmpty)
    #expect(
      run.results.map(\.isNamed) == [true] + Array(repeating: false, count: 6) + [true, true])
    #expect(
      run.statistics.failed == 4 && run.statistics.special == 3 && run.statistics.specialNamed == 1)
  }

  @Test("links in a tree are skipped and counted; a named link is followed")
  func links() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.makeDirectory("d")
    try directory.link("d/l", to: "../a")
    try directory.link("l", to: "d")
    let run = try await makeCopier().collecting([.path(bytes: directory.path)])
    #expect(
      run.statistics.links == 2 && run.statistics.files == 1 && run.statistics.directories == 2)
    let named = try await makeCopier().collecting([directory.source("d/l"), directory.source("l")])
    #expect(named.outcomes == ["done"] && named.statistics.links == 1)
    let followed = try await makeCopier { $0.followsSymbolicLinks = true }
      .collecting([.path(bytes: directory.path)])
    #expect(followed.outcomes == ["done", "done", "done"] && followed.statistics.links == 0)
  }

  // ---- ends ----

  @Test("the error of the delivery ends the run and is thrown unchanged", arguments: [1, 8])
  func deliverThrows(jobs: Int) async throws {
    var random = SeededGenerator(for: "throws")
    let directory = try TemporaryDirectory()
    let files = try directory.fill("tree", files: 300, using: &random)
    let copier = try makeCopier {
      $0.jobs = jobs
      $0.filesPerBatch = 3
    }
    try await onThread {
      let deliveries = Shared(0)
      #expect(throws: OwnError(number: 7)) {
        try copier.run([directory.source("tree")]) { _ in
          let number = deliveries.change { count in
            count += 1
            return count
          }
          if number == 7 { throw OwnError(number: number) }
        }
      }
      #expect(deliveries.value == 7)
      // And it can run again.
      let again = try copier.collect([directory.source("tree")])
      #expect(again.results.count == files.count)
    }
  }

  @Test(
    "a cancelled run ends with Errno.canceled, having delivered a beginning", arguments: [1, 8])
  func cancel(jobs: Int) async throws {
    var random = SeededGenerator(for: "cancel")
    let directory = try TemporaryDirectory()
    // More strides than can be under way at once.
    let files = try directory.fill("tree", files: 1200, using: &random).map { directory.path($0) }
    let copier = try makeCopier {
      $0.jobs = jobs
      $0.filesPerBatch = 4
    }
    let delivered = try await onThread {
      let delivered = Shared<[[UInt8]]>([])
      #expect(throws: Errno.canceled) {
        try copier.run([directory.source("tree")]) { batch in
          let paths = (0..<batch.count).map { Array(batch[$0].path) }
          let count = delivered.change {
            $0 += paths; return $0.count
          }
          if count >= 40 { copier.cancel() }
        }
      }
      return delivered.value
    }
    #expect(delivered.count >= 40 && delivered.count < files.count)
    #expect(difference(delivered, files.prefix(delivered.count)) == nil)
    let again = try await copier.collecting([directory.source("tree")])
    #expect(difference(again.paths, files) == nil)
  }

  @Test("a job can cancel; cancelling without a run does nothing")
  func cancelFromJob() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<200 { try directory.write("x", to: "f\(number)") }
    let itself = Shared<FileProcessor<Int, Void>?>(nil)
    var options = FileProcessorOptions()
    options.isInline = true
    options.filesPerBatch = 10
    let processor = try FileProcessor<Int, Void>(
      options, context: { () throws(Errno) in 0 }
    ) { (_, count) throws(Errno) in
      count += 1
      if count == 25 { itself.value?.cancel() }
    }
    itself.change { $0 = processor }
    defer { itself.change { $0 = nil } }
    processor.cancel()
    try await onThread {
      let count = Shared(0)
      #expect(throws: Errno.canceled) {
        try processor.run([.path(bytes: directory.path)]) { batch in
          let files = batch.count
          count.change { $0 += files }
        }
      }
      #expect(count.value == 25)
      let again = try processor.collect([.path(bytes: directory.path)])
      #expect(again.results.count == 200)
    }
  }

  @Test("a second run at the same time is refused")
  func busy() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let copier = try makeCopier { $0.jobs = 2 }
    let outcome = try await onThread {
      let inner = Shared<FileProcessorError?>(nil)
      try copier.run([directory.source("a")]) { _ in
        do {
          try copier.run([directory.source("a")]) { _ in }
        } catch let error as FileProcessorError {
          inner.change { $0 = error }
        }
      }
      return inner.value
    }
    #expect(outcome == .runInProgress)
    #expect(try await copier.collecting([directory.source("a")]).outcomes == ["done"])
  }

  @Test("more lanes than the maximum are refused")
  func tooManyJobs() {
    #expect(throws: Errno.invalidArgument) {
      _ = try makeCopier { $0.jobs = Lanes.widthMax + 1 }
    }
  }

  @Test("the statistics of a run begin at zero, and stay within their bounds")
  func statistics() async throws {
    var random = SeededGenerator(for: "statistics")
    let directory = try TemporaryDirectory()
    try directory.fill("tree", files: 300, using: &random)
    let copier = try makeCopier {
      $0.jobs = 3
      $0.descriptors = 4
      $0.filesPerBatch = 5
    }
    let first = try await copier.collecting([directory.source("tree")]).statistics
    let second = try await copier.collecting([directory.source("tree")]).statistics
    #expect(first.files == 300 && second.files == 300)
    #expect(first.bytes == second.bytes && first.directories == second.directories)
    #expect(first.lanes == 3 && (1...3).contains(first.lanesPeak))
    #expect((1...4).contains(first.descriptorsPeak) && (1...4).contains(second.descriptorsPeak))
  }
}

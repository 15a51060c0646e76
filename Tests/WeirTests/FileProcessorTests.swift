// FileProcessor: order, contexts, errors of single files, the end of runs, and statistics.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileProcessorTests {
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
            let number = made.next() - 1
            if number == failing { throw .notSupported }
            return Token { destroyed.signal() }
          }, job: { _, _ in })
      }
      try await onThread {
        for _ in 0..<2 { #expect(destroyed.wait(timeout: .now() + 40) == .success) }
      }
    }
  }

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
          let number = deliveries.next()
          if number == 7 { throw OwnError(number: number) }
        }
      }
      #expect(deliveries.value == 7)
      // And it can run again.
      let again = try copier.collect([directory.source("tree")])
      #expect(again.results.count == files.count)
    }
  }
}

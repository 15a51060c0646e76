// Reductions of the values of files: which files count, and how a reduction ends.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileReductionTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for number in 0..<300 { try directory.write("\(number)", to: "f\(number)") }
    for number in 0..<5 {
      try directory.write([UInt8](repeating: 1, count: 2_000_000), to: "big\(number)".utf8)
    }
  }

  /// A processor whose values are the numbers in the small files, and 0 for the big ones. It
  /// fails for one small file in three, and cuts the big ones while it reads them.
  private func makeReader(
    _ jobs: Int, changing: Bool, order: ResultOrder
  ) throws -> FileProcessor<Void, Int> {
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.order = order
    return try FileProcessor(options) { file -> Int in
      var number = 0
      var count = 0
      while let piece = try file.readPiece() {
        if changing && count == 0 && file.size > 4 {
          guard truncate(String(decoding: file.pathBytes, as: UTF8.self), 1_500_000) == 0 else {
            throw Errno.ioError
          }
        }
        count += piece.count
        if count < 4 { number = Int(String(decoding: piece, as: UTF8.self)) ?? -1 }
      }
      if changing && number % 3 == 1 { throw OwnError(number: number) }
      return number
    }
  }

  @Test("the completed part is unknown while files are found, and then goes up to 1")
  func fraction() async throws {
    let parts = Shared<[Double?]>([])
    let whole = Shared<FileProcessor<Void, Void>?>(nil)
    let processor = try FileProcessor { _ in
      parts.change { $0.append(whole.value?.statistics.fractionCompleted) }
    }
    whole.change { $0 = processor }
    #expect(processor.statistics.fractionCompleted == nil)
    try await processor.reduce(into: (), of: .tree(directory.text)) { _, _ in
    } combine: { _, _ in
    }
    whole.change { $0 = nil }
    let known = parts.value.compactMap { $0 }
    #expect(known.allSatisfy { (0..<1).contains($0) })
    #expect(processor.statistics.fractionCompleted == 1)
  }

  @Test(
    "the values of files that are done add up, and no others",
    arguments: [1, 4], [ResultOrder.input, .completion])
  func sum(jobs: Int, order: ResultOrder) async throws {
    let whole = try makeReader(jobs, changing: false, order: order)
    let source = FileSource.tree(directory.text)
    let all = (0..<300).reduce(0, +)
    for _ in 0..<2 {
      let sum = try await whole.reduce(into: 0, of: [source, source], add, combine: add)
      #expect(sum == 2 * all && whole.statistics.files == 610)
    }
    let twice = try await whole.reduce(into: 0, of: source, source, accumulate: add, combine: add)
    #expect(twice == 2 * all)
    let blocking = try await onThread {
      try whole.reduce(into: 0, of: [source], add, combine: add)
    }
    #expect(blocking == all)
    let changing = try makeReader(jobs, changing: true, order: order)
    let numbers = try await changing.reduce(into: [Int](), of: [source]) {
      $0.append($1)
    } combine: {
      $0 += $1
    }
    #expect(numbers.sorted() == (0..<300).filter { $0 % 3 != 1 })
    let statistics = changing.statistics
    #expect(statistics.failed == 100 && statistics.changed == 5 && statistics.files == 200)
  }

  @Test("no files give the identity, and files without a value count")
  func identity() async throws {
    let counter = try FileProcessor { _ in }
    let none = try await counter.reduce(into: 7, of: []) { (count, _) in
      count += 1
    } combine: {
      $0 += $1
    }
    #expect(none == 7)
    let all = try await counter.reduce(into: 0, of: [.tree(directory.text)]) { (count, _) in
      count += 1
    } combine: {
      $0 += $1
    }
    #expect(all == 305)
  }

  @Test("an error of a closure ends the run, and so does a cancellation")
  func errors() async throws {
    let reader = try makeReader(2, changing: false, order: .input)
    let source = FileSource.tree(directory.text)
    await #expect(throws: OwnError(number: 5)) {
      try await reader.reduce(into: 0, of: [source]) { _, number in
        if number == 5 { throw OwnError(number: 5) }
      } combine: { _, _ in
      }
    }
    await #expect(throws: OwnError(number: 6)) {
      try await reader.reduce(into: 0, of: [source]) {
        $0 += $1
      } combine: { _, _ in
        throw OwnError(number: 6)
      }
    }
    await #expect(throws: Errno.canceled) {
      try await reader.reduce(into: 0, of: [source]) { _, _ in
        reader.cancel()
      } combine: {
        $0 += $1
      }
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.reduce(into: 0, of: [source], add, combine: add)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

private func add(_ sum: inout Int, _ number: Int) { sum += number }

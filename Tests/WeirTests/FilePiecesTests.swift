// Files that several threads read in pieces, and their errors.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

/// A processor that collects a file's content from its pieces.
private func makeGatherer(
  on lanes: Lanes, helpers: Int, pieceSize: Int,
  during: @escaping @Sendable (borrowing OpenFile) throws(Errno) -> Void = { _ in }
) throws -> FileProcessor<Void, [UInt8]> {
  try FileProcessor { (file) throws(Errno) -> [UInt8] in
    try during(file)
    return try file.concurrentReduce(
      into: [], on: lanes, helpers: helpers, pieceSize: pieceSize
    ) { (bytes, piece) throws(Errno) in
      piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    } combine: { (bytes, next) throws(Errno) in
      bytes += next
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FilePiecesTests {
  private let directory: TemporaryDirectory
  private let content: [UInt8]

  init() throws {
    directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "pieces of a file")
    content = random.bytes(1024)
    try directory.write(content, to: "f".utf8)
  }

  private func gather(
    _ gatherer: FileProcessor<Void, [UInt8]>, _ name: String = "f"
  ) async throws -> ProcessedFile<[UInt8]>? {
    var last: ProcessedFile<[UInt8]>?
    for try await file in gatherer.results(of: .path(bytes: directory.path(name))) { last = file }
    return last
  }

  @Test("pieces of every size give the file, in order", arguments: [0, 1, 3])
  func sizes(helpers: Int) async throws {
    let lanes = Lanes(label: "helpers", width: 3)
    for size in Array(1...70) + [127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 1 << 30] {
      let file = try await gather(makeGatherer(on: lanes, helpers: helpers, pieceSize: size))
      #expect(file?.value == content && file?.bytesRead == 1024, "pieces of \(size)")
    }
  }

  @Test("bytes that were read are not read again, and appended bytes are")
  func rest() async throws {
    let lanes = Lanes(label: "helpers", width: 2)
    let gatherer = try makeGatherer(on: lanes, helpers: 2, pieceSize: 100) { file throws(Errno) in
      var first = [UInt8](repeating: 0, count: 10)
      let descriptor = file.descriptor.rawValue
      #expect(read(descriptor, &first, 10) == 10)
    }
    let file = try await gather(gatherer)
    #expect(file?.value.map { $0.count } == 1014)
    #expect(file?.value == Array(content.dropFirst(10)))
  }

  @Test("anything but a regular file is read sequentially")
  func pipes() async throws {
    let lanes = Lanes(label: "helpers", width: 2)
    let gatherer = try makeGatherer(on: lanes, helpers: 2, pieceSize: 10)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    try writeAll(content, to: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    var found: [UInt8]?
    let source = FileSource.descriptor(FileDescriptor(rawValue: ends[0]), name: "-".utf8)
    for try await file in gatherer.results(of: source) { found = file.value }
    #expect(found == content)
  }

  @Test("suspended or closed lanes do not help, and delay no job")
  func lanesWithoutTime() async throws {
    let suspended = Lanes(label: "suspended", width: 1)
    suspended.suspend()
    let closed = Lanes(label: "closed", width: 1)
    closed.close()
    for lanes in [suspended, closed] {
      let file = try await gather(makeGatherer(on: lanes, helpers: 1, pieceSize: 64))
      #expect(file?.value == content)
    }
    // The helper that comes too late finds the file gone.
    suspended.resume()
    await suspended.wait()
  }

  @Test("an error of either closure becomes the file's, and ends its reading")
  func errors() async throws {
    let lanes = Lanes(label: "helpers", width: 2)
    for isCombine in [false, true] {
      let job = try FileProcessor { (file) throws(Errno) -> Int in
        try file.concurrentReduce(into: 0, on: lanes, helpers: 2, pieceSize: 16) {
          (count, piece) throws(Errno) in
          if !isCombine { throw .ioError }
          count += piece.count
        } combine: { (_, _) throws(Errno) in
          if isCombine { throw .ioError }
        }
      }
      var outcomes: [String] = []
      for try await file in job.results(of: .path(bytes: directory.path("f"))) {
        outcomes.append("\(file.outcome)")
        #expect(file.value == nil)
      }
      #expect(outcomes.count == 1 && outcomes[0].hasPrefix("failed"))
    }
  }
}

// Files that several threads read in pieces, and their errors.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

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
    on lanes: Lanes, helpers: Int, pieceSize: Int, from source: FileSource? = nil,
    during: @escaping @Sendable (borrowing OpenFile) throws(Errno) -> Void = { _ in },
    combine: @escaping @Sendable () throws(Errno) -> Void = {},
    add: @escaping @Sendable () throws(Errno) -> Void = {}
  ) async throws -> ProcessedFile<[UInt8]>? {
    let gatherer = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      try during(file)
      return try file.concurrentReduce(
        into: [], on: lanes, helpers: helpers, pieceSize: pieceSize
      ) { (bytes, piece) throws(Errno) in
        try add()
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
      } combine: { (bytes, next) throws(Errno) in
        try combine()
        bytes += next
      }
    }
    var last: ProcessedFile<[UInt8]>?
    for try await file in gatherer.results(of: source ?? .path(bytes: directory.path("f"))) {
      last = file
    }
    return last
  }

  @Test("pieces of every size give the file, in order", arguments: [0, 1, 3])
  func sizes(helpers: Int) async throws {
    let lanes = Lanes(label: "helpers", width: 3)
    for size in Array(1...70) + [127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 1 << 30] {
      let file = try await gather(on: lanes, helpers: helpers, pieceSize: size)
      #expect(file?.value == content, "pieces of \(size)")
    }
  }

  @Test("bytes that were read are not read again, and a pipe is read sequentially")
  func places() async throws {
    let lanes = Lanes(label: "helpers", width: 2)
    let rest = try await gather(on: lanes, helpers: 2, pieceSize: 100) { file throws(Errno) in
      var first = [UInt8](repeating: 0, count: 10)
      #expect(read(file.descriptor.rawValue, &first, 10) == 10)
    }
    #expect(rest?.value == Array(content.dropFirst(10)))
    let pipe = try FileDescriptor.pipe()
    try pipe.writeEnd.writeAll(content)
    try pipe.writeEnd.close()
    let source = FileSource.descriptor(pipe.readEnd, name: "-".utf8)
    #expect(
      try await gather(on: lanes, helpers: 2, pieceSize: 10, from: source)?.value == content)
    try pipe.readEnd.close()
  }

  @Test("suspended or closed lanes do not help, and delay no job")
  func lanesWithoutTime() async throws {
    let suspended = Lanes(label: "suspended", width: 1)
    suspended.suspend()
    let closed = Lanes(label: "closed", width: 1)
    closed.close()
    for lanes in [suspended, closed] {
      #expect(try await gather(on: lanes, helpers: 1, pieceSize: 64)?.value == content)
    }
    // The helper that comes too late finds the file gone.
    suspended.resume()
    await suspended.wait()
  }

  @Test("an error of either closure becomes the file's, and ends its reading")
  func errors() async throws {
    let lanes = Lanes(label: "helpers", width: 2)
    let fail: @Sendable () throws(Errno) -> Void = { () throws(Errno) in throw .ioError }
    let failed = [
      try await gather(on: lanes, helpers: 2, pieceSize: 16, add: fail),
      try await gather(on: lanes, helpers: 2, pieceSize: 16, combine: fail),
    ]
    #expect(failed.map { $0?.value == nil } == [true, true])
    #expect(
      failed.compactMap { $0.map { "\($0.outcome)" } }
        == Array(repeating: "failed(Input/output error)", count: 2))
  }
}

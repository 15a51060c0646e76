// The file as its job sees it.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

// The module that declares the fields of `stat` is the one that the compiler loaded first.
#if canImport(SwiftOverlayShims)
  import SwiftOverlayShims
#endif

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OpenFileTests {
  @Test("a file has its path, size and descriptor")
  func properties() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("12345".utf8, to: [0x66, 0xFF])
    let processor = try FileProcessor<Int, Void>(
      context: { () throws(Errno) in 0 }
    ) { (file, _) throws(Errno) in
      var status = stat()
      guard fstat(file.descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      try file.write("\(file.size) \(status.st_size) ".utf8)
      try file.write(file.path)
    }
    let run = try await processor.collecting([.path(bytes: directory.path)])
    #expect(run.output == Array("5 5 ".utf8) + directory.path([0x66, 0xFF]))
  }

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

  @Test("bytes in one piece are written from their place, and others as well")
  func pieces() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("12345", to: "f")
    let isTaken = Shared(false)
    let processor = try FileProcessor<Int, Void>(
      context: { () throws(Errno) in 0 }
    ) { (file, _) throws(Errno) in
      try file.write(Piece(bytes: Array("one ".utf8), isTaken: isTaken))
      try file.write(Piece(bytes: [], isTaken: isTaken))
      while let piece = try file.read() { try file.write(piece) }
      try file.write(AnySequence(" two".utf8))
    }
    let run = try await processor.collecting([.path(bytes: directory.path)])
    #expect(String(decoding: run.output, as: UTF8.self) == "one 12345 two")
    #expect(!isTaken.value)
  }
}

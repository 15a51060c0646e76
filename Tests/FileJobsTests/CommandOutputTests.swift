// The output of commands: complete, in its order, within bounded memory.

import Glibc
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.timeLimit(.minutes(10)))
struct CommandOutputTests {
  private struct Piece: Equatable {
    var isError: Bool
    var bytes: [UInt8]
  }

  /// Joins neighbouring pieces of one stream.
  private func joined(_ pieces: [Piece]) -> [Piece] {
    var all: [Piece] = []
    for piece in pieces where !piece.bytes.isEmpty {
      if all.last?.isError == piece.isError {
        all[all.count - 1].bytes += piece.bytes
      } else {
        all.append(piece)
      }
    }
    return all
  }

  private func append(_ piece: Piece, to output: CommandOutput) {
    piece.bytes.withUnsafeBytes { output.append(piece.isError ? .error : .output, $0) }
  }

  private func content(_ output: CommandOutput) throws -> [Piece] {
    var pieces: [Piece] = []
    try output.forEach { stream, bytes in
      pieces.append(Piece(isError: stream == .error, bytes: Array(bytes)))
    }
    return joined(pieces)
  }

  @Test("the kept output is complete and in order, also if it fills slots exactly")
  func order() throws {
    var random = SeededGenerator(for: "order")
    let spool = OutputSpool(Array("/tmp".utf8))
    for round in 0..<12 {
      let output = CommandOutput(spool)
      let most = [3, 300, 70_000, 200_000][round % 4]
      let pieces = (0..<(round % 4 < 2 ? 2000 : 20)).map { _ in
        let count = Int.random(in: 0...most, using: &random)
        return Piece(isError: Bool.random(using: &random), bytes: random.bytes(count))
      }
      for piece in pieces { append(piece, to: output) }
      #expect(try content(output) == joined(pieces))
      #expect(output.count == pieces.reduce(0) { $0 + UInt64($1.bytes.count) })
    }
    for size in [32_767, 32_768, 32_769, 65_531, 65_532, 65_533, 65_534, 65_535, 65_536] {
      let output = CommandOutput(spool)
      let pieces = [false, true, true, false].map {
        Piece(isError: $0, bytes: random.bytes(size))
      }
      for piece in pieces { append(piece, to: output) }
      #expect(try content(output) == joined(pieces))
    }
  }

  @Test("a place is used again only if what was there is cut off")
  func places() throws {
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    // A file that cannot be shortened: MFD_ALLOW_SEALING; F_ADD_SEALS, F_SEAL_SHRINK.
    let file = unsafeBitCast(dlsym(nil, "memfd_create"), to: Create.self)("spool", 2)
    defer { close(file) }
    try #require(write(file, "commands of weir run that wait\n", 31) == 31)
    try #require(fcntl(file, 1033, 2) == 0)
    let path = Array("/proc/self/fd/\(file)".utf8)
    let spools = (1...2).map { _ in OutputSpool(path, isNamed: true) }
    #expect(try spools[0].recover() == [])
    try [1, 2].map { try spools[0].append([0], turn: $0) }.forEach(spools[0].release)
    let place = try spools[0].append([0], turn: 3)
    #expect(try spools[1].recover() == [place])
  }

  /// In a process of its own, so that the memory of other tests is not counted.
  @Test("an output that changes streams with every byte takes no more memory")
  func changes() async {
    await #expect(processExitsWith: .success) {
      let output = CommandOutput(OutputSpool(Array("/tmp".utf8)))
      let before = bytesInUse()
      for number in 0..<100_000 {
        withUnsafeBytes(of: UInt8(number % 251)) {
          output.append(number % 2 == 1 ? .error : .output, $0)
        }
      }
      let more = bytesInUse() - before
      guard more < 1 << 18 else { fatalError("\(more) bytes") }
      var next = 0
      try output.forEach { stream, bytes in
        guard (stream == .error) == (next % 2 == 1), Array(bytes) == [UInt8(next % 251)] else {
          fatalError("byte \(next) is another one")
        }
        next += 1
      }
      guard next == 100_000 else { fatalError("\(next) bytes") }
    }
  }
}

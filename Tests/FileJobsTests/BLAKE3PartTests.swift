// BLAKE3 of a file by several threads: parts of the tree with any boundaries, and big files.

import CFileKernels
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

/// Returns the digest of bytes by the kernel, on one thread.
private func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var hasher = kernel_blake3_t()
  kernel_blake3_begin(&hasher)
  bytes.withUnsafeBytes { kernel_blake3_update(&hasher, $0.baseAddress, $0.count) }
  return digest(of: &hasher)
}

private func digest(of hasher: inout kernel_blake3_t) -> [UInt8] {
  var out = [UInt8](repeating: 0, count: Int(KERNEL_BLAKE3_LENGTH))
  kernel_blake3_finish(&hasher, &out)
  return out
}

/// Returns a part of an input whose bytes are added in random pieces.
private func part(
  _ input: [UInt8], _ range: Range<Int>, using random: inout SeededGenerator
) -> BLAKE3Part {
  var part = BLAKE3Part(at: UInt64(range.lowerBound))
  var begin = range.lowerBound
  while begin < range.upperBound {
    let most = Bool.random(using: &random) ? range.upperBound - begin : 5000
    let end = min(range.upperBound, begin + Int.random(in: 1...most, using: &random))
    input[begin..<end].withUnsafeBytes { part.append($0) }
    begin = end
  }
  return part
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BLAKE3PartTests {
  @Test("parts with any boundaries give the digest of the whole")
  func boundaries() {
    var random = SeededGenerator(for: "parts of BLAKE3")
    for round in 0..<400 {
      let size = Int.random(in: 0...(round % 4 == 0 ? 300_000 : 20_000), using: &random)
      let input = random.bytes(size)
      let units = [1, 1000, 1024, 2048, 4096, 16384]
      let unit = units[Int.random(in: 0..<units.count, using: &random)]
      let cuts = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        min(size, Int.random(in: 0...size, using: &random) / unit * unit)
      }
      let bounds = [0] + cuts.sorted() + [size]
      // The bytes before the first cut are in the hasher, as the first piece of a file.
      var hasher = kernel_blake3_t()
      kernel_blake3_begin(&hasher)
      input[..<bounds[1]].withUnsafeBytes {
        kernel_blake3_update(&hasher, $0.baseAddress, $0.count)
      }
      var sum = BLAKE3Part(at: UInt64(bounds[1]))
      for (begin, end) in zip(bounds.dropFirst(), bounds.dropFirst(2)) {
        sum.append(part(input, begin..<end, using: &random))
      }
      sum.join(&hasher)
      #expect(
        digest(of: &hasher) == digest(input[...]) && sum.length == UInt64(size - bounds[1]),
        "\(size) bytes in parts at \(bounds)")
    }
  }

  @Test("a part after a gap is ignored, and so are all parts after it")
  func gap() {
    var random = SeededGenerator(for: "gaps of BLAKE3")
    let input = random.bytes(50_000)
    var sum = BLAKE3Part(at: 0)
    // The file has 9,000 bytes while the first two pieces are read, and 50,000 after that.
    for range in [0..<8192, 8192..<9000, 16384..<24576, 24576..<50_000] {
      sum.append(part(input, range, using: &random))
    }
    var hasher = kernel_blake3_t()
    kernel_blake3_begin(&hasher)
    sum.join(&hasher)
    #expect(sum.length == 9000 && digest(of: &hasher) == digest(input[..<9000]))
  }

  @Test("a big file that grows or shrinks meanwhile has changed", arguments: [9 << 20, 5 << 20])
  func changing(size: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.write([UInt8](repeating: 1, count: 8 << 20), to: "f".utf8)
    let path = directory.text + "/f"
    let helpers = HelperLanes(threads: 2)
    let processor = try FileProcessor { (file) throws(Errno) -> Int in
      // The status that the reading begins with.
      _ = try file.readPiece()
      _ = file.size
      #expect(truncate(path, size) == 0)
      let digest = try Digest(.blake3)
      return Int(try digest.compute(file, with: helpers))
    }
    var outcomes: [String] = []
    for try await file in processor.results(of: [.path(bytes: directory.path("f"))]) {
      outcomes.append("\(file.outcome)")
    }
    #expect(outcomes.count == 1 && outcomes[0].hasPrefix("changed"), "\(outcomes)")
  }
}

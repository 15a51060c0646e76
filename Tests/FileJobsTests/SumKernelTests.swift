// The checksums of cksum, compared with their definitions.

import CFileKernels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SumKernelTests {
  /// Returns the sum of bytes that are added in pieces of random lengths.
  private func sum(
    _ kind: kernel_sum_kind_t, _ bytes: ArraySlice<UInt8>, pieceMax: Int,
    using random: inout SeededGenerator
  ) -> UInt32 {
    var sum = kernel_sum_t()
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 0...pieceMax, using: &random))
      piece.withUnsafeBytes { kernel_sum_add(&sum, kind, $0.baseAddress, $0.count) }
      rest = rest.dropFirst(piece.count)
    }
    #expect(sum.length == bytes.count)
    return kernel_sum_value(&sum, kind)
  }

  /// The CRC of POSIX, bit by bit: the remainder of the bytes, of their number and of 32 zeros.
  private func definedCRC(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var count = bytes.count
    var all = Array(bytes)
    while count > 0 {
      all.append(UInt8(truncatingIfNeeded: count))
      count >>= 8
    }
    var remainder: UInt32 = 0
    for byte in all + [0, 0, 0, 0] {
      for bit in (0..<8).reversed() {
        let carry = remainder >> 31
        remainder = remainder << 1 | UInt32(byte >> bit & 1)
        if carry == 1 { remainder ^= 0x04C1_1DB7 }
      }
    }
    return ~remainder
  }

  @Test("CRC of all short lengths and of random long ones, in pieces, at any address")
  func crc() {
    var random = SeededGenerator(for: "CRC")
    let bytes = random.bytes(40_000)
    let long = (0..<20).map { _ in Int.random(in: 0...bytes.count / 2, using: &random) }
    for length in Array(0...400) + long {
      let begin = Int.random(in: 0...bytes.count / 2, using: &random)
      let part = bytes[begin..<begin + length]
      let expected = definedCRC(part)
      for pieceMax in [1 << 20, 300, 40] {
        let found = sum(KERNEL_SUM_CRC, part, pieceMax: pieceMax, using: &random)
        #expect(found == expected, "WEIR_TEST_SEED=\(testSeed): \(length) bytes from \(begin)")
      }
    }
  }

  @Test("BSD and System V sums of random lengths, in pieces")
  func sums() {
    var random = SeededGenerator(for: "sums")
    let bytes = random.bytes(300_000).map { $0 | 0x80 }
    for length in [0, 1, 2, 255, 511, 65_536, 299_999] {
      let part = bytes.prefix(length)
      var bsd: UInt32 = 0
      for byte in part { bsd = ((bsd >> 1 | bsd << 15 & 0x8000) + UInt32(byte)) % 65_536 }
      var total = part.reduce(0) { $0 + UInt32($1) }
      while total > 0xFFFF { total = total % 65_536 + total / 65_536 }
      for pieceMax in [1 << 20, 100] {
        #expect(sum(KERNEL_SUM_BSD, part, pieceMax: pieceMax, using: &random) == bsd)
        #expect(sum(KERNEL_SUM_SYSV, part, pieceMax: pieceMax, using: &random) == total)
      }
    }
  }
}

// The kernel of BLAKE3 with all widths: test vectors, inputs in pieces, subtrees in any order.

import CFileKernels
import TestSupport
import Testing

/// A hasher of one input.
private struct Hasher {
  private var state = kernel_blake3_t()

  init() {
    kernel_blake3_begin(&state)
  }

  /// Adds a part of an input.
  mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    kernel_blake3_update(&state, bytes.baseAddress, bytes.count)
  }

  func output() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(KERNEL_BLAKE3_LENGTH))
    withUnsafePointer(to: state) { kernel_blake3_finish($0, &bytes) }
    return Array(bytes.prefix(32))
  }
}

/// Returns the output of an input that is added at once.
private func output(_ input: [UInt8]) -> [UInt8] {
  var hasher = Hasher()
  hasher.update(input[...])
  return hasher.output()
}

/// Returns a subtree of an input, or nil if the kernel refuses it.
private func subtree(
  _ input: [UInt8], _ range: Range<Int>
) -> kernel_blake3_subtree_t? {
  var result = kernel_blake3_subtree_t()
  let isValid = input[range].withUnsafeBytes { bytes in
    kernel_blake3_subtree(bytes.baseAddress, bytes.count, UInt64(range.lowerBound), &result)
  }
  return isValid ? result : nil
}

/// The widths are a setting of the process, so one test runs at a time.
@Suite("BLAKE3", .serialized, .timeLimit(.minutes(10)))
struct Blake3KernelTests {
  private static let widths = 0..<kernel_blake3_width_count()

  /// Returns the fastest width, which the other tests of the process expect.
  private func restoreWidth() {
    kernel_blake3_set_width(kernel_blake3_width_count() - 1)
  }

  /// The lengths of the published test vectors, whose inputs repeat the bytes 0 to 250.
  private static let published = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072,
    3073, 4096, 4097, 5120, 5121, 6144, 6145, 7168, 7169, 8192, 8193, 16384, 31744, 102_400,
  ]

  /// The digest of all digests is that of b3sum 1.2.0 and of the Python package blake3 1.0.11.
  @Test("the published test vectors, at once and in bytes", arguments: widths)
  func vectors(width: Int) {
    #expect(kernel_blake3_set_width(width))
    defer { restoreWidth() }
    var (whole, parts) = (Hasher(), Hasher())
    for length in Self.published {
      let input = (0..<length).map { UInt8($0 % 251) }
      whole.update(output(input)[...])
      var hasher = Hasher()
      for place in input.indices { hasher.update(input[place...place]) }
      parts.update(hasher.output()[...])
    }
    let digits = whole.output().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    #expect(digits.joined() == "dbfb160290bf96375f5df9017d3211e4af663dc11ac6a19cdcfc6b4ab67a2d73")
    #expect(parts.output() == whole.output())
  }

  /// The page after the input cannot be read.
  @Test("an input of any length at once gives the digest of its bytes", arguments: widths)
  func lengths(width: Int) {
    #expect(kernel_blake3_set_width(width))
    defer { restoreWidth() }
    var random = SeededGenerator(for: "BLAKE3 lengths \(width)")
    let memory = GuardedMemory(byteCount: 20 * 1024)
    memory.bytes.copyBytes(from: random.bytes(memory.bytes.count))
    let first = memory.bytes.count - Int.random(in: 17_000...20_000, using: &random)
    for start in stride(from: first, to: memory.bytes.count, by: 53) {
      let input = UnsafeRawBufferPointer(rebasing: memory.bytes[start...])
      var (whole, parts) = (Hasher(), Hasher())
      whole.update(input)
      for place in stride(from: 0, to: input.count, by: 64) {
        parts.update(.init(rebasing: input[place..<min(input.count, place + 64)]))
      }
      #expect(whole.output() == parts.output(), "\(input.count) bytes, width \(width)")
    }
  }

  @Test("a subtree has a length of two to the power of 11 or more, and begins at a multiple of it")
  func refusals() {
    let input = [UInt8](repeating: 0, count: 8192)
    for range in [0..<0, 0..<1024, 0..<2047, 0..<3072, 1024..<3072, 2048..<6144] {
      #expect(subtree(input, range) == nil, "\(range)")
    }
    #expect(subtree(input, 4096..<8192) != nil)
  }
}

// The kernel of BLAKE3 with all widths: test vectors, inputs in pieces, subtrees in any order.

import CFileKernels
import TestSupport
import Testing

/// An input and its digest.
private struct Vector {
  let input: [UInt8]
  let digest: [UInt8]
}

private func vectors() -> [Vector] {
  let words = blake3Vectors.split { $0 == " " || $0 == "\n" }
  return stride(from: 0, to: words.count, by: 2).map { place in
    var digest = [UInt8](repeating: 0, count: 32)
    kernel_bytes(&digest, Array(words[place + 1].utf8), digest.count)
    return Vector(input: (0..<(Int(words[place]) ?? 0)).map { UInt8($0 % 251) }, digest: digest)
  }
}

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

  @Test("test vectors, at once and in bytes", arguments: widths)
  func published(width: Int) {
    #expect(kernel_blake3_set_width(width))
    defer { restoreWidth() }
    let all = vectors()
    #expect(all.count == 35)
    for vector in all {
      let message = "\(vector.input.count) bytes, width \(width)"
      #expect(output(vector.input) == vector.digest, "\(message)")
      guard vector.input.count <= 8193 else { continue }
      var hasher = Hasher()
      for place in vector.input.indices { hasher.update(vector.input[place...place]) }
      #expect(hasher.output() == vector.digest, "\(message), in bytes")
    }
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

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
    var digest = [UInt8](repeating: 0, count: Int(KERNEL_BLAKE3_LENGTH))
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

  mutating func join(_ subtree: kernel_blake3_subtree_t) -> Bool {
    withUnsafePointer(to: subtree) { kernel_blake3_join(&state, $0) }
  }

  func output() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(KERNEL_BLAKE3_LENGTH))
    withUnsafePointer(to: state) { kernel_blake3_finish($0, &bytes) }
    return bytes
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

/// Returns the length of the longest subtree that begins at an offset and ends before an end.
private func longest(from offset: Int, to end: Int, most: Int) -> Int? {
  var length = most
  while length >= 2048 {
    if offset % length == 0 && offset + length <= end { return length }
    length /= 2
  }
  return nil
}

/// The widths are a setting of the process, so one test runs at a time.
@Suite("BLAKE3", .serialized, .timeLimit(.minutes(2)))
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

  @Test("every number of chunks gives the digest of width 1", arguments: widths)
  func chunks(width: Int) {
    var random = SeededGenerator(for: "BLAKE3 chunks \(width)")
    let bytes = random.bytes(40 * 1024)
    defer { restoreWidth() }
    for count in 0..<40 {
      let rest = Bool.random(using: &random) ? 0 : Int.random(in: 0..<1024, using: &random)
      let input = Array(bytes[..<(count * 1024 + rest)])
      kernel_blake3_set_width(0)
      let expected = output(input)
      kernel_blake3_set_width(width)
      #expect(output(input) == expected, "\(input.count) bytes, width \(width)")
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

  @Test("an input in random parts, with outputs in between")
  func parts() {
    var random = SeededGenerator(for: "BLAKE3 parts")
    let bytes = random.bytes(300_000)
    for _ in 0..<40 {
      let input = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      let most = 1 << Int.random(in: 4...17, using: &random)
      var hasher = Hasher()
      var place = 0
      while place < input.count {
        var count = Int.random(in: 0...most, using: &random)
        if Bool.random(using: &random) { count = (count + 1023) / 1024 * 1024 }
        let end = min(input.count, place + count)
        hasher.update(input[place..<end])
        place = end
        if Int.random(in: 0..<8, using: &random) == 0 { _ = hasher.output() }
      }
      #expect(hasher.output() == output(input), "\(input.count) bytes, parts up to \(most)")
    }
  }

  @Test("subtrees of one length, computed in random order", arguments: [2048, 4096, 16384, 65536])
  func pieces(length: Int) throws {
    var random = SeededGenerator(for: "BLAKE3 pieces \(length)")
    let bytes = random.bytes(6 * length)
    for rest in [0, 1, 1023, 1024, 1025, length - 1] {
      for count in 0...5 {
        let input = Array(bytes[..<(count * length + rest)])
        var subtrees = [kernel_blake3_subtree_t?](repeating: nil, count: count)
        for number in (0..<count).shuffled(using: &random) {
          subtrees[number] = subtree(input, number * length..<(number + 1) * length)
        }
        var hasher = Hasher()
        for subtree in subtrees {
          let isJoined = hasher.join(try #require(subtree))
          #expect(isJoined)
        }
        hasher.update(input[(count * length)...])
        #expect(hasher.output() == output(input), "\(count) pieces and \(rest)")
      }
    }
  }

  @Test("subtrees of random lengths between updates")
  func mixture() throws {
    var random = SeededGenerator(for: "BLAKE3 mixture")
    let bytes = random.bytes(300_000)
    for _ in 0..<40 {
      let count =
        Bool.random(using: &random)
        ? Int.random(in: 0...bytes.count, using: &random)
        : 2048 << Int.random(in: 0...7, using: &random)
      let input = Array(bytes.prefix(count))
      var hasher = Hasher()
      var place = 0
      while place < input.count {
        let most = 2048 << Int.random(in: 0...7, using: &random)
        let length = longest(from: place, to: input.count, most: most)
        if let length, Int.random(in: 0..<5, using: &random) > 0 {
          let part = try #require(subtree(input, place..<place + length))
          let (isJoined, isJoinedAgain) = (hasher.join(part), hasher.join(part))
          #expect(isJoined)
          #expect(!isJoinedAgain, "a subtree is joined at its own offset alone")
          place += length
        } else {
          let isWhole = Bool.random(using: &random)
          let count = isWhole ? 1024 - place % 1024 : Int.random(in: 1...5000, using: &random)
          let end = min(input.count, place + count)
          hasher.update(input[place..<end])
          place = end
        }
      }
      #expect(hasher.output() == output(input), "\(input.count) bytes")
    }
  }

  @Test("two neighbors grow to the subtree of both")
  func growth() throws {
    var random = SeededGenerator(for: "BLAKE3 growth")
    let input = random.bytes(16384)
    var first = try #require(subtree(input, 8192..<12288))
    var second = try #require(subtree(input, 12288..<16384))
    var before = try #require(subtree(input, 4096..<8192))
    let grows: (inout kernel_blake3_subtree_t, kernel_blake3_subtree_t) -> Bool = { one, other in
      withUnsafePointer(to: other) { kernel_blake3_subtree_grow(&one, $0) }
    }
    let grewEarly = grows(&before, first)
    #expect(!grewEarly, "the offset is no multiple of the length of both")
    let grewBackwards = grows(&second, first)
    #expect(!grewBackwards, "the order is wrong")
    let grew = grows(&first, second)
    #expect(grew)
    let grewAgain = grows(&first, second)
    #expect(!grewAgain, "the lengths differ")
    var hasher = Hasher()
    hasher.update(input[..<8192])
    let isJoined = hasher.join(first)
    #expect(isJoined)
    #expect(hasher.output() == output(input))
  }

  @Test("a subtree has a length of two to the power of 11 or more, and begins at a multiple of it")
  func refusals() {
    let input = [UInt8](repeating: 0, count: 8192)
    for range in [0..<0, 0..<1024, 0..<2047, 0..<3072, 1024..<3072, 2048..<6144] {
      #expect(subtree(input, range) == nil, "\(range)")
    }
    #expect(subtree(input, 4096..<8192) != nil)
  }

  @Test("the width in use is the last one, and others can be set")
  func names() {
    let names = Self.widths.map { String(cString: kernel_blake3_width_name($0)) }
    #expect(names.prefix(2) == ["1", "4"] && Set(names).count == names.count)
    #expect(String(cString: kernel_blake3_width()) == names.last)
    defer { restoreWidth() }
    for (index, name) in names.enumerated() {
      #expect(kernel_blake3_set_width(index))
      #expect(String(cString: kernel_blake3_width()) == name)
    }
    #expect(!kernel_blake3_set_width(names.count))
    #expect(kernel_blake3_width_name(names.count) == nil)
  }
}

// The kernel of BLAKE3 with all widths: test vectors, inputs in pieces, subtrees in any order.

import CFileKernels
import TestSupport
import Testing

/// The number of bytes of output in a test vector.
private let outputCount = 131

/// Returns the modes of the test vectors: hash, keyed_hash, derive_key.
private func modes() -> [kernel_blake3_key_t] {
  let context = "BLAKE3 2019-12-27 16:29:52 test vectors context"
  return [
    kernel_blake3_unkeyed(),
    kernel_blake3_keyed(Array("whats the Elvish word for friend".utf8)),
    kernel_blake3_derived(context, context.utf8.count),
  ]
}

/// An input and its output in each mode.
private struct Vector {
  let input: [UInt8]
  let outputs: [[UInt8]]

  /// Reads a length and three lines of digits for each mode.
  init?(_ words: ArraySlice<Substring>) {
    guard words.count == 10, let first = words.first, let length = Int(first) else { return nil }
    input = (0..<length).map { UInt8($0 % 251) }
    outputs = (0..<3).map { mode in
      let from = words.startIndex + 1 + 3 * mode
      let digits = Array(words[from..<from + 3].joined().utf8)
      var bytes = [UInt8](repeating: 0, count: digits.count / 2)
      kernel_bytes(&bytes, digits, bytes.count)
      return bytes
    }
  }
}

private func vectors() -> [Vector] {
  let words = blake3Vectors.split { $0 == " " || $0 == "\n" }
  return stride(from: 0, to: words.count, by: 10).compactMap {
    Vector(words[$0..<min($0 + 10, words.count)])
  }
}

/// A hasher with one mode.
private struct Hasher {
  private var state = kernel_blake3_t()
  private var key: kernel_blake3_key_t

  init(_ key: kernel_blake3_key_t) {
    self.key = key
    kernel_blake3_begin(&state, &self.key)
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

  var root: kernel_blake3_root_t { withUnsafePointer(to: state) { kernel_blake3_root($0) } }

  func output(from offset: UInt64 = 0, count: Int = outputCount) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    withUnsafePointer(to: state) { kernel_blake3_finish($0, offset, &bytes, count) }
    return bytes
  }
}

/// Returns a part of the output of a root.
private func output(_ root: kernel_blake3_root_t, from offset: UInt64, count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  withUnsafePointer(to: root) { kernel_blake3_output($0, offset, &bytes, count) }
  return bytes
}

/// Returns the output of an input that is added at once.
private func output(_ key: kernel_blake3_key_t, _ input: [UInt8]) -> [UInt8] {
  var hasher = Hasher(key)
  hasher.update(input[...])
  return hasher.output()
}

/// Returns a subtree of an input, or nil if the kernel refuses it.
private func subtree(
  _ key: kernel_blake3_key_t, _ input: [UInt8], _ range: Range<Int>
) -> kernel_blake3_subtree_t? {
  var result = kernel_blake3_subtree_t()
  let isValid = input[range].withUnsafeBytes { bytes in
    withUnsafePointer(to: key) {
      kernel_blake3_subtree($0, bytes.baseAddress, bytes.count, UInt64(range.lowerBound), &result)
    }
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
      for (key, expected) in zip(modes(), vector.outputs) {
        let message = "\(vector.input.count) bytes, width \(width)"
        #expect(expected.count == outputCount)
        #expect(output(key, vector.input) == expected, "\(message)")
        guard vector.input.count <= 8193 else { continue }
        var hasher = Hasher(key)
        for place in vector.input.indices { hasher.update(vector.input[place...place]) }
        #expect(hasher.output() == expected, "\(message), in bytes")
      }
    }
  }

  @Test("extended output from every offset")
  func offsets() {
    for vector in vectors() where [0, 1, 1024, 1025, 5121].contains(vector.input.count) {
      for (key, expected) in zip(modes(), vector.outputs) {
        var hasher = Hasher(key)
        hasher.update(vector.input[...])
        for from in 0...outputCount {
          for count in [0, 1, 64, outputCount - from] where from + count <= outputCount {
            let part = hasher.output(from: UInt64(from), count: count)
            #expect(part.elementsEqual(expected[from..<from + count]), "\(from), \(count)")
          }
        }
        let long = hasher.output(count: 1000)
        #expect(hasher.output(from: 640, count: 360).elementsEqual(long[640...]))
        let root = hasher.root
        hasher.update(vector.input[...])  // the root does not depend on the hasher any more
        #expect(output(root, from: 0, count: 1000) == long)
        #expect(output(root, from: 63, count: 66).elementsEqual(long[63..<129]))
      }
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
      for key in modes() {
        kernel_blake3_set_width(0)
        let expected = output(key, input)
        kernel_blake3_set_width(width)
        #expect(output(key, input) == expected, "\(input.count) bytes, width \(width)")
      }
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
    for key in modes() {
      let first = memory.bytes.count - Int.random(in: 17_000...20_000, using: &random)
      for start in stride(from: first, to: memory.bytes.count, by: 53) {
        let input = UnsafeRawBufferPointer(rebasing: memory.bytes[start...])
        var (whole, parts) = (Hasher(key), Hasher(key))
        whole.update(input)
        for place in stride(from: 0, to: input.count, by: 64) {
          parts.update(.init(rebasing: input[place..<min(input.count, place + 64)]))
        }
        #expect(whole.output() == parts.output(), "\(input.count) bytes, width \(width)")
      }
    }
  }

  @Test("an input in random parts, with outputs in between")
  func parts() {
    var random = SeededGenerator(for: "BLAKE3 parts")
    let bytes = random.bytes(300_000)
    for _ in 0..<40 {
      let input = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      let most = 1 << Int.random(in: 4...17, using: &random)
      let key = modes().randomElement(using: &random) ?? kernel_blake3_unkeyed()
      var hasher = Hasher(key)
      var place = 0
      while place < input.count {
        var count = Int.random(in: 0...most, using: &random)
        if Bool.random(using: &random) { count = (count + 1023) / 1024 * 1024 }
        let end = min(input.count, place + count)
        hasher.update(input[place..<end])
        place = end
        if Int.random(in: 0..<8, using: &random) == 0 { _ = hasher.output() }
      }
      #expect(hasher.output() == output(key, input), "\(input.count) bytes, parts up to \(most)")
    }
  }

  @Test("subtrees of one length, computed in random order", arguments: [2048, 4096, 16384, 65536])
  func pieces(length: Int) throws {
    var random = SeededGenerator(for: "BLAKE3 pieces \(length)")
    let bytes = random.bytes(6 * length)
    for key in modes() {
      for rest in [0, 1, 1023, 1024, 1025, length - 1] {
        for count in 0...5 {
          let input = Array(bytes[..<(count * length + rest)])
          var subtrees = [kernel_blake3_subtree_t?](repeating: nil, count: count)
          for number in (0..<count).shuffled(using: &random) {
            subtrees[number] = subtree(key, input, number * length..<(number + 1) * length)
          }
          var hasher = Hasher(key)
          for subtree in subtrees {
            let isJoined = hasher.join(try #require(subtree))
            #expect(isJoined)
          }
          hasher.update(input[(count * length)...])
          #expect(hasher.output() == output(key, input), "\(count) pieces and \(rest)")
        }
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
      let key = modes().randomElement(using: &random) ?? kernel_blake3_unkeyed()
      var hasher = Hasher(key)
      var place = 0
      while place < input.count {
        let most = 2048 << Int.random(in: 0...7, using: &random)
        let length = longest(from: place, to: input.count, most: most)
        if let length, Int.random(in: 0..<5, using: &random) > 0 {
          let part = try #require(subtree(key, input, place..<place + length))
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
      #expect(hasher.output() == output(key, input), "\(input.count) bytes")
    }
  }

  @Test("two neighbors grow to the subtree of both")
  func growth() throws {
    var random = SeededGenerator(for: "BLAKE3 growth")
    let input = random.bytes(16384)
    for key in modes() {
      var first = try #require(subtree(key, input, 8192..<12288))
      var second = try #require(subtree(key, input, 12288..<16384))
      var before = try #require(subtree(key, input, 4096..<8192))
      let grows: (inout kernel_blake3_subtree_t, kernel_blake3_subtree_t) -> Bool = { one, other in
        withUnsafePointer(to: key) { key in
          withUnsafePointer(to: other) { kernel_blake3_subtree_grow(key, &one, $0) }
        }
      }
      let grewEarly = grows(&before, first)
      #expect(!grewEarly, "the offset is no multiple of the length of both")
      let grewBackwards = grows(&second, first)
      #expect(!grewBackwards, "the order is wrong")
      let grew = grows(&first, second)
      #expect(grew)
      let grewAgain = grows(&first, second)
      #expect(!grewAgain, "the lengths differ")
      var hasher = Hasher(key)
      hasher.update(input[..<8192])
      let isJoined = hasher.join(first)
      #expect(isJoined)
      #expect(hasher.output() == output(key, input))
    }
  }

  @Test("a subtree has a length of two to the power of 11 or more, and begins at a multiple of it")
  func refusals() {
    let input = [UInt8](repeating: 0, count: 8192)
    let key = kernel_blake3_unkeyed()
    for range in [0..<0, 0..<1024, 0..<2047, 0..<3072, 1024..<3072, 2048..<6144] {
      #expect(subtree(key, input, range) == nil, "\(range)")
    }
    #expect(subtree(key, input, 4096..<8192) != nil)
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

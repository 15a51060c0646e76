// The counting kernel, with all instruction sets and cuts at all offsets.

import CFileKernels
import Glibc
import TestSupport
import Testing

/// Returns text with everything that is difficult to count.
private func sample(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
  let pieces: [[UInt8]] = [
    Array("word ".utf8), Array("\n".utf8), Array("\t".utf8), Array("\r\u{B}\u{C}".utf8), [0],
    [0x7F],
    Array("é\u{A0}\u{2007}\u{202F}\u{2060}\u{3000}\u{85}\u{2028}".utf8),
    Array("日本語".utf8), Array("e\u{301}".utf8), Array("😀".utf8), [0xE2, 0x82], [0xF0, 0x9F, 0x98],
    [0xC3], [0x80, 0xBF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE0, 0x80, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
    [0xFE, 0xFF], Array("long-word-without-any-blank-in-it".utf8),
  ]
  var text: [UInt8] = []
  let isPlain = Int.random(in: 0..<4, using: &random) == 0
  while text.count < count {
    if isPlain && Int.random(in: 0..<12, using: &random) > 0 {
      text += Array("some text\n".utf8)
    } else {
      text += pieces.randomElement(using: &random) ?? []
    }
    if !isPlain && Int.random(in: 0..<8, using: &random) == 0 { text += random.bytes(3) }
  }
  return Array(text.prefix(count))
}

/// The results of a count, for comparison.
private struct Results: Equatable {
  let lines, words, characters, bytes, longest: UInt64

  init(_ count: kernel_count_t, _ charset: kernel_charset_t) {
    lines = count.lines
    characters = charset == KERNEL_CHARSET_BYTES ? 0 : count.characters
    bytes = count.bytes
    (words, longest) = withUnsafePointer(to: count) {
      (kernel_count_words($0), kernel_count_longest($0))
    }
  }
}

private let all =
  KERNEL_COUNT_LINES | KERNEL_COUNT_WORDS | KERNEL_COUNT_CHARACTERS
  | KERNEL_COUNT_LONGEST

private typealias Add = (
  UnsafeMutablePointer<kernel_count_t>, kernel_charset_t, UInt32, UnsafeRawPointer, Int
) -> Void

private func count(
  _ text: some Collection<UInt8>, _ charset: kernel_charset_t, what: UInt32 = all,
  by add: Add = { kernel_count_add($0, $1, $2, $3, $4) }
) -> kernel_count_t {
  var result = kernel_count_t()
  let copy = Array(text) + [0x41]
  copy.withUnsafeBytes { bytes in
    if let start = bytes.baseAddress { add(&result, charset, what, start, copy.count - 1) }
  }
  return result
}

private func joined(
  _ first: kernel_count_t, _ second: kernel_count_t, _ charset: kernel_charset_t
) -> kernel_count_t {
  var result = first
  withUnsafePointer(to: second) { kernel_count_join(&result, charset, $0) }
  return result
}

/// True if the suite has set the locale C.UTF-8.
private let hasUTF8 = setlocale(LC_CTYPE, "C.UTF-8") != nil

@Suite(.enabled(if: hasUTF8), .serialized, .timeLimit(.minutes(10)))
struct CountKernelTests {
  private static let charsets = [KERNEL_CHARSET_BYTES, KERNEL_CHARSET_UTF8]

  @Test("1 KiB of text is counted alike after a cut at any offset", arguments: 0..<4)
  func cuts(round: Int) {
    var random = SeededGenerator(for: "cuts \(round)")
    let text = sample(1024, &random)
    for charset in Self.charsets {
      let whole = Results(count(text, charset), charset)
      for place in 0...text.count {
        let parts = (count(text[..<place], charset), count(text[place...], charset))
        #expect(Results(joined(parts.0, parts.1, charset), charset) == whole, "cut at \(place)")
      }
      let bytes = text.map { count([$0], charset) }
      let sum = bytes.reduce(kernel_count_t()) { joined($0, $1, charset) }
      #expect(Results(sum, charset) == whole)
      let backwards = bytes.reversed().reduce(kernel_count_t()) { joined($1, $0, charset) }
      #expect(Results(backwards, charset) == whole)
    }
  }

  @Test("AVX2, plain instructions and mbrtowc agree at every alignment and length")
  func agreement() throws {
    var random = SeededGenerator(for: "agreement")
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 64)
    defer { room.deallocate() }
    for length in 0...300 {
      let text = sample(length, &random)
      let offset = length * 7 % 65
      let place = UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + length])
      // Bytes after the length do not count.
      room.copyBytes(from: random.bytes(1024))
      place.copyBytes(from: text)
      let start = try #require(room.baseAddress) + offset
      for charset in Self.charsets {
        var (best, plain) = (kernel_count_t(), kernel_count_t())
        kernel_count_add(&best, charset, all, start, length)
        kernel_count_add_plain(&plain, charset, all, start, length)
        #expect(Results(best, charset) == Results(plain, charset), "\(text)")
        for what in 1..<UInt32(16) {
          var (some, same) = (kernel_count_t(), kernel_count_t())
          kernel_count_add(&some, charset, what, start, length)
          kernel_count_add_plain(&same, charset, what, start, length)
          #expect(Results(some, charset) == Results(same, charset), "\(what): \(text)")
          let (wanted, seen) = (Results(best, charset), Results(some, charset))
          if what & KERNEL_COUNT_LINES != 0 { #expect(seen.lines == wanted.lines) }
          if what & KERNEL_COUNT_WORDS != 0 { #expect(seen.words == wanted.words) }
          if what & KERNEL_COUNT_LONGEST != 0 { #expect(seen.longest == wanted.longest) }
          if what & KERNEL_COUNT_CHARACTERS != 0 {
            #expect(seen.characters == wanted.characters)
          }
        }
      }
      var (best, other) = (kernel_count_t(), kernel_count_t())
      kernel_count_add(&best, KERNEL_CHARSET_UTF8, all, start, length)
      kernel_count_add(&other, KERNEL_CHARSET_OTHER, all, start, length)
      #expect(
        Results(best, KERNEL_CHARSET_UTF8) == Results(other, KERNEL_CHARSET_OTHER), "\(text)")
    }
  }

  @Test("long runs of one byte do not overflow a counter")
  func long() {
    let newlines = [UInt8](repeating: 0x0A, count: 100_000)
    for charset in Self.charsets {
      let lines = count(newlines, charset, what: KERNEL_COUNT_LINES)
      #expect(lines.lines == 100_000)
      let words = Results(count([UInt8](repeating: 0x61, count: 70_000), charset), charset)
      #expect(words.words == 1 && words.longest == 70_000 && words.lines == 0)
      let tabs = Results(count([UInt8](repeating: 9, count: 1000), charset), charset)
      #expect(tabs.longest == 8000 && tabs.words == 0)
    }
  }
}

// ManifestParser: the algorithms and the digits of lines. CorpusTests has a second parser by the
// rules of GNU's tools, and the transcript dropins/calls.t the tools themselves.

import FileJobs
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ManifestParserTests {
  @Test("the length or the tag decides the algorithm of a line")
  func anyAlgorithm() throws {
    let cases: [(line: String, algorithm: String?)] = [
      (hex(32), "md5"), (hex(40), "sha1"), (hex(56), "sha224"), (hex(64), "sha256"),
      (hex(96), "sha384"), (hex(128), "sha512"), (hex(16), "xxh64"), (hex(8), nil), (hex(48), nil),
      ("MD5 (n) = \(hex(32))", "md5"), ("SHA1 (n) = \(hex(40))", "sha1"),
      ("SHA256 (n) = \(hex(64))", "sha256"), ("SHA256(n)= \(hex(64))", "sha256"),
      ("SHA2-256(n)= \(hex(64))", "sha256"), ("SHA2-512(n)= \(hex(128))", "sha512"),
      ("BLAKE2b (n) = \(hex(128))", "blake2b"), ("BLAKE2B-512(n)= \(hex(128))", "blake2b"),
      ("BLAKE2b-256 (n) = \(hex(64))", "blake2b-256"), ("BLAKE2b-8 (n) = 0a", "blake2b-8"),
      ("BLAKE2b-0 (n) = ", nil), ("BLAKE2b-520 (n) = \(hex(130))", nil),
      ("BLAKE2b-256 (n) = \(hex(128))", nil),
      ("XXH64 (n) = \(hex(16))", "xxh64"), ("XXH3 (n) = \(hex(16))", "xxh3"),
      ("XXH128 (n) = \(hex(32))", "xxh128"), ("XXH128_LE (n) = \(hex(32))", "xxh128"),
      ("XXH32 (n) = \(hex(8))", "xxh32"), ("XXH32_LE (n) = \(hex(8))", "xxh32"),
      ("SM3 (n) = \(hex(64))", "sm3"),
      ("BLAKE3 (n) = \(hex(64))", "blake3"), ("BLAKE3(n)= \(hex(64))", "blake3"),
      ("BLAKE3 (n) = \(hex(32))", nil), ("BLAKE4 (n) = \(hex(64))", nil),
      ("SHA512/256 (n) = \(hex(64))", "sha512-256"), ("SHA512-256(n)= \(hex(64))", "sha512-256"),
      ("SHA2-512/256(n)= \(hex(64))", "sha512-256"), ("SHA512t256 (n) = \(hex(64))", "sha512-256"),
      ("SHA3-256(n)= \(hex(64))", "sha3-256"), ("SHA3-512 (n) = \(hex(128))", "sha3-512"),
      ("SHA3-384 (n) = \(hex(96))", nil), ("SHA2-3-256 (n) = \(hex(64))", nil),
      ("SHA256 (n) = \(hex(32))", nil), ("SHA2567 (n) = \(hex(64))", nil),
    ]
    var parser = ManifestParser()
    for (line, algorithm) in cases {
      let text = line.contains("(") ? line : line + "  n"
      let found = entry(of: text, by: &parser)
      #expect(found?.algorithm == algorithm && (found == nil || found?.name == "n"), "\(line)")
    }
    var other = ManifestParser(
      untagged: [.sha256] + ["blake2b", "xxh128"].compactMap { DigestAlgorithm($0) })
    // The first digest of BLAKE2b decides on the length of the others.
    for (length, algorithm) in [
      (64, "sha256"), (96, "blake2b-384"), (32, "xxh128"), (96, "blake2b-384"), (128, nil),
      (130, nil), (63, nil),
    ] {
      #expect(entry(of: "\(hex(length))  n", by: &other)?.algorithm == algorithm, "\(length)")
    }
    #expect(entry(of: "MD5 (n) = \(hex(32))", by: &other)?.algorithm == "md5")
  }

  @Test("digits are decoded in either case and order")
  func digest() {
    var parser = ManifestParser()
    #expect(
      entry(of: "00fF10aBcDeF0123  n", by: &parser)?.digest == [
        0, 255, 16, 0xAB, 0xCD, 0xEF, 1, 0x23,
      ])
    #expect(
      entry(of: "XXH64_LE (n) = 00ff10abcdef0123", by: &parser)?.digest
        == [0x23, 1, 0xEF, 0xCD, 0xAB, 16, 255, 0])
  }

  private func hex(_ count: Int) -> String {
    String(repeating: "0123456789abcdef", count: 9).prefix(count).description
  }
}

private struct Entry: Equatable {
  let algorithm: String
  let digest: [UInt8]
  let name: String
}

private func entry(of line: String, by parser: inout ManifestParser) -> Entry? {
  var bytes = Array(line.utf8)
  return bytes.withUnsafeMutableBytes { memory in
    guard case .entry(let found) = parser.parse(memory) else { return nil }
    return Entry(
      algorithm: found.algorithm.name, digest: Array(found.digest),
      name: String(decoding: found.name, as: UTF8.self))
  }
}

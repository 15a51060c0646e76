// Digests against published vectors: NIST's CAVP for SHA-1, SHA-2 and SHA-3, RFC 1321 for
// MD5, and the vectors of BLAKE2 and SM3. support/vectors.sh fetches them.

import FileJobs
import Glibc
import TestSupport
import Testing
import Weir

/// The directory of the vectors.
private let directory: String = {
  let parts = #filePath.split(separator: "/").dropLast(3)
  return "/" + parts.joined(separator: "/") + "/.build/vectors/hashes"
}()

private let hasVectors: Bool = {
  let hasVectors = access(directory, R_OK) == 0
  if !hasVectors { print("skipped: no published vectors; support/vectors.sh fetches them") }
  return hasVectors
}()

private struct Vector {
  let message: [UInt8]
  let digest: String
}

/// Reads a file of repeated `Len = BITS`, `Msg = HEX`, `MD = HEX`.
private func vectors(in file: String) throws -> [Vector] {
  var result: [Vector] = []
  var length = 0
  var message: [UInt8] = []
  for line in try content(of: "\(directory)/\(file)").split(separator: 10) {
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == 13 }
    guard words.count == 3, words[1].elementsEqual("=".utf8) else { continue }
    switch String(decoding: words[0], as: UTF8.self) {
    case "Len": length = Int(String(decoding: words[2], as: UTF8.self)) ?? -1
    case "Msg": message = bytes(of: words[2])
    case "MD":
      let digest = String(decoding: words[2], as: UTF8.self)
      result.append(Vector(message: Array(message.prefix(length / 8)), digest: digest))
    default: break
    }
  }
  return result
}

private func content(of path: String) throws -> [UInt8] {
  let stream = try #require(fopen(path, "r"))
  defer { fclose(stream) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
    bytes += buffer.prefix(count)
  }
  return bytes
}

private func bytes(of digits: ArraySlice<UInt8>) -> [UInt8] {
  let values = digits.map { $0 < 0x40 ? $0 - 0x30 : ($0 | 0x20) - 0x61 + 10 }
  return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}

@Suite(.enabled(if: hasVectors), .serialized, .timeLimit(.minutes(2)))
struct VectorTests {
  @Test(
    "published vectors are hashed and verified",
    arguments: [
      ("md5", ["rfc-1321.txt"], 7), ("sha1", ["SHA1ShortMsg.rsp", "SHA1LongMsg.rsp"], 129),
      ("sha224", ["SHA224ShortMsg.rsp", "SHA224LongMsg.rsp"], 129),
      ("sha256", ["SHA256ShortMsg.rsp", "SHA256LongMsg.rsp"], 129),
      ("sha384", ["SHA384ShortMsg.rsp", "SHA384LongMsg.rsp"], 257),
      ("sha512", ["SHA512ShortMsg.rsp", "SHA512LongMsg.rsp"], 257), ("blake2b", ["blake2b.txt"], 3),
      ("sha512-256", ["SHA512_256ShortMsg.rsp", "SHA512_256LongMsg.rsp"], 257),
      ("sha3-256", ["SHA3_256ShortMsg.rsp", "SHA3_256LongMsg.rsp"], 200),
      ("sha3-512", ["SHA3_512ShortMsg.rsp", "SHA3_512LongMsg.rsp"], 140),
      ("sm3", ["oscca.txt"], 2),
    ])
  func published(name: String, files: [String], count: Int) async throws {
    let algorithm = try #require(DigestAlgorithm(name))
    let all = try files.flatMap { try vectors(in: $0) }
    try #require(all.count >= count)
    let directory = try TemporaryDirectory()
    var expected: [String] = []
    for (number, vector) in all.enumerated() {
      try directory.write(vector.message, to: "f\(number)".utf8)
      expected.append("\(vector.digest)  \(directory.text)/f\(number)")
    }
    let paths = all.indices.map { directory.path("f\($0)") }
    let manifest = expected.map { $0 + "\n" }.joined()
    try directory.write(manifest, to: "manifest")
    let (lines, statistics) = try await onThread {
      let lines = Shared<[UInt8]>([])
      try HashJob([algorithm], format: .plain).run(paths.map { FileSource.path(bytes: $0) }) {
        batch in
        let output = Array(batch.output)
        lines.change { $0 += output }
      }
      let statistics = Shared<CheckedManifest?>(nil)
      let source = CheckManifest.path(bytes: directory.path("manifest"))
      try CheckJob(untagged: [algorithm]).run([source]) { event in
        if case .end(let end) = event { statistics.change { $0 = end } }
      }
      return (String(decoding: lines.value, as: UTF8.self), statistics.value)
    }
    #expect(difference(lines.split(separator: "\n"), expected.map { $0[...] }) == nil)
    #expect(statistics?.matched == all.count && statistics?.entries == all.count)
  }
}

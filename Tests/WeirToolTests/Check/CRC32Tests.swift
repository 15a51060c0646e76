// CRC-32, which no tool of coreutils computes.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CRC32Tests {
  @Test("CRC-32 is that of a plain computation, by any pieces, and is written and read with a tag")
  func computed() async throws {
    var random = SeededGenerator(for: "CRC-32")
    let directory = try TemporaryDirectory()
    var expected = ""
    for (index, count) in [0, 1, 7, 8, 9, 100, 65_537, 300_000].enumerated() {
      let bytes = random.bytes(count)
      try directory.write(bytes, to: "f\(index)".utf8)
      var crc = UInt32.max
      for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
      }
      let digits = String(~crc, radix: 16)
      expected +=
        "CRC32 (f\(index)) = \(String(repeating: "0", count: 8 - digits.count))\(digits)\n"
    }
    let names = (0..<8).map { "f\($0)" }
    let result = try await weir(["hash", "-a", "crc32"] + names, in: directory).run()
    #expect(result.status == 0 && result.outputText == expected)
    var check = weir("check", "--quiet", in: directory)
    check.input = .bytes(result.output)
    try await check.run().expectSilence()
  }
}

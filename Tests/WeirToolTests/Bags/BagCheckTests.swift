// weir check BAG/, on random bags.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BagCheckTests {
  @Test("random bags: the check says what a plain comparison says")
  func random() async throws {
    var random = SeededGenerator(for: "bags")
    for _ in 0..<12 {
      let directory = try TemporaryDirectory()
      let files = try directory.fill("t", files: 40, using: &random)
      #expect(
        try await weir("hash", "--bagit", "t", "-a", "md5,sha512", in: directory).run().status == 0)
      var expected: Set<[UInt8]> = []
      for file in files {
        let name = Array("t/data/".utf8) + file.dropFirst(2)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          try directory.write(random.bytes(1000), to: name)
          expected.insert(name)
        case 1:
          let new = name + Array(".new".utf8)
          try directory.write([], to: new)
          expected.insert(new)
        case 2:
          #expect(unlink(terminated(directory.path(name))) == 0)
          expected.insert(name)
        default: break
        }
      }
      let result = try await weir("check", "--quiet", "t", in: directory).run()
      let found = Set(
        result.lines.map { line in
          Array(line[..<(line.lastIndex(of: UInt8(ascii: ":")) ?? line.startIndex)])
        }
      ).filter { $0.starts(with: "t/data/".utf8) }
      #expect(found == expected && result.status == (expected.isEmpty ? 0 : 1))
    }
  }
}

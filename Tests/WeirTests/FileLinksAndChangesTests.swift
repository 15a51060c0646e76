// Files with several names, and files that change during a read.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct FileLinksAndChangesTests {
  @Test("what a job remembers of a file comes with its other names")
  func names() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("content", to: "f")
    try #require(WeirLibC.link(directory.text + "/f", directory.text + "/g") == 0)
    let processor = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      if let known = file.remembered { return Array(known) + [0x21] }
      var bytes: [UInt8] = []
      while let piece = try file.readPiece() { bytes += piece }
      bytes.withUnsafeBytes { file.remember($0) }
      return bytes
    }
    var values: [[UInt8]?] = []
    for try await file in processor.results(of: .tree(directory.text)) { values.append(file.value) }
    #expect(values == [Array("content".utf8), Array("content!".utf8)])
    let statistics = processor.statistics
    #expect(statistics.linked == 1 && statistics.files == 2 && statistics.opened == 2)
    #expect(statistics.bytes == 7 && statistics.bytesExpected == 7)
  }

  @Test("a file that changes while it is read has no value", arguments: [false, true])
  func change(isRemoval: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write([UInt8](repeating: 1, count: 3_000_000), to: Array("f".utf8))
    let path = directory.text + "/f"
    let processor = try FileProcessor { (file) throws(Errno) -> Int in
      var count = 0
      while let piece = try file.read() {
        if count == 0 { _ = isRemoval ? unlink(path) : truncate(path, 2_000_000) }
        count += piece.count
      }
      return count
    }
    for try await file in processor.results(of: .path(FilePath(path))) {
      guard case .changed(let error) = file.outcome else {
        Issue.record("\(file.outcome)")
        continue
      }
      #expect(error == (isRemoval ? .noSuchFileOrDirectory : nil) && file.value == nil)
    }
    #expect(processor.statistics.changed == 1 && processor.statistics.failed == 0)
  }
}

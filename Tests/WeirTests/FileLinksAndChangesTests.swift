// Files with several names, files that change during a read, and pauses.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct FileLinksAndChangesTests {
  @Test("a file with several names is read once")
  func names() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    for number in 0..<20 {
      let name = "tree/f\(number)"
      try directory.write("content \(number)", to: name)
      try #require(WeirLibC.link(directory.text + "/" + name, directory.text + "/\(name) too") == 0)
    }
    try directory.write("", to: "tree/empty")
    let processor = try FileProcessor { (file) throws(Errno) -> [UInt8] in
      if let known = file.remembered { return Array(known) }
      var bytes: [UInt8] = []
      while let piece = try file.readPiece() { bytes += piece }
      bytes.withUnsafeBytes { file.remember($0) }
      return bytes
    }
    var seen = 0
    for try await file in processor.results(of: .tree(FilePath(directory.text + "/tree"))) {
      guard case .done = file.outcome else { Issue.record("\(file.path)"); continue }
      let name = file.path.lastComponent?.string ?? ""
      let number = name.dropFirst().prefix { $0.isNumber }
      let expected = name == "empty" ? "" : "content \(number)"
      #expect(file.value == Array(expected.utf8) && file.size == UInt64(expected.utf8.count))
      seen += 1
    }
    let statistics = processor.statistics
    let bytes = (0..<20).reduce(0) { $0 + UInt64("content \($1)".utf8.count) }
    #expect(
      seen == 41 && statistics.linked == 20 && statistics.files == 41 && statistics.opened == 41)
    #expect(statistics.bytes == bytes && statistics.bytesExpected == bytes)
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

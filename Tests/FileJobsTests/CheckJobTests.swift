// CheckJob: the size of a manifest, and errors of the delivery.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CheckJobTests {
  @Test("the size of a text manifest is its names, of which neighbours count once")
  func recordedNames() throws {
    let directory = try TemporaryDirectory()
    let (sha256, md5) = (String(repeating: "0", count: 64), String(repeating: "0", count: 32))
    let lines = "# comment\n\(sha256)  a\nMD5 (a) = \(md5)\n\(sha256)  b\nnonsense\n\(sha256)  a\n"
    try directory.write(lines, to: "text")
    try directory.write("\(sha256)  a\n\0\(sha256)  b\0", to: "zero")
    try directory.makeFIFO("fifo")
    func size(_ name: String, isZeroTerminated: Bool = false, isOver: Bool = false) -> [UInt64?]? {
      let manifest = CheckManifest.path(bytes: directory.path(name))
      return CheckManifest.size(of: [manifest], isZeroTerminated: isZeroTerminated) { isOver }
        .map { [$0.names, $0.bytes] }
    }
    #expect(size("text") == [3, nil])
    #expect(size("zero", isZeroTerminated: true) == [2, nil])
    #expect(size("fifo") == nil && size("none") == nil)
    #expect(size("text", isOver: true) == nil)
  }

  @Test("an error of the delivery ends the run")
  func thrown() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    let line = "\(String(repeating: "0", count: 64))  \(directory.text)/f\n"
    try directory.write(String(repeating: line, count: 5000), to: "m")
    let job = try CheckJob()
    let manifest = CheckManifest.path(bytes: directory.path("m"))
    await #expect(throws: Errno.brokenPipe) {
      try await onThread { try job.run([manifest]) { _ in throw Errno.brokenPipe } }
    }
    let count = Shared(0)
    _ = try await onThread { try job.run([manifest]) { _ in count.change { $0 += 1 } } }
    #expect(count.value > 5000)
  }
}

// AuditJob: what it leaves.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct AuditTests {
  @Test("the end of a job frees its walk")
  func freed() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("\(String(repeating: "0", count: 32))  missing\n", to: "M")
    var options = FileProcessorOptions()
    options.label = "an audit of AuditTests"
    let (root, manifest) = (directory.path, directory.path("M"))
    _ = try await onThread { [options] in
      try AuditJob(of: root, options: options).run([.path(bytes: manifest)]) { _ in }
    }
    // The queues of lanes free them in their own time; the time limit ends this loop.
    var snapshot: String
    repeat {
      let file = try FileDescriptor.open(
        FilePath(directory.text + "/snapshot"), .writeOnly, options: [.create, .truncate],
        permissions: .ownerReadWrite)
      try WeirTrace.writeSnapshot(to: file)
      try file.close()
      let bytes = directory.content("snapshot") ?? []
      snapshot = String(decoding: bytes, as: UTF8.self)
    } while snapshot.contains(options.label)
  }
}

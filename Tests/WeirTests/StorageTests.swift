// The storage of files, and reading by its rules.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct StorageTests {
  @Test("a virtual file system is in memory, and an empty path has no storage")
  func kinds() throws {
    let made = try Storage(bytes: "/proc".utf8)
    #expect(made.kind == .memory && made.fileSystem == "proc" && made.disk == nil)
    #expect(!made.readsByInode && !made.evidence.isEmpty && made.readers ?? 0 > 0)
    #expect(throws: Errno.noSuchFileOrDirectory) { try Storage(bytes: "/no/such/place".utf8) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Storage(bytes: []) }
    #expect(throws: Errno.badFileDescriptor) {
      try Storage(of: FileDescriptor(rawValue: -1))
    }
  }

  @Test("files are delivered in order, in whatever order they are read", arguments: [true, false])
  func reading(byInode: Bool) async throws {
    let directory = try TemporaryDirectory()
    for number in (0..<300).reversed() { try directory.write("\(number)", to: "f\(1000 + number)") }
    let tree = FilePath(directory.text)
    var storage = try await onThread { try Storage(bytes: directory.path) }
    storage.readers = 1
    storage.readsByInode = byInode
    let crowd = Shared(Crowd())
    // Said for the source, and for all.
    for isOption in [false, true] {
      var options = FileProcessorOptions()
      options.jobs = 3
      options.storage = isOption ? storage.forReading : nil
      let processor = try FileProcessor(options) { (file) throws(Errno) in
        crowd.change { $0.enter() }
        crowd.change { $0.leave() }
      }
      let source = FileSource.tree(tree)
      var names: [FilePath] = []
      for try await file in processor.results(
        of: isOption ? source : source.on(storage.forReading))
      {
        names.append(file.path)
      }
      #expect(names == (0..<300).map { tree.appending("f\(1000 + $0)") })
      #expect(crowd.value.most == 1)
      #expect(processor.statistics.nanosecondsFeeding > 0 && processor.busyFiles().isEmpty)
    }
  }
}

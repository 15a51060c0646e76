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

  /// One lane hangs, and its file is reported.
  @Test("files are delivered in order, in whatever order they are read", arguments: [true, false])
  func reading(byInode: Bool) async throws {
    let directory = try TemporaryDirectory()
    for number in (0..<300).reversed() { try directory.write("\(number)", to: "f\(1000 + number)") }
    let tree = FilePath(directory.text)
    var storage = try await onThread { try Storage(bytes: directory.path) }
    storage.readers = 1
    storage.readsByInode = byInode
    var options = FileProcessorOptions()
    options.jobs = 3
    let crowd = Shared(Crowd())
    let processor = try FileProcessor(options) { (file) throws(Errno) -> Int64 in
      crowd.change { $0.enter() }
      defer { crowd.change { $0.leave() } }
      return file.size
    }
    var names: [FilePath] = []
    for try await file in processor.results(of: FileSource.tree(tree).on(storage.forReading)) {
      names.append(file.path)
    }
    #expect(names == (0..<300).map { tree.appending("f\(1000 + $0)") })
    #expect(crowd.value.most == 1)
    // The same, said for all.
    options.storage = storage.forReading
    let others = try FileProcessor(options) { (file) throws(Errno) -> Int64 in
      crowd.change { $0.enter() }
      defer { crowd.change { $0.leave() } }
      return file.size
    }
    var again: [FilePath] = []
    for try await file in others.results(of: .tree(tree)) { again.append(file.path) }
    #expect(again == names && crowd.value.most == 1)
    #expect(others.statistics.nanosecondsFeeding > 0 && others.busyFiles().isEmpty)
  }
}

// Files that are opened late: the status of a path, annotations, and whole trees.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

// The module that declares the fields of `timespec` is the one that the compiler loaded first.
#if canImport(SwiftOverlayShims)
  import SwiftOverlayShims
#endif

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileOpenLateTests {
  /// The records of an earlier run, in the order of its files, and the read position.
  private final class Records: Sendable {
    private let state: Locked<(names: [[UInt8]], next: Int)>

    init(_ names: [[UInt8]]) { state = Locked((names, 0)) }

    /// Advances to the record of a file.
    func isRecorded(_ path: [UInt8]) -> Bool {
      state.with { state in
        guard let found = state.names[state.next...].firstIndex(of: path) else { return false }
        state.next = found + 1
        return true
      }
    }
  }

  private static let mark: StaticString = "recorded"
  private static var lentMark: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
  }

  @Test("recorded files are checked by their status and not read", arguments: [1, 2, 16])
  func recorded(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 100..<300 { try directory.write("\(number)", to: "f\(number)") }
    let records = Records((100..<300).filter { $0 % 3 != 0 }.map { directory.path("f\($0)") })
    var options = FileProcessorOptions()
    options.jobs = jobs
    options.opensLate = true
    let processor = try FileProcessor<Int, Void>(
      options,
      lending: { found in
        found.type == .file && found.depth == 1 && found.name.count == 4
          && records.isRecorded(Array(found.path)) ? FileOpenLateTests.lentMark : nil
      }, select: nil,
      context: { () throws(Errno) in 0 },
      job: { (file, _) throws(Errno) in
        if file.lentNote.elementsEqual(FileOpenLateTests.lentMark) {
          let seen = try file.pathStatus()
          try file.write("looked \(seen.size) \(seen.type)\n".utf8)
        } else {
          while let piece = try file.read() { try file.write(piece) }
          try file.write("\n".utf8)
        }
      })
    let run = try await processor.collecting([.path(bytes: directory.path)])
    let expected = (100..<300).map { $0 % 3 == 0 ? "\($0)\n" : "looked 3 file\n" }
    #expect(run.output == Array(expected.joined().utf8))
    #expect(
      run.statistics.files == 200 && run.statistics.opened == 66 && run.statistics.unread == 134)
  }

  @Test("the status of a path and of a file are those of the system")
  func status() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("12345", to: "f")
    let path = FilePath(directory.text + "/f")
    let times = [
      timespec(tv_sec: 5, tv_nsec: 6), timespec(tv_sec: -1_000_000_000, tv_nsec: 123_456_789),
    ]
    let isSet: Bool = path.withPlatformString { utimensat(AT_FDCWD, $0, times, 0) == 0 }
    var expected = stat()
    let isRead: Bool = path.withPlatformString { lstat($0, &expected) == 0 }
    try #require(isSet && isRead)
    var options = FileProcessorOptions()
    options.opensLate = true
    let looker = try FileProcessor(options) { (file) throws(Errno) -> [FileStatus] in
      [try file.pathStatus(), file.status, try file.pathStatus()]
    }
    for try await file in looker.results(of: .path(path)) {
      let status = try #require(file.value)
      #expect(Set(status).count == 1 && file.source == 0)
      #expect(status[0].type == .file && status[0].size == 5 && status[0].links == 1)
      #expect(status[0].inode == expected.st_ino && status[0].device == expected.st_dev)
      let time = FileTime(seconds: -1_000_000_000, nanoseconds: 123_456_789)
      #expect(status[0].modified == time)
      #expect(time < FileTime(seconds: -1_000_000_000, nanoseconds: 123_456_790))
      #expect(time < FileTime(seconds: 0, nanoseconds: 0) && !(time < time))
    }
    #expect(looker.statistics.opened == 1 && looker.statistics.unread == 0)
  }

  @Test("a whole tree is delivered with directories and links, in both forms")
  func wholeTree() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("1", to: "b")
    let root = directory.text
    try #require(symlink("there \u{1F41F}", root + "/a") == 0 && mkdir(root + "/c", 0o755) == 0)
    var options = FileProcessorOptions()
    options.deliversWholeTree = true
    let copier = try FileProcessor(options) { (file) throws(Errno) in
      while let piece = try file.read() { try file.write(piece) }
    }
    let run = try await copier.collecting([.path(bytes: directory.path)])
    #expect(run.outcomes == ["directory", "link", "done", "directory"])
    #expect(run.names == [root, root + "/a", root + "/b", root + "/c"])
    #expect(run.results.map(\.isNamed) == [true, false, false, false])
    #expect(run.results[1].output == Array("there \u{1F41F}".utf8) && run.output == [0x31])
    #expect(
      run.statistics.links == 1 && run.statistics.directories == 2 && run.statistics.found == 1)
    var outputs: [[UInt8]] = [], values = 0
    for try await file in copier.results(of: .path(bytes: directory.path)) {
      outputs.append(file.output)
      values += file.value == nil ? 0 : 1
    }
    #expect(outputs == run.results.map(\.output) && values == 1)
  }
}

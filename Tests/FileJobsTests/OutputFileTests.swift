// The output file: its lock, its unfinished records, and that it appears complete or not
// at all.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutputFileTests {
  private static let header = RecordHeader(
    version: "1", words: [RecordHeader.Word("path", "a b".utf8)])

  private func content(_ name: String, in directory: TemporaryDirectory) -> String? {
    let descriptor = open(directory.text + "/" + name, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100_000)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func names(in directory: TemporaryDirectory) -> [String] {
    guard let stream = opendir(directory.text) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Makes an output with one line.
  private static func finish(_ output: OutputFile, keepsRecords: Bool = true) throws {
    try output.beginManifest()
    try output.append([], manifest: Array("made\n".utf8))
    try output.finish(keepsRecords: keepsRecords)
  }

  private func reason(_ body: () throws -> Void) -> Fault.Reason? {
    do {
      try body()
      return nil
    } catch {
      return (error as? Fault)?.reason
    }
  }

  @Test("a run replaces the output at its end, with records and without")
  func complete() throws {
    for keepsRecords in [true, false] {
      let directory = try TemporaryDirectory()
      try directory.write("old", to: "M")
      let output = try OutputFile(directory.path("M"))
      #expect(try !output.lock())
      try output.begin(with: Self.header.line)
      try output.append(Array("one\n".utf8))
      #expect(content("M", in: directory) == "old")
      #expect(
        content("M.partial", in: directory) == String(decoding: Self.header.line, as: UTF8.self)
          + "one\n")
      try Self.finish(output, keepsRecords: keepsRecords)
      #expect(content("M", in: directory) == "made\n")
      #expect(names(in: directory) == (keepsRecords ? ["M", "M.mtree"] : ["M"]))
    }
  }

  @Test("a run that ends before its first record leaves no other file")
  func unbegun() throws {
    let directory = try TemporaryDirectory()
    do {
      let output = try OutputFile(directory.path("M"))
      #expect(try !output.lock())
      #expect(names(in: directory) == ["M.partial"])
    }
    #expect(names(in: directory) == [])
  }

  /// A read of the memory of a process fails at address 0.
  @Test("a manifest that cannot be read is closed")
  func unreadManifest() throws {
    let directory = try TemporaryDirectory()
    try directory.link("M.mtree", to: "/proc/self/mem")
    let output = try OutputFile(directory.path("M"))
    #expect(throws: Fault.self) {
      try PreviousManifest.find(output, header: Self.header, [.sha256], isResumed: false)
    }
    let count = (3..<1000).count { number in
      var target = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/self/fd/\(number)", &target, target.count)
      return target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
        .elementsEqual("/proc/\(getpid())/mem".utf8)
    }
    #expect(count == 0)
  }

  @Test("an unfinished run is found with its first line, and its lock is released")
  func unfinished() throws {
    let directory = try TemporaryDirectory()
    do {
      let output = try OutputFile(directory.path("M"))
      #expect(try !output.lock())
      try output.begin(with: Self.header.line)
      try output.append(Array("one\n".utf8))
      try output.suspend()
    }
    let second = try OutputFile(directory.path("M"))
    #expect(try second.lock())
    let line = try #require(try second.previousHeaderLine())
    #expect(RecordHeader(line: line) == Self.header)
    _ = try second.resume(with: line, isInStep: true)
    #expect(names(in: directory) == ["M.partial", "M.partial.next"])
    try Self.finish(second)
    #expect(names(in: directory) == ["M", "M.mtree"])
    #expect(content("M.mtree", in: directory) == String(decoding: line, as: UTF8.self))
  }

  @Test("a locked output names the process and the command of the other run")
  func inUse() throws {
    let directory = try TemporaryDirectory()
    let output = try OutputFile(directory.path("M"))
    _ = try output.lock()
    let second = try OutputFile(directory.path("M"))
    let found = reason { _ = try second.lock() }
    guard case .refused(let text) = found, case .command(let command) = text.parts.last else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(text.parts.first == .text("another run is writing it: process \(getpid()), "))
    #expect(command.first?.isEmpty == false)
    // Also after the other run has begun to write.
    try output.begin(with: Self.header.line)
    #expect(reason { _ = try second.lock() } == found)
  }

  @Test("the lock is on the file that the name leads to, however often it is replaced")
  func raced() async throws {
    let directory = try TemporaryDirectory()
    let name = directory.path("M")
    // Many runs, in turn and at once: no two ever hold the lock.
    let inside = Shared(0)
    let done = Shared(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await onThread {
            var finished = 0
            while finished < 15 {
              let output = try OutputFile(name)
              do {
                if try output.lock() {
                  guard let line = try output.previousHeaderLine() else {
                    fatalError("no first line")
                  }
                  _ = try output.resume(with: line, isInStep: true)
                } else {
                  try output.begin(with: OutputFileTests.header.line)
                }
              } catch let error as Fault {
                guard case .refused = error.reason else { throw error }
                continue
              }
              let others = inside.change { inside in
                inside += 1
                return inside
              }
              #expect(others == 1)
              inside.change { $0 -= 1 }
              if Bool.random() {
                try output.suspend()
              } else {
                try OutputFileTests.finish(output)
              }
              finished += 1
            }
            done.change { $0 += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(done.value == 4)
  }

  @Test("directories, special files, missing directories and foreign partial files are errors")
  func errors() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.makeFIFO("p")
    try directory.makeDirectory("N.mtree")
    try directory.makeDirectory("O.partial")
    try directory.link("L.partial", to: "elsewhere")
    func lockError(_ name: String) -> Fault.Reason? {
      reason { _ = try OutputFile(directory.path(name)).lock() }
    }
    #expect(
      lockError("d") == .system(.isDirectory) && lockError("e/") == .system(.isDirectory)
        && lockError("d/.") == .system(.isDirectory))
    #expect(lockError("p") == .isSpecial && lockError("N") == .system(.isDirectory))
    #expect(lockError("no/ne") == .system(.noSuchFileOrDirectory))
    #expect(reason { _ = try OutputFile([]) } == .system(.noSuchFileOrDirectory))
    #expect(lockError("L") == .notOurs)
    #expect(lockError("O") != nil)
    #expect(names(in: directory) == ["L.partial", "N.mtree", "O.partial", "d", "p"])
    try directory.link("one", to: "other")
    try directory.link("other", to: "one")
    #expect(lockError("one") == .system(.tooManySymbolicLinkLevels))
  }

  @Test("what a crash leaves of the future output is replaced, of every algorithm")
  func leftText() throws {
    let directory = try TemporaryDirectory()
    let text = directory.text + "/M.partial.text"
    func lockError(_ content: String) throws -> Fault.Reason? {
      try directory.write(content, to: "M.partial.text")
      try directory.write("", to: "M.partial")
      return reason { _ = try OutputFile(directory.path("M")).lock() }
    }
    for algorithm in DigestAlgorithm.allCases {
      let digits = String(repeating: "a0", count: algorithm.byteCount)
      for line in ["\(digits)  f\n", "\\\(digits)  f\n", "\(digits)  ", "\(algorithm.tag) (f) = "] {
        #expect(try lockError(line) == nil, "\(algorithm.name): \(line)")
        #expect(access(text, F_OK) != 0)
      }
    }
    for foreign in ["be careful\n", "face lift\n", "add  one\n", "precious\n"] {
      #expect(try lockError(foreign) == .notOurs, "\(foreign)")
      #expect(access(text, F_OK) == 0)
    }
  }

  @Test("symbolic links are followed, whether the file exists or not")
  func links() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.link("M", to: "d/L")
    try directory.link("d/L", to: "N")
    for _ in 0..<2 {
      let output = try OutputFile(directory.path("M"))
      _ = try output.lock()
      try output.begin(with: Self.header.line)
      try Self.finish(output)
      #expect(output.path == directory.path("d/N"))
      #expect(content("M", in: directory) == "made\n" && content("d/N", in: directory) == "made\n")
      #expect(names(in: directory) == ["M", "d"])
    }
  }

  @Test("the output and its records get the mode of the output before")
  func mode() throws {
    let directory = try TemporaryDirectory()
    try directory.write("secret", to: "M")
    try directory.setMode("M", 0o600)
    let output = try OutputFile(directory.path("M"))
    _ = try output.lock()
    try output.begin(with: Self.header.line)
    func mode(_ name: String) -> UInt32 {
      var status = stat()
      return stat(directory.text + "/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(mode("M.partial") == 0o600)
    try Self.finish(output)
    #expect(mode("M") == 0o600 && mode("M.mtree") == 0o600)
  }

  @Test("a partial file that is removed or replaced ends the run, and the output stays")
  func replaced() throws {
    for isReplaced in [false, true] {
      let directory = try TemporaryDirectory()
      try directory.write("old", to: "M")
      let output = try OutputFile(directory.path("M"))
      _ = try output.lock()
      try output.begin(with: Self.header.line)
      unlink(directory.text + "/M.partial")
      if isReplaced { try directory.write("other", to: "M.partial") }
      #expect(reason { try Self.finish(output) } == .replaced)
      #expect(content("M", in: directory) == "old")
      #expect(content("M.partial", in: directory) == (isReplaced ? "other" : nil))
    }
  }

  @Test("if the future output is removed or replaced, the records and the old output stay")
  func failed() throws {
    for isReplaced in [false, true] {
      let directory = try TemporaryDirectory()
      try directory.write("old", to: "M")
      let output = try OutputFile(directory.path("M"))
      _ = try output.lock()
      try output.begin(with: Self.header.line)
      try output.beginManifest()
      unlink(directory.text + "/M.partial.text")
      if isReplaced { try directory.write("other", to: "M.partial.text") }
      #expect(reason { try output.finish(keepsRecords: true) } == .replaced)
      let others = isReplaced ? ["M.partial.text"] : []
      #expect(names(in: directory) == ["M", "M.partial"] + others)
      #expect(content("M", in: directory) == "old")
    }
  }

  @Test("an interrupted run leaves no future output, and neither does one that is discarded")
  func suspended() throws {
    for isDiscarded in [false, true] {
      let directory = try TemporaryDirectory()
      let output = try OutputFile(directory.path("M"))
      _ = try output.lock()
      try output.begin(with: Self.header.line)
      try output.beginManifest(with: Array("made\n".utf8))
      #expect(names(in: directory) == ["M.partial", "M.partial.text"])
      if isDiscarded { try output.discard() } else { try output.suspend() }
      #expect(names(in: directory) == (isDiscarded ? [] : ["M.partial"]))
    }
  }

  @Test("records are written back at the interval, and only after a change")
  func syncs() throws {
    let directory = try TemporaryDirectory()
    let output = try OutputFile(directory.path("M"), interval: 0.001)
    _ = try output.lock()
    try output.begin(with: Self.header.line)
    for expected in 1...4 {
      try output.append(Array("x\n".utf8))
      for _ in 0..<100_000 where output.syncCount < expected { usleep(100) }
      #expect(output.syncCount >= expected)
    }
    let count = output.syncCount
    try output.suspend()
    #expect(count <= 9)  // not without a change
  }

  // MARK: The first line

  @Test("a parsed header has the words that it was made of, whatever their bytes")
  func header() throws {
    var random = SeededGenerator(for: "run header")
    for _ in 0..<200 {
      let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        RecordHeader.Word(
          ["path", "exclude", "algorithms"].randomElement(using: &random) ?? "", random.name())
      }
      let header = RecordHeader(version: "0.5.0", words: words + [RecordHeader.Word("empty", [])])
      let line = header.line
      #expect(line.last == 0x0A && line.dropLast().allSatisfy { (0x20..<0x7F).contains($0) })
      let read = try #require(RecordHeader(line: line))
      #expect(read == header && header.differences(from: read).isEmpty)
      #expect(RecordHeader(line: line.dropLast()) == nil)
    }
    #expect(RecordHeader(line: Array("#mtree v2.0 weir 0.5.0\n".utf8)) == nil)
  }

  @Test("differences between two headers have the keywords, also if only the order differs")
  func differences() throws {
    func header(_ words: [(String, String)], version: String = "1") -> RecordHeader {
      RecordHeader(version: version, words: words.map { RecordHeader.Word($0.0, $0.1.utf8) })
    }
    let one = header([("algorithms", "md5"), ("path", "a"), ("files-from", "l"), ("path", "b")])
    func keywords(_ other: RecordHeader) -> [String] { other.differences(from: one).map(\.keyword) }
    #expect(keywords(one) == [])
    #expect(
      keywords(header([("algorithms", "md5"), ("path", "a"), ("files-from", "l")])) == ["path"])
    #expect(
      keywords(
        header([
          ("algorithms", "sha1"), ("path", "a"), ("files-from", "l"), ("path", "b"),
          ("follow", "yes"),
        ]))
        == ["algorithms", "follow"])
    #expect(
      keywords(header([("algorithms", "md5"), ("path", "a"), ("path", "b"), ("files-from", "l")]))
        == [
          "order"
        ])
    #expect(
      keywords(
        header(
          one.words.map { ($0.keyword, String(decoding: $0.value, as: UTF8.self)) }, version: "2"))
        == ["version"])
  }

  @Test("a digest replaces very many names, and distinguishes them")
  func manyNames() throws {
    let names = (0..<100_000).map { RecordHeader.Word("path", "name\($0)".utf8) }
    let header = RecordHeader(
      version: "1", words: [RecordHeader.Word("algorithms", "md5".utf8)] + names)
    #expect(header.line.count < 1000)
    let read = try #require(RecordHeader(line: header.line))
    #expect(header.differences(from: read).isEmpty)
    let other = RecordHeader(version: "1", words: [header.words[0]] + names.dropLast())
    #expect(other.differences(from: read).map(\.keyword) == ["names"])
  }
}

// The duplicates job: its groups against a search that reads everything, the files that
// it reads, and files that change between two stages.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesTests {
  /// The events of a run.
  private struct Events: Sendable {
    var groups: [DuplicatesGroup] = []
    var changed: [[UInt8]] = []
    var failed: [[UInt8]] = []
    /// A word for each failure, in the order of delivery.
    var failures: [String] = []
  }

  private func run(
    _ job: DuplicatesJob, _ sources: [FileSource],
    each: @escaping @Sendable (DuplicatesEvent) throws -> Void = { _ in }
  ) async throws -> (events: Events, found: DuplicatesStatistics) {
    let events = Shared(Events())
    let found = try await onThread {
      try job.run(sources) { event in
        switch event {
        case .group(let group): events.change { $0.groups.append(group) }
        case .changed(let path):
          events.change {
            $0.changed.append(path)
            $0.failures.append("changed")
          }
        case .sizeMismatch(let path):
          events.change {
            $0.failed.append(path)
            $0.failures.append("size mismatch")
          }
        case .failed(let error, let path):
          events.change {
            $0.failed.append(path)
            $0.failures.append("\(error)")
          }
        case .result(let result):
          let (path, words) = (Array(result.path), "\(result.outcome)")
          events.change {
            $0.failed.append(path)
            $0.failures.append(words)
          }
        }
        try each(event)
      }
    }
    return (events.value, found)
  }

  private func names(_ groups: [DuplicatesGroup]) -> [[[[UInt8]]]] {
    groups.map { $0.files.map { Array($0.names) } }
  }

  private func options(_ change: (inout FileProcessorOptions) -> Void) -> FileProcessorOptions {
    var options = FileProcessorOptions()
    change(&options)
    return options
  }

  // MARK: Random trees

  /// A tree of similar files: equal sizes, equal beginnings and ends, differences of one
  /// byte anywhere, hard links.
  private struct Forest {
    /// The names and the content of each file (inode), in the order of a walk.
    var files: [(names: [[UInt8]], content: [UInt8])] = []
  }

  private func plant(
    _ directory: TemporaryDirectory, count: Int, using random: inout SeededGenerator
  ) throws -> Forest {
    let sizes = [0, 1, 100, 8192, 8193, 65536, 65537, 70_000]
    let bases = sizes.map { random.bytes($0) }
    try directory.makeDirectory("t")
    var taken: Set<[UInt8]> = []
    var made: [(names: [[UInt8]], content: [UInt8])] = []
    func newName() throws -> [UInt8] {
      while true {
        let sub = Array("t/\(random.next() % 7)/".utf8)
        try directory.makeDirectory(sub)
        let name = sub + random.name()
        if taken.insert(name).inserted { return name }
      }
    }
    for _ in 0..<count {
      var content = bases[Int(random.next() % UInt64(bases.count))]
      if !content.isEmpty && random.next() % 2 == 0 {
        // In a large file the same offset is rare, in a small one frequent.
        let places = [0, content.count / 2, content.count - 1, content.count / 3]
        content[places[Int(random.next() % 4)]] ^= UInt8(random.next() % 3)
      }
      var names = [try newName()]
      try directory.write(content, to: names[0])
      while random.next() % 5 == 0 {
        let other = try newName()
        try hardLink(directory.path(names[0]), directory.path(other))
        names.append(other)
      }
      made.append((names.sorted(by: precedesInWalk), content))
    }
    return Forest(files: made.sorted { precedesInWalk($0.names[0], $1.names[0]) })
  }

  /// Returns the groups by reading everything, those first that save most.
  private func model(
    _ forest: Forest, minimum: Int, links: Bool, in directory: TemporaryDirectory
  ) -> [[[[UInt8]]]] {
    var groups: [[UInt8]: [Int]] = [:]
    for (index, file) in forest.files.enumerated() where file.content.count >= minimum {
      groups[file.content, default: []].append(index)
    }
    let wanted = groups.values.filter { members in
      members.count > 1 || links && forest.files[members[0]].names.count > 1
    }
    let sorted = wanted.sorted { left, right in
      let savings = [left, right].map {
        ($0.count - 1) * forest.files[$0[0]].content.count
      }
      return savings[0] == savings[1] ? left[0] < right[0] : savings[0] > savings[1]
    }
    return sorted.map { members in
      members.map { forest.files[$0].names.map { directory.path($0) } }
    }
  }

  @Test("the groups of a random tree are those of a search that reads everything", arguments: 0..<4)
  func forest(round: Int) async throws {
    var random = SeededGenerator(for: "duplicates \(round)")
    let directory = try TemporaryDirectory()
    let forest = try plant(directory, count: 250, using: &random)
    let source = FileSource.path(bytes: directory.path("t"))
    for (minimum, links) in [(1, false), (0, true), (8193, false), (101, true)] {
      let expected = model(forest, minimum: minimum, links: links, in: directory)
      for verifies in [false, true] {
        var asked = DuplicatesJob.Options()
        asked.minimumSize = UInt64(minimum)
        asked.verifies = verifies
        asked.listsLinks = links
        for jobs in [1, 7] {
          let job = DuplicatesJob(asked, processorOptions: options { $0.jobs = jobs })
          let (events, found) = try await run(job, [source])
          #expect(events.failures.isEmpty)
          #expect(difference(names(events.groups), expected) == nil)
          #expect(found.groups == UInt64(expected.count))
          #expect(found.duplicates == UInt64(expected.reduce(0) { $0 + $1.count - 1 }))
          #expect(found.saving == events.groups.reduce(0) { $0 + $1.saving })
          #expect(found.names == UInt64(forest.files.reduce(0) { $0 + $1.names.count }))
        }
        let job = DuplicatesJob(asked, processorOptions: options { $0.order = .completion })
        let (events, _) = try await run(job, [source])
        #expect(Set(names(events.groups)) == Set(expected) && events.groups.count == expected.count)
      }
    }
  }

  @Test("a digest is that of the content, and missing if nothing was read")
  func digests() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write("hello\n", to: name) }
    for name in ["c", "d"] {
      try directory.write(Array(repeating: 7, count: 100_000), to: name.utf8)
    }
    var asked = DuplicatesJob.Options()
    asked.minimumSize = 0
    for name in ["e", "f"] { try directory.write("", to: name) }
    let job = DuplicatesJob(asked)
    let (events, _) = try await run(job, [.path(bytes: directory.path)])
    try #require(events.groups.map(\.size) == [100_000, 6, 0])
    for (group, name) in zip(events.groups, ["c", "a"]) {
      let line = try await Command("xxhsum", "-H2", "\(directory.text)/\(name)").run().outputText
      let digits = group.digest.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }
      #expect(line.hasPrefix(digits.joined()))
    }
    #expect(events.groups[2].digest.isEmpty)
  }

  // MARK: Files that are read

  @Test("no file is read without need")
  func reading() async throws {
    let directory = try TemporaryDirectory()
    let large = 100_000
    let edges = 2 * DuplicatesLane.edge
    func files(_ contents: [[UInt8]]) throws {
      _ = try Command("rm", "-rf", directory.text + "/t").runBlocking()
      try directory.makeDirectory("t")
      for (index, content) in contents.enumerated() {
        try directory.write(content, to: "t/\(index)".utf8)
      }
    }
    func bytes(_ count: Int, _ changes: [Int] = []) -> [UInt8] {
      var content = Array(repeating: UInt8(1), count: count)
      for place in changes { content[place] = 2 }
      return content
    }
    // For the first group of a device without shared blocks, one file is opened once more.
    for (contents, read, opened) in [
      ([bytes(1), bytes(2), bytes(large)], 0, 0),  // each alone in its size
      ([bytes(100), bytes(100, [0]), bytes(3)], 200, 2),
      ([bytes(65536), bytes(65536)], 131_072, 3),  // once
      ([bytes(65537), bytes(65537, [0])], 2 * edges, 2),
      ([bytes(large), bytes(large, [0]), bytes(large, [large - 1])], 3 * edges, 3),
      ([bytes(large), bytes(large)], 2 * (edges + large), 5),
      ([bytes(large), bytes(large, [50_000])], 2 * (edges + large), 4),
      ([bytes(large), bytes(large), bytes(large, [0])], 3 * edges + 2 * large, 6),
    ] {
      try files(contents)
      let watch = try OpenWatch(directory.text + "/t")
      let job = DuplicatesJob()
      _ = try await run(job, [.path(bytes: directory.path("t"))])
      #expect(job.statistics.bytes == UInt64(read) && watch.count() == opened)
      let sizes = contents.map(\.count)
      let alone = sizes.filter { size in sizes.filter { $0 == size }.count == 1 }.count
      #expect(job.statistics.unread == UInt64(alone))
    }
    // Twelve names of one file, and two names of its copy.
    try files([bytes(large), bytes(large)])
    for index in 0..<12 {
      let name = directory.text + "/t/\(index % 6 < 5 ? 0 : 1)"
      guard link(name, directory.text + "/t/l\(index)") == 0 else { throw Errno(rawValue: errno) }
    }
    let job = DuplicatesJob()
    let (events, found) = try await run(job, [.path(bytes: directory.path("t"))])
    #expect(job.statistics.bytes == UInt64(2 * (edges + large)))
    #expect(events.groups.map { $0.files.map(\.names.count) } == [[11, 3]])
    #expect(found.links == 12 && found.duplicates == 1 && found.saving == UInt64(large))
  }

  @Test("several spellings of a path are one name, and hard links are several")
  func sameNames() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a")
    try directory.makeDirectory("a/b")
    try directory.write("x", to: "a/b/f")
    try directory.link("l", to: "a")
    let ways = ["a/b/f", "./a/b/f", "a//b/f", "a/b/../b/f", "l/b/f", "a/b", "a", "l", "a/b/f"]
    let sources = ways.map { FileSource.path(bytes: directory.path($0)) }
    var asked = DuplicatesJob.Options()
    asked.listsLinks = true
    let job = DuplicatesJob(asked)
    #expect(try await run(job, sources).events.groups.isEmpty)
    guard link(directory.text + "/a/b/f", directory.text + "/a/f") == 0 else {
      throw Errno(rawValue: errno)
    }
    let (events, _) = try await run(job, sources)
    // By the first spelling of each.
    #expect(names(events.groups) == [[[directory.path("a/b/f"), directory.path("a/f")]]])
    try directory.write("x", to: "c")
    let (more, _) = try await run(job, [.path(bytes: directory.path("c"))] + sources)
    #expect(
      names(more.groups) == [
        [[directory.path("c")], [directory.path("a/b/f"), directory.path("a/f")]]
      ])
  }

  // MARK: Change

  @Test("a file that changes after it was found is reported and is in no group")
  func change() async throws {
    for size in [10, 80_000] {
      let directory = try TemporaryDirectory()
      let content = Array(repeating: UInt8(1), count: size)
      let names = (0..<9).map { "\($0)" }
      for name in names { try directory.write(content, to: name.utf8) }
      let paths = names.map { directory.path($0) }
      let index = Shared(0)
      // The caller is the lane, and a batch has one file: each file gets its stat before the
      // next item is requested.
      let source = FileSource.items {
        let now = index.change { index in
          index += 1
          return index - 1
        }
        guard now < paths.count else {
          changeAll(directory, content)
          return nil
        }
        return FileItem(path: paths[now])
      }
      for verifies in [false, true] {
        index.change { $0 = 0 }
        for name in names {
          _ = try Command("rm", "-rf", "\(directory.text)/\(name)").runBlocking()
          try directory.write(content, to: name.utf8)
        }
        var asked = DuplicatesJob.Options()
        asked.verifies = verifies
        let job = DuplicatesJob(
          asked,
          processorOptions: options {
            $0.isInline = true
            $0.filesPerBatch = 1
          })
        let (events, found) = try await run(job, [source])
        #expect(self.names(events.groups) == [[[paths[0]], [paths[7]], [paths[8]]]])
        // Edited, longer, shorter, replaced, a FIFO, and removed.
        #expect(events.changed == [1, 2, 3, 4, 5].map { paths[$0] })
        #expect(events.failed == [paths[6]])
        #expect(found.failures == 6)
        let statistics = job.statistics
        #expect(statistics.changed == 5 && statistics.failed == 1 && statistics.files == 3)
      }
    }
  }

  @Test("files with a wrong size are not equal: files of size 0 are read")
  func sizeMismatches() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write("", to: name) }
    let lying = ["/proc/version", "/proc/self/status", "/proc/self/mounts"].map { Array($0.utf8) }
    for verifies in [false, true] {
      var asked = DuplicatesJob.Options()
      asked.minimumSize = 0
      asked.verifies = verifies
      let job = DuplicatesJob(asked)
      let sources = (lying + [directory.path]).map { FileSource.path(bytes: $0) }
      let (events, found) = try await run(job, sources)
      #expect(names(events.groups) == [[[directory.path("a")], [directory.path("b")]]])
      #expect(
        Set(events.failed) == Set(lying)
          && events.failures == ["size mismatch", "size mismatch", "size mismatch"])
      #expect(found.failures == 3 && job.statistics.failed == 3 && job.statistics.files == 2)
    }
  }

  @Test("a symbolic link is not a name of a file that has another name")
  func links() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("u")
    for name in ["t/real", "t/two", "u/far"] { try directory.write("same", to: name) }
    try hardLink(directory.path("t/real"), directory.path("t/s"))
    try directory.link("t/a", to: "real")
    try directory.link("t/z", to: "two")
    try directory.link("t/b", to: "../u/far")
    try directory.link("t/c", to: "b")
    try directory.link("u/in", to: "../t")
    var asked = DuplicatesJob.Options()
    asked.listsLinks = true
    let job = DuplicatesJob(
      asked, processorOptions: options { $0.followsSymbolicLinks = true })
    let (events, found) = try await run(job, [.path(bytes: directory.path("t"))])
    let expected = [["t/b"], ["t/real", "t/s"], ["t/two"]].map { $0.map { directory.path($0) } }
    #expect(names(events.groups) == [expected])
    #expect(found.links == 1 && found.duplicates == 2)
    // Links that are operands are always followed.
    for (named, groups) in [
      (["t/a", "t/two", "t/real"], [[["t/two"], ["t/real"]]]), (["t/a", "t/real"], []),
      (["t/b", "t/c"], []), (["t/a", "t/b", "t/c"], [[["t/a"], ["t/b"]]]),
    ] {
      let sources = named.map { FileSource.path(bytes: directory.path($0)) }
      let (events, _) = try await run(DuplicatesJob(asked), sources)
      #expect(
        names(events.groups) == groups.map { $0.map { $0.map { directory.path($0) } } }, "\(named)")
    }
  }

  // MARK: Comparing

  @Test("the comparison separates files with equal digests, at any byte")
  func collisions() async throws {
    var random = SeededGenerator(for: "collisions")
    let directory = try TemporaryDirectory()
    let window = DuplicatesComparison.window
    for size in [1, 4096, window, window + 1, 2 * window + 77] {
      let base = random.bytes(size)
      // The offset of the changed byte of each file, if any.
      let places = [nil, size - 1, nil, 0, size - 1, size / 2, nil, 0]
      let files = try places.enumerated().map { index, place in
        var content = base
        if let place { content[place] ^= 1 }
        let name = "\(size).\(index)"
        try directory.write(content, to: name.utf8)
        return try file(directory.path(name))
      }
      let expected = places.map { place in
        places.firstIndex { $0 == place || size == 1 && ($0 == nil) == (place == nil) } ?? 0
      }
      let verdicts = try await onThread {
        try DuplicatesComparison(countBytes: { _ in }, isCanceled: { false })
          .compare(files.count) { files[$0] }
      }
      let parts = verdicts.map { verdict -> Int in
        guard case .part(let part) = verdict else { return -1 }
        return Int(part)
      }
      let firsts = parts.map { part in parts.firstIndex(of: part) ?? 0 }
      #expect(firsts == expected, "\(size)")
    }
  }

  @Test("files can be removed or replaced before they are compared")
  func comparingWhatChanged() async throws {
    let directory = try TemporaryDirectory()
    let content = Array(repeating: UInt8(3), count: DuplicatesComparison.window + 5)
    let names = ["first", "b", "c", "d"]
    for name in names { try directory.write(content, to: name.utf8) }
    let files = try names.map { try file(directory.path($0)) }
    unlink(directory.text + "/first")
    unlink(directory.text + "/c")
    try directory.write(content, to: "c".utf8)
    let read = Shared(0)
    let verdicts = try await onThread {
      try DuplicatesComparison(
        countBytes: { count in read.change { $0 += count } }, isCanceled: { false }
      )
      .compare(files.count) { files[$0] }
    }
    #expect(verdicts == [.failed(.noSuchFileOrDirectory), .part(0), .changed, .part(0)])
    #expect(read.value >= 2 * content.count && read.value <= 3 * content.count)
    // Whatever replaces a file is not read, and counts as changed.
    for script in ["mkfifo b", "mkdir b", "ln -s /dev/zero b", "ln -s . b"] {
      unlink(directory.text + "/b")
      rmdir(directory.text + "/b")
      let making = Command("sh", "-c", "cd \"$1\" && \(script)", "sh", directory.text)
      #expect(try await making.run().status == 0)
      let read = Shared(0)
      let verdicts = try await onThread {
        try DuplicatesComparison(
          countBytes: { count in read.change { $0 += count } }, isCanceled: { false }
        )
        .compare(2) { files[$0 == 0 ? 1 : 3] }
      }
      #expect(verdicts == [.changed, .part(0)], "\(script)")
      #expect(read.value <= content.count)
    }
    #expect(throws: Errno.canceled) {
      try DuplicatesComparison(countBytes: { _ in }, isCanceled: { true })
        .compare(files.count) { files[$0] }
    }
  }

  private func file(_ path: [UInt8]) throws -> DuplicatesComparison.File {
    let metadata = Shared<DuplicatesMetadata?>(nil)
    var options = FileProcessorOptions()
    options.opensLate = true
    options.isInline = true
    let finder = try FileProcessor(options) { (file) throws(Errno) in
      let found = DuplicatesMetadata(try file.pathStatus())
      metadata.change { $0 = found }
    }
    try finder.run([.path(bytes: path)]) { _ in }
    return DuplicatesComparison.File(path: path + [0], metadata: try #require(metadata.value))
  }

  // MARK: Shared blocks

  @Test("a piece is freed once, and only if all its references are known and go")
  func freedBlocks() {
    func file(_ extents: [(UInt64, UInt64, UInt64)], system: UInt64 = 1) -> FileBlocks {
      FileBlocks(
        allocated: 10_000,
        extents: extents.map { .init(offset: $0.0, place: $0.1, length: $0.2) }, system: system)
    }
    func shared(_ files: [FileBlocks]) -> [UInt64] {
      FreedBlocks.unfreed(files, size: 10_000) { $0 == 0 }.map(\.shared)
    }
    let whole = file([(0, 1 << 20, 4096), (4096, 9 << 20, 8192)])
    let alone = file([])
    #expect(shared([whole, whole, alone]).dropFirst() == [10_000, 0])
    // With each other only: one of them is freed. With nobody that was found: none.
    #expect(shared([alone, whole, whole]).dropFirst() == [0, 10_000])
    #expect(shared([alone, whole]).dropFirst() == [10_000])
    #expect(shared([alone, file([(0, 1 << 20, 4096)])]).dropFirst() == [4096])
    // In part, with other borders, and on another file system.
    #expect(shared([whole, file([(0, 1 << 20, 2048), (2048, 5, 0)])]).dropFirst() == [2048])
    #expect(
      shared([file([(0, 1 << 20, 10_000)]), file([(4096, (1 << 20) + 4096, 8192)])]).dropFirst()
        == [5904])
    let elsewhere = file([(0, 1 << 20, 4096)], system: 2)
    #expect(shared([alone, elsewhere, elsewhere, whole]).dropFirst() == [0, 4096, 10_000])
    let last = UInt64.max
    #expect(shared([alone, file([(0, last, last), (last, 0, last)])]).dropFirst() == [0])
    // Names elsewhere hold all, also for those that share the blocks.
    var named = whole
    named.hasOtherNames = true
    let held = FreedBlocks.unfreed([alone, named, whole, alone], size: 10_000) { $0 == 0 }
    #expect(held.dropFirst().map(\.shared) == [10_000, 10_000, 0])
    #expect(held.dropFirst().map(\.isWhole) == [true, true, false])
    let hole = FreedBlocks.unfreed([alone, FileBlocks(allocated: 4096)], size: 10_000) { $0 == 0 }
    #expect(hole[1] == UnfreedBytes(holes: 5904))
  }
}

/// A counter of the times that files of a directory are opened.
private final class OpenWatch {
  private let descriptor: Int32

  init(_ directory: String) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    // Of equal events that follow each other the kernel keeps one: a close is between two opens.
    let mask = UInt32(IN_OPEN | IN_CLOSE)
    guard descriptor >= 0, inotify_add_watch(descriptor, directory, mask) >= 0 else {
      throw Errno(rawValue: errno)
    }
  }

  deinit {
    close(descriptor)
  }

  /// Returns the number of opened files since the last call.
  func count() -> Int {
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let got = read(descriptor, &buffer, buffer.count)
      if got <= 0 { return count }
      var place = 0
      while place < got {
        // A watch, a mask, a cookie and the length of the name; no name is the directory.
        let (mask, length) = buffer.withUnsafeBytes {
          (
            $0.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
            $0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self)
          )
        }
        if length > 0 && mask & UInt32(IN_OPEN) != 0 { count += 1 }
        place += 16 + Int(length)
      }
    }
  }
}

/// Gives a file another name.
private func hardLink(_ from: [UInt8], _ to: [UInt8]) throws {
  let result = terminated(from).withUnsafeBufferPointer { from in
    terminated(to).withUnsafeBufferPointer { to in
      from.baseAddress.flatMap { from in to.baseAddress.map { link(from, $0) } } ?? -1
    }
  }
  guard result == 0 else { throw Errno(rawValue: errno) }
}

/// Changes each file in another way.
private func changeAll(_ directory: TemporaryDirectory, _ content: [UInt8]) {
  var other = content
  other[content.count / 2] ^= 1
  do {
    try directory.write(other, to: "1".utf8)
    try directory.write(content + [1], to: "2".utf8)
    try directory.write(content.dropLast(), to: "3".utf8)
    for name in ["4", "5", "6"] { unlink(directory.text + "/" + name) }
    try directory.write(content, to: "new".utf8)
    rename(directory.text + "/new", directory.text + "/4")
    try directory.makeFIFO("5")
    // Another time, independent of the clock, since the content is the same again.
    var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    utimensat(AT_FDCWD, directory.text + "/1", &times, 0)
  } catch {
    Issue.record(error)
  }
}

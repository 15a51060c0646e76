// weir/sources.h: names from a list, in a file or a pipe, in pieces of any size.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

/// Calls `body` with all strings of bytes, which end in NUL.
private func withAll<R>(_ bytes: [Path], _ body: ([UnsafePointer<CChar>]) -> R) -> R {
  let all = bytes.flatMap { $0 }
  let starts = bytes.indices.map { index in bytes[..<index].reduce(0) { $0 + $1.count } }
  return all.withUnsafeBytes { memory in
    body(starts.map { (memory.baseAddress! + $0).assumingMemoryBound(to: CChar.self) })
  }
}

extension CWeirFilesTests {
  @Suite struct FilesListTests {
    /// The names are of all kinds, in a pipe with pieces of any size.
    @Test(arguments: [LaneSet.inline, 1, 2] as [UInt], [0x0A, 0x00] as [UInt8])
    func everyNameIsDeliveredInItsPlace(jobs: UInt, separator: UInt8) throws {
      var random = Random("list \(separator)")
      let tree = Tree()
      tree.fill(&random, entries: 300)
      let files = try filesBelow(tree.root).filter { !$0.contains(separator) }
      for round in 0..<3 {
        let names = (0..<900).map { _ in anyName(files, &random) }
        var list = Array(names.joined(separator: [separator]))
        // An empty name at the end needs its separator, another may lack it.
        if names.last == [] || round > 0 { list.append(separator) }
        let processor = Processor(jobs: jobs, batchSize: 1 + random.below(70))
        let pieces = pieces(of: list, &random)
        let error = throughPipe(pieces) { processor.run(list: $0, separator: separator) }
        #expect(error == 0 && processor.results.allSatisfy(\.named))
        #expect(difference(processor.paths, names) == nil)
        #expect(
          processor.results.allSatisfy { $0.isDone || $0.hasFailed(with: whyFails($0.path)) })
        #expect(processor.statistics.found == 900 && processor.results.contains { $0.isDone })
      }
    }

    /// Each is opened in its turn, and closed after its last name.
    @Test func listsAreOpenedOneAfterTheOther() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree(), plain = tree.file("a")
        let names = (0..<20).map { number in tree.file("list \(number)", plain) + [0] }
        // Other descriptors are the testing library's.
        let opened: @Sendable () -> Int = { openDescriptors(below: tree.root.shown).lanes }
        let most = Locked(0)
        let processor = Processor(jobs: LaneSet.inline, batchSize: 1) { _ in
          most.with { $0 = max($0, opened()) }
          return 0
        }
        let missing = tree.root / "missing"
        let error = withAll(names + [missing + [0]]) { paths in
          processor.run(
            sources: paths.map { path in
              var source = weir_files_source_t()
              source.kind = WEIR_SOURCE_LIST_FILE
              source.separator = 0x0A
              source.path = path
              return source
            })
        }
        #expect(error == 0)
        #expect(processor.paths == [Path](repeating: plain, count: 20) + [missing])
        #expect(processor.results.last?.hasFailed(with: ENOENT) == true)
        #expect(opened() == 0 && (1...3).contains(most.now))
      }
    }

    /// The end of a socket that was closed before it had read everything is an error after the
    /// bytes that it sent: the name in which they end may be the beginning of another one.
    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func aNameThatAnErrorCutsOffIsNoName(jobs: UInt) {
      let tree = Tree()
      let whole = tree.file("a", [1]), beginning = tree.file("b", [2])
      var ends: [Int32] = [0, 0]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { close(ends[0]) }
      #expect(write(ends[0], "x", 1) == 1)
      let list = whole + [0x0A] + beginning
      #expect(write(ends[1], list, list.count) == list.count)
      close(ends[1])
      let processor = Processor(jobs: jobs, batchSize: 1)
      #expect(processor.run(list: ends[0]) == 0)
      #expect(processor.paths == [whole, Path("list")])
      #expect(processor.results.last?.hasFailed(with: ECONNRESET) == true)
    }

    @Test func aDirectoryInAListIsWalkedInItsPlace() {
      let tree = Tree()
      let one = tree.file("one"), two = tree.file("two")
      tree.directory("d")
      let inside = [tree.file("d/1"), tree.file("d/2")]
      let list = Array([one, tree.root / "d", two].joined(separator: [0x0A]))
      let processor = Processor()
      #expect(throughPipe([list]) { processor.run(list: $0) } == 0)
      #expect(processor.paths == [one] + inside + [two])
      #expect(processor.results.map(\.named) == [true, false, false, true])
    }

    @Test func impossibleNamesFail() {
      let tree = Tree()
      let plain = tree.file("a")
      let slashes = tree.root + [UInt8](repeating: slash, count: 200_000) + Array("a".utf8)
      let endless = [UInt8](repeating: 0x61, count: 3_000_000)
      let names = [plain, slashes, plain + [0] + plain, endless, plain, endless]
      let processor = Processor()
      let list = Array(names.joined(separator: [0x0A]))
      #expect(throughPipe([list]) { processor.run(list: $0) } == 0)
      let results = processor.results
      let cut = Array(endless.prefix(4095))
      #expect(results.map(\.path) == [plain, slashes, plain + [0] + plain, cut, plain, cut])
      #expect([0, 1, 4].allSatisfy { results[$0].isDone })
      #expect(results[2].hasFailed(with: EINVAL))
      #expect(
        results[3].hasFailed(with: ENAMETOOLONG) && results[5].hasFailed(with: ENAMETOOLONG))
    }

    @Test func anUnreadableListIsAFailedFile() {
      let tree = Tree()
      let directory = tree.root.c { open($0, O_RDONLY) }
      defer { close(directory) }
      for (descriptor, error) in [(directory, EISDIR), (9999, EBADF), (-1, EBADF)] {
        let processor = Processor()
        #expect(processor.run(list: descriptor, name: "a list") == 0)
        #expect(processor.paths == [Path("a list")])
        #expect(processor.results[0].hasFailed(with: error) && processor.statistics.failed == 1)
      }
      let processor = Processor()
      var source = weir_files_source_t()
      source.kind = WEIR_SOURCE_LIST
      #expect(processor.run(sources: [source]) == EINVAL)
    }

    /// The writer of the list waits for the delivery of the names it has written.
    @Test(arguments: [LaneSet.inline, 1, 2] as [UInt])
    func listedNamesDoNotWaitForTheRest(jobs: UInt) {
      let tree = Tree()
      let plain = tree.file("a")
      let delivered = Locked(0), late = Locked(0)
      let processor = Processor(
        jobs: jobs,
        deliver: { results in
          delivered.with { $0 += results.count }
          return 0
        })
      let error = withPipe { writing in
        for count in 1...5 {
          put(plain + [0x0A], in: writing)
          if !eventually({ delivered.now == count }) { late.with { $0 += 1 } }
        }
      } reading: {
        processor.run(list: $0)
      }
      #expect(error == 0 && late.now == 0 && processor.results.count == 5)
    }

    @Test func aRunThatWaitsForItsListCanBeCancelled() {
      let tree = Tree()
      let plain = tree.file("a")
      let delivered = Latch(1), over = Latch(1)
      let processor = Processor(deliver: { _ in
        delivered.arrive()
        return 0
      })
      let error = withPipe { writing in
        put(plain + [0x0A] + plain, in: writing)
        delivered.wait()
        processor.cancel()
        over.wait()
      } reading: { reading in
        let error = processor.run(list: reading)
        over.arrive()
        return error
      }
      #expect(error == ECANCELED && over.isOpen && processor.paths == [plain])
    }

    /// It is read when its names are needed: not while the delivery waits.
    @Test func aListIsNotReadFarAhead() {
      let tree = Tree()
      let plain = tree.file("a")
      let line = plain + [0x0A], count = 400_000
      let list = tree.file("list", Array([[UInt8]](repeating: line, count: count).joined()))
      let descriptor = list.c { open($0, O_RDONLY) }
      defer { close(descriptor) }
      let furthest = Locked(0)
      let processor = Processor(
        batchSize: 4,
        deliver: { _ in
          // Batches that are not delivered hold the feed up.
          furthest.with { $0 = max($0, Int(lseek(descriptor, 0, SEEK_CUR))) }
          return furthest.now > 0 ? EINTR : 0
        })
      #expect(processor.run(list: descriptor) == EINTR)
      #expect(furthest.now <= 4 * 65536, "\(furthest.now)")
    }
  }
}

/// Returns a name that exists, one that does not, or an empty one.
private func anyName(_ files: [Path], _ random: inout Random) -> Path {
  switch random.below(10) {
  case 0: []
  case 1: files[random.below(files.count)] + Array(".not".utf8)
  case 2: Path("/tmp") + [UInt8](repeating: slash, count: random.below(2000)) + Array("-".utf8)
  default: files[random.below(files.count)]
  }
}

/// Returns the error of an open.
private func whyFails(_ path: Path) -> Int32 {
  let descriptor = path.c { open($0, O_RDONLY | O_NONBLOCK) }
  if descriptor < 0 { return errno }
  close(descriptor)
  return 0
}

private func pieces(of list: [UInt8], _ random: inout Random) -> [[UInt8]] {
  var rest = list[...], pieces: [[UInt8]] = []
  while !rest.isEmpty {
    let most = [3, 300, 100_000][random.below(3)]
    pieces.append(Array(rest.prefix(1 + random.below(most))))
    rest = rest.dropFirst(pieces[pieces.count - 1].count)
  }
  return pieces
}

private func put(_ bytes: [UInt8], in descriptor: Int32) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written <= 0 { return }
    rest = rest.dropFirst(written)
  }
}

/// Runs with a pipe that another thread writes to.
private func withPipe(
  _ write: @escaping @Sendable (Int32) -> Void, reading: (Int32) -> Int32
) -> Int32 {
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0)
  let (input, output) = (ends[0], ends[1])
  let over = Latch(1)
  startThread {
    write(output)
    close(output)
    over.arrive()
  }
  let result = reading(input)
  over.wait()
  close(input)
  return result
}

private func throughPipe(_ pieces: [[UInt8]], _ body: (Int32) -> Int32) -> Int32 {
  withPipe { writing in
    for piece in pieces { put(piece, in: writing) }
  } reading: {
    body($0)
  }
}

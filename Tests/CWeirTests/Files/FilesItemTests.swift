// weir/sources.h: items that a function gives, and their notes: each is delivered in its place,
// with its own bytes, for any number of lanes.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesItemTests {
    @Test(arguments: widths, [1, 5, 64])
    func everyItemIsDeliveredInItsPlaceWithItsNote(jobs: UInt, batchSize: Int) {
      var random = Random("items \(batchSize)")
      let ground = Ground()
      for _ in 0..<3 {
        let made = ground.items(300, &random)
        let processor = Processor(jobs: jobs, batchSize: batchSize) { $0.write($0.note) }
        #expect(processor.run(items: made.items) == 0)
        #expect(difference(processor.results.map(Came.init), made.expected) == nil)
        let done = processor.results.filter(\.isDone)
        #expect(done.allSatisfy { $0.output == $0.note }, "a job saw another note")
        #expect(processor.results.allSatisfy { $0.outcome != WEIR_FILE_NOTED || !$0.isDone })
        let statistics = processor.statistics
        #expect(statistics.found == made.expected.count { $0.outcome != WEIR_FILE_NOTED })
        #expect(
          statistics.files + statistics.failed == statistics.found && statistics.feeding == 0)
      }
    }

    @Test func theKindOfAnItemDecidesItsOutcome() {
      let tree = Tree()
      let plain = tree.file("plain", [1, 2, 3])
      let items: [Item] = [
        .file(tree.directory("d")), .file(tree.fifo("fifo")), .path(tree.fifo("pipe")),
        .file(tree.socket("socket")), .file([]), .path([]), .file(plain + [0]),
        .path(plain + [0] + plain), .failure(EACCES, plain), .note([]), .file(plain / "below"),
        .file(tree.link("dangling", to: "nowhere")), .file(tree.link("good", to: "plain")),
      ]
      let processor = Processor()
      #expect(processor.run(items: items) == 0)
      let results = processor.results
      #expect(results.map(\.path) == items.map(\.path) && results.allSatisfy(\.named))
      for (index, error) in [
        (0, EISDIR), (4, ENOENT), (5, ENOENT), (6, EINVAL), (7, EINVAL), (8, EACCES),
        (10, ENOTDIR), (11, ENOENT),
      ] {
        #expect(results[index].hasFailed(with: error), "item \(index)")
      }
      #expect((1...3).allSatisfy { results[$0].isSpecial })
      #expect(results[9].outcome == WEIR_FILE_NOTED && results[9].note.isEmpty)
      #expect(results[12].isDone && results[12].bytes == 3)
      #expect(processor.statistics.found == 12 && processor.statistics.failed == 8)
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func aDescriptorThatIsGivenTwiceIsReadInTurn(jobs: UInt) {
      let tree = Tree()
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 5) }
      let descriptor = tree.file("f", bytes).c { open($0, O_RDONLY) }
      defer { close(descriptor) }
      let processor = Processor(jobs: jobs)
      let name = Path("-")
      #expect(
        processor.run(items: [.descriptor(descriptor, name, [1]), .descriptor(descriptor, name)])
          == 0)
      #expect(processor.results.map(\.bytes) == [3_000_000, 0])
      #expect(processor.output == summary(of: bytes) + summary(of: []))
      #expect(processor.results.map(\.note) == [[1], []])
    }

    /// The function waits for the delivery of the items that it has given.
    @Test(arguments: [LaneSet.inline, 1, 2] as [UInt])
    func flushedItemsAreDeliveredBeforeTheNextIsGiven(jobs: UInt) {
      let tree = Tree()
      let plain = tree.file("f", [1])
      let delivered = Locked(0), late = Locked(0), turn = Locked(0)
      let processor = Processor(
        jobs: jobs,
        deliver: { results in
          delivered.with { $0 += results.count }
          return 0
        })
      let feed = ItemFeed {
        let number = turn.with {
          $0 += 1; return $0
        }
        if number > 12 { return nil }
        if number % 3 == 0 { return .flush }
        if number % 3 == 1, !eventually({ delivered.now == number / 3 * 2 }) {
          late.with { $0 += 1 }
        }
        return number % 2 == 0 ? .file(plain) : .note([1])
      }
      #expect(processor.run(feed) == 0)
      #expect(delivered.now == 8 && late.now == 0)
    }

    @Test func theFunctionIsNotCalledAfterItsEndOrThatOfTheRun() {
      let tree = Tree()
      let plain = tree.file("f", [1])
      let ending = ItemFeed([.file(plain)]), other = ItemFeed([.file(plain), .note([])])
      let processor = Processor()
      withExtendedLifetime((ending, other)) {
        #expect(processor.run(sources: [ending.source, other.source, ending.source]) == 0)
      }
      #expect(ending.asked == 3 && other.asked == 3 && processor.results.count == 3)
      let endless = ItemFeed {
        processor.cancel()
        return .file(plain)
      }
      #expect(processor.run(endless) == ECANCELED && endless.asked == 1)
      var without = weir_files_source_t()
      without.kind = WEIR_SOURCE_ITEMS
      #expect(processor.run(sources: [without]) == EINVAL)
      let unknown = ItemFeed([Item(kind: .init(99)), .file(plain)])
      #expect(processor.run(unknown) == EINVAL && unknown.asked == 1)
    }
  }
}

/// The compared part of a result.
private struct Came: Equatable {
  var path: Path
  var note: [UInt8]
  var outcome = WEIR_FILE_DONE
  var error: Int32 = 0
  var named = true

  init(
    _ path: Path, _ note: [UInt8], _ outcome: weir_file_outcome_t = WEIR_FILE_DONE,
    error: Int32 = 0, named: Bool = true
  ) {
    (self.path, self.note, self.outcome) = (path, note, outcome)
    (self.error, self.named) = (error, named)
  }

  init(_ result: Processor.Result) {
    self.init(
      result.path, result.note, result.outcome, error: result.error, named: result.named)
  }
}

/// Directories with files, for random items.
private final class Ground: Sendable {
  private let tree = Tree()
  private let files: [[Path]]

  init() {
    var files: [[Path]] = []
    for number in 0..<3 {
      let directory = tree.directory("d\(number)")
      files.append((0..<20).map { directory / "f\(100 + $0)" })
      for file in files[number] { tree.file(file, [1]) }
    }
    self.files = files
  }

  func items(_ count: Int, _ random: inout Random) -> (items: [Item], expected: [Came]) {
    var items: [Item] = [], expected: [Came] = []
    var directory = 0
    for _ in 0..<count {
      if random.below(20) == 0 { directory = random.below(files.count) }
      let file = files[directory][random.below(20)]
      let note = random.bytes(random.below(3) == 0 ? 0 : random.below(40))
      switch random.below(12) {
      case 0:
        items.append(.note(note))
        expected.append(Came([], note, WEIR_FILE_NOTED))
      case 1:
        items.append(.failure(EIO, file, note))
        expected.append(Came(file, note, WEIR_FILE_FAILED, error: EIO))
      case 2:
        items.append(.file(file + [0x7E], note))
        expected.append(Came(file + [0x7E], note, WEIR_FILE_FAILED, error: ENOENT))
      case 3 where random.below(4) == 0:
        items.append(.path(Array(file.dropLast(5)), note))
        expected += files[directory].map { Came($0, note, named: false) }
      case 4: items.append(.flush)
      case 5, 6:
        items.append(.path(file, note))
        expected.append(Came(file, note))
      default:
        items.append(.file(file, note))
        expected.append(Came(file, note))
      }
    }
    return (items, expected)
  }
}

// weir/file.h: a file with several names is read once, and each name has its result.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesLinksTests {
    /// The names are anywhere in a tree, and any lane may meet one first.
    @Test(arguments: widths, [1, 64])
    func everyNameHasItsResultAndEveryFileIsReadOnce(jobs: UInt, batchSize: Int) {
      var random = Random("links \(jobs) \(batchSize)")
      let tree = Tree()
      let inodes = tree.fillWithNames(&random, files: 75, namesUpTo: 5)
      letFilesAge()
      let processor = Processor(jobs: jobs, batchSize: batchSize) { $0.summarizeOnce() }
      for _ in 0..<2 {  // nothing is kept from one run to the next
        #expect(processor.run(tree.root) == 0 && processor.torn.ever == 0)
        for result in processor.results {
          #expect(result.isDone && result.output == summary(of: contents(of: result.path)))
        }
        let names = inodes.reduce(0) { $0 + $1.names }
        let bytes = inodes.reduce(0) { $0 + $1.size }
        #expect(processor.results.count == names)
        #expect(processor.statistics.bytes == bytes)
        #expect(processor.statistics.bytes_expected == bytes)
        // An empty file has nothing to be read.
        #expect(processor.statistics.linked == names - inodes.count)
        #expect(processor.statistics.files == names)
      }
    }

    /// The oracle is the system's count of bytes read, while as many lanes as possible meet at the
    /// names of one file.
    @Test(arguments: [2, 16] as [UInt])
    func lanesThatMeetAtAFileReadItOnce(jobs: UInt) async {
      await #expect(processExitsWith: .success) { [jobs] in
        let tree = Tree(), count = 300, size = 3000
        for number in 0..<count {
          let path = tree.file(
            "f\(1000 + number) 0", [UInt8](repeating: UInt8(number & 255), count: size))
          for other in 1..<6 { tree.name("f\(1000 + number) \(other)", of: path) }
        }
        letFilesAge()
        let processor = Processor(jobs: jobs, batchSize: 1) { $0.summarizeOnce() }
        for _ in 0..<3 {
          let before = bytesReadByProcess()
          #expect(processor.run(tree.root) == 0)
          let read = bytesReadByProcess() - before
          #expect((count * size..<count * size + 1000).contains(read), "\(read)")
          #expect(processor.statistics.bytes == count * size)
          #expect(processor.statistics.linked == count * 5)
          #expect(processor.results.allSatisfy(\.isDone) && processor.results.count == count * 6)
        }
      }
    }

    /// The job of the first name leaves nothing, so the next one reads.
    @Test(arguments: [LaneSet.inline, 3] as [UInt])
    func onlyASuccessfulJobIsRemembered(jobs: UInt) {
      let tree = Tree()
      let path = tree.file("f0", [4, 5])
      for number in 1..<5 { tree.name("f\(number)", of: path) }
      letFilesAge()
      let calls = Meter()
      let processor = Processor(jobs: jobs, batchSize: 1) { file in
        if let known = file.remembered { return file.write(known) }
        calls.enter()
        let (error, bytes) = file.whole()
        if calls.ever < 3 {  // leaves something and fails, or leaves nothing
          if calls.ever == 1 { file.remember([9, 9]) }
          return calls.ever == 1 ? EBADMSG : file.write([7])
        }
        file.remember([0])
        file.remember(bytes)
        return error != 0 ? error : file.write(bytes)
      }
      #expect(processor.run(tree.root) == 0)
      let outputs = processor.results.map(\.output).sorted { $0.count < $1.count }
      #expect(outputs == [[], [7], [4, 5], [4, 5], [4, 5]])
      #expect(processor.statistics.failed == 1 && processor.statistics.linked == 2)
      #expect(calls.ever == 3)
    }

    /// Between two names the file changes, but keeps its size and time of modification.
    @Test func aFileThatHasChangedSinceIsReadAgain() {
      for size in [3, 1_500_000] {
        for restores in [false, true] {
          let tree = Tree()
          let path = tree.file("f0", [UInt8](repeating: 1, count: size))
          tree.name("f2", of: path)
          tree.file("f1", [])
          letFilesAge()
          let processor = Processor(jobs: LaneSet.inline) { file in
            if file.path.last == UInt8(ascii: "1") {
              (restores ? Meddling.rewriteKeepingTime : .rewrite).act(on: path)
            }
            return file.summarizeOnce()
          }
          #expect(processor.run(tree.root) == 0)
          #expect(processor.results.allSatisfy(\.isDone) && processor.statistics.linked == 0)
          #expect(processor.results[2].output == summary(of: contents(of: path)))
        }
      }
    }

    @Test func aFileThatChangedLeavesNothing() {
      let tree = Tree()
      let path = tree.file("f0", [UInt8](repeating: 1, count: 2_000_000))
      tree.name("f1", of: path)
      letFilesAge()
      let processor = Processor(jobs: LaneSet.inline) { file in
        if file.path.last == UInt8(ascii: "0") {
          _ = (file.remembered, file.piece())
          Meddling.rewrite.act(on: path)
        }
        return file.summarizeOnce()
      }
      #expect(processor.run(tree.root) == 0 && processor.statistics.linked == 0)
      #expect(processor.results[0].hasChanged() && processor.results[1].isDone)
      #expect(processor.results[1].output == summary(of: contents(of: path)))
    }

    /// Beyond 8 MiB the oldest are forgotten, and their files read again.
    @Test func rememberedBytesAreBounded() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree(), count = 60, size = 500_000
        for number in 10..<10 + count {
          tree.name("b\(number)", of: tree.file("a\(number)", [UInt8(number)]))
        }
        tree.name("a91", of: tree.file("a90", [90]))
        letFilesAge()
        let most = Locked(0), begin = bytesInUse()
        let processor = Processor(jobs: 1) { file in
          most.with { $0 = max($0, bytesInUse() - begin) }
          if let known = file.remembered {
            return known.count == size ? file.write([known[0]]) : EBADMSG
          }
          let (error, bytes) = file.whole()
          if error != 0 || bytes.isEmpty { return EIO }
          file.remember([UInt8](repeating: bytes[0], count: size))
          return file.write([bytes[0]])
        }
        #expect(processor.run(tree.root) == 0 && processor.results.allSatisfy(\.isDone))
        let numbers = Array(10..<10 + UInt8(count))
        #expect(processor.output == numbers + [90, 90] + numbers)
        // The second names come in the order of the first: each was forgotten.
        #expect(processor.statistics.linked == 1)
        #expect(most.now < 14 << 20, "\(most.now)")
      }
    }
  }
}

extension Tree {
  /// Makes files with some names each, in directories anywhere.
  func fillWithNames(
    _ random: inout Random, files: Int, namesUpTo most: Int
  ) -> [(names: Int, size: Int)] {
    for number in 0..<10 { directory("d\(number)") }
    return (0..<files).map { number in
      let size = random.below(75) == 0 ? 1_100_000 : random.below(3000)
      let bytes = (0..<8).map { _ in UInt8(random.below(256)) }
      let path = file(
        "d\(random.below(10))/\(number)", (0..<size).map { bytes[$0 & 7] &+ UInt8(number & 255) })
      let names = 1 + random.below(most)
      for other in 1..<max(names, 1) where names > 1 {
        name("d\(random.below(10))/\(random.below(1000)) \(number) \(other)", of: path)
      }
      return (names, size)
    }
  }
}

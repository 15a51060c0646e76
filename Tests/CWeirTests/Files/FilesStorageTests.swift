// weir/sources.h: the limit on readers per device, reading in the order of inodes, and the times
// that a run waited.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

/// A path, and the way to read it.
private struct Spot {
  let path: Path
  var readers: UInt32 = 0
  var byInode = false
  var device: UInt64 = 0
}

extension Processor {
  fileprivate func run(_ places: [Spot]) -> Int32 {
    let copies = places.map { strdup($0.path.map { CChar(bitPattern: $0) } + [0])! }
    defer { copies.forEach { free($0) } }
    return run(
      sources: zip(places, copies).map { place, copy in
        var source = weir_files_source_t()
        source.path = UnsafePointer(copy)
        source.readers = place.readers
        source.device = place.device
        source.flags = place.byInode ? WEIR_SOURCE_BY_INODE.rawValue : 0
        return source
      })
  }
}

private func inode(of path: Path) -> UInt64 { UInt64(statusOf(path).st_ino) }

/// Returns a tree with names in another order than its inodes.
private func shuffledTree(_ random: inout Random, files: Int, directories: Int = 3) -> Tree {
  let tree = Tree()
  for number in 0..<directories { tree.directory("d\(number)") }
  for number in Array(0..<files).shuffled(using: &random) {
    let name = "d\(number % directories)/f\(100_000 + number)"
    tree.file(name, [UInt8](repeating: UInt8(number & 0xFF), count: number % 50))
  }
  return tree
}

extension CWeirFilesTests {
  @Suite struct FilesStorageTests {
    /// Sources of one device share its readers, others go on, and the order is that of the sources.
    @Test(arguments: [1, 3] as [UInt32], [1, 64])
    func aDeviceHasNoMoreReadersThanItsLimit(readers: UInt32, batchSize: Int) {
      var random = Random("readers")
      let trees = (0..<4).map { _ in shuffledTree(&random, files: 40) }
      let reading = [Meter(), Meter()]
      let roots = trees.map(\.root)
      let processor = Processor(jobs: 8, batchSize: batchSize) { file in
        let index = roots.firstIndex { file.path.starts(with: $0) }!
        reading[index % 2].enter()
        usleep(100)
        let error = file.summarize()
        reading[index % 2].leave()
        return error
      }
      let places = roots.enumerated().map { index, root in
        Spot(path: root, readers: readers, device: UInt64(index % 2))
      }
      #expect(processor.run(places) == 0)
      #expect(reading.allSatisfy { $0.most <= Int(readers) && $0.ever == 80 })
      #expect(readers == 1 || batchSize > 1 || reading.contains { $0.most > 1 })
      let plain = Processor(jobs: 1)
      #expect(plain.run(roots) == 0)
      #expect(plain.output == processor.output && plain.paths == processor.paths)
      #expect(processor.torn.ever == 0)
    }

    /// A large file splits off the rest of its batch only if the device has a free slot.
    @Test(arguments: [1, 2] as [UInt32])
    func aSplitKeepsToTheReadersOfTheDevice(readers: UInt32) {
      let tree = Tree()
      for number in 0..<24 {
        tree.file("f\(100 + number)", [UInt8](repeating: 7, count: number % 3 == 0 ? 1 << 21 : 9))
      }
      let reading = Meter()
      let processor = Processor(jobs: 6, batchSize: 8) { file in
        reading.enter()
        defer { reading.leave() }
        return file.measure()
      }
      for _ in 0..<3 {
        #expect(processor.run([Spot(path: tree.root, readers: readers)]) == 0)
        #expect(processor.results.count == 24 && processor.results.allSatisfy(\.isDone))
      }
      #expect(reading.most <= Int(readers))
    }

    @Test func aCancelEndsTheWaitForADeviceSlot() {
      let tree = Tree()
      for number in 0..<500 { tree.file("f\(1000 + number)") }
      let latch = Latch(1), begun = Latch(1), ended = Locked<Int32?>(nil)
      let processor = Processor(jobs: 4, batchSize: 1) { _ in
        begun.arrive()
        latch.wait()
        return 0
      }
      startThread {
        let error = processor.run([Spot(path: tree.root, readers: 1)])
        ended.with { $0 = error }
      }
      begun.wait()
      #expect(eventually { processor.statistics.found >= 2 })
      processor.cancel()
      latch.arrive()
      #expect(eventually { ended.now == ECANCELED })
      #expect(processor.results.count <= 2)
      #expect(processor.run([Spot(path: tree.root)]) == 0 && processor.results.count == 500)
    }

    /// Results and output are delivered in the order of names.
    @Test(arguments: [(1, 0), (2, 0), (2, 7), (LaneSet.inline, 7)] as [(UInt, Int)])
    func filesAreReadInTheOrderOfInodes(jobs: UInt, batchSize: Int) {
      var random = Random("inodes \(jobs) \(batchSize)")
      let tree = shuffledTree(&random, files: 1200)
      let read = Locked<[UInt64]>([])
      let processor = Processor(jobs: jobs, batchSize: batchSize) { file in
        read.with { $0.append(UInt64(weir_file_status(file.raw).pointee.st_ino)) }
        return file.summarize()
      }
      #expect(processor.run([Spot(path: tree.root, readers: 1, byInode: true)]) == 0)
      let plain = Processor(jobs: jobs)
      #expect(plain.run(tree.root) == 0)
      #expect(processor.results == plain.results && processor.torn.ever == 0)
      // The files of each batch are in the order of their inodes.
      var rest = read.now[...]
      #expect(rest.count == 1200)
      for batch in processor.batches {
        let inodes = rest.prefix(batch.count)
        rest = rest.dropFirst(batch.count)
        #expect(Array(inodes) == batch.map { inode(of: $0.path) }.sorted())
      }
      let most = batchSize == 0 ? 1024 : batchSize
      #expect(processor.batches.allSatisfy { $0.count <= most })
      #expect(processor.batches.contains { $0.count > most / 2 })
    }

    /// A batch is delivered after 64 MiB.
    @Test(arguments: widths)
    func largeFilesDoNotWaitForEachOther(jobs: UInt) {
      let tree = Tree()
      for number in 0..<20 {
        let path = tree.file("f\(100 + number)", [1])
        #expect(path.c { truncate($0, number % 2 == 0 ? 24 << 20 : 5) } == 0)
      }
      let processor = Processor(jobs: jobs) { file in file.measure() }
      #expect(processor.run([Spot(path: tree.root, readers: 1, byInode: true)]) == 0)
      #expect(processor.results.allSatisfy(\.isDone) && processor.results.count == 20)
      #expect(processor.paths == (0..<20).map { tree.root / "f\(100 + $0)" })
      #expect(processor.batches.map(\.count) == [5, 6, 6, 3])
    }

    /// The files before the first unread one are delivered, and the values of the others dropped.
    @Test(arguments: widths)
    func aCancelledBatchIsABeginning(jobs: UInt) {
      var random = Random("cancelled inodes")
      let tree = shuffledTree(&random, files: 400)
      let itself = Locked<Processor?>(nil), count = Meter()
      let processor = Processor(jobs: jobs) { file in
        count.enter()
        if count.ever == 200 { itself.now?.cancel() }
        return file.summarize()
      }
      itself.with { $0 = processor }
      #expect(processor.run([Spot(path: tree.root, readers: 1, byInode: true)]) == ECANCELED)
      let plain = Processor(jobs: 1)
      #expect(plain.run(tree.root) == 0)
      #expect(processor.results.count < 200)
      #expect(processor.results == Array(plain.results.prefix(processor.results.count)))
      #expect(processor.torn.ever == 0)
      itself.with { $0 = nil }
    }

    /// For permits, device slots, lanes and the delivery.
    @Test func waitsAreCounted() {
      let tree = Tree()
      for number in 0..<200 { tree.file("f\(1000 + number)") }
      let slow: @Sendable (OpenFile) -> Int32 = { _ in
        usleep(200)
        return 0
      }
      let lanes = Processor(jobs: 1, batchSize: 1, job: slow)
      #expect(lanes.run([Spot(path: tree.root)]) == 0)
      #expect(lanes.statistics.waited_lanes > lanes.statistics.feeding_time / 2)
      #expect(lanes.statistics.waited_readers == 0 && lanes.statistics.waited_permits == 0)
      let slots = Processor(jobs: 4, batchSize: 1, job: slow)
      #expect(slots.run([Spot(path: tree.root, readers: 1)]) == 0)
      #expect(slots.statistics.waited_readers > slots.statistics.feeding_time / 2)
      let permits = Processor(jobs: 4, batchSize: 1, descriptors: 1, job: slow)
      #expect(permits.run([Spot(path: tree.root)]) == 0)
      #expect(permits.statistics.waited_permits > permits.statistics.feeding_time / 2)
      let delivery = Processor(
        jobs: 4, batchSize: 1,
        admit: {
          usleep(200)
          return 0
        })
      #expect(delivery.run([Spot(path: tree.root)]) == 0)
      #expect(delivery.statistics.waited_delivery > delivery.statistics.feeding_time / 2)
      #expect(delivery.run([Spot(path: tree.root / "f1000")]) == 0)
      #expect(delivery.statistics.waited_delivery < delivery.statistics.feeding_time)
    }
  }
}

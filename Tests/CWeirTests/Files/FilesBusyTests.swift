// weir/files.h: weir_files_busy reports the files that lanes are working on, while lanes hang and
// while they run.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

private struct Busy: Equatable {
  let lane: Int
  let path: Path
  let nanoseconds: UInt64
}

/// Collects the reports.
private final class Reports: @unchecked Sendable {
  var all: [Busy] = []
}

extension Processor {
  fileprivate func busy(_ least: UInt64 = 0) -> [Busy] {
    let reports = Reports()
    let count = weir_files_busy(raw, least, Unmanaged.passUnretained(reports).toOpaque()) {
      context, busy in
      let reports = Unmanaged<Reports>.fromOpaque(context!).takeUnretainedValue()
      let path = UnsafeRawBufferPointer(start: busy.pointee.path, count: busy.pointee.path_length)
      precondition(busy.pointee.path[busy.pointee.path_length] == 0)
      reports.all.append(
        Busy(lane: busy.pointee.lane, path: Array(path), nanoseconds: busy.pointee.nanoseconds))
    }
    precondition(count == reports.all.count)
    return reports.all
  }
}

extension CWeirFilesTests {
  @Suite struct FilesBusyTests {
    /// Each lane that hangs is reported once, with its path and the time.
    @Test(arguments: [0, WEIR_SOURCE_BY_INODE.rawValue])
    func lanesThatHangAreReported(flags: UInt32) async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<600 { tree.file("f\(1000 + number)", [1]) }
        let names: Set<Path> = [tree.root / "f1100", tree.root / "f1400"]
        let latch = Latch(1), waiting = Meter(), ended = Locked<Int32?>(nil)
        let processor = Processor(jobs: 2) { file in
          if names.contains(file.path) {
            waiting.enter()
            latch.wait()
          }
          return file.summarize()
        }
        #expect(processor.busy().isEmpty)
        startThread {
          let path = strdup(tree.root.map { CChar(bitPattern: $0) } + [0])!
          var source = weir_files_source_t()
          source.path = UnsafePointer(path)
          source.flags = flags
          let error = processor.run(sources: [source])
          free(path)
          ended.with { $0 = error }
        }
        // In one large batch the second file waits for the first.
        let expected = flags == 0 ? 2 : 1
        #expect(eventually { waiting.now == expected })
        let begun = seconds()
        #expect(eventually { processor.busy(20_000_000).count == expected })
        #expect(seconds() - begun > 0)
        let busy = processor.busy()
        #expect(names.isSuperset(of: busy.map(\.path)) && Set(busy.map(\.lane)).count == expected)
        #expect(processor.busy(1_000_000_000_000).isEmpty)
        latch.arrive()
        #expect(eventually { ended.now == 0 } && processor.busy().isEmpty)
        #expect(processor.results.count == 600 && processor.results.allSatisfy(\.isDone))
      }
    }

    /// Reports are asked for all the time: each path is one of the tree, and no lane works on a
    /// small file for long.
    @Test(arguments: [1, 7, 64], [0, WEIR_SOURCE_BY_INODE.rawValue])
    func askingDoesNotDisturbARun(batchSize: Int, flags: UInt32) async throws {
      try await onThread {
        var random = Random("busy")
        let tree = Tree()
        for directory in 0..<4 {
          let name = "d" + String(repeating: "x", count: Int.random(in: 0..<200, using: &random))
          tree.directory("\(name)\(directory)")
          for number in 0..<100 { tree.file("\(name)\(directory)/f\(1000 + number)", [2]) }
        }
        tree.file("large", [UInt8](repeating: 3, count: 5 << 18))
        let plain = Processor(jobs: 1)
        #expect(plain.run(tree.root) == 0)
        let paths = Set(plain.paths)
        let processor = Processor(jobs: 4, batchSize: batchSize)
        let isOver = Locked(false), strange = Locked<[Path]>([]), asked = Meter()
        let asker = Latch(1)
        startThread {
          while !isOver.now {
            let busy = processor.busy()
            asked.enter()
            usleep(20)  // a lock is not fair, and the lanes want it too
            for one in busy where !paths.contains(one.path) {
              strange.with { $0.append(one.path) }
            }
          }
          asker.arrive()
        }
        let path = strdup(tree.root.map { CChar(bitPattern: $0) } + [0])!
        defer { free(path) }
        var source = weir_files_source_t()
        source.path = UnsafePointer(path)
        source.flags = flags
        for _ in 0..<4 {
          #expect(processor.run(sources: [source]) == 0)
          #expect(processor.results == plain.results)
        }
        isOver.with { $0 = true }
        asker.wait()
        #expect(strange.now.isEmpty && asked.ever > 0)
      }
    }

    @Test func aPausedLaneIsNotReported() async throws {
      try await onThread {
        let tree = Tree()
        for number in 0..<50 { tree.file("f\(1000 + number)") }
        let processor = Processor(jobs: 2), ended = Locked<Int32?>(nil)
        processor.pause()
        startThread {
          let error = processor.run(tree.root)
          ended.with { $0 = error }
        }
        #expect(eventually { processor.statistics.found == 50 })
        #expect(eventually { processor.busy().isEmpty })
        processor.resume()
        #expect(eventually { ended.now == 0 })
      }
    }
  }
}

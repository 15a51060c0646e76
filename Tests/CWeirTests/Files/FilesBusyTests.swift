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
    func lanesThatHangAreReported(flags: UInt32) {
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

    @Test func aPausedLaneIsNotReported() {
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

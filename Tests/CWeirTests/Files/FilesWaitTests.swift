// weir/files.h: a run waits for a lease of another process on a file, and for a descriptor that
// does not block and has nothing to give yet.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesWaitTests {
    /// File servers hold leases for their clients. An open that must not block fails at once, and
    /// the kernel calls the lease back.
    @Test func aLeaseIsWaitedFor() async {
      await #expect(processExitsWith: .success) {
        signal(SIGIO, SIG_IGN)  // the kernel calls the lease back with it
        let tree = Tree()
        tree.file("leased", [1, 2, 3])
        let holder = (tree.root / "leased").c { open($0, O_RDWR | O_CLOEXEC) }
        let lease = 1024, ask = 1025  // F_SETLEASE, F_GETLEASE
        #expect(fcntl(holder, Int32(lease), F_WRLCK) == 0)
        let processor = Processor(jobs: 2)
        startThread {
          #expect(eventually { fcntl(holder, Int32(ask)) != F_WRLCK })
          #expect(processor.results.isEmpty)
          #expect(fcntl(holder, Int32(lease), F_UNLCK) == 0)
        }
        #expect(processor.run(tree.root) == 0)
        #expect(processor.results.map(\.outcome) == [WEIR_FILE_DONE])
        #expect(processor.results.map(\.bytes) == [3])
        close(holder)
      }
    }

    @Test(arguments: [LaneSet.inline, 2] as [UInt])
    func aDescriptorThatDoesNotBlockIsReadToItsEnd(jobs: UInt) {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (out, into) = (ends[0], ends[1])
      #expect(fcntl(out, F_SETFL, O_NONBLOCK) == 0)
      let begun = Latch(1)
      let processor = Processor(jobs: jobs) { file in
        begun.arrive()
        return file.summarize()
      }
      startThread {
        _ = begun.wait()
        write(into, "ab", 2)
        write(into, "cd", 2)
        close(into)
      }
      #expect(processor.run(descriptor: out, name: "pipe") == 0)
      #expect(processor.results.map(\.output) == [summary(of: Array("abcd".utf8))])
      close(out)
    }

    @Test func theSizeIsThatOfTheLastStatus() {
      let tree = Tree(), size = 3 << 20
      let path = tree.file("f", [UInt8](repeating: 1, count: size))
      let processor = Processor(jobs: 1) { file in
        let (error, _) = file.piece()
        let end = path.c { open($0, O_WRONLY | O_APPEND) }
        defer { close(end) }
        return write(end, "more", 4) == 4 ? file.whole().error : error
      }
      #expect(processor.run(tree.root) == 0)
      #expect(processor.results.map(\.outcome) == [WEIR_FILE_CHANGED])
      #expect(processor.results.map(\.size) == [UInt64(size + 4)])
    }

    @Test func aCancelEndsTheWaitForADescriptorThatDoesNotBlock() {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (out, into) = (ends[0], ends[1])
      #expect(fcntl(out, F_SETFL, O_NONBLOCK) == 0)
      let begun = Latch(1)
      let processor = Processor(jobs: 2) { file in
        begun.arrive()
        return file.summarize()
      }
      startThread {
        _ = begun.wait()
        processor.cancel()
      }
      #expect(processor.run(descriptor: out, name: "pipe") == ECANCELED)
      #expect(processor.results.isEmpty && processor.statistics.failed == 0)
      close(out)
      close(into)
    }
  }
}

// weir/file.h: weir_file_read_at reads parts of files at any offset, beside sequential reads.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension OpenFile {
  /// Reads a part of the file.
  func part(at offset: Int, _ length: Int) -> (error: Int32, bytes: [UInt8]) {
    _ = descriptor
    var bytes = [UInt8](repeating: 0, count: length)
    var got = 0
    let error = weir_file_read_at(raw, UInt64(offset), &bytes, length, &got)
    return (error, Array(bytes.prefix(got)))
  }
}

extension CWeirFilesTests {
  @Suite struct FilesReadAtTests {
    private static let lateOrNot = [0, WEIR_FILES_OPEN_LATE.rawValue]

    /// The oracle is the content. Parts and pieces are read in any order, and neither disturbs the
    /// other.
    @Test(arguments: lateOrNot, [LaneSet.inline, 3] as [UInt])
    func partsAreTheContentAtTheirOffset(flags: UInt32, jobs: UInt) {
      var random = Random("parts \(flags) \(jobs)")
      let tree = Tree()
      let most = 2_300_000
      let content = random.bytes(most)
      let sizes = [0, 1, 4096, 300_000, most] + (0..<40).map { _ in random.below(most / 20) }
      let paths = sizes.enumerated().map { index, size in
        tree.file("f\(index)", Array(content.prefix(size)))
      }
      letFilesAge()
      let seeds = sizes.map { _ in random.next() }
      let wrong = Locked<[String]>([])
      let read = Locked<[Path: Int]>([:])
      let processor = Processor(jobs: jobs, flags: flags) { file in
        let index = paths.firstIndex(of: file.path)!
        let size = sizes[index]
        var random = Random("part \(seeds[index])")
        var (done, count) = (0, 0)
        for _ in 0..<8 {
          if random.next() % 3 == 0 {
            let (error, bytes) = file.piece()
            if error != 0 || bytes != Array(content[done..<done + bytes.count]) {
              wrong.with { $0.append("piece at \(done) of \(size): \(error)") }
            }
            done += bytes.count
            count += bytes.count
          } else {
            let offset = random.below(size + 10)
            let length = random.below(3) == 0 ? random.below(most) : random.below(5000)
            let (error, bytes) = file.part(at: offset, length)
            let there = min(max(0, size - offset), length)
            let isEnough = bytes.count == there
            if error != 0 || !isEnough || !content[min(offset, size)...].starts(with: bytes) {
              wrong.with {
                $0.append("\(length) at \(offset) of \(size): \(bytes.count) \(error)")
              }
            }
            count += bytes.count
          }
        }
        let (error, rest) = file.whole()
        if error != 0 || done + rest.count != size { wrong.with { $0.append("rest of \(size)") } }
        let total = count + rest.count
        read.with { $0[paths[index]] = total }
        return 0
      }
      #expect(processor.run(paths) == 0)
      #expect(wrong.now.isEmpty)
      #expect(processor.results.allSatisfy { $0.isDone && Int($0.bytes) == read.now[$0.path] })
      #expect(processor.statistics.bytes == UInt64(read.now.values.reduce(0, +)))
    }

    @Test(arguments: lateOrNot)
    func aFileThatCannotBeReadReportsAnError(flags: UInt32) {
      let tree = Tree()
      let excluded = statusOf(tree.file("excluded", [1, 2]))
      let errors = Locked<[Int32]>([])
      let processor = Processor(jobs: 1, flags: flags, exclude: [excluded]) { file in
        let (error, bytes) = file.part(at: 0, 10)
        errors.with { $0.append(error) }
        return bytes.isEmpty ? 0 : EIO
      }
      let items: [Item] = [
        .file(tree.fifo("fifo")), .file(tree.root / "missing"), .file(tree.root),
        .file(tree.root / "excluded"),
      ]
      #expect(processor.run(items: items) == 0)
      #expect(errors.now.allSatisfy { $0 != 0 })
      let results = processor.results
      #expect(results.count == 3 && results[0].isSpecial)
      #expect(results[1].hasFailed(with: ENOENT) && results[2].hasFailed(with: EISDIR))
      #expect(processor.statistics.excluded == 1 && processor.statistics.bytes == 0)
      // A pipe has no offsets.
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      defer { ends.forEach { close($0) } }
      precondition(write(ends[1], "hello", 5) == 5)
      let pipes = Processor(jobs: 1, flags: flags) { file in
        let (error, _) = file.part(at: 1, 3)
        return error == ESPIPE ? file.write(file.piece().bytes) : EIO
      }
      #expect(pipes.run(descriptor: ends[0], name: "pipe") == 0)
      #expect(pipes.output == Array("hello".utf8))
    }
  }
}

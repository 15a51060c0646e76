// The closure that decides which entries a file processor processes.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

struct FileSelectionTests {
  /// Runs a processor over `t`, and returns the paths of its results below the directory, and its
  /// statistics.
  private func run(
    _ directory: TemporaryDirectory, options: FileProcessorOptions = FileProcessorOptions(),
    _ sources: [FileSource]? = nil, select: @escaping FileSelector
  ) async throws -> (paths: [String], statistics: FileStatistics) {
    let paths = Shared<[String]>([])
    let prefix = directory.path.count + 1
    let statistics = try await onThread {
      let processor = try FileProcessor(options, select: select) { (_) throws(Errno) in }
      return try processor.run(sources ?? [.path(bytes: directory.path("t"))]) { batch in
        for index in 0..<batch.count {
          let path = String(decoding: batch[index].path.dropFirst(prefix), as: UTF8.self)
          paths.change { $0.append(path) }
        }
      }
    }
    return (paths.value, statistics)
  }

  private func tree() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in ["t", "t/a", "t/b", "t/b/deep"] { try directory.makeDirectory(name) }
    for name in ["t/a/1", "t/a/2", "t/b/1", "t/b/deep/1", "t/c"] {
      try directory.write("x", to: name)
    }
    try directory.makeFIFO("t/fifo")
    try directory.link("t/link", to: "nowhere")
    return directory
  }

  @Test("skipped files have no result; the content of a skipped directory is walked")
  func skip() async throws {
    let directory = try tree()
    let run = try await run(directory) { file in
      file.name.elementsEqual("1".utf8) ? .take : .skip
    }
    #expect(run.paths == ["t/a/1", "t/b/1", "t/b/deep/1"])
    #expect(run.statistics.files == 3 && run.statistics.found == 3)
    #expect(run.statistics.special == 0 && run.statistics.links == 0)
    #expect(run.statistics.directories == 4)
  }

  @Test("every entry is shown, with its type, depth and source; named files too, items not")
  func shown() async throws {
    let directory = try tree()
    let shown = Shared<[String]>([])
    let prefix = directory.path.count + 1
    let item = directory.path("t/c")
    let isGiven = Shared(false)
    let sources: [FileSource] = [
      .path(bytes: directory.path("t/a")), .path(bytes: directory.path("t/c")),
      .path(bytes: directory.path("none")), .path(bytes: directory.path("t/fifo")),
      .items {
        if isGiven.value { return nil }
        isGiven.change { $0 = true }
        return FileItem(path: item, isWalked: false)
      },
    ]
    let run = try await run(directory, sources) { file in
      let path = String(decoding: file.path.dropFirst(prefix), as: UTF8.self)
      let error = file.error.map { " \($0.rawValue)" } ?? ""
      let line = "\(file.source) \(file.depth) \(file.type) \(path)\(error)"
      shown.change { $0.append(line) }
      return .skip
    }
    #expect(
      shown.value == [
        "0 0 directory t/a", "0 1 file t/a/1", "0 1 file t/a/2", "1 0 file t/c",
        "2 0 unknown none 2", "3 0 fifo t/fifo",
      ])
    // The item is opened without a question.
    #expect(run.paths == ["t/c"])
    #expect(run.statistics.failed == 0)
  }
}

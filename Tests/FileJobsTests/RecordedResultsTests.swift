// Results as bytes and back: a batch that was recorded is delivered again as it was.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

struct RecordedResultsTests {
  /// The fields of a result.
  private struct Fields: Equatable, Sendable {
    let path: [UInt8]
    let outcome: String
    let type: FileWalk.EntryType
    let isNamed: Bool
    let bytes: UInt64
    let size: UInt64
    let note: [UInt8]
    let output: [UInt8]

    init(_ result: FileResult) {
      path = Array(result.path)
      outcome = "\(result.outcome)"
      type = result.type
      isNamed = result.isNamed
      bytes = result.bytesRead
      size = result.size
      note = Array(result.note)
      output = Array(result.output)
    }
  }

  @Test("every field of every kind of result comes back, and the output of the batch")
  func fields() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "recorded results")
    try directory.fill("t", files: 60, using: &random) { $0.name() }
    try directory.makeFIFO("t/fifo")
    try directory.link("t/link", to: "target")
    try directory.write("secret", to: "t/failing")
    let recorded = Shared<[(path: [UInt8], record: [UInt8])]>([])
    let delivered = Shared<[Fields]>([])
    let outputs = Shared<[UInt8]>([])
    try await onThread {
      let processor = try FileProcessor(
        FileProcessorOptions(),
        lending: { file in
          file.path.count % 3 == 0 ? UnsafeRawBufferPointer(rebasing: file.path.prefix(7)) : nil
        }, select: nil,
        job: { (file) throws(Errno) in
          if file.path.suffix(7).elementsEqual("failing".utf8) { throw .permissionDenied }
          while let piece = try file.readPiece() { try file.write(piece.prefix(100)) }
          _ = file.status
        })
      let sources: [FileSource] = [
        .path(bytes: directory.path("t")), .path(bytes: directory.path("t/fifo")),
        .path(bytes: directory.path("missing")),
      ]
      try processor.run(sources) { batch in
        let output = Array(batch.output)
        outputs.change { $0 += output }
        for index in 0..<batch.count {
          var record: [UInt8] = []
          batch[index].append(to: &record)
          let path = Array(batch[index].path)
          recorded.change { [record] in $0.append((path, record)) }
          let fields = Fields(batch[index])
          delivered.change { $0.append(fields) }
        }
      }
    }
    #expect(delivered.value.count > 62)
    var batch = ReplayedBatch()
    for (path, record) in recorded.value {
      let isValid = path.withUnsafeBytes { path in
        record.withUnsafeBytes { batch.append($0, path: path) }
      }
      #expect(isValid)
    }
    var replayed: [Fields] = []
    var output: [UInt8] = []
    batch.deliver { batch in
      output += Array(batch.output)
      for index in 0..<batch.count { replayed.append(Fields(batch[index])) }
    }
    #expect(replayed == delivered.value)
    #expect(output == outputs.value)
    #expect(batch.count == 0)
  }

  @Test("a record that is cut or lengthened is refused")
  func malformed() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("abc", to: "file")
    let recorded = Shared<[UInt8]>([])
    try await onThread {
      let copier = try FileProcessor { file in
        while let piece = try file.read() { try file.write(piece) }
      }
      try copier.run([.path(bytes: directory.path("file"))]) { batch in
        var record: [UInt8] = []
        batch[0].append(to: &record)
        recorded.change { [record] in $0 = record }
      }
    }
    let record = recorded.value
    for bytes in (0..<record.count).map({ Array(record[..<$0]) }) + [record + [0]] {
      var batch = ReplayedBatch()
      let isValid = bytes.withUnsafeBytes { batch.append($0, path: $0) }
      #expect(!isValid)
    }
  }
}

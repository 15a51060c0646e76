// CheckJob: the verdict on each line, and the order of the verdicts.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CheckJobTests {
  @Test("one read decides all consecutive lines with the same name")
  func together() async throws {
    var random = SeededGenerator(for: "together")
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(random.bytes(300_000), to: name.utf8) }
    let algorithms = Array(DigestAlgorithm.allCases.prefix(20))
    let job = try HashJob(algorithms + algorithms)
    let manifest = Shared<[UInt8]>([])
    let path = directory.path
    _ = try await onThread {
      try job.run([.path(bytes: path)]) { batch in
        let output = Array(batch.output)
        manifest.change { $0 += output }
      }
    }
    // Each line again, one of them wrong: more lines than one read decides.
    var lines = manifest.value.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    lines = Array(lines[..<20]) + lines[..<20] + lines[20...]
    lines[12] = "SHA224 (\(directory.text)/a) = \(String(repeating: "0", count: 56))"
    let statistics = Shared<FileStatistics?>(nil)
    let said = try await check(
      [lines.joined(separator: "\n")], in: directory, statistics: statistics)
    let wrong = said.filter { !$0.hasSuffix(" matched") }
    #expect(
      wrong == ["0:13 \(directory.text)/a mismatched", "end 0: 60 lines, 59 1 0 0 0"])
    #expect(statistics.value?.files == 3 && statistics.value?.bytes == 900_000)
  }

  @Test("a digest that differs in any one digit is a mismatch")
  func everyDigit() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    let job = try HashJob(DigestAlgorithm.listed, format: .tagged)
    let output = Shared<[UInt8]>([])
    let path = directory.path("f")
    _ = try await onThread {
      try job.run([.path(bytes: path)]) { batch in
        let lines = Array(batch.output)
        output.change { $0 += lines }
      }
    }
    var lines: [String] = []
    for line in output.value.split(separator: 10) {
      let digits = (line.lastIndex(of: UInt8(ascii: " ")) ?? 0) + 1..<line.endIndex
      for index in digits {
        var wrong = Array(line)
        wrong[index - line.startIndex] = line[index] == 0x30 ? 0x31 : 0x30
        lines.append(String(decoding: wrong, as: UTF8.self))
      }
      lines.append(String(decoding: line, as: UTF8.self))
    }
    let said = try await check([lines.joined(separator: "\n")], in: directory)
    let events: Int = 992 + 15 + 1
    #expect(said.count == events)
    #expect(said.last == "end 0: 1007 lines, 15 992 0 0 0")
  }

  @Test("the size of a text manifest is its names, of which neighbours count once")
  func recordedNames() throws {
    let directory = try TemporaryDirectory()
    let (sha256, md5) = (String(repeating: "0", count: 64), String(repeating: "0", count: 32))
    let lines = "# comment\n\(sha256)  a\nMD5 (a) = \(md5)\n\(sha256)  b\nnonsense\n\(sha256)  a\n"
    try directory.write(lines, to: "text")
    try directory.write("\(sha256)  a\n\0\(sha256)  b\0", to: "zero")
    try directory.makeFIFO("fifo")
    func size(_ name: String, isZeroTerminated: Bool = false, isOver: Bool = false) -> [UInt64?]? {
      let manifest = CheckManifest.path(bytes: directory.path(name))
      return CheckManifest.size(of: [manifest], isZeroTerminated: isZeroTerminated) { isOver }
        .map { [$0.names, $0.bytes] }
    }
    #expect(size("text") == [3, nil])
    #expect(size("zero", isZeroTerminated: true) == [2, nil])
    #expect(size("fifo") == nil && size("none") == nil)
    #expect(size("text", isOver: true) == nil)
  }

  @Test("an error of the delivery ends the run")
  func thrown() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    let line = "\(String(repeating: "0", count: 64))  \(directory.text)/f\n"
    try directory.write(String(repeating: line, count: 5000), to: "m")
    let job = try CheckJob()
    let manifest = CheckManifest.path(bytes: directory.path("m"))
    await #expect(throws: Errno.brokenPipe) {
      try await onThread { try job.run([manifest]) { _ in throw Errno.brokenPipe } }
    }
    let count = Shared(0)
    _ = try await onThread { try job.run([manifest]) { _ in count.change { $0 += 1 } } }
    #expect(count.value > 5000)
  }
}

/// Returns the events of a check of manifests with these contents, as text.
private func check(
  _ manifests: [String], in directory: TemporaryDirectory, jobs: Int = 2,
  statistics: Shared<FileStatistics?> = Shared(nil)
) async throws -> [String] {
  for (index, manifest) in manifests.enumerated() {
    try directory.write(manifest, to: "manifest\(index)")
  }
  var options = FileProcessorOptions()
  options.jobs = jobs
  let job = try CheckJob(options: options)
  let said = Shared<[String]>([])
  let path = directory.path
  _ = try await onThread {
    let sources = manifests.indices.map { index in
      CheckManifest.path(bytes: path + Array("/manifest\(index)".utf8))
    }
    let result = try job.run(sources) { event in
      let text = words(of: event)
      said.change { $0 += text }
    }
    statistics.change { $0 = result }
  }
  return said.value
}

private func words(of event: CheckEvent) -> [String] {
  switch event {
  case .pause:
    return []
  case .end(let end):
    return [
      "end \(end.index): \(end.lines) lines, \(end.matched) \(end.mismatched) \(end.missing) "
        + "\(end.unreadable) \(end.malformed)"
    ]
  case .line(let line):
    let verdict =
      switch line.outcome {
      case .matched: "matched"
      case .mismatched: "mismatched"
      case .missing: "missing"
      case .unreadable(let error): "unreadable \(error)"
      case .changed: "changed"
      case .special: "special"
      case .malformed: "malformed"
      case .unsupported(let tag): "unsupported \(tag)"
      default: "\(line.outcome)"
      }
    let name = String(decoding: line.name, as: UTF8.self)
    return ["\(line.manifest):\(line.number) \(name) \(verdict)"]
  }
}

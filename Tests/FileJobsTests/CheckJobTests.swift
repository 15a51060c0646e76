// CheckJob: the verdict on each line, and the order of the verdicts.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CheckJobTests {
  @Test("every line has its verdict, in the order of the lines", arguments: [1, 4])
  func verdicts(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    let d = directory.text
    try directory.write("abc", to: "good")
    try directory.write("x", to: "bad")
    try directory.makeDirectory("directory")
    try directory.makeFIFO("fifo")
    try directory.link("loop", to: "loop")
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let names = ["good", "bad", "none", "directory", "fifo", "loop", "good"]
    let lines = names.map { "\(digest)  \(d)/\($0)" }
    let manifest = "# a comment\n\(lines.joined(separator: "\n"))\nnonsense\n\nMD5 (n\n"
    let said = try await check([manifest], in: directory, jobs: jobs)
    #expect(
      said == [
        "0:2 \(d)/good matched", "0:3 \(d)/bad mismatched", "0:4 \(d)/none missing",
        "0:5 \(d)/directory unreadable Is a directory", "0:6 \(d)/fifo special",
        "0:7 \(d)/loop unreadable Too many levels of symbolic links", "0:8 \(d)/good matched",
        "0:9  malformed", "0:11  malformed", "end 0: 11 lines, 2 1 1 3 2",
      ])
  }

  @Test("the order is that of the lines, with any number of lanes")
  func order() async throws {
    var random = SeededGenerator(for: "order")
    let directory = try TemporaryDirectory()
    var manifests = ["", "", ""]
    var expected: [String] = []
    for index in 0..<60 {
      let big = Int.random(in: 0..<15, using: &random) == 0
      try directory.write(random.bytes(big ? 1_100_000 : 10), to: "f\(index)".utf8)
    }
    let lines = try await hash("md5", directory)
    for manifest in 0..<3 {
      for number in 1...300 {
        let (digest, name) = lines[Int.random(in: 0..<60, using: &random)]
        let isGood = Bool.random(using: &random)
        // Two consecutive lines with one name would share a read.
        manifests[manifest] += "\(isGood ? digest : String(digest.reversed()))  \(name)\n"
        expected.append("\(manifest):\(number) \(name) \(isGood ? "matched" : "mismatched")")
      }
    }
    for jobs in [1, 2, 7] {
      let said = try await check(manifests, in: directory, jobs: jobs)
      #expect(difference(said.filter { !$0.hasPrefix("end") }, expected) == nil)
      #expect(said.filter { $0.hasPrefix("end") }.count == 3)
    }
  }

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

  @Test("a file with many names is read once")
  func hardLinks() async throws {
    var random = SeededGenerator(for: "hard links")
    let directory = try TemporaryDirectory()
    for file in 0..<5 {
      try directory.write(random.bytes(100_000), to: "f\(file)".utf8)
      for name in 0..<20 {
        let target = "\(directory.text)/f\(file)"
        #expect(link(target, "\(directory.text)/g\(name).\(file)") == 0)
      }
    }
    let lines = try await hash("sha1", directory).map { "\($0)  \($1)\n" }
    let statistics = Shared<FileStatistics?>(nil)
    let said = try await check([lines.joined()], in: directory, statistics: statistics)
    #expect(said.count == 106 && said.last == "end 0: 105 lines, 105 0 0 0 0")
    #expect(statistics.value?.bytes == 500_000 && statistics.value?.linked == 100)
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

/// Returns the digests and names of the files in a directory.
private func hash(
  _ algorithm: String, _ directory: TemporaryDirectory
) async throws -> [(String, String)] {
  let job = try HashJob(try #require(DigestAlgorithm(algorithm)))
  let lines = Shared<[UInt8]>([])
  let path = directory.path
  _ = try await onThread {
    try job.run([.path(bytes: path)]) { batch in
      let output = Array(batch.output)
      lines.change { $0 += output }
    }
  }
  return lines.value.split(separator: 10).map { line in
    let text = String(decoding: line, as: UTF8.self)
    return (String(text.prefix { $0 != " " }), String(text.drop { $0 != " " }.dropFirst(2)))
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

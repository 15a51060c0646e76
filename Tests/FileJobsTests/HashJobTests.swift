// HashJob: digests and lines, against published vectors and the installed tools.

import FileJobs
import Foundation
import SystemPackage
import TestSupport
import Testing
import Weir

/// The algorithms, and the tool that writes the same lines.
private let oracles: [(algorithm: String, command: [String])] = [
  ("md5", ["md5sum"]), ("sha1", ["sha1sum"]), ("sha224", ["sha224sum"]),
  ("sha256", ["sha256sum"]), ("sha384", ["sha384sum"]), ("sha512", ["sha512sum"]),
  ("blake2b", ["b2sum"]), ("xxh32", ["xxhsum", "-H0", "--tag"]), ("xxh64", ["xxhsum", "-H1"]),
  ("xxh128", ["xxhsum", "-H2"]),
  ("xxh3", ["xxhsum", "-H3", "--tag"]), ("blake3", ["b3sum"]), ("sm3", ["cksum", "-a", "sm3"]),
]

@Suite(.serialized, .timeLimit(.minutes(10)))
struct HashJobTests {
  @Test("BLAKE2b has every length of b2sum, with its lines", .enabled(if: isInstalled("b2sum")))
  func lengths() async throws {
    var random = SeededGenerator(for: "BLAKE2b")
    let directory = try TemporaryDirectory()
    var paths: [[UInt8]] = []
    for size in [0, 1, 127, 128, 129, 256, 257, Int.random(in: 1000...300_000, using: &random)] {
      try directory.write(random.bytes(size), to: "\(size)".utf8)
      paths.append(directory.path("\(size)"))
    }
    let unlisted = DigestAlgorithm.allCases.filter { $0.name.hasPrefix("blake2b-") }
    #expect(unlisted.map(\.name) == stride(from: 8, to: 512, by: 8).map { "blake2b-\($0)" })
    for algorithm in unlisted {
      let bits = "\(algorithm.byteCount * 8)"
      #expect(algorithm.name == "blake2b-\(bits)" && algorithm.tag == "BLAKE2b-\(bits)")
      let isLikeOthers = [128, 160, 224, 256, 384].contains(algorithm.byteCount * 8)
      #expect(algorithm.isUsuallyTagged == isLikeOthers)
      let ours = try await hash(algorithm.name, paths)
      let theirs = try await Command(
        Array("b2sum".utf8), [Array("-l".utf8), Array(bits.utf8)] + paths
      ).run()
      #expect(theirs.status == 0)
      #expect(difference(ours, theirs.output) == nil)
    }
  }

  @Test("lines equal those of the algorithm's own tool", arguments: oracles.map(\.algorithm))
  func oracle(algorithm: String) async throws {
    let command = oracles.first { $0.algorithm == algorithm }!.command
    guard isInstalled(command[0]) else { return }
    var random = SeededGenerator(for: algorithm)
    let directory = try TemporaryDirectory()
    let sizes =
      [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 240, 241, 1 << 20, (1 << 20) + 1]
      + (0..<20).map { _ in Int.random(in: 0...400_000, using: &random) }
    var paths: [[UInt8]] = []
    for (number, size) in sizes.enumerated() {
      try directory.write(random.bytes(size), to: "f\(number)".utf8)
      paths.append(directory.path("f\(number)"))
    }
    for jobs in [1, 3] {
      let ours = try await hash(algorithm, paths, jobs: jobs)
      let theirs = try await Command(
        Array(command[0].utf8), command.dropFirst().map { Array($0.utf8) } + paths
      ).run()
      #expect(theirs.status == 0 && !theirs.output.isEmpty)
      #expect(difference(ours, theirs.output) == nil)
    }
  }

  @Test(
    "every byte of a name is escaped as sha256sum escapes it",
    .enabled(if: isInstalled("sha256sum")))
  func escaping() async throws {
    var random = SeededGenerator(for: "escaping")
    let directory = try TemporaryDirectory()
    let bytes: [UInt8] = (1...255).filter { $0 != UInt8(ascii: "/") }
    let singles: [[UInt8]] = bytes.flatMap { byte -> [[UInt8]] in
      [[0x78, byte], [byte, 0x78], [byte, byte, 0x79]]
    }
    let names = Set(singles + random.names(100)).sorted { $0.lexicographicallyPrecedes($1) }
    for name in names { try directory.write(name, to: name) }
    let paths = names.map { directory.path($0) }
    let theirs = try await Command(Array("sha256sum".utf8), paths).run()
    #expect(theirs.status == 0)
    let named = try await hash("sha256", paths)
    let walked = try await hash("sha256", [directory.path], jobs: 4)
    #expect(difference(named, theirs.output) == nil)
    #expect(difference(walked, theirs.output) == nil)
  }

  @Test(
    "tagged and zero-terminated lines equal those of the algorithm's own tool",
    .enabled(if: isInstalled("sha256sum")),
    arguments: [("sha256", "sha256sum"), ("md5", "md5sum"), ("blake2b", "b2sum")])
  func formats(algorithm: String, tool: String) async throws {
    var random = SeededGenerator(for: "formats \(tool)")
    let directory = try TemporaryDirectory()
    let names = random.names(100)
    for name in names { try directory.write(name, to: name) }
    let paths = names.map { directory.path($0) }
    for (options, format, isZero) in [
      (["--tag"], ManifestFormat.tagged, false), (["-z"], .text, true),
      (["--tag", "-z"], .tagged, true),
    ] {
      let job = try HashJob(
        [try #require(DigestAlgorithm(algorithm))], format: format, isZeroTerminated: isZero)
      let ours = try await onThread { try run(job, paths) }
      let theirs = try await Command(
        Array(tool.utf8), options.map { Array($0.utf8) } + paths
      ).run()
      #expect(theirs.status == 0 && difference(ours, theirs.output) == nil)
    }
  }

  @Test("several digests from one read have a tagged line each, in the requested order")
  func several() async throws {
    var random = SeededGenerator(for: "several")
    let directory = try TemporaryDirectory()
    for (number, size) in [0, 1, 5000, 65_535, 65_536, 200_000, 3_000_000].enumerated() {
      try directory.write(random.bytes(size), to: "f\(number)".utf8)
    }
    let names = ["xxh128", "sha256", "md5", "sha256", "xxh3", "blake2b"]
    let algorithms = try names.map { try #require(DigestAlgorithm($0)) }
    let job = try HashJob(algorithms)
    let together = try await onThread { try run(job, [directory.path]) }
    #expect(job.statistics.bytes == 3_336_072)
    var single: [String: [ArraySlice<UInt8>]] = [:]
    for name in Set(names) {
      let one = try HashJob([try #require(DigestAlgorithm(name))], format: .tagged)
      single[name] = try await onThread { try run(one, [directory.path]) }.split(separator: 10)
    }
    let expected = (0..<7).flatMap { file in
      ["xxh128", "sha256", "md5", "xxh3", "blake2b"].map { single[$0]![file] }
    }
    #expect(difference(together.split(separator: 10), expected) == nil)
  }

  @Test("the digests of a file are the value of its outcome, one for each algorithm")
  func values() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("abc", to: "a")
    try directory.write("", to: "b")
    #expect(link(directory.text + "/a", directory.text + "/c") == 0)
    let job = try HashJob([.sha256, .md5, .sha256, .xxh128], format: .tagged)
    var seen: [String] = []
    for try await file in job.results(of: [.tree(directory.text), .file("/weir/none")]) {
      guard case .done(let digests) = file.outcome else {
        seen.append("\(file.outcome)")
        continue
      }
      let md5 = try #require(digests[.md5])
      #expect(digests.all.map(\.algorithm) == [.sha256, .md5, .xxh128] && digests[.sha1] == nil)
      #expect(digests.first == digests[.sha256] && "\(md5)" == md5.hexadecimal)
      #expect(digests.all.map(\.bytes.count) == [32, 16, 16])
      // The line has the same digits.
      let line = String(decoding: file.output, as: UTF8.self)
      for digest in digests.all { #expect(line.contains(" = \(digest.hexadecimal)\n")) }
      seen.append("\(digests.size) \(md5.hexadecimal)")
    }
    #expect(
      seen == [
        "3 900150983cd24fb0d6963f7d28e17f72", "0 d41d8cd98f00b204e9800998ecf8427e",
        "3 900150983cd24fb0d6963f7d28e17f72", "failed(No such file or directory)",
      ])
  }

  @Test("lines of JSON are valid, and preserve every name and digest")
  func json() async throws {
    var random = SeededGenerator(for: "json")
    let directory = try TemporaryDirectory()
    let every = (1...255).filter { $0 != 47 }.map { [0x78, UInt8($0)] }
    let names = Set(random.names(300) + every).sorted { $0.lexicographicallyPrecedes($1) }
    for name in names { try directory.write(name, to: name) }
    let listed = ["sha256", "md5"]
    let algorithms = try listed.map { try #require(DigestAlgorithm($0)) }
    let job = try HashJob(algorithms, format: .json)
    let lines = try await onThread { try run(job, [directory.path]) }
    let read = try lines.split(separator: 10).map { try taggedLines(ofJSON: $0, listed) }.joined()
    let tagged = try HashJob(algorithms, format: .text, isZeroTerminated: true)
    let expected = try await onThread { try run(tagged, [directory.path]) }
    #expect(difference(Array(read), expected) == nil)
  }

  @Test("one job can run several times, and has the statistics of the last run")
  func again() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write(name, to: name) }
    let job = try HashJob(.sha256)
    let (first, second) = try await onThread {
      (try run(job, [directory.path]), try run(job, [directory.path]))
    }
    #expect(first == second && !first.isEmpty)
    #expect(job.statistics.files == 3 && job.statistics.bytes == 3)
  }
}

/// Returns the content of a line of JSON as BSD lines that end in NUL.
private func taggedLines(ofJSON line: ArraySlice<UInt8>, _ algorithms: [String]) throws -> [UInt8] {
  let object = try #require(
    try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], "\(line)")
  #expect(object.keys.sorted() == ["digests", "path", "size", "type"])
  #expect(object["type"] as? String == "file")
  let path = try #require(object["path"] as? [String: String])
  let text = path["text"].map { Array($0.utf8) }
  let name = try #require(text ?? path["bytes"].flatMap { Data(base64Encoded: $0) }.map(Array.init))
  // Each file contains its own name.
  let base = name.split(separator: UInt8(ascii: "/")).last
  #expect(object["size"] as? Int == base?.count)
  let digests = try #require(object["digests"] as? [String: String])
  #expect(digests.count == algorithms.count)
  return algorithms.flatMap { (algorithm: String) -> [UInt8] in
    let begin: [UInt8] = Array("\(algorithm.uppercased()) (".utf8)
    let end: [UInt8] = Array(") = \(digests[algorithm] ?? "")\0".utf8)
    return begin + name + end
  }
}

/// Runs a job and returns its output. Blocks.
private func run(_ job: HashJob, _ paths: [[UInt8]]) throws -> [UInt8] {
  let lines = Shared<[UInt8]>([])
  try job.run(paths.map { FileSource.path(bytes: $0) }) { batch in
    let output = Array(batch.output)
    lines.change { $0 += output }
  }
  return lines.value
}

/// Returns the lines of an algorithm for some paths.
private func hash(_ algorithm: String, _ paths: [[UInt8]], jobs: Int = 2) async throws -> [UInt8] {
  var options = FileProcessorOptions()
  options.jobs = jobs
  // b2sum and b3sum write plain lines.
  let isPlain = algorithm.hasPrefix("blake")
  let job = try HashJob(
    [try #require(DigestAlgorithm(algorithm))], format: isPlain ? .plain : .text,
    options: options)
  return try await onThread { try run(job, paths) }
}

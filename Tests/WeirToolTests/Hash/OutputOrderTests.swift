// The output does not depend on the number of lanes and descriptors.

import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct OutputOrderTests {
  /// Makes a tree, and returns the output of sha256sum in the right order.
  private func makeTree(
    _ files: Int, for test: String
  ) async throws -> (directory: TemporaryDirectory, expected: [UInt8]) {
    var random = SeededGenerator(for: test)
    let directory = try TemporaryDirectory()
    let paths = try directory.fill("tree", files: files, using: &random)
    let oracle = try await other("sha256sum", paths, in: directory).run()
    try #require(oracle.status == 0)
    return (directory, oracle.output)
  }

  @Test("the output is the same for any number of lanes and descriptors, in every run")
  func sameOutput() async throws {
    let (directory, expected) = try await makeTree(400, for: "same")
    for jobs in ["1", "2", "16"] {
      let result = try await weir("hash", "--jobs", jobs, "tree", in: directory).run()
      result.expectSilence()
      #expect(difference(result.output, expected) == nil, "--jobs \(jobs)")
    }
    for descriptors in ["1", "2", "3", "5"] {
      let result = try await weir(
        "hash", "-j", "16", "--descriptors", descriptors, "tree", in: directory
      ).run()
      result.expectSilence()
      #expect(difference(result.output, expected) == nil, "--descriptors \(descriptors)")
    }
    for _ in 0..<10 {
      let result = try await weir("hash", "--jobs=5", "tree", in: directory).run()
      result.expectSilence()
      #expect(difference(result.output, expected) == nil)
    }
  }

  @Test("--unordered gives the same lines in some order")
  func unordered() async throws {
    let (directory, expected) = try await makeTree(300, for: "unordered")
    let result = try await weir("hash", "--unordered", "-j", "8", "tree", in: directory).run()
    result.expectSilence()
    let lines = result.lines.map(Array.init).sorted { $0.lexicographicallyPrecedes($1) }
    let sorted = expected.split(separator: 0x0A).map(Array.init)
      .sorted { $0.lexicographicallyPrecedes($1) }
    #expect(difference(lines, sorted) == nil)
  }

  @Test("the order is that of the arguments, and of the bytes within a directory")
  func order() async throws {
    var random = SeededGenerator(for: "order")
    let directory = try TemporaryDirectory()
    for root in ["z", "m", "a"] {
      try directory.fill(root, files: 80, using: &random) { random in
        let name = random.name()
        return name.first == 0x2D ? [0x5F] + name : name
      }
    }
    // Names that show the place of a directory among files: a/x comes after a-b.
    for name in ["z/d-b", "z/d.c", "z/d0"] { try directory.write("x", to: name) }
    try directory.makeDirectory("z/d")
    try directory.write("x", to: "z/d/y")
    var expected: [[UInt8]] = []
    for root in ["z", "a", "m"] {
      let found = try await other(
        "find", words(root, "-type", "f", "-print0"), in: directory
      ).run()
      expected += found.output.split(separator: 0).map(Array.init).sorted(by: precedesInWalk)
    }
    let result = try await weir("hash", "z", "a", "m", in: directory).run()
    let oracle = try await other("sha256sum", words("--") + expected, in: directory).run()
    result.expectSilence()
    #expect(difference(result.output, oracle.output) == nil)
  }

  @Test("the root is written as given")
  func roots() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a")
    try directory.write("x", to: "a/f")
    for (given, shown) in [("a", "a/f"), ("a/", "a/f"), (".//a", ".//a/f"), ("./a//", "./a//f")] {
      let result = try await weir("hash", given, in: directory).run()
      result.expectSilence()
      #expect(result.outputText.hasSuffix("  \(shown)\n"))
    }
  }

  @Test(
    "the lines of each algorithm are verified by its own tool",
    arguments: [
      ("md5", "md5sum"), ("sha1", "sha1sum"), ("sha512", "sha512sum"), ("blake2b", "b2sum"),
      ("blake3 --plain", "b3sum"), ("sm3", "cksum"), ("blake2b-256 --tag", "b2sum"),
      ("xxh64", "xxhsum"), ("xxh3", "xxhsum"), ("xxh128", "xxhsum"),
    ])
  func checked(algorithm: String, tool: String) async throws {
    guard isInstalled(tool) else { return }
    let (directory, expected) = try await makeTree(30, for: algorithm)
    let files = expected.lazy.filter { $0 == 0x0A }.count
    let result = try await weir(
      words("hash", "-a") + algorithm.split(separator: " ").map { Array($0.utf8) } + words("tree"),
      in: directory
    ).run()
    result.expectSilence()
    var check = other(tool, words("-c", "-"), in: directory)
    check.input = .bytes(result.output)
    let checked = try await check.run()
    // xxhsum skips lines that it cannot read, and succeeds.
    let good = checked.lines.count { $0.suffix(4).elementsEqual(": OK".utf8) }
    #expect(checked.status == 0 && good == files)
  }
}

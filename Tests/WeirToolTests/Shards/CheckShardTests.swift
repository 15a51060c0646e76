// weir check over shards: the bytes of one process, the proof, and the quick form.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CheckShardTests {
  /// Makes a tree with manifests of every form, and damages files afterwards.
  private func plant(_ name: String, shards: [Int]) async throws -> TemporaryDirectory {
    var random = SeededGenerator(for: name)
    let directory = try TemporaryDirectory()
    let made = try directory.fill("t", files: 110, using: &random) { $0.name() }
    try directory.makeFIFO("t/fifo")
    try directory.link("t/link", to: "nowhere")
    let twin = made[Int.random(in: 0..<made.count, using: &random)]
    _ = Glibc.link(terminated(directory.path(twin)), terminated(directory.path("t/twin")))
    for (manifest, options) in [
      ("text", ""), ("tag", "--tag"), ("two", "-a sha256,md5"), ("mtree", "--format mtree"),
      ("zero", "-z"), ("b3", "-a blake3"),
    ] {
      let options = options.split(separator: " ").map { Array($0.utf8) }
      let hashed = try await weir(words("hash") + options + words("t"), in: directory).run()
      let isZero = manifest == "zero"
      try directory.write(
        spoiled(hashed.output, isMtree: manifest == "mtree", isZero ? 0 : 0x0A, &random),
        to: "M.\(manifest)".utf8)
      if manifest == "text" {
        let lines = hashed.output.split(separator: 0x0A)
        let some = lines.filter { _ in Bool.random(using: &random) }
        try directory.write(some.flatMap { $0 + [0x0A] }, to: "M.some".utf8)
      }
    }
    try directory.write("rubbish\n", to: "M.rubbish")
    let gone = try await shell(
      "mkdir -p gone/d/e && echo 1 > gone/d/f && echo 2 > gone/d/e/g && "
        + "\"$0\" hash --format mtree gone > M.gone", in: directory
    ).run()
    #expect(gone.status == 0)
    let strategies = ["size", "count", "hash", "size-class"]
    for count in shards {
      let strategy = strategies[Int.random(in: 0..<4, using: &random)]
      let plan = try await weir(
        words("plan", "t", "gone", "--by", strategy, "--shards", "\(count)", "-o", "plan.\(count)"),
        in: directory
      ).run()
      #expect(plan.status == 0, "\(plan.errorText)")
    }
    _ = try await shell("rm gone/d/f gone/d/e/g", in: directory).run()
    for (number, path) in made.shuffled(using: &random).prefix(16).enumerated() {
      try damage(directory.path(path), number % 4)
    }
    return directory
  }

  /// Removes, lengthens or closes a file, or changes a byte of it but not its time.
  private func damage(_ path: [UInt8], _ kind: Int) throws {
    let name = terminated(path)
    switch kind {
    case 0: unlink(name)
    case 1: chmod(name, 0)
    default:
      var status = stat()
      #expect(stat(name, &status) == 0)
      let file = open(name, O_RDWR)
      defer { close(file) }
      if kind == 2 { lseek(file, 0, SEEK_END) }
      #expect(Glibc.write(file, "#", 1) == 1)
      if kind == 3 { futimens(file, [status.st_atim, status.st_mtim]) }
    }
  }

  /// Inserts malformed lines, comments and lines of unknown algorithms.
  private func spoiled(
    _ manifest: [UInt8], isMtree: Bool, _ terminator: UInt8, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var lines = manifest.dropLast().split(
      separator: terminator, omittingEmptySubsequences: false
    ).map(Array.init)
    let extra =
      isMtree
      ? ["./x type=bogus q", "# a comment", ""] : ["rubbish", "# a comment", "", "GOST (x) = 12"]
    for line in extra {
      let place = Int.random(in: (isMtree ? 4 : 0)...lines.count, using: &random)
      lines.insert(Array(line.utf8), at: place)
    }
    return lines.flatMap { $0 + [terminator] }
  }

  private func check(
    _ directory: TemporaryDirectory, _ options: String, _ manifests: String
  ) -> ShardedVerb {
    ShardedVerb(
      directory: directory, verb: "check",
      options: options.split(separator: " ").map { Array($0.utf8) },
      operands: manifests.split(separator: " ").map { Array($0.utf8) })
  }

  private func choosePlan(_ directory: TemporaryDirectory, _ shards: Int) async throws {
    _ = try await shell("cp plan.\(shards) set.plan", in: directory).run()
  }

  @Test("a merge writes what one process writes, for any number of shards and every form")
  func same() async throws {
    let counts = [1, 3, 9]
    let directory = try await plant("check shards", shards: counts)
    for shards in counts {
      try await choosePlan(directory, shards)
      let forms = [
        ("", "M.text"), ("--format json", "M.tag M.two"), ("--quiet -w", "M.mtree"),
        ("-z --strict", "M.zero"), ("--ignore-missing", "M.b3 M.some M.mtree"),
        ("--status", "M.some"), ("--format json", "M.mtree M.b3"), ("-a sha512", "M.text"),
        ("-w --color always", "M.rubbish M.two M.text"), ("", "M.rubbish"),
        ("--ignore-missing", "M.gone"), ("", "M.gone"),
      ].sampled(oneIn: 3, for: "check in \(shards) shards")
      for (options, manifests) in forms {
        let verb = check(directory, options, manifests)
        let whole = try await verb.runWhole()
        let merged = try await verb.runShards(shards)
        let what = Comment(rawValue: "\(shards) shards, \(options) \(manifests)")
        #expect(withoutBytes(merged.output) == withoutBytes(whole.output), what)
        #expect(merged.errorText == whole.errorText, what)
        #expect(merged.status == whole.status, what)
      }
    }
  }

  /// Returns JSON without the bytes and seconds of its summary: of two names of one file, the
  /// second is read only if the first is not being read.
  private func withoutBytes(_ output: [UInt8]) -> [UInt8] {
    let rest = withoutSeconds(output)
    if rest.count == output.count { return output }
    return Array(rest.dropLast().reversed().drop { $0 != UInt8(ascii: ",") }.reversed())
  }

  @Test("in the quick form, each line is verified in exactly one shard", arguments: [1, 2, 7])
  func quick(shards: Int) async throws {
    let directory = try await plant("check quick", shards: [])
    for manifests in ["M.text", "M.mtree M.two", "M.some M.rubbish"] {
      let whole = try await check(directory, "-w", manifests).runWhole()
      var (lines, messages): ([[UInt8]], [String]) = ([], [])
      for shard in 0..<shards {
        let verb = check(directory, "-w --shard \(shard)/\(shards)", manifests)
        let outcome = try await verb.runWhole()
        lines += outcome.lines.map(Array.init)
        messages += outcome.errorLines.filter { !$0.contains("WARNING") }
        if shard > 0 { #expect(!outcome.errorText.contains("improperly")) }
      }
      let expected = whole.lines.map(Array.init)
      #expect(lines.count == expected.count && Set(lines) == Set(expected))
      #expect(messages.sorted() == whole.errorLines.filter { !$0.contains("WARNING") }.sorted())
    }
  }
}

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

  @Test("a line whose name is not in the rest of the plan is named")
  func order() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b", "c"] { try directory.write(name, to: "t/\(name)") }
    let sums = try await weir("hash", "t", in: directory).run().output.split(separator: 0x0A)
    let plan = try await weir("plan", "t", "--shards", "2", "-o", "set.plan", in: directory).run()
    #expect(plan.status == 0)
    try directory.write([2, 0, 1].flatMap { sums[$0] + [0x0A] }, to: "turned".utf8)
    for shard in 0..<2 {
      let result = try await check(directory, "", "turned").runShard(shard, of: 2)
      #expect(result.status == 2)
      #expect(
        result.errorLines.last == "weir: turned: line 2: t/a is not in the plan, or in another "
          + "order; use weir plan --files0-from with the names of the manifest, or --shard K/N "
          + "without --plan")
    }
    // The way out.
    let again = try await shell(
      "printf 't/c\\0t/a\\0t/b\\0' | \"$0\" plan --files0-from - --shards 2 -o set.plan",
      in: directory
    ).run()
    #expect(again.status == 0)
    try await check(directory, "", "turned").expectSame(2)
  }

  @Test("shards that read different manifests are not merged")
  func manifests() async throws {
    let directory = try await plant("check manifests", shards: [2])
    try await choosePlan(directory, 2)
    let verb = check(directory, "", "M.text")
    _ = try await verb.runShard(0, of: 2)
    _ = try await shell("head -n -1 M.text > M.next && mv M.next M.text", in: directory).run()
    let refused = try await verb.runShard(1, of: 2)
    #expect(refused.status == 2 && refused.errorText.contains("sha256="))
    _ = try await verb.runShard(1, of: 2, out: "others")
    _ = try await shell("mv others/* parts", in: directory).run()
    let merged = try await verb.merge()
    #expect(merged.status == 4 && merged.output.isEmpty)
    #expect(merged.errorText.contains("sha256="))
    // The command that runs the shard again has the manifest, and no digest.
    #expect(merged.errorText.contains("--out parts --resume M.text"))
    #expect(!merged.errorText.contains("M.text sha256="))
  }

  @Test("options and manifests that do not apply are refused")
  func refused() async throws {
    let directory = try await plant("check refused", shards: [2])
    try await choosePlan(directory, 2)
    for (options, manifests, message) in [
      ("--audit .", "M.text", "--audit does not apply"),
      ("--allow-changed", "M.text", "--allow-changed does not apply"),
      ("", "", "needs a MANIFEST"), ("", "-", "name a file, and not -"),
      ("", "nothing", "nothing: No such file or directory"), ("", "t", "t: Is a directory"),
      ("", "t/fifo", "t/fifo: is not a regular file"),
    ] {
      let result = try await check(directory, options, manifests).runShard(0, of: 2)
      #expect(result.status == 2 && result.errorText.contains(message), "\(result.errorText)")
    }
    for (options, message) in [
      ("--resume", "--resume needs --state FILE, or --plan"),
      ("--shard 0/2 --audit .", "does not apply to --audit"),
      ("--shard auto", "needs --plan"), ("--out x", "--out needs --plan"),
    ] {
      let result = try await check(directory, options, "M.text").runWhole()
      #expect(result.status == 2 && result.errorText.contains(message), "\(result.errorText)")
    }
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

  @Test("a shard without a line, and one whose files may be missing, succeed")
  func empty() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "one")
    let sums = try await weir("hash", "one", in: directory).run().output
    try directory.write(sums, to: "M".utf8)
    var verified = 0
    for shard in 0..<5 {
      let result = try await check(directory, "--shard \(shard)/5", "M").runWhole()
      result.expectSilence()
      verified += result.lines.count
    }
    #expect(verified == 1)
    try directory.write("rubbish\n", to: "M")
    for shard in 0..<2 {
      // Only shard 0 reports a manifest without lines, but each shard one that it cannot read.
      let rubbish = try await check(directory, "--shard \(shard)/2", "M").runWhole()
      #expect(rubbish.status == (shard == 0 ? 1 : 0))
      #expect(rubbish.errorText.isEmpty == (shard > 0))
      let nothing = try await check(directory, "--shard \(shard)/2", "nothing").runWhole()
      #expect(nothing.status == 2)
    }
  }
}

// Random calls of the checksum tools.

import TestSupport

/// Makes random calls.
struct DropInTable {
  private let corpus: DropInCorpus
  private var random = SeededGenerator(for: "drop-in table")
  /// The manifests in the directory, each with its tool.
  private var manifests: [(tool: ChecksumTool, name: [UInt8])] = []

  init(_ corpus: DropInCorpus) throws {
    self.corpus = corpus
    for number in 0..<200 {
      let tool = self.tool()
      let prefix = ["manifest", "odd\nmanifest", "it's", "\u{FF}", "-m"]
      let name = Array("\(prefix[number % 40 < 36 ? 0 : number % 5])\(number)".utf8)
      try corpus.directory.write(corpus.manifest(for: tool, using: &random), to: name)
      manifests.append((tool, name))
    }
  }

  /// The checksums of cksum.
  private static let sums = [
    ChecksumTool("cksum", tag: ""), ChecksumTool("cksum", "-acrc", tag: ""),
    ChecksumTool("cksum", "-absd", tag: ""), ChecksumTool("cksum", "-asysv", tag: ""),
  ]

  /// The names that can be opened, but not read.
  private static let readErrors = ["deep", "deep/", "/proc/self/mem"].map { Array($0.utf8) }

  /// Returns random calls.
  mutating func calls(_ count: Int) -> [Invocation] {
    (0..<count).map { _ in
      switch roll(10) {
      case 0...3: hash()
      case 4...8: check()
      default: mixed()
      }
    }
  }

  private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  private mutating func one<T>(of choices: [T]) -> T { choices[roll(choices.count)] }

  private mutating func tool() -> ChecksumTool {
    switch roll(4) {
    case 0: ChecksumTool("sha256sum")
    case 1: one(of: ChecksumTool.single)
    case 2: one(of: ChecksumTool.b2sum)
    default: one(of: ChecksumTool.cksum)
    }
  }

  /// Returns a call of a tool. Half of the calls of cksum that verify name no digest.
  private mutating func call(
    _ tool: ChecksumTool, _ words: [[UInt8]], verifies: Bool
  ) -> Invocation {
    let isBare = verifies && tool.isCksum && roll(2) == 0
    return Invocation(tool.name, (isBare ? [] : tool.options).map { Array($0.utf8) } + words)
  }

  /// Returns a call that hashes, with options for it.
  private mutating func hash() -> Invocation {
    let options = [
      "-b", "--binary", "-t", "--text", "--tag", "-z", "--zero", "-bz", "-zt", "--ze", "--bin",
      "--ta", "-l0", "--le=16",
    ]
    let tool = roll(8) == 0 ? one(of: DropInTable.sums) : self.tool()
    let cksum = [
      "--tag", "--untagged", "-z", "--zero", "--unt", "--untag", "--debu", "-b", "-t", "--text",
      "-l0", "--length=0",
    ]
    var words = (0..<one(of: [0, 0, 1, 1, 2])).map { _ in
      Array(one(of: tool.isCksum ? cksum : options).utf8)
    }
    words += names(one(of: [0, 1, 1, 2, 3, 5, 12]))
    return finish(call(tool, words, verifies: false))
  }

  /// Returns a call that verifies, usually a manifest of the same tool.
  private mutating func check() -> Invocation {
    let checks = ["-c", "-c", "--check", "--ch", "-wc", "-cw"]
    let options = [
      "--quiet", "--status", "--warn", "-w", "--strict", "--ignore-missing", "--ig", "--q",
      "--stri",
    ]
    var words = [Array(one(of: checks).utf8)]
    words += (0..<one(of: [0, 1, 1, 2, 3])).map { _ in Array(one(of: options).utf8) }
    let first = one(of: manifests)
    var call = call(roll(12) == 0 ? tool() : first.tool, [], verifies: true)
    switch roll(6) {
    case 0:
      call.input = .pipe(corpus.manifest(for: first.tool, using: &random))
    case 1:
      words.append(first.name)
      words += (0..<roll(4)).map { _ in one(of: manifests).name }
      if roll(4) == 0 { words.append(Array("-".utf8)) }
      if roll(4) == 0 { words += names(1) }
    default:
      words.append(first.name)
    }
    call.arguments += words
    return finish(call)
  }

  /// Returns a call with any options and names.
  private mutating func mixed() -> Invocation {
    let options = [
      "-b", "-c", "-t", "-w", "-z", "--check", "--ignore-missing", "--quiet", "--status", "--warn",
      "--strict", "--tag", "--zero", "--binary", "--text", "--", "-x", "-bx", "-", "--x", "--s",
      "--t",
      "--tag=x", "--=", "--check=", "-ccb", "--st", "--sta", "-W", "--no-check", "-c-", "---",
      "--b",
      "-\u{E9}", "", "--debug", "--untagged", "-l", "-l8", "--length", "--length=9", "-a",
      "-amd5", "-acrc", "--algorithm=sysv", "-ax", "-l-1",
    ]
    var words = (0..<roll(5)).map { _ in Array(one(of: options).utf8) }
    words += names(roll(3))
    if roll(3) == 0 { words.append(one(of: manifests).name) }
    words.shuffle(using: &random)
    return finish(call(tool(), words, verifies: true))
  }

  /// Returns names, of readable files and others.
  private mutating func names(_ count: Int) -> [[UInt8]] {
    (0..<count).map { _ in
      switch roll(12) {
      case 0...7: one(of: corpus.files)
      case 8...9: one(of: DropInCorpus.unreadable)
      case 10: Array("-".utf8)
      default: Array("/dev/stdin".utf8)
      }
    }
  }

  /// Shuffles options and names, and chooses the input, the environment and the outputs.
  private mutating func finish(_ call: Invocation) -> Invocation {
    var call = call
    // GNU's tool ignores a read error while it computes a CRC; weir, on purpose, does not.
    let mayBeCRC = call.tool == "cksum"
    if mayBeCRC { call.arguments.removeAll { DropInTable.readErrors.contains($0) } }
    if roll(4) == 0 { call.arguments.shuffle(using: &random) }
    if roll(8) == 0 {
      call.arguments.insert(Array("--".utf8), at: roll(call.arguments.count + 1))
    }
    if case .nothing = call.input {
      switch roll(12) {
      case 0...3: call.input = .pipe(random.bytes(roll(300)))
      case 4...5: call.input = .file(corpus.directory.path("a"))
      case 6: if !mayBeCRC { call.input = .file(corpus.directory.path("deep")) }
      case 7: if !mayBeCRC { call.input = .closed }
      case 8: call.input = .file(corpus.directory.path(one(of: manifests).name))
      default: break
      }
    }
    if roll(3) == 0 { call.locale = "C" }
    if roll(8) == 0 { call.environment = ["POSIXLY_CORRECT=1"] }
    if roll(6) == 0 { call.place = one(of: ["./", "/usr/bin/", "a b/", "/x/.libs/", "\u{E9}/"]) }
    if roll(25) == 0 { call.output = one(of: [.full, .closed, .noReader]) }
    if roll(40) == 0 { call.errors = one(of: [.full, .closed]) }
    return call
  }
}

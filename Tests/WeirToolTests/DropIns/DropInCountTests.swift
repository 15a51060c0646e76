// Called as wc, weir matches wc of GNU coreutils 9.1 byte for byte: comparisons with the
// installed tool.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasGNU91), .serialized, .timeLimit(.minutes(10)))
struct DropInCountTests {
  @Test("random calls: both outputs, their order, and the exit status")
  func table() async throws {
    var table = try DropInCountTable()
    let count = getenv("WEIR_TEST_CALLS").flatMap { Int(String(cString: $0)) } ?? 200
    try await compare(table.calls(count).filter { !$0.requestsHelp }, in: table.directory)
  }

  @Test("abbreviations, lists, and a standard output that cannot be written")
  func abbreviations() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    try directory.makeDirectory("d")
    let lists: [(String, [UInt8])] = [
      ("list", Array("f\0gone\0f\0".utf8)), ("open", Array("f\0f".utf8)), ("none", []),
      ("empty", [0]), ("gap", Array("f\0\0-\0".utf8)), ("one", Array("f\0".utf8)),
      ("it's", Array("\0".utf8)), ("d", []),
    ]
    for (name, content) in lists where name != "d" {
      try directory.write(content, to: name.utf8)
    }
    let names = [
      "bytes", "chars", "lines", "words", "debug", "files0-from", "max-line-length", "helpless",
      "versions", "=x", "lines=3",
    ]
    var calls = names.flatMap { name in
      (1...name.utf8.count).map { Invocation("wc", "--\(name.prefix($0))", "f") }
    }
    for (name, content) in lists {
      for options in [[], ["-l"], ["-c"], ["-lw"]] {
        calls.append(Invocation("wc", (options + ["--files0-from=\(name)"]).map { Array($0.utf8) }))
        var call = Invocation("wc", (options + ["--files0-from", "-"]).map { Array($0.utf8) })
        call.input = .pipe(content)
        calls.append(call)
        call.input = .file(directory.path(name))
        calls.append(call)
      }
    }
    calls.append(Invocation("wc", "--files0-from=list", "f"))
    calls.append(Invocation("wc", "--files0-from=gone"))
    calls.append(Invocation("wc", "--files0-from=", "a b"))
    for list in [["f"], ["f", "gone"], ["gone"], ["d"], ["--help"], ["-"]] {
      for sink in [Sink.full, .closed, .noReader] {
        var call = Invocation("wc", list.map { Array($0.utf8) })
        call.output = sink
        calls.append(call)
        call.input = .closed
        calls.append(call)
      }
    }
    try await compare(
      calls.filter { !$0.requestsHelp || $0.output != .collected }, in: directory,
      table: "abbreviations of wc")
  }
}

/// Makes random calls of wc.
struct DropInCountTable {
  let directory: TemporaryDirectory
  private var random = SeededGenerator(for: "wc table")
  private var files: [[UInt8]] = []
  private var lists: [[UInt8]] = []

  init() throws {
    directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.link("link", to: "f0")
    try directory.link("dangling", to: "nowhere")
    try directory.makeSocket("socket")
    for number in 0..<60 {
      let suffix = number % 6 == 0 ? random.name() : []
      let name = Array("f\(number)".utf8) + suffix
      try directory.write(content(), to: name)
      files.append(name)
    }
    for number in 0..<20 {
      let names = (0..<roll(6)).map { _ in self.name() }
      var list = Array(names.joined(separator: [0]))
      if roll(4) > 0 && !names.isEmpty { list.append(0) }
      let name = Array("list\(number)".utf8)
      try directory.write(list, to: name)
      lists.append(name)
    }
  }

  /// Returns text, or bytes that are not text.
  private mutating func content() -> [UInt8] {
    let count = one(of: [0, 1, 7, 63, 64, 65, 300, 4096, 8192, 16384, 16385, 50_000])
    let pieces: [[[UInt8]]] = [
      ["some text ", "\n", "\t", "word"].map { Array($0.utf8) },
      [
        "日本語", "é", " ", "\u{A0}", "\u{2007}", "\u{202F}", "\u{2060}", "e\u{301}", "\n", "\u{3000}",
        "😀",
      ]
      .map { Array($0.utf8) },
      [
        [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0x0A], [0x20],
        [0x41], [0], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0x0D], [0x0C], [0x0B], [9],
      ],
      [Array("a-very-long-line ".utf8)],
    ]
    if roll(4) == 0 { return random.bytes(count) }
    let kind = one(of: pieces)
    var text: [UInt8] = []
    while text.count < count { text += one(of: kind) }
    return Array(text.prefix(count))
  }

  private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  private mutating func one<T>(of choices: [T]) -> T { choices[roll(choices.count)] }

  private mutating func name() -> [UInt8] {
    if roll(4) > 0 { return one(of: files) }
    return Array(
      one(of: [
        "d", "gone", "", "-", "dangling", "link", "socket", "d/", "f0/", "/dev/null", "./f1",
        "/proc/version", "/proc/self/mem", "miss ing", "miss\ning", "it's", "c:d", "/dev/stdin",
      ]).utf8)
  }

  /// Returns random calls.
  mutating func calls(_ count: Int) -> [Invocation] { (0..<count).map { _ in call() } }

  private mutating func call() -> Invocation {
    let options = [
      "-l", "-w", "-c", "-m", "-L", "-lw", "-lc", "-lm", "-mL", "-wc", "--lines", "--by", "--ch",
      "--max", "--wor", "--debug", "-lwmcL",
    ]
    let rare = ["--x", "-x", "--", "--lines=1", "-", "--files0-from", "--f", "-lx"]
    var words = (0..<one(of: [0, 0, 1, 1, 2, 3])).map { _ in Array(one(of: options).utf8) }
    if roll(12) == 0 { words.append(Array(one(of: rare).utf8)) }
    var call = Invocation("wc", [])
    if roll(6) == 0 {
      let list = roll(4) == 0 ? Array("-".utf8) : roll(8) == 0 ? name() : one(of: lists)
      words.append(Array("--files0-from=".utf8) + list)
      if roll(8) == 0 { words.append(name()) }
      call.input = .file(directory.path(one(of: lists)))
    } else {
      words += (0..<one(of: [0, 1, 1, 2, 3, 8])).map { _ in name() }
      switch roll(8) {
      case 0...2: call.input = .pipe(random.bytes(roll(3000)))
      case 3...4: call.input = .file(directory.path(one(of: files)))
      case 5: call.input = .file(directory.path("d"))
      case 6: call.input = roll(2) == 0 ? .closed : .nothing
      default: break
      }
    }
    if roll(5) == 0 { words.shuffle(using: &random) }
    call.arguments = words
    if roll(2) == 0 { call.locale = "C" }
    if roll(8) == 0 { call.environment = ["POSIXLY_CORRECT=1"] }
    if roll(8) == 0 { call.place = one(of: ["./", "/usr/bin/", "a b/", "/x/.libs/"]) }
    if roll(30) == 0 { call.output = one(of: [.full, .closed, .noReader]) }
    if roll(40) == 0 { call.errors = one(of: [.full, .closed]) }
    return call
  }
}

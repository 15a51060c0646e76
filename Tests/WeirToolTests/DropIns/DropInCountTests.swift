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

  @Test("the rest after the descriptor's offset is counted, with the errors of wc")
  func offsets() async throws {
    let directory = try TemporaryDirectory()
    for (name, size) in [("a", 5000), ("b", 8192), ("c", 1 << 20)] {
      try directory.write([UInt8](repeating: 0x0A, count: size), to: name.utf8)
    }
    let script = """
      for f in a b c; do for at in 1 100 4097 9000; do for o in -c -l -m -w; do
        { dd bs=$at count=1 of=/dev/null 2>/dev/null; $0 $o; $0 $o; } <$f; done; done; done
      """
    try directory.link("wc", to: String(decoding: weirPath, as: UTF8.self))
    let ours = try await other(
      "sh", words("-c", script, directory.text + "/wc"), in: directory
    ).run()
    let theirs = try await other("sh", words("-c", script, "/usr/bin/wc"), in: directory).run()
    #expect(ours.output == theirs.output && !ours.output.isEmpty)
  }

  @Test("lines are written before wc waits, and a list is counted name by name")
  func order() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a\n", to: "a")
    try directory.makeFIFO("fifo")
    try directory.link("wc", to: String(decoding: weirPath, as: UTF8.self))
    let tool = directory.text + "/wc"
    let command = other(tool, words("-l", "a", "gone", "fifo", "a"), in: directory)
    let fifo = directory.path("fifo")
    let outcome = try await onThread {
      let child = try Child(command)
      #expect(child.collect(limit: 40) { output, errors in !output.isEmpty && !errors.isEmpty })
      let writer = open(terminated(fifo), O_WRONLY)
      try writeAll(Array("c\nd\n".utf8), to: writer)
      close(writer)
      return try child.finish(limit: 40)
    }
    #expect(
      outcome.outputText.split(separator: "\n").map { $0.split(separator: " ")[0] } == [
        "1", "2", "1", "4",
      ])
    let listed = other(tool, words("-l", "--files0-from=-"), in: directory)
    let answers = try await onThread {
      var listed = listed
      listed.input = .bytes(Array("a\0a\0".utf8))
      let child = try Child(listed, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.count == "1 a\n1 a\n".utf8.count })
      return try child.finish(limit: 40)
    }
    #expect(answers.outputText == "1 a\n1 a\n2 total\n" && answers.status == 0)
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

// Random calls of b3sum.

import TestSupport

/// Makes random calls.
struct DropInB3SumTable {
  private let corpus: DropInB3SumCorpus
  private var random = SeededGenerator(for: "b3sum table")
  private var manifests: [[UInt8]] = []

  init(_ corpus: DropInB3SumCorpus) throws {
    self.corpus = corpus
    for number in 0..<100 {
      let name = Array("\(number % 10 == 0 ? "odd\n\\" : "manifest")\(number)".utf8)
      try corpus.directory.write(corpus.manifest(using: &random), to: name)
      manifests.append(name)
    }
  }

  /// Returns random calls.
  mutating func calls(_ count: Int) -> [Invocation] {
    (0..<count).map { _ in
      switch roll(10) {
      case 0...3: finish(hash())
      case 4...7: finish(check())
      default: finish(mixed())
      }
    }
  }

  private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  private mutating func one<T>(of choices: [T]) -> T { choices[roll(choices.count)] }

  private mutating func hash() -> Invocation {
    let lengths = ["0", "1", "31", "32", "33", "64", "65", "131", "1024", "1025", "5000"]
    var words: [String] = []
    switch roll(6) {
    case 0: words += ["--length", one(of: lengths)]
    case 1: words.append(one(of: ["-l", "-l=", "--length=", "-l+"]) + one(of: lengths))
    default: break
    }
    if roll(4) == 0 { words.append("--no-names") }
    if roll(5) == 0 { words.append("--no-mmap") }
    if roll(5) == 0 { words += ["--num-threads", one(of: ["0", "1", "2", "3", "+4", "100"])] }
    var call = Invocation("b3sum", [])
    var files = names(one(of: [0, 1, 1, 2, 3, 5, 12]))
    switch roll(5) {
    case 0:
      words += ["--derive-key", one(of: ["", "context", "=x", "é \n", "a longer context 2019"])]
    case 1:
      words.append("--keyed")
      call.input = .pipe(random.bytes(one(of: [32, 32, 32, 32, 0, 31, 33, 100])))
    default: break
    }
    if roll(6) == 0 {
      words.append("--raw")
      if roll(4) != 0 { files = Array(files.prefix(1)) }
    }
    call.arguments = words.map { Array($0.utf8) } + files
    return call
  }

  private mutating func check() -> Invocation {
    var call = Invocation("b3sum", [])
    var words = [Array(one(of: ["-c", "--check"]).utf8)]
    if roll(3) == 0 { words.append(Array("--quiet".utf8)) }
    if roll(6) == 0 { words += [Array("--num-threads=\(1 + roll(3))".utf8)] }
    switch roll(6) {
    case 0: call.input = .pipe(corpus.manifest(using: &random))
    case 1:
      words += (0...roll(4)).map { _ in one(of: manifests) }
      if roll(3) == 0 { words += names(1) }
      if roll(4) == 0 { words.append(Array("-".utf8)) }
    default: words.append(one(of: manifests))
    }
    call.arguments = words
    return call
  }

  /// Returns a call with any options and names.
  private mutating func mixed() -> Invocation {
    let options = [
      "-c", "--check", "--raw", "--keyed", "--derive-key", "--derive-key=x", "-l5",
      "--length=7", "-c5", "-cc", "--quiet", "--no-names", "--no-mmap", "--num-threads",
      "--num-threads=x", "--num-threads=", "--", "-", "-x", "-cx",
      "--quie", "--Raw", "---raw", "----", "-q", "-é", "--é", "--=", "--raw=1", "--check=", "-5",
      "5", "", "help",
    ]
    var words = (0...roll(5)).map { _ in Array(one(of: options).utf8) }
    words += names(roll(3)).filter { String(validating: $0, as: UTF8.self) != nil }
    words.shuffle(using: &random)
    return Invocation("b3sum", words)
  }

  /// Returns names, of readable files and others.
  private mutating func names(_ count: Int) -> [[UInt8]] {
    (0..<count).map { _ in
      switch roll(12) {
      case 0...7: one(of: corpus.files)
      case 8...9: one(of: DropInB3SumCorpus.unreadable)
      case 10: Array("-".utf8)
      default: Array("/dev/stdin".utf8)
      }
    }
  }

  /// Chooses the input, the locale and the outputs, and sometimes ends the options.
  private mutating func finish(_ call: Invocation) -> Invocation {
    var call = call
    if case .nothing = call.input {
      switch roll(12) {
      case 0...3: call.input = .pipe(random.text(roll(300)))
      case 4...5: call.input = .file(corpus.directory.path("a"))
      case 6: call.input = .file(corpus.directory.path("deep"))
      case 7: call.input = .closed
      case 8: call.input = .file(corpus.directory.path(one(of: manifests)))
      default: break
      }
    }
    if roll(4) == 0 {
      let first = call.arguments.firstIndex { !$0.starts(with: Array("-".utf8)) }
      call.arguments.insert(Array("--".utf8), at: first ?? call.arguments.count)
    }
    if roll(3) == 0 { call.locale = "C" }
    if roll(8) == 0 { call.environment = ["POSIXLY_CORRECT=1", "RAYON_NUM_THREADS=\(roll(3))"] }
    if roll(6) == 0 { call.place = one(of: ["./", "/usr/bin/", "a b/", "\u{E9}/"]) }
    if roll(25) == 0 { call.output = .closed }
    if roll(40) == 0 { call.errors = .closed }
    return call
  }
}

// Random pairs of trees, the forms in which weir compare reads them, and an oracle of its verdicts.

import Glibc
import TestSupport

/// A file, a directory or a link of a model.
struct ModelEntry: Equatable {
  enum Kind: Equatable {
    case file(content: Int)
    case directory
    case link([UInt8])
  }

  var kind: Kind
  var seconds = 0
  var nanoseconds = 0

  var isFile: Bool { if case .file = kind { true } else { false } }
}

/// The contents of the files of all models, with their digests by the tools of the system.
struct ModelContents {
  static let algorithms = ["md5", "sha1", "sha256", "sha512", "xxh128"]
  /// The strongest one first.
  static let byStrength = ["sha512", "sha256", "sha1", "md5", "xxh128"]
  static let count = 12
  let digests: [[String: String]]

  static func bytes(_ index: Int) -> [UInt8] {
    // Some have the same size.
    Array("content \(index)".utf8) + Array(repeating: 0x2E, count: index / 4)
  }

  init(in directory: TemporaryDirectory) async throws {
    for index in 0..<ModelContents.count {
      try directory.write(ModelContents.bytes(index), to: "content\(index)".utf8)
    }
    let digests = try await shell(
      """
      for i in $(seq 0 \(ModelContents.count - 1)); do
        for sum in md5 sha1 sha256 sha512 xxh128; do ${sum}sum < content$i | cut -d' ' -f1; done
      done
      """, in: directory
    ).run()
    let lines = digests.outputText.split(separator: "\n").map(String.init)
    precondition(lines.count == ModelContents.count * ModelContents.algorithms.count)
    self.digests = (0..<ModelContents.count).map { index in
      Dictionary(
        uniqueKeysWithValues: ModelContents.algorithms.enumerated().map { place, name in
          (name, lines[index * ModelContents.algorithms.count + place])
        })
    }
  }
}

/// A side of a comparison: a tree, and the form in which it is given.
struct ModelSide {
  enum Form: CaseIterable { case plain, tagged, mtree, directory }

  var tree: [[UInt8]: ModelEntry] = [:]
  var form = Form.plain
  /// The algorithms of the manifest; none for a directory.
  var algorithms: [String] = []
  var isShuffled = false
  /// Names that an entry of mtree(5) has no time or no size for.
  var isTimeless = false

  var hasTypes: Bool { form == .mtree || form == .directory }

  func size(_ entry: ModelEntry) -> Int? {
    guard hasTypes, case .file(let content) = entry.kind else { return nil }
    return ModelContents.bytes(content).count
  }

  func time(_ entry: ModelEntry) -> (Int, Int)? {
    hasTypes && !(form == .mtree && isTimeless) ? (entry.seconds, entry.nanoseconds) : nil
  }

  // MARK: Forms

  /// Writes the side to a file or directory.
  func write(
    to name: String, _ contents: ModelContents, isZero: Bool, in directory: TemporaryDirectory,
    _ random: inout SeededGenerator
  ) throws {
    if form == .directory { return try writeTree(to: name, in: directory) }
    var lines: [[UInt8]] = []
    for path in tree.keys.sorted(by: precedesInWalk) {
      guard let entry = tree[path] else { continue }
      let dots = Bool.random(using: &random) && form != .mtree ? Array("./".utf8) : []
      if form == .mtree {
        lines.append(mtreeLine(path, entry, contents))
      } else if case .file(let content) = entry.kind {
        for algorithm in algorithms {
          let digest = contents.digests[content][algorithm] ?? ""
          lines.append(line(dots + path, algorithm, digest, isZero: isZero))
        }
      }
    }
    if isShuffled { lines.shuffle(using: &random) }
    let end: [UInt8] = isZero ? [0] : [0x0A]
    let head = form == .mtree ? Array("#mtree v2.0\n. type=dir\n".utf8) : []
    try directory.write(head + lines.flatMap { $0 + end }, to: name.utf8)
  }

  private func line(
    _ path: [UInt8], _ algorithm: String, _ digest: String, isZero: Bool
  ) -> [UInt8] {
    var name = path
    var begin: [UInt8] = []
    if !isZero && path.contains(where: { [0x0A, 0x0D, 0x5C].contains($0) }) {
      begin = [0x5C]
      name = ModelSide.escaped(path)
    }
    if form == .plain { return begin + Array("\(digest)  ".utf8) + name }
    let tag = algorithm == "xxh128" ? "XXH128" : algorithm.uppercased()
    return begin + Array("\(tag) (".utf8) + name + Array(") = \(digest)".utf8)
  }

  /// Returns a name as a line of text escapes it.
  fileprivate static func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x0A: Array("\\n".utf8)
      case 0x0D: Array("\\r".utf8)
      case 0x5C: Array("\\\\".utf8)
      default: [byte]
      }
    }
  }

  private func mtreeLine(
    _ path: [UInt8], _ entry: ModelEntry, _ contents: ModelContents
  ) -> [UInt8] {
    func escaped(_ name: [UInt8]) -> [UInt8] {
      name.flatMap { byte -> [UInt8] in
        let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2F
        if isPlain { return [byte] }
        let digits = String(byte, radix: 8)
        return Array(
          ("\\" + String(repeating: "0", count: 3 - digits.count) + digits).utf8)
      }
    }
    var words = ""
    switch entry.kind {
    case .directory: words = " type=dir"
    case .link(let target):
      return Array("./".utf8) + escaped(path) + Array(" type=link link=".utf8) + escaped(target)
    case .file(let content):
      words = " type=file size=\(ModelContents.bytes(content).count)"
      for algorithm in algorithms {
        words += " \(algorithm)=\(contents.digests[content][algorithm] ?? "")"
      }
      if let (seconds, nanoseconds) = time(entry) { words += " time=\(seconds).\(nanoseconds)" }
    }
    return Array("./".utf8) + escaped(path) + Array(words.utf8)
  }

  /// Makes the tree: of some files with the same content and time, names of one file.
  private func writeTree(to name: String, in directory: TemporaryDirectory) throws {
    let root = Array(name.utf8) + [0x2F]
    try directory.makeDirectory(name)
    var made: [(ModelEntry, [UInt8])] = []
    for path in tree.keys.sorted(by: precedesInWalk) {
      guard let entry = tree[path] else { continue }
      let place = directory.path(root + path)
      switch entry.kind {
      case .directory: try directory.makeDirectory(root + path)
      case .link(let target):
        precondition(symlink(terminated(target), terminated(place)) == 0)
      case .file(let content):
        if let (_, other) = made.first(where: { $0.0 == entry }), path.count % 2 == 0 {
          precondition(link(terminated(other), terminated(place)) == 0)
          continue
        }
        try directory.write(ModelContents.bytes(content), to: root + path)
        let time = timespec(tv_sec: entry.seconds, tv_nsec: entry.nanoseconds)
        precondition(utimensat(AT_FDCWD, terminated(place), [time, time], 0) == 0)
        made.append((entry, place))
      }
    }
  }
}

/// Two sides, and the options of the comparison.
struct ModelPair {
  var a = ModelSide()
  var b = ModelSide()
  var reads = false
  var isZero = false
  var listsSame = false

  init(_ random: inout SeededGenerator) {
    a.tree = ModelPair.tree(&random)
    b.tree = a.tree
    for _ in 0..<Int.random(in: 0...6, using: &random) { edit(&random) }
    isZero = Int.random(in: 0..<8, using: &random) == 0
    listsSame = Bool.random(using: &random)
    ModelPair.choose(&a, isZero: isZero, &random)
    ModelPair.choose(&b, isZero: isZero, &random)
    let hasDirectory = a.form == .directory || b.form == .directory
    reads = hasDirectory && Int.random(in: 0..<3, using: &random) > 0
  }

  private static func choose(
    _ side: inout ModelSide, isZero: Bool, _ random: inout SeededGenerator
  ) {
    side.form = ModelSide.Form.allCases.randomElement(using: &random) ?? .plain
    if isZero && side.form == .mtree { side.form = .tagged }
    side.isShuffled = Bool.random(using: &random)
    side.isTimeless = Int.random(in: 0..<4, using: &random) == 0
    switch side.form {
    case .directory: side.algorithms = []
    // The length of the digest names the algorithm.
    case .plain: side.algorithms = [["md5", "sha1", "sha256"].randomElement(using: &random) ?? ""]
    case .tagged, .mtree:
      let count = Int.random(in: side.form == .mtree ? 0...3 : 1...3, using: &random)
      side.algorithms = Array(ModelContents.algorithms.shuffled(using: &random).prefix(count))
    }
  }

  private static func file(_ random: inout SeededGenerator) -> ModelEntry {
    ModelEntry(
      kind: .file(content: Int.random(in: 0..<ModelContents.count, using: &random)),
      seconds: Int.random(in: 1_700_000_000..<1_700_000_003, using: &random),
      nanoseconds: [0, 5, 123_456_789].randomElement(using: &random) ?? 0)
  }

  private static func tree(_ random: inout SeededGenerator) -> [[UInt8]: ModelEntry] {
    var tree: [[UInt8]: ModelEntry] = [:]
    var directories: [[UInt8]] = [[]]
    for name in random.names(Int.random(in: 1...14, using: &random)) {
      let parent = directories.randomElement(using: &random) ?? []
      let path = parent.isEmpty ? name : parent + [0x2F] + name
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        tree[path] = ModelEntry(kind: .directory)
        directories.append(path)
      case 2: tree[path] = ModelEntry(kind: .link(random.name()))
      default: tree[path] = file(&random)
      }
    }
    return tree
  }

  /// Changes side B in one way.
  private mutating func edit(_ random: inout SeededGenerator) {
    let names = b.tree.keys.sorted(by: precedesInWalk)
    guard let name = names.randomElement(using: &random), let entry = b.tree[name] else { return }
    let parent = name.lastIndex(of: 0x2F).map { Array(name[...$0]) } ?? []
    let other = parent + random.name()
    switch (Int.random(in: 0..<7, using: &random), entry.kind) {
    case (0, .file): b.tree[name] = ModelPair.file(&random)
    case (1, .file): b.tree[name]?.seconds += 1
    case (2, .file), (3, .file):
      if b.tree[other] != nil { return }
      b.tree[name] = nil
      b.tree[other] = entry
    case (4, .file): b.tree[name] = nil
    case (5, .file): b.tree[name] = ModelEntry(kind: .link(random.name()))
    case (6, .link): b.tree[name] = ModelEntry(kind: .link(random.name()))
    case (4, .directory):
      b.tree = b.tree.filter { $0.key != name && !$0.key.starts(with: name + [0x2F]) }
    case (3, .directory): b.tree[name + [0x2F] + random.name()] = ModelPair.file(&random)
    default: if b.tree[other] == nil { b.tree[other] = ModelPair.file(&random) }
    }
  }

  var arguments: [String] {
    (reads ? ["--read"] : []) + (isZero ? ["--zero"] : []) + (listsSame ? ["--all"] : [])
  }

  // MARK: Oracle

  /// The verdicts in order, as text, and the exit status.
  func expected() -> (output: [UInt8], status: Int32) {
    var output: [UInt8] = []
    var (isDifferent, isUnknown) = (false, false)
    let moves = moves()
    let taken = Set(moves.values)
    for name in Set(a.tree.keys).union(b.tree.keys).sorted(by: precedesInWalk) {
      // A manifest of lines names files only.
      let (one, other) = (a.listed(name), b.listed(name))
      var verdict = ""
      if let one, let other {
        verdict = compare(one, other)
        isUnknown = isUnknown || verdict.hasPrefix("cannot")
        isDifferent = isDifferent || verdict.hasPrefix("differs")
        if verdict.hasPrefix("same") && !listsSame { continue }
      } else {
        guard let entry = one ?? other, entry.isFile || a.hasTypes && b.hasTypes else { continue }
        isDifferent = true
        if let target = moves[name] {
          append(name, "moved to ", target, &output)
          continue
        }
        if taken.contains(name) { continue }
        verdict = one != nil ? "only in A" : "only in B"
      }
      append(name, verdict, [], &output)
    }
    return (output, isUnknown ? 2 : isDifferent ? 1 : 0)
  }

  private func append(
    _ name: [UInt8], _ verdict: String, _ target: [UInt8], _ output: inout [UInt8]
  ) {
    if isZero {
      output += name + [0] + Array(verdict.utf8) + target + [0]
      return
    }
    let isEscaped = (name + target).contains(0x0A)
    func text(_ name: [UInt8]) -> [UInt8] {
      if !isEscaped { return name }
      return ModelSide.escaped(name)
    }
    output += (isEscaped ? [0x5C] : []) + text(name) + Array(": \(verdict)".utf8) + text(target)
    output.append(0x0A)
  }

  /// The algorithms by which a side has digests, after reading.
  private func algorithms(_ side: ModelSide, _ other: ModelSide) -> [String] {
    if side.form != .directory { return side.algorithms }
    if !reads { return [] }
    return other.form == .directory || !other.listsDigests ? ["xxh128"] : other.algorithms
  }

  private func compare(_ one: ModelEntry, _ other: ModelEntry) -> String {
    switch (one.kind, other.kind) {
    case (.directory, .directory): return "same (type)"
    case (.link(let target), .link(let otherTarget)):
      return target == otherTarget ? "same (target)" : "differs (target)"
    case (.file(let content), .file(let otherContent)):
      return compare(one, content, other, otherContent)
    default: return "differs (type)"
    }
  }

  private func compare(
    _ one: ModelEntry, _ content: Int, _ other: ModelEntry, _ otherContent: Int
  ) -> String {
    let (size, otherSize) = (a.size(one), b.size(other))
    let isSizeKnown = size != nil && otherSize != nil
    var isTouched = false
    if let (seconds, nanoseconds) = a.time(one), let (second, nanosecond) = b.time(other) {
      let isWhole = nanoseconds == 0 || nanosecond == 0
      isTouched = seconds != second || nanoseconds != nanosecond && !isWhole
    }
    let own = Set(a.algorithms).intersection(b.algorithms)
    let isRead = own.isEmpty && (a.form == .directory || b.form == .directory)
    let isReadForNothing =
      a.form != .directory && a.algorithms.isEmpty || b.form != .directory && b.algorithms.isEmpty
    if !(isRead && isSizeKnown && size != otherSize) && !(isRead && isReadForNothing) {
      let shared = Set(algorithms(a, b)).intersection(algorithms(b, a))
      if let best = ModelContents.byStrength.first(where: shared.contains) {
        if content != otherContent { return "differs (\(best))" }
        return "same (\(best)\(isTouched ? ", touched" : ""))"
      }
    }
    guard isSizeKnown else { return "cannot tell (no digest or size in common)" }
    if size != otherSize { return "differs (size)" }
    if a.time(one) == nil || b.time(other) == nil { return "same (size)" }
    return isTouched ? "differs (time)" : "same (size and time)"
  }

  /// The new names of moved files.
  private func moves() -> [[UInt8]: [UInt8]] {
    func only(_ side: ModelSide, _ other: ModelSide) -> [([UInt8], ModelEntry)] {
      side.tree.keys.sorted(by: precedesInWalk).compactMap { name in
        guard let entry = side.tree[name], entry.isFile, other.listed(name) == nil else {
          return nil
        }
        return (name, entry)
      }
    }
    let (olds, news) = (only(a, b), only(b, a))
    let shared = Set(algorithms(a, b)).intersection(algorithms(b, a))
    let best = ModelContents.byStrength.first(where: shared.contains)
    func content(
      _ name: [UInt8], _ entry: ModelEntry, _ side: ModelSide, named: Bool
    ) -> [UInt8]? {
      guard case .file(let content) = entry.kind else { return nil }
      let last = named ? name[((name.lastIndex(of: 0x2F) ?? -1) + 1)...] : []
      if best != nil { return Array("digest \(content) ".utf8) + last }
      guard let size = side.size(entry), let (seconds, nanoseconds) = side.time(entry) else {
        return nil
      }
      return Array("status \(size) \(seconds) \(nanoseconds) ".utf8) + last
    }
    var found: [[UInt8]: [UInt8]] = [:]
    var left = news
    for named in best == nil ? [true] : [true, false] {
      for (name, entry) in olds where found[name] == nil {
        guard let wanted = content(name, entry, a, named: named),
          let place = left.firstIndex(where: { content($0.0, $0.1, b, named: named) == wanted })
        else { continue }
        found[name] = left.remove(at: place).0
      }
    }
    return found
  }
}

extension ModelSide {
  /// Returns the entry that the form has for a name.
  fileprivate func listed(_ name: [UInt8]) -> ModelEntry? {
    guard let entry = tree[name] else { return nil }
    return entry.isFile || hasTypes ? entry : nil
  }

  /// True if the manifest has a digest at all.
  fileprivate var listsDigests: Bool {
    !algorithms.isEmpty && tree.values.contains(where: \.isFile)
  }
}

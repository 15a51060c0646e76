// A tree that users and time change, and what is in it.

import Glibc
import TestSupport

/// The contents of files, with their digests by other programs.
struct LedgerContents: Sendable {
  let bytes: [[UInt8]]
  /// The algorithms in the order of the tool.
  static let algorithms = ["md5", "sha256", "sha512", "blake3"]
  /// The digests by algorithm.
  private(set) var digests: [String: [String]] = [:]
  /// The numbers of contents by their digests.
  private var numbers: [String: Int] = [:]

  init() throws {
    let large = [UInt8](repeating: 7, count: 70_000)
    bytes =
      ["", "a", "b", "c", "aa", "bb", "abc", "abd"].map { Array($0.utf8) } + [large, large + [8]]
    let place = try TemporaryDirectory()
    let names = bytes.indices.map { "\($0)" }
    for (name, content) in zip(names, bytes) { try place.write(content, to: name.utf8) }
    for (algorithm, program) in [
      ("md5", "md5sum"), ("sha256", "sha256sum"), ("sha512", "sha512sum"), ("blake3", "b3sum"),
    ] where isInstalled(program) {
      let made = try other(program, names.map { Array($0.utf8) }, in: place).runBlocking()
      let lines = made.outputText.split(separator: "\n")
      digests[algorithm] = lines.map { String($0.prefix { $0 != " " }) }
      for (number, digits) in (digests[algorithm] ?? []).enumerated() { numbers[digits] = number }
    }
  }

  /// Returns the number of the content that has all digests; `nil` if they are of none or of several.
  func number(_ digests: [String: String]) -> Int? {
    let found = Set(digests.values.map { numbers[$0] ?? -1 })
    return found.count == 1 && found != [-1] ? found.first : nil
  }

  func number(of content: [UInt8]) -> Int? { bytes.firstIndex(of: content) }
}

/// What a path leads to.
enum LedgerNode: Equatable {
  case file(size: Int, time: FileClock, content: Int)
  case directory
  case link(Name)
}

/// A tree below `t` in a place, and the steps that change it. Each step is also kept as a line for
/// bash.
final class LedgerTree {
  let place: TemporaryDirectory
  private let contents: LedgerContents
  private var random: SeededGenerator
  private(set) var script: [String] = []
  /// The places of directories that were moved away, and their paths.
  private var mounts: [(aside: Name, path: Name)] = []
  private let names: [Name]
  private let directories: [Name]
  private var asideCount = 0

  private static let times = [
    (1_000_000_000, 0), (1_000_000_000, 500_000_000), (1_700_000_000, 123_456_789), (86_400, 1),
    (4_102_444_800, 0), (0, 0), (-2, 500_000_000),
  ].map { FileClock(seconds: $0.0, nanoseconds: $0.1) }

  init(_ contents: LedgerContents, _ random: SeededGenerator) throws {
    (self.contents, self.random) = (contents, random)
    place = try TemporaryDirectory()
    let isHostile = self.random.chance(3)
    let odd: [Name] =
      ["new\nline", "back\\slash", "-n", "-", " ", "#weir rot", "tab\t\r", "é", "s=1"]
      .map { Array($0.utf8) } + [[0xFF, 0x80]]
    let plain = ["a", "b", "c", "d"].map { Array($0.utf8) }
    names = isHostile ? Array(odd.shuffled(using: &self.random).prefix(3)) + plain.prefix(2) : plain
    directories = ["t", "t/d", "t/e", isHostile ? "t/d/n\nl" : "t/d/d"].map { Array($0.utf8) }
    try place.makeDirectory("t")
    try place.write("a", to: "linked")
    script.append("mkdir t; printf a >linked")
    for _ in 0..<self.random.below(9) { try create() }
  }

  // MARK: What is there

  /// Returns what is at a path; `nil` for nothing.
  func node(_ path: Name, followsLink: Bool = false) -> LedgerNode? {
    var status = stat()
    let full = terminated(place.path(path))
    guard (followsLink ? stat(full, &status) : lstat(full, &status)) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .directory
    case S_IFLNK:
      var target = [CChar](repeating: 0, count: 4096)
      let count = readlink(full, &target, target.count)
      return .link(target.prefix(max(0, count)).map { UInt8(bitPattern: $0) })
    default:
      let time = FileClock(
        seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
      let isKnown = status.st_size < 1 << 20
      let content =
        isKnown ? contents.number(of: TestSupport.contents(ofFile: place.path(path)) ?? []) : nil
      return .file(size: Int(status.st_size), time: time, content: content ?? -1)
    }
  }

  /// Returns the paths in a directory.
  func children(_ path: Name) -> [Name] {
    guard let stream = opendir(terminated(place.path(path))) else { return [] }
    defer { closedir(stream) }
    var children: [Name] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E] && name != [0x2E, 0x2E] { children.append(path + [0x2F] + name) }
    }
    return children.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Calls a closure with each entry below a directory.
  func walk(_ path: Name, _ body: (Name, LedgerNode) -> Void) {
    for child in children(path) {
      guard let node = node(child) else { continue }
      body(child, node)
      if node == .directory { walk(child, body) }
    }
  }

  /// Returns the paths of a kind of node below `t`.
  func paths(_ isWanted: (LedgerNode) -> Bool) -> [Name] {
    var paths: [Name] = []
    walk(Array("t".utf8)) { if isWanted($1) { paths.append($0) } }
    return paths
  }

  var files: [Name] {
    paths { node in if case .file = node { true } else { false } }
  }

  // MARK: Steps

  /// Changes the tree once.
  func change() throws {
    let all = files
    guard let file = all.randomElement(using: &random), let node = node(file),
      case .file(let size, let time, let content) = node
    else { return random.chance(2) ? mount() : try create() }
    switch random.below(24) {
    case 0, 1, 2: try create()
    case 3, 4: try write(random.below(contents.bytes.count), to: file, random.pick(Self.times))
    case 5: try write(random.below(contents.bytes.count), to: file, time)
    case 6, 7, 8:
      let others = contents.bytes.indices.filter {
        $0 != content && contents.bytes[$0].count == size
      }
      if let other = others.randomElement(using: &random) { try write(other, to: file, time) }
    case 9: setTime(file, random.pick(Self.times))
    // As a copy or a restore that keeps whole seconds.
    case 10: setTime(file, FileClock(seconds: time.seconds, nanoseconds: 0))
    case 11:
      setTime(
        file, FileClock(seconds: time.seconds + random.below(3) - 1, nanoseconds: time.nanoseconds))
    case 12, 13: rename(file, to: random.pick(directories) + [0x2F] + random.pick(names))
    case 14: rename(file, to: random.pick(all))
    case 15: exchange(file, random.pick(all))
    case 16:
      let kept = paths { $0 == .directory }
      if let one = kept.randomElement(using: &random),
        let other = kept.randomElement(using: &random)
      {
        random.chance(2) ? exchange(one, other) : rename(one, to: random.pick(directories))
      }
    case 17:
      run("rm", file)
      link(file, to: random.chance(2) ? place.path("linked") : Array("nothing".utf8))
    case 18:
      run("rm", file)
      if random.chance(2) {
        makeDirectory(file)
        try write(random.below(contents.bytes.count), to: file + [0x2F] + random.pick(names), time)
      }
    case 19: replaceNoFile()
    case 20, 21: random.chance(2) ? mount() : unmount()
    case 22:
      let new = random.pick(directories) + [0x2F] + random.pick(names)
      if self.node(new) == nil && hasParent(new) { run("ln", file, new) }
    default: run("rm", file)
    }
  }

  private func create() throws {
    let directory = random.pick(directories)
    makeDirectory(directory)
    let path = directory + [0x2F] + random.pick(names)
    switch node(path) {
    case nil, .file:
      try write(random.below(contents.bytes.count), to: path, random.pick(Self.times))
    case .directory, .link: return
    }
  }

  /// Makes a file of a link or a directory.
  private func replaceNoFile() {
    let others = paths { node in if case .file = node { false } else { true } }
    guard let other = others.randomElement(using: &random) else { return }
    if node(other) == .directory { setAside(other) } else { run("rm", other) }
    try? write(random.below(contents.bytes.count), to: other, random.pick(Self.times))
  }

  private func unmount() {
    guard let path = (paths { $0 == .directory } + [Array("t".utf8)]).randomElement(using: &random)
    else { return }
    setAside(path)
    if path == Array("t".utf8) || random.chance(2) { makeDirectory(path) }
  }

  private func setAside(_ path: Name) {
    asideCount += 1
    let aside = Array("aside\(asideCount)".utf8)
    rename(path, to: aside)
    mounts.append((aside, path))
  }

  /// Brings back what was moved away, perhaps with rot in it.
  func mount() {
    guard let (aside, path) = mounts.popLast() else { return }
    if node(path) == .directory, children(path).isEmpty { run("rmdir", path) }
    guard node(path) == nil, hasParent(path) else { return }
    rename(aside, to: path)
    guard random.chance(3) else { return }
    for file in files where file.starts(with: path) && random.chance(2) {
      guard case .file(let size, let time, let content) = node(file),
        let other = contents.bytes.indices.first(where: {
          $0 != content && contents.bytes[$0].count == size
        })
      else { continue }
      try? write(other, to: file, time)
    }
  }

  // MARK: Calls

  private func hasParent(_ path: Name) -> Bool {
    path.lastIndex(of: 0x2F).map { node(Array(path[..<$0])) == .directory } ?? true
  }

  private func makeDirectory(_ path: Name) {
    for end in path.indices where path[end] == 0x2F { makeDirectory(Array(path[..<end])) }
    guard node(path) == nil else { return }
    run("mkdir", path)
  }

  private func write(_ content: Int, to path: Name, _ time: FileClock) throws {
    guard hasParent(path),
      node(path) == nil || node(path).map({ if case .file = $0 { true } else { false } }) == true
    else { return }
    let bytes = contents.bytes[content]
    script.append(
      bytes.count < 10
        ? "printf %s \(shellWord(bytes)) >\(shellWord(path))"
        : "head -c \(bytes.count) /dev/zero | tr '\\0' '\\7' >\(shellWord(path))")
    try place.write(bytes, to: path)
    setTime(path, time)
  }

  private func setTime(_ path: Name, _ time: FileClock) {
    var times = [timespec(), timespec()]
    for index in 0..<2 { times[index] = timespec(tv_sec: time.seconds, tv_nsec: time.nanoseconds) }
    // GNU's notation of a time before 1970.
    let isBefore = time.seconds < 0 && time.nanoseconds > 0
    let seconds = isBefore ? "-\(-time.seconds - 1)" : "\(time.seconds)"
    let fraction =
      (isBefore ? 2_000_000_000 : 1_000_000_000) + (isBefore ? -1 : 1) * time.nanoseconds
    script.append("touch -d @\(seconds).\("\(fraction)".dropFirst()) \(shellWord(path))")
    _ = utimensat(AT_FDCWD, terminated(place.path(path)), times, 0)
  }

  /// Renames unless the names do not permit it.
  private func rename(_ path: Name, to other: Name) {
    if Glibc.rename(terminated(place.path(path)), terminated(place.path(other))) == 0 {
      script.append("mv -T \(shellWord(path)) \(shellWord(other))")
    }
  }

  private func exchange(_ path: Name, _ other: Name) {
    if path == other || path.starts(with: other + [0x2F]) || other.starts(with: path + [0x2F]) {
      return
    }
    let third = Array("third".utf8)
    rename(path, to: third)
    rename(other, to: path)
    rename(third, to: other)
  }

  private func link(_ path: Name, to target: Name) {
    script.append("ln -s -- \(shellWord(target)) \(shellWord(path))")
    _ = symlink(terminated(target), terminated(place.path(path)))
  }

  private func run(_ program: String, _ path: Name, _ other: Name = []) {
    let full = terminated(place.path(path))
    switch program {
    case "rm": unlink(full)
    case "rmdir": rmdir(full)
    case "mkdir": mkdir(full, 0o755)
    default: Glibc.link(full, terminated(place.path(other)))
    }
    script.append("\(program) \(shellWord(path))\(other.isEmpty ? "" : " \(shellWord(other))")")
  }

  /// The last name of the tree.
  static let endless = Array("t/zz".utf8)

  /// Makes a file that takes longer to read than any run lasts.
  func makeEndless() throws {
    try place.write([], to: Self.endless)
    truncate(terminated(place.path(Self.endless)), 1 << 36)
    script.append("truncate -s 64G t/zz")
  }

  func removeEndless() { run("rm", Self.endless) }

  func note(_ line: String) { script.append(line) }
}

extension SeededGenerator {
  /// Returns a number below a bound.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns true once in `share` times.
  mutating func chance(_ share: Int) -> Bool { below(share) == 0 }

  mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
}

/// Returns bash's word for bytes.
func shellWord(_ bytes: some Sequence<UInt8>) -> String {
  var isPlain = true
  let escaped = bytes.map { byte -> String in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D...0x2F, 0x3D, 0x5F:
      return String(UnicodeScalar(byte))
    default:
      isPlain = false
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
  }.joined()
  return isPlain && !escaped.isEmpty ? escaped : "$'\(escaped)'"
}

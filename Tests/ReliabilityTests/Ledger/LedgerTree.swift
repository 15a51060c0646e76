// A tree that users and time change, and what is in it.

import Glibc
import TestSupport

/// The contents of files, with their digests by other programs.
struct LedgerContents: Sendable {
  let bytes: [[UInt8]]
  static let algorithms = ["md5", "sha256", "sha512", "blake3"]
  private(set) var digests: [String: [String]] = [:]
  /// The number of a content that cannot be read.
  static let unreadable = -2
  /// Two contents that have the same MD5 (Wang and others, 2004).
  private static let collision: [[UInt8]] = {
    let digits = """
      d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89\
      55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b\
      d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0\
      e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70
      """.utf8.map { $0 < 0x40 ? $0 - 0x30 : $0 - 0x57 }
    let one = (0..<digits.count / 2).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    let flipped: Set = [19, 45, 59, 83, 109, 123]
    return [one, one.enumerated().map { flipped.contains($0) ? $1 ^ 0x80 : $1 }]
  }()

  init() throws {
    let large = [UInt8](repeating: 7, count: 70_000)
    bytes =
      ["", "a", "b", "c", "aa", "bb", "abc", "abd"].map { Array($0.utf8) }
      + [large, large + [8]] + LedgerContents.collision
    let place = try TemporaryDirectory()
    let names = bytes.indices.map { "\($0)" }
    for (name, content) in zip(names, bytes) { try place.write(content, to: name.utf8) }
    for (algorithm, program) in [
      ("md5", "md5sum"), ("sha256", "sha256sum"), ("sha512", "sha512sum"), ("blake3", "b3sum"),
    ] where isInstalled(program) {
      let made = try other(program, names.map { Array($0.utf8) }, in: place).runBlocking()
      let lines = made.outputText.split(separator: "\n")
      digests[algorithm] = lines.map { String($0.prefix { $0 != " " }) }
    }
  }

  func digests(of content: Int) -> [String: String] {
    content < 0 ? [:] : digests.mapValues { $0[content] }
  }

  private func has(_ content: Int, _ wanted: [String: String]) -> Bool {
    wanted.allSatisfy { digests[$0.key]?[content] == $0.value }
  }

  /// Returns the number of the first content that has all digests; `nil` if there is none.
  func number(_ digests: [String: String]) -> Int? {
    digests.isEmpty ? nil : bytes.indices.first { has($0, digests) }
  }

  /// Returns true if a content has the digests of both.
  func agree(_ one: [String: String], _ other: [String: String]) -> Bool {
    !one.isEmpty && !other.isEmpty && bytes.indices.contains { has($0, one) && has($0, other) }
  }

  func number(of content: [UInt8]) -> Int? {
    bytes.firstIndex { $0.count == content.count && memcmp($0, content, content.count) == 0 }
  }

  /// True if another content has the same digest by one algorithm.
  func isAmbiguous(_ content: Int) -> Bool { content >= bytes.count - 2 }
}

enum LedgerNode: Equatable {
  case file(size: Int, time: FileClock, content: Int)
  case directory
  /// A directory that cannot be read.
  case closed
  /// A directory of which only the names and types can be read.
  case listed
  case link(Name)

  static let unknown = LedgerNode.file(
    size: -1, time: FileClock(seconds: 0, nanoseconds: 0), content: LedgerContents.unreadable)

  var isFile: Bool { if case .file = self { true } else { false } }
  var isReadable: Bool {
    if case .file(_, _, LedgerContents.unreadable) = self { return false }
    return self != .closed && self != .listed
  }
  var isLink: Bool { if case .link = self { true } else { false } }
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
  /// All files that were ever written, as backups have them.
  private var backups: [(path: Name, content: Int, time: FileClock)] = []
  /// True if something could not be read at some time.
  private(set) var isRestricted = false
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

  func node(_ path: Name, followsLink: Bool = false) -> LedgerNode? {
    var status = stat()
    let full = terminated(place.path(path))
    guard (followsLink ? stat(full, &status) : lstat(full, &status)) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      if status.st_mode & 0o100 != 0 { return .directory }
      return status.st_mode & 0o400 != 0 ? .listed : .closed
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
      let isReadable = status.st_mode & 0o400 != 0
      return .file(
        size: Int(status.st_size), time: time,
        content: isReadable ? content ?? -1 : LedgerContents.unreadable)
    }
  }

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

  /// Calls a closure with each entry below a directory. One that cannot be examined has no size, or an
  /// empty target.
  func walk(_ path: Name, _ body: (Name, LedgerNode) -> Void) {
    let node = self.node(path)
    if node != .directory && node != .listed { return }
    for child in children(path) {
      guard var found = self.node(child) else { continue }
      if node == .listed { found = found.isFile ? .unknown : found.isLink ? .link([]) : .closed }
      body(child, found)
      if found != .closed { walk(child, body) }
    }
  }

  func paths(_ isWanted: (LedgerNode) -> Bool) -> [Name] {
    var paths: [Name] = []
    walk(Self.top) { if isWanted($1) { paths.append($0) } }
    return paths
  }

  var files: [Name] { paths { $0.isFile && $0 != .unknown } }

  static let top = Array("t".utf8)

  /// Returns true if a directory above a path cannot be read.
  func isOutOfReach(_ path: Name) -> Bool {
    path.indices.contains {
      path[$0] == 0x2F && [.closed, .listed].contains(node(Array(path[..<$0])))
    }
  }

  // MARK: Steps

  func change() throws {
    let all = files
    guard let file = all.randomElement(using: &random), let node = node(file),
      case .file(let size, let time, let content) = node
    else { return random.chance(3) ? changeRights() : random.chance(2) ? mount() : try create() }
    switch random.below(29) {
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
    case 23, 24:
      let (path, content, time) = random.pick(backups)
      if hasParent(path) { try write(content, to: path, time) }
    case 25:
      guard let other = paths(\.isLink).randomElement(using: &random) else { return }
      run("rm", other)
      link(other, to: random.chance(2) ? file : Array("nowhere".utf8))
    case 26, 27: changeRights()
    default: run("rm", file)
    }
  }

  /// Takes the right to read a file or a directory away, or gives it back.
  private func changeRights() {
    let all = paths { !$0.isLink && $0 != .unknown } + [Self.top]
    guard Self.canDropRights, let path = all.randomElement(using: &random),
      !isOutOfReach(path), let node = node(path)
    else { return }
    // Only root can examine a file in a directory of which it can only read the names.
    let isListed = !node.isFile && geteuid() == 0 && random.chance(2)
    let mode: mode_t = !node.isReadable ? 0o755 : isListed ? 0o444 : 0
    isRestricted = true
    script.append("chmod \(String(mode, radix: 8)) \(shellWord(path))")
    chmod(terminated(place.path(path)), mode)
  }

  /// The words before a command that drop the right of root to read everything.
  static let withoutRights =
    geteuid() == 0 ? ["setpriv", "--bounding-set=\(rights)", "--inh-caps=\(rights)"] : []
  private static let rights = "-dac_override,-dac_read_search"
  private static let canDropRights = isInstalled("setpriv") && dropsRights
  private static var dropsRights: Bool {
    let command = "exec \(withoutRights.joined(separator: " ")) true"
    return (try? Command("sh", "-c", command).runBlocking())?.status == 0
  }

  private func create() throws {
    let directory = random.pick(directories)
    makeDirectory(directory)
    let path = directory + [0x2F] + random.pick(names)
    switch node(path) {
    case nil, .file:
      try write(random.below(contents.bytes.count), to: path, random.pick(Self.times))
    default: return
    }
  }

  /// Makes a file of a link or a directory.
  private func replaceNoFile() {
    guard let other = paths({ !$0.isFile }).randomElement(using: &random) else { return }
    if node(other)?.isLink == true { run("rm", other) } else { setAside(other) }
    try? write(random.below(contents.bytes.count), to: other, random.pick(Self.times))
  }

  private func unmount() {
    guard let path = (paths { $0 == .directory } + [Self.top]).randomElement(using: &random)
    else { return }
    setAside(path)
    if path == Self.top || random.chance(2) { makeDirectory(path) }
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
    let old = node(path)
    guard hasParent(path), old?.isFile ?? true, old?.isReadable ?? true else { return }
    let bytes = contents.bytes[content]
    script.append(
      bytes.count < 1000
        ? "printf %s \(shellWord(bytes)) >\(shellWord(path))"
        : "head -c \(bytes.count) /dev/zero | tr '\\0' '\\7' >\(shellWord(path))")
    try place.write(bytes, to: path)
    setTime(path, time)
    backups.append((path, content, time))
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

  /// The last names of the tree.
  static let slow = (0..<5).map { Array("t/zz\($0)".utf8) }

  /// Makes files that take some milliseconds to read, more than there are lanes, and one that takes
  /// longer than any run lasts.
  func makeSlow() throws {
    for (number, path) in Self.slow.enumerated() {
      try place.write([], to: path)
      let isLast = number == Self.slow.count - 1
      truncate(terminated(place.path(path)), isLast ? 1 << 36 : 1 << 24)
      script.append("truncate -s \(isLast ? "64G" : "16M") \(shellWord(path))")
    }
  }

  func removeSlow() { for path in Self.slow { run("rm", path) } }

  func note(_ line: String) { script.append(line) }
}

extension SeededGenerator {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ share: Int) -> Bool { below(share) == 0 }

  mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
}

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

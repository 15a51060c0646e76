// weir/walk.h: a walk returns the same entries as find, in byte order, for any names, depths
// and errors; with two descriptors, and none between two calls.
// swift-format-ignore-file: NeverForceUnwrap
import CTestSupport
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct WalkTests {
    @Test(arguments: 0..<8)
    func returnsTheEntriesOfFindInByteOrder(round: Int) throws {
      var random = Random("walk \(round)")
      let tree = Tree()
      tree.fill(&random, entries: [0, 1, 5, 50, 200, 500, 500, 1000][round])
      let found = try find(tree.root).sorted { precedes($0.path, $1.path) }
      let walked = Walked(tree.root)
      #expect(walked.entries.map(\.path) == found.map(\.path))
      #expect(walked.entries.map(\.letter) == found.map(\.type))
      #expect(walked.entries.allSatisfy { $0.error == 0 })
      #expect(walked.isConsistent(root: tree.root))
    }

    @Test func pathsBeginWithTheRootAsGiven() {
      let tree = Tree()
      tree.directory("d")
      tree.file("d/f")
      tree.link("l", to: "d")
      let root = tree.root
      #expect(Walked(root / "d").paths == [root / "d", root / "d/f"])
      #expect(Walked(root / "d/").paths == [root / "d/", root / "d/f"])
      #expect(Walked(root / "d//").paths == [root / "d//", root / "d//f"])
      #expect(Walked(root / "l").paths == [root / "l", root / "l/f"])
      #expect(Walked(root / "l/").paths == [root / "l/", root / "l/f"])
      #expect(Walked(root / "d/../d/.").paths == [root / "d/../d/.", root / "d/../d/./f"])
      #expect(Walked(root / "l").entries[0].letter == UInt8(ascii: "d"))
    }

    @Test func aRootThatIsNoDirectoryIsTheOnlyEntry() {
      let tree = Tree()
      let all: [(Path, weir_entry_type_t)] = [
        (tree.file("f"), WEIR_ENTRY_FILE), (tree.fifo("p"), WEIR_ENTRY_FIFO),
        (tree.socket("s"), WEIR_ENTRY_SOCKET), (tree.link("l", to: "f"), WEIR_ENTRY_FILE),
        (Array("/dev/null".utf8), WEIR_ENTRY_CHARACTER_DEVICE),
      ]
      for (path, type) in all {
        let entries = Walked(path).entries
        #expect(entries.map(\.path) == [path] && entries[0].error == 0)
        #expect(entries[0].type == type && entries[0].depth == 0, "\(path.shown)")
      }
    }

    @Test func aMissingRootIsAnEntryWithAnError() {
      let tree = Tree()
      tree.file("f")
      let all = [
        (tree.root / "missing", ENOENT), (tree.link("dangling", to: "nowhere"), ENOENT),
        (tree.link("self", to: "self"), ELOOP), (tree.root / "f/x", ENOTDIR),
        (tree.root / [UInt8](repeating: 0x61, count: 256), ENAMETOOLONG),
      ]
      for (path, error) in all {
        let entries = Walked(path).entries
        #expect(entries.map(\.path) == [path] && entries.map(\.error) == [error], "\(path.shown)")
      }
      errno = 0
      #expect(weir_walk_create("", 0) == nil && errno == EINVAL)
    }

    @Test func aRemovedDirectoryIsAnErrorAndTheWalkGoesOn() {
      let tree = Tree()
      for name in ["a", "b", "c"] {
        tree.directory(name)
        tree.file("\(name)/f")
      }
      let walked = Walked(tree.root) { entry in
        guard entry.path == tree.root / "a" else { return }
        _ = (tree.root / "b/f").c { unlink($0) }
        _ = (tree.root / "b").c { rmdir($0) }
      }
      #expect(walked.names(below: tree) == ["", "a", "a/f", "b", "c", "c/f"])
      #expect(walked.entries.map(\.error) == [0, 0, 0, ENOENT, 0, 0])
      #expect(walked.entries[3].type == WEIR_ENTRY_DIRECTORY)
    }

    /// A link that replaces a directory during a walk must not divert it.
    @Test func aDirectoryReplacedByALinkIsNotFollowed() {
      let tree = Tree(), elsewhere = Tree()
      elsewhere.file("secret")
      for name in ["a", "b"] { tree.directory(name) }
      let walked = Walked(tree.root) { entry in
        guard entry.path == tree.root / "a" else { return }
        _ = (tree.root / "b").c { rmdir($0) }
        tree.link(tree.root / "b", to: elsewhere.root)
      }
      // No error if a busy machine had it listed ahead, before it was replaced.
      #expect(walked.names(below: tree) == ["", "a", "b"])
      #expect([ELOOP, ENOTDIR, 0].contains(walked.entries[2].error))
    }

    /// Nor must one that replaces a directory above.
    @Test(arguments: [false, true])
    func aDirectoryBelowAReplacedOneIsNotFound(isDeep: Bool) {
      let tree = Tree(), elsewhere = Tree()
      let above = isDeep ? "x/b" : "b"
      if isDeep { tree.directory("x") }
      for name in [above, above + "/c", above + "/d"] { tree.directory(name) }
      elsewhere.directory("d")
      elsewhere.file("d/secret")
      let walked = Walked(tree.root) { entry in
        guard entry.path == tree.root / (above + "/c") else { return }
        _ = (tree.root / above).c { from in (tree.root / "z").c { rename(from, $0) } }
        tree.link(tree.root / above, to: elsewhere.root)
      }
      // Never what is in the other tree. On a busy machine, whose listings look slow, the
      // directory may have been listed ahead, before it was replaced.
      #expect(walked.names(below: tree).last == above + "/d")
      #expect([ELOOP, ENOTDIR, 0].contains(walked.entries.last?.error))
    }

    @Test func skippedDirectoriesHaveNoContents() {
      var random = Random("skippedDirectoriesHaveNoContents")
      let tree = Tree()
      tree.fill(&random, entries: 200)
      let whole = Walked(tree.root).paths
      for skipped in whole.indices {
        let walk: weir_walk_t = tree.root.c { weir_walk_create($0, 0) }!
        let entry = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
        var paths: [Path] = []
        while weir_walk_next(walk, entry) {
          let raw = entry.pointee
          paths.append(Array(UnsafeRawBufferPointer(start: raw.path, count: raw.path_length)))
          if paths.count == skipped + 1 {
            weir_walk_skip(walk)
            weir_walk_skip(walk)
          }
        }
        weir_walk_skip(walk)
        let below = whole[skipped] + [slash]
        #expect(paths == whole.filter { !$0.starts(with: below) })
        entry.deallocate()
        weir_walk_destroy(walk)
      }
    }
  }

  /// Paths longer than PATH_MAX.
  @Suite struct WalkDepthTests {
    @Test(arguments: [(255, 20), (1, 2100), (7, 600), (100, 45)])
    func treesDeeperThanTheLongestPath(length: Int, depth: Int) {
      let tree = Tree()
      let name = [UInt8](repeating: UInt8(ascii: "d"), count: length)
      let longest = tree.chain(name, depth: depth)
      let walked = Walked(tree.root)
      #expect(longest > 4096)
      #expect(walked.entries.count == 1 + 2 * depth)
      #expect(walked.entries.allSatisfy { $0.error == 0 })
      let directories = walked.entries.filter { $0.type == WEIR_ENTRY_DIRECTORY }
      #expect(directories.map(\.path.count).max() == tree.root.count + longest)
      #expect(walked.entries.map(\.depth).max() == depth)
      #expect(depth > 1000 || walked.isConsistent(root: tree.root))
      checkDeepRoots(walked, name, depth)
    }

    /// Roots longer than PATH_MAX, and below it.
    private func checkDeepRoots(_ walked: Walked, _ name: Path, _ depth: Int) {
      let directories = walked.entries.filter { $0.letter == UInt8(ascii: "d") }
      let deepest = directories.max { $0.depth < $1.depth }!.path
      let below = directories.first { $0.depth == depth - 3 }!.path
      #expect(Walked(deepest).paths == [deepest])
      #expect(Walked(below).paths.count == 6 + 1)
      #expect(Walked(deepest / "missing").entries.map(\.error) == [ENOENT])
    }
  }

  /// WEIR_WALK_FOLLOW.
  @Suite struct WalkFollowTests {
    @Test func followedLinksHaveTheTypeOfTheirTarget() {
      let tree = tangle()
      let walked = Walked(tree.root, flags: WEIR_WALK_FOLLOW)
      let said = zip(walked.names(below: tree), walked.entries).map { name, entry in
        "\(name) \(Character(UnicodeScalar(entry.letter))) \(entry.error)"
      }
      #expect(
        said == [
          " d 0", "a d 0", "a/file f 0", "a/up d \(ELOOP)", "b d 0", "b/file f 0",
          "b/up d \(ELOOP)", "dangling l \(ENOENT)", "me l \(ELOOP)", "ping l \(ELOOP)",
          "pipe p 0", "pong l \(ELOOP)", "tofile f 0",
        ])
    }

    /// Two directories with links to each other.
    @Test func linkCyclesEnd() {
      let tree = Tree()
      for name in ["x", "y"] { tree.directory(name) }
      tree.link("x/y", to: "../y")
      tree.link("y/x", to: "../x")
      tree.link("y/top", to: tree.root.shown)
      let walked = Walked(tree.root, flags: WEIR_WALK_FOLLOW)
      #expect(
        walked.names(below: tree) == [
          "", "x", "x/y", "x/y/top", "x/y/x", "y", "y/top", "y/x", "y/x/y",
        ])
      #expect(
        walked.entries.map(\.error) == [0, 0, 0, ELOOP, ELOOP, 0, ELOOP, 0, ELOOP])
    }

    private func tangle() -> Tree {
      let tree = Tree()
      tree.directory("a")
      tree.file("a/file")
      tree.link("a/up", to: "..")
      tree.link("b", to: "a")
      tree.link("dangling", to: "nowhere")
      tree.link("me", to: "me")
      tree.link("ping", to: "pong")
      tree.link("pong", to: "ping")
      tree.fifo("real")
      _ = (tree.root / "real").c { from in (tree.root / "pipe").c { rename(from, $0) } }
      tree.link("tofile", to: "a/file")
      return tree
    }
  }

  /// WEIR_WALK_ONE_FILE_SYSTEM.
  @Suite struct WalkDeviceTests {
    @Test func directoriesOnOtherDevicesAreNotEntered() throws {
      let root = Array("/dev".utf8)
      let found = try find(root, ["-xdev"]).sorted { precedes($0.path, $1.path) }
      let walked = Walked(root, flags: WEIR_WALK_ONE_FILE_SYSTEM)
      #expect(walked.paths == found.map(\.path))
      #expect(walked.entries.map(\.letter) == found.map(\.type))
    }
  }

  /// A walk when the process has only one or two descriptors left.
  @Suite struct WalkDescriptorTests {
    @Test(arguments: [false, true])
    func twoDescriptorsAreEnoughAndNoneStaysOpen(hasOpenat2: Bool) async {
      await #expect(processExitsWith: .success) { [hasOpenat2] in
        var random = Random("twoDescriptors")
        let tree = Tree()
        tree.fill(&random, entries: 150)
        _ = tree.chain([UInt8](repeating: 0x64, count: 200), depth: 70)
        let whole = Walked(tree.root).paths
        if !hasOpenat2 { #expect(test_refuse_calls(test_call_openat2, ENOSYS) == 0) }
        let taken = takeDescriptors(leaving: 2)
        let walk = Walked(tree.root) { _ in
          if !eventually(hasTwoFreeDescriptors) {
            Issue.record("the walk has one open between calls")
          }
        }
        taken.forEach { close($0) }
        #expect(walk.paths == whole && walk.entries.allSatisfy { $0.error == 0 })
      }
    }

    /// A walk that follows links opens each directory by its path.
    @Test func oneDescriptorIsEnoughToFollowLinks() async {
      await #expect(processExitsWith: .success) {
        var random = Random("oneDescriptor")
        let tree = Tree()
        tree.fill(&random, entries: 150)
        tree.link("loop", to: ".")
        let followed = Walked(tree.root, flags: WEIR_WALK_FOLLOW).paths
        let taken = takeDescriptors(leaving: 1)
        let follow = Walked(tree.root, flags: WEIR_WALK_FOLLOW)
        taken.forEach { close($0) }
        #expect(follow.paths == followed)
      }
    }
  }
}

private func hasTwoFreeDescriptors() -> Bool {
  let free = [dup(0), dup(0)]
  for descriptor in free where descriptor >= 0 { close(descriptor) }
  return free.allSatisfy { $0 >= 0 }
}

/// Opens descriptors until `count` are left, and returns them.
func takeDescriptors(leaving count: Int) -> [Int32] {
  settleDescriptors()
  precondition(setDescriptorLimit(256))
  var taken: [Int32] = []
  while case let next = dup(0), next >= 0 { taken.append(next) }
  for _ in 0..<count { close(taken.removeLast()) }
  return taken
}

/// The entries of a walk that has ended.
struct Walked {
  struct Entry {
    let path: Path
    let nameOffset: Int
    let depth: Int
    let type: weir_entry_type_t
    let error: Int32
    let directory: UInt64
    let inode: UInt64

    /// The type as find -printf %y prints it.
    var letter: UInt8 {
      switch type {
      case WEIR_ENTRY_FILE: UInt8(ascii: "f")
      case WEIR_ENTRY_DIRECTORY: UInt8(ascii: "d")
      case WEIR_ENTRY_SYMLINK: UInt8(ascii: "l")
      case WEIR_ENTRY_FIFO: UInt8(ascii: "p")
      case WEIR_ENTRY_SOCKET: UInt8(ascii: "s")
      case WEIR_ENTRY_CHARACTER_DEVICE: UInt8(ascii: "c")
      case WEIR_ENTRY_BLOCK_DEVICE: UInt8(ascii: "b")
      default: UInt8(ascii: "U")
      }
    }
  }

  private(set) var entries: [Entry] = []
  var paths: [Path] { entries.map(\.path) }

  init(
    _ root: Path, flags: weir_walk_flags_t = .init(0), atMost: Int = .max,
    _ each: (Entry) -> Void = { _ in }
  ) {
    let walk: weir_walk_t = root.c { weir_walk_create($0, flags.rawValue) }!
    let raw = UnsafeMutablePointer<weir_walk_entry_t>.allocate(capacity: 1)
    while entries.count < atMost, weir_walk_next(walk, raw) {
      entries.append(Entry(raw.pointee))
      each(entries.last!)
    }
    raw.deallocate()
    weir_walk_destroy(walk)
  }

  func names(below tree: Tree) -> [String] {
    paths.map { Array($0.dropFirst(tree.root.count + 1)).shown }
  }

  /// Returns true if name offset, depth and directory number of each entry match its path.
  func isConsistent(root: Path) -> Bool {
    var directories: [UInt64: Path] = [:]
    for entry in entries.dropFirst() {
      let parent = Array(entry.path.prefix(entry.nameOffset))
      let below = entry.path.dropFirst(root.count)
      guard !entry.path[entry.nameOffset...].contains(slash), parent.last == slash,
        entry.depth == below.count(where: { $0 == slash }),
        directories[entry.directory, default: parent] == parent
      else { return false }
      directories[entry.directory] = parent
    }
    return neighborsShareANumber
  }

  /// True if consecutive entries of one directory have one directory number.
  private var neighborsShareANumber: Bool {
    zip(entries.dropFirst(), entries.dropFirst(2)).allSatisfy { one, next in
      one.type == WEIR_ENTRY_DIRECTORY
        || one.path.prefix(one.nameOffset) != next.path.prefix(next.nameOffset)
        || one.directory == next.directory
    }
  }
}

extension Walked.Entry {
  init(_ raw: weir_walk_entry_t) {
    let bytes = UnsafeRawBufferPointer(start: raw.path, count: raw.path_length + 1)
    precondition(bytes[raw.path_length] == 0, "the path does not end in NUL")
    self.init(
      path: Array(bytes.dropLast()), nameOffset: raw.name_offset, depth: raw.depth,
      type: raw.type, error: raw.error, directory: raw.directory, inode: raw.inode)
  }
}

// Trees of files with any names, for the walk and the file processor. Paths are
// bytes, as in the file system.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport

typealias Path = [UInt8]

extension [UInt8] {
  init(_ text: StaticString) { self = Array(text.description.utf8) }
  static func / (directory: Path, name: Path) -> Path {
    directory.last == slash ? directory + name : directory + [slash] + name
  }
  static func / (directory: Path, name: String) -> Path { directory / Array(name.utf8) }

  /// Calls with the bytes as a C string.
  func c<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
    (self + [0]).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }
  var shown: String { String(decoding: self, as: UTF8.self) }
}

let slash = UInt8(ascii: "/")

/// A directory of its own for a test, removed with everything in it when the
/// last reference is gone.
final class Tree: Sendable {
  let root: Path

  init() {
    var name = terminated(temporaryPlace + Array("/weir-tests-XXXXXX".utf8))
    precondition(mkdtemp(&name) != nil)
    root = name.dropLast().map { UInt8(bitPattern: $0) }
  }

  deinit {
    _ = try? Shell.run(["chmod", "-R", "u+rwx", root.shown])
    _ = try? Shell.run(["rm", "-rf", root.shown])
  }

  @discardableResult
  func directory(_ name: String) -> Path { directory(root / name) }
  @discardableResult
  func directory(_ path: Path) -> Path {
    precondition(path.c { mkdir($0, 0o755) } == 0, "mkdir \(path.shown): \(errno)")
    return path
  }

  @discardableResult
  func file(_ name: String, _ contents: [UInt8] = []) -> Path { file(root / name, contents) }
  @discardableResult
  func file(_ path: Path, _ contents: [UInt8] = []) -> Path {
    let descriptor = path.c { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
    precondition(descriptor >= 0, "open \(path.shown): \(errno)")
    precondition(write(descriptor, contents, contents.count) == contents.count)
    close(descriptor)
    return path
  }

  @discardableResult
  func link(_ name: String, to target: String) -> Path { link(root / name, to: Array(target.utf8)) }
  @discardableResult
  func link(_ path: Path, to target: Path) -> Path {
    precondition(path.c { path in target.c { symlink($0, path) } } == 0)
    return path
  }

  @discardableResult
  func fifo(_ name: String) -> Path {
    precondition((root / name).c { mkfifo($0, 0o644) } == 0)
    return root / name
  }

  @discardableResult
  func socket(_ name: String) -> Path {
    precondition((root / name).c { mknod($0, S_IFSOCK | 0o644, 0) } == 0)
    return root / name
  }

  /// A chain of directories, each in the one before, with a file in each.
  ///
  /// Returns how long the longest path is, behind the root.
  func chain(_ name: Path, depth: Int) -> Int {
    var at = root.c { open($0, O_RDONLY | O_DIRECTORY) }
    for _ in 0..<depth {
      close(Array("file").c { openat(at, $0, O_WRONLY | O_CREAT, 0o644) })
      precondition(name.c { mkdirat(at, $0, 0o755) } == 0)
      let next = name.c { openat(at, $0, O_RDONLY | O_DIRECTORY) }
      close(at)
      at = next
    }
    close(at)
    return depth * (name.count + 1)
  }
}

/// Names that programs get wrong.
func awkwardName(_ random: inout Random) -> Path {
  switch random.below(9) {
  case 0: return Array("-rf \(random.below(100))".utf8)
  case 1: return Array("two\nlines \(random.below(100))".utf8)
  case 2: return Array("back\\slash\\\(random.below(100))".utf8)
  case 3: return Array(" spaces  \(random.below(100)) ".utf8)
  case 4: return [0xff, 0xfe, 0x80] + Array("\(random.below(100))".utf8)
  case 5:
    return [UInt8](repeating: UInt8(ascii: "n"), count: 250)
      + Array("\(10000 + random.below(100))".utf8)
  case 6: return (0..<(1 + random.below(12))).map { _ in awkwardByte(&random) }
  case 7: return Array("...\(random.below(100))".utf8)
  default: return Array("name\(random.below(1000))".utf8)
  }
}

/// Any but NUL, a slash and a dot (which alone would be a name that exists).
private func awkwardByte(_ random: inout Random) -> UInt8 {
  while true {
    let byte = UInt8(1 + random.below(255))
    if byte != slash && byte != UInt8(ascii: ".") { return byte }
  }
}

extension Tree {
  /// Fills the root at random, with about so many entries.
  func fill(_ random: inout Random, entries: Int, filesUpTo bytes: Int = 0) {
    var directories = [root], taken = Set<Path>()
    for _ in 0..<entries {
      let parent = directories[random.below(directories.count)]
      let path = parent / awkwardName(&random)
      guard path.count < 3000, taken.insert(path).inserted else { continue }
      switch random.below(10) {
      case 0...2: directories.append(directory(path))
      case 3: link(path, to: Array("nowhere".utf8))
      default: file(path, (0..<random.below(bytes + 1)).map { _ in UInt8(random.below(256)) })
      }
    }
  }
}

/// What find says is there: path and type letter, in no order.
func find(_ root: Path, _ more: [String] = []) throws -> [(path: Path, type: UInt8)] {
  let words = [Array("find".utf8), root] + more.map { Array($0.utf8) }
  let result = try Shell.run(words + [Array("-printf".utf8), Array("%y%p\\0".utf8)])
  return result.output.split(separator: 0).map { (Array($0.dropFirst()), $0.first!) }
}

/// Byte order within each directory, its contents in its place: the order of
/// the lists of components.
func precedes(_ left: Path, _ right: Path) -> Bool {
  left.split(separator: slash).lexicographicallyPrecedes(right.split(separator: slash)) {
    $0.lexicographicallyPrecedes($1)
  }
}

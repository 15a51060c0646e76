// Temporary directories, with files whose names are bytes.

internal import CTestSupport
internal import Glibc

public struct SystemFailure: Error, CustomStringConvertible {
  public let description: String

  init(_ what: String, _ error: Int32 = errno) {
    description = "\(what): \(String(cString: strerror(error)))"
  }
}

/// The parent of temporary directories: TMPDIR, or /tmp; without a slash at its end.
public let temporaryPlace: [UInt8] = {
  var place = getenv("TMPDIR").map { Array(String(cString: $0).utf8) } ?? []
  while place.last == UInt8(ascii: "/") { place.removeLast() }
  return place.first == UInt8(ascii: "/") ? place : Array("/tmp".utf8)
}()

/// The directories to remove when the process exits.
private let remaining: Shared<Set<[UInt8]>> = {
  atexit {
    for path in remaining.value { test_remove_tree(terminated(path)) }
  }
  return Shared([])
}()

/// A directory that is removed with its last reference, with all its contents. Those
/// that globals hold are removed when the process exits.
public final class TemporaryDirectory: Sendable {
  /// The absolute path, without a slash at its end.
  public let path: [UInt8]

  public init() throws {
    var template = temporaryPlace + Array("/weir-test-XXXXXX\0".utf8)
    let made = template.withUnsafeMutableBytes { bytes in
      mkdtemp(bytes.baseAddress!.assumingMemoryBound(to: CChar.self)) != nil
    }
    guard made else { throw SystemFailure("mkdtemp") }
    path = Array(template.dropLast())
    guard chmod(text, 0o755) == 0 else { throw SystemFailure("chmod") }
    remaining.change { [path] in _ = $0.insert(path) }
  }

  deinit {
    test_remove_tree(terminated(path))
    remaining.change { [path] in _ = $0.remove(path) }
  }

  public var text: String { String(decoding: path, as: UTF8.self) }

  public func path(_ name: some Sequence<UInt8>) -> [UInt8] {
    path + [UInt8(ascii: "/")] + name
  }

  public func path(_ name: String) -> [UInt8] { path(name.utf8) }

  /// Returns the content of a file; `nil` if it cannot be read.
  public func content(_ name: String) -> [UInt8]? { contents(ofFile: path(name)) }

  public func names(beginningWith begin: String) -> [String] {
    TestSupport.names(inDirectory: text).filter { $0.hasPrefix(begin) }
  }

  public func write(_ content: some Sequence<UInt8>, to name: some Sequence<UInt8>) throws {
    let file = terminated(path(name)).withUnsafeBufferPointer { path in
      open(path.baseAddress!, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    }
    guard file >= 0 else { throw SystemFailure("create") }
    defer { close(file) }
    try writeAll(Array(content), to: file)
  }

  public func write(_ content: String, to name: String) throws {
    try write(content.utf8, to: name.utf8)
  }

  public func makeDirectory(_ name: some Sequence<UInt8>) throws {
    let result = terminated(path(name)).withUnsafeBufferPointer { mkdir($0.baseAddress!, 0o755) }
    guard result == 0 || errno == EEXIST else { throw SystemFailure("mkdir") }
  }

  public func makeDirectory(_ name: String) throws { try makeDirectory(name.utf8) }

  public func link(_ name: String, to target: String) throws {
    guard symlink(target, text + "/" + name) == 0 else { throw SystemFailure("symlink") }
  }

  public func makeFIFO(_ name: String) throws {
    guard mkfifo(text + "/" + name, 0o644) == 0 else { throw SystemFailure("mkfifo") }
  }

  public func setMode(_ name: String, _ mode: UInt32) throws {
    guard chmod(text + "/" + name, mode) == 0 else { throw SystemFailure("chmod") }
  }

  /// Makes a tree of small files with random content, and some larger ones. Returns
  /// the relative paths of the files in the order of a walk.
  @discardableResult
  public func fill(
    _ root: String, files: Int, using random: inout SeededGenerator,
    names: (inout SeededGenerator) -> [UInt8] = plainName
  ) throws -> [[UInt8]] {
    try makeDirectory(root)
    var directories = [Array(root.utf8)]
    var taken: Set<[UInt8]> = []
    var made: [[UInt8]] = []
    while made.count < files {
      let parent = directories[Int.random(in: 0..<directories.count, using: &random)]
      let path = parent + [UInt8(ascii: "/")] + names(&random)
      guard taken.insert(path).inserted else { continue }
      if Int.random(in: 0..<12, using: &random) == 0 {
        try makeDirectory(path)
        directories.append(path)
      } else {
        let isLarge = Int.random(in: 0..<40, using: &random) == 0
        try write(
          random.bytes(Int.random(in: 0...(isLarge ? 300_000 : 900), using: &random)), to: path)
        made.append(path)
      }
    }
    return made.sorted(by: precedesInWalk)
  }
}

/// Returns a short name, or one of many with the same beginning.
public func plainName(_ random: inout SeededGenerator) -> [UInt8] {
  let begin = Bool.random(using: &random) ? "n" : "they-all-begin-like-this-"
  return Array("\(begin)\(random.next() % 100_000)".utf8)
}

/// Compares whole paths in the order of a walk: a slash before every other byte.
public func precedesInWalk(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  let slash = UInt8(ascii: "/")
  return left.lazy.map { $0 == slash ? 0 : $0 }
    .lexicographicallyPrecedes(right.lazy.map { $0 == slash ? 0 : $0 })
}

public func terminated(_ bytes: [UInt8]) -> [CChar] {
  bytes.map { CChar(bitPattern: $0) } + [0]
}

public func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
  var done = 0
  while done < bytes.count {
    let written = bytes.withUnsafeBytes {
      write(descriptor, $0.baseAddress! + done, $0.count - done)
    }
    if written < 0 && errno == EINTR { continue }
    guard written > 0 else { throw SystemFailure("write") }
    done += written
  }
}

/// Returns the content of a file; `nil` if it cannot be read. Does not wait for a FIFO.
public func contents(ofFile path: [UInt8]) -> [UInt8]? {
  let file = open(terminated(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var contents: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let got = read(file, &buffer, buffer.count)
    guard got > 0 else { return contents }
    contents.append(contentsOf: buffer[..<got])
  }
}

/// Returns the names in a directory, sorted; none if it cannot be read.
public func names(inDirectory path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// What each open descriptor of this process leads to: a path, or a kind such as "pipe:[1234]".
public func openDescriptors() -> [[UInt8]] {
  names(inDirectory: "/proc/self/fd").compactMap { number in
    var target = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/fd/\(number)", &target, target.count)
    // The list of them was open, too.
    return length < 0 ? nil : target.prefix(length).map { UInt8(bitPattern: $0) }
  }
}

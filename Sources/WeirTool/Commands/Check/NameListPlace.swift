// Where a list of names is to be.

internal import FileJobs
internal import Glibc
internal import SystemPackage

/// The place of a list: the file that its name leads to, and the name that it has
/// beside that while it is made.
struct NameListPlace: Sendable {
  /// As it was given.
  let file: RawArgument
  /// The descriptor of the directory that names begin at.
  let base: Int32
  /// What symbolic links of its name lead to: a rename would replace the link.
  let path: [UInt8]
  /// What it is called until it is whole.
  let temporary: [UInt8]
  /// The file that is there.
  let status: stat?
  /// The directory that it is in, and its name there: two names of one place are
  /// the same in these.
  let directory: FileIdentity?
  let name: [UInt8]

  private static let slash = UInt8(ascii: "/")
  private static let linksMax = 40
  /// What temporary names begin with; digits of base 36 follow.
  private static let prefix = Array(".weir-names0-".utf8)
  private static let digits = 13

  /// Finds the place.
  ///
  /// - Parameter base: The descriptor of the directory from which the file is
  ///   named.
  init(_ file: RawArgument, from base: Int32) throws(FileError) {
    self.file = file
    self.base = base
    status = try NameListPlace.look(file, base)
    path = try NameListPlace.resolved(file, base)
    let begin = NameListPlace.nameBegin(path)
    name = Array(path[begin...])
    directory = CheckPlace.identity(
      of: NameListPlace.directory(of: path), from: base)
    let number = String(UInt64.random(in: .min ... .max), radix: 36).utf8
    let zeros = [UInt8](
      repeating: UInt8(ascii: "0"), count: NameListPlace.digits - number.count)
    temporary = Array(path[..<begin]) + NameListPlace.prefix + zeros + number
  }

  private static func nameBegin(_ path: [UInt8]) -> Int {
    path.lastIndex(of: slash).map { $0 + 1 } ?? 0
  }

  private static func directory(of path: [UInt8]) -> [UInt8] {
    let begin = nameBegin(path)
    return begin == 0 ? Array(".".utf8) : Array(path[..<begin])
  }

  private struct IsNoFile: Error, CustomStringConvertible {
    let description = "is no regular file, and a list of names would take its place"
  }

  /// What is there; `nil` where nothing is.
  private static func look(_ file: RawArgument, _ base: Int32) throws(FileError) -> stat? {
    var status = stat()
    let result = FilePath(bytes: file.bytes).withPlatformString {
      fstatat(base, $0, &status, 0)
    }
    if result == 0 {
      if status.st_mode & S_IFMT != S_IFREG { throw FileError(file, IsNoFile()) }
      return status
    }
    if errno != ENOENT || file.bytes.isEmpty {
      throw FileError(file, Errno(rawValue: errno))
    }
    return nil
  }

  /// Follows symbolic links to the file that a name means, which need not be there.
  private static func resolved(
    _ file: RawArgument, _ base: Int32
  ) throws(FileError) -> [UInt8] {
    var path = file.bytes
    for _ in 0..<linksMax {
      var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = FilePath(bytes: path).withPlatformString { path in
        target.withUnsafeMutableBytes { bytes in
          bytes.baseAddress.map {
            readlinkat(base, path, $0.assumingMemoryBound(to: CChar.self), bytes.count)
          } ?? -1
        }
      }
      if count < 0 {
        if errno == EINVAL || errno == ENOENT { return path }
        throw FileError(file, Errno(rawValue: errno))
      }
      let begin = target[0] == slash ? 0 : nameBegin(path)
      path = Array(path[..<begin]) + target.prefix(count)
    }
    throw FileError(file, Errno.tooManySymbolicLinkLevels)
  }

  /// What the file is to the system, where one is there.
  var identity: FileIdentity? { status.map { FileIdentity($0) } }

  /// Whether a list there would take the place of this one.
  func isSame(as other: NameListPlace) -> Bool {
    if let identity, identity == other.identity { return true }
    return directory != nil && directory == other.directory && name == other.name
  }

  /// What runs have left behind in its directory that were killed while they made
  /// lists.
  var leftovers: [FileIdentity] {
    let parent = NameListPlace.directory(of: path)
    let descriptor = FilePath(bytes: parent).withPlatformString {
      openat(base, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return [] }
    guard let stream = fdopendir(descriptor) else {
      _ = close(descriptor)
      return []
    }
    defer { closedir(stream) }
    var found: [FileIdentity] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard NameListPlace.isTemporary(name) else { continue }
      if let its = CheckPlace.identity(of: name, from: descriptor) { found.append(its) }
    }
    return found
  }

  private static func isTemporary(_ name: [UInt8]) -> Bool {
    name.count == prefix.count + digits && name.starts(with: prefix)
      && name.dropFirst(prefix.count).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }
}

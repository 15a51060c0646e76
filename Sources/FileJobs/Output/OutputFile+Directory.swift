// The names in the directory of an output: resolved, checked, locked, moved.

internal import Weir
internal import WeirLibC
package import SystemPackage

extension OutputFile {
  /// The number of attempts to lock a file that is replaced each time.
  private static let attempts = 100
  /// The largest number of bytes of a first line.
  private static let lineMax = 1 << 20
  /// The size of the beginning that shows if a run has written a file.
  private static let beginningSize = 160
  /// For files that exist: a link, a FIFO or a terminal in their place is an error.
  private static let safely = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
  private static let slash = UInt8(ascii: "/")

  // MARK: Paths

  /// Resolves the symbolic links of a name, whose file need not exist: a rename would
  /// replace the link.
  static func resolved(_ name: [UInt8]) throws(OutputError) -> [UInt8] {
    if name.isEmpty || name.contains(0) {
      throw OutputError(name, .system(.noSuchFileOrDirectory))
    }
    _ = try status(ofFile: name)
    if name.last == slash { throw OutputError(name, .isDirectory) }
    return try OutputError.attributing(to: name) { () throws(Errno) in
      try withoutLinks(name, from: AT_FDCWD)
    }
  }

  /// Resolves the symbolic links of a path, whose file need not exist.
  ///
  /// - Parameter base: The descriptor of the directory that the path is relative to.
  package static func withoutLinks(_ path: [UInt8], from base: Int32) throws(Errno) -> [UInt8] {
    var path = path
    for _ in 0..<40 {
      var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = withPath(path) { path in
        target.withUnsafeMutableBytes { target in
          target.withMemoryRebound(to: CChar.self) { target in
            target.baseAddress.map { readlinkat(base, path, $0, target.count) } ?? -1
          }
        }
      }
      if count < 0 {
        if errno == EINVAL || errno == ENOENT { return path }
        throw Errno(rawValue: errno)
      }
      let isAbsolute = target.first == slash
      path = (isAbsolute ? [] : directory(of: path) + [slash]) + target.prefix(count)
    }
    throw .tooManySymbolicLinkLevels
  }

  package static func directory(of path: [UInt8]) -> [UInt8] {
    guard let end = path.lastIndex(of: slash) else { return [UInt8(ascii: ".")] }
    return end == 0 ? [slash] : Array(path[..<end])
  }

  package static func lastComponent(of path: [UInt8]) -> ArraySlice<UInt8> {
    path[((path.lastIndex(of: slash) ?? -1) + 1)...]
  }

  // MARK: Checks

  /// Returns the status of a regular file; `nil` if it does not exist.
  ///
  /// - Throws: `isDirectory`, `isSpecial` or a system error.
  static func status(ofFile name: [UInt8]) throws(OutputError) -> stat? {
    let status: stat
    do throws(Errno) {
      status = try stat(of: name)
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw OutputError(name, .system(error))
    }
    if status.isRegularFile { return status }
    throw OutputError(name, status.st_mode & S_IFMT == S_IFDIR ? .isDirectory : .isSpecial)
  }

  /// Throws if a file cannot be replaced at the end: in a directory like /tmp only its
  /// owner may replace it.
  static func expectReplaceable(
    _ name: [UInt8], _ status: stat?, in directory: [UInt8]
  ) throws(OutputError) {
    guard let status, let parent = try? stat(of: directory) else { return }
    let user = geteuid()
    if parent.st_mode & S_ISVTX != 0 && ![0, parent.st_uid, status.st_uid].contains(user) {
      throw OutputError(name, .system(.notPermitted))
    }
  }

  /// Throws if a name is longer than the file system permits.
  static func expectShort(_ name: [UInt8]) throws(OutputError) {
    do throws(Errno) {
      _ = try stat(of: name, followsLinks: false)
    } catch  where error == .fileNameTooLong {
      throw OutputError(name, .system(error))
    } catch {}
  }

  /// Throws if a file exists that no run has written. An empty file has no worth to
  /// anybody, and a file of zeros is the remainder of a machine crash.
  static func expectOurs(
    _ name: [UInt8], _ isOurs: ([UInt8]) -> Bool
  ) throws(OutputError) {
    guard let descriptor = try openExisting(name, O_RDONLY) else { return }
    defer { close(descriptor.rawValue) }
    let begin = try beginning(descriptor, of: name)
    if !begin.allSatisfy({ $0 == 0 }) && !isOurs(begin) {
      throw OutputError(name, .notOurs)
    }
  }

  /// Returns true if records can begin with these bytes.
  static func isRecords(_ begin: [UInt8]) -> Bool {
    RecordHeader.begins(with: begin)
  }

  /// Returns true if a manifest can begin with these bytes: a digest, a tag, or the
  /// first line of an mtree(5) manifest of weir.
  static func isManifest(_ begin: [UInt8]) -> Bool {
    if begin.starts(with: "#mtree v2.0 weir ".utf8) { return true }
    let line = begin.first == UInt8(ascii: "\\") ? begin.dropFirst() : begin[...]
    let digits = line.prefix { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    if digits.count >= 16 || digits.count == line.count {
      return line.dropFirst(digits.count).first.map { $0 == UInt8(ascii: " ") } ?? true
    }
    // BLAKE2b of a few bits, or XXH32: two separators, since a text may begin with "be ".
    if DigestAlgorithm.allCases.contains(where: { $0.byteCount * 2 == digits.count }) {
      let separator = line.dropFirst(digits.count).prefix(2)
      return separator.elementsEqual("  ".utf8) || separator.elementsEqual(" *".utf8)
    }
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    return DigestAlgorithm.allCases.contains { word.elementsEqual($0.tag.utf8) }
  }

  /// Returns true if a file names files by the rules of `weir check`.
  static func hasNames(_ name: [UInt8]) -> Bool {
    [false, true].contains { isZero in
      !CheckManifest.forEachName(in: [.path(bytes: name)], isZeroTerminated: isZero) { _ in false }
    }
  }

  /// Throws if a name does not lead to an open file any more.
  static func expect(_ descriptor: FileDescriptor, at name: [UInt8]) throws(OutputError) {
    if try !leads(name, to: descriptor) { throw OutputError(name, .replaced) }
  }

  private static func leads(
    _ name: [UInt8], to descriptor: FileDescriptor
  ) throws(OutputError) -> Bool {
    do throws(Errno) {
      let there = try stat(of: name, followsLinks: false)
      return FileIdentity(there) == FileIdentity(try stat(of: descriptor))
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return false }
      throw OutputError(name, .system(error))
    }
  }

  // MARK: Opening

  /// Opens a file, which is created if it does not exist, and locks it.
  static func lock(_ name: [UInt8]) throws(OutputError) -> FileDescriptor {
    for _ in 0..<attempts {
      guard let descriptor = try openOrCreate(name) else { continue }
      do throws(Errno) {
        try retryingOnInterrupt { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
      } catch {
        defer { close(descriptor.rawValue) }
        throw OutputError(
          name,
          error == .wouldBlock
            ? .inUse(OutputLockHolder.find(descriptor)) : .cannotLock(error))
      }
      do throws(OutputError) {
        if try leads(name, to: descriptor) { return descriptor }
      } catch {
        close(descriptor.rawValue)
        throw error
      }
      // Another run has renamed or removed the file after it was opened here.
      close(descriptor.rawValue)
    }
    throw OutputError(name, .replaced)
  }

  /// Returns `nil` if the file existed and was removed meanwhile.
  private static func openOrCreate(_ name: [UInt8]) throws(OutputError) -> FileDescriptor? {
    do throws(Errno) {
      return try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666)
    } catch {
      if error != .fileExists { throw OutputError(name, .system(error)) }
      return try reopen(name)
    }
  }

  /// Opens a file to read and write; `nil` if it does not exist.
  static func reopen(_ name: [UInt8]) throws(OutputError) -> FileDescriptor? {
    try openExisting(name, O_RDWR)
  }

  /// Opens a regular file; `nil` if it does not exist.
  private static func openExisting(
    _ name: [UInt8], _ flags: Int32
  ) throws(OutputError) -> FileDescriptor? {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try openFile(name, flags | safely)
    } catch {
      switch error {
      case .noSuchFileOrDirectory: return nil
      case .tooManySymbolicLinkLevels: throw OutputError(name, .notOurs)
      default: throw OutputError(name, .system(error))
      }
    }
    do throws(OutputError) {
      let status = try OutputError.attributing(to: name) { () throws(Errno) in
        try stat(of: descriptor)
      }
      if !status.isRegularFile { throw OutputError(name, .notOurs) }
    } catch {
      close(descriptor.rawValue)
      throw error
    }
    return descriptor
  }

  /// Creates a file, in place of an existing one, and locks it. A symbolic link of that
  /// name is replaced, not followed.
  static func create(_ name: [UInt8]) throws(OutputError) -> FileDescriptor {
    try remove(name)
    let descriptor = try OutputError.attributing(to: name) { () throws(Errno) in
      try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666)
    }
    // No other process knows the file yet.
    _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Creates a file whose name is removed at once.
  static func createNameless(_ name: [UInt8]) throws(OutputError) -> FileDescriptor {
    let descriptor = try create(name)
    do throws(OutputError) {
      try remove(name)
    } catch {
      close(descriptor.rawValue)
      throw error
    }
    return descriptor
  }

  /// Removes a file if it exists.
  static func remove(_ name: [UInt8]) throws(OutputError) {
    if withPath(name, { unlink($0) }) != 0 && errno != ENOENT {
      throw OutputError(name, .system(Errno(rawValue: errno)))
    }
  }

  static func move(_ name: [UInt8], to other: [UInt8]) throws(OutputError) {
    let isDone = withPath(name) { name in withPath(other) { rename(name, $0) == 0 } }
    if !isDone { throw OutputError(other, .system(Errno(rawValue: errno))) }
  }

  // MARK: Reading

  /// The beginning of a file.
  static func beginning(
    _ descriptor: FileDescriptor, of name: [UInt8]
  ) throws(OutputError) -> [UInt8] {
    try OutputError.attributing(to: name) { () throws(Errno) in
      try descriptor.bytes(at: 0, count: beginningSize)
    }
  }

  /// Returns true if two files have the same bytes.
  static func haveSameBytes(_ name: [UInt8], _ other: [UInt8]) throws(OutputError) -> Bool {
    var files: [FileDescriptor] = []
    defer { for file in files { close(file.rawValue) } }
    for name in [name, other] {
      guard let file = try openExisting(name, O_RDONLY) else { return false }
      files.append(file)
    }
    return try OutputError.attributing(to: name) { () throws(Errno) in
      if try stat(of: files[0]).st_size != stat(of: files[1]).st_size { return false }
      var offset = 0
      while true {
        let piece = try files[0].bytes(at: offset, count: 1 << 20)
        if try piece != files[1].bytes(at: offset, count: 1 << 20) { return false }
        if piece.isEmpty { return true }
        offset += piece.count
      }
    }
  }

  /// The first line of a file, with its newline; `nil` if it is incomplete.
  static func firstLine(
    _ descriptor: FileDescriptor, of name: [UInt8]
  ) throws(OutputError) -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < lineMax {
      let piece = try OutputError.attributing(to: name) { () throws(Errno) in
        try descriptor.bytes(at: line.count, count: 1 << 16)
      }
      if piece.isEmpty { return nil }
      let newline = piece.firstIndex(of: UInt8(ascii: "\n"))
      line.append(contentsOf: piece[..<(newline.map { $0 + 1 } ?? piece.count)])
      if newline != nil { return line }
    }
    return nil
  }
}

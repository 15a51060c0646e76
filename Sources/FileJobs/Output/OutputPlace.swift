// What an output asks of the names in its directory.

internal import Glibc
internal import SystemPackage

extension OutputFile {
  /// How often a lock is tried whose file is replaced each time.
  private static let attempts = 100
  /// The most bytes of a first line.
  private static let lineMax = 1 << 20

  /// Follows symbolic links to the file that a name means, which need not be
  /// there: a rename would replace the link.
  static func resolved(_ name: [UInt8]) throws(OutputError) -> [UInt8] {
    if name.isEmpty || name.contains(0) { throw OutputError(systemOf: name, ENOENT) }
    _ = try status(ofFile: name)
    if name.last == UInt8(ascii: "/") { throw OutputError(name, .isDirectory) }
    var path = name
    for _ in 0..<40 {
      var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = withPath(path) { path in
        target.withUnsafeMutableBytes { bytes in
          bytes.baseAddress.map {
            readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count)
          } ?? -1
        }
      }
      if count < 0 {
        if errno == EINVAL || errno == ENOENT { return path }
        throw OutputError(systemOf: name, errno)
      }
      let isAbsolute = target.first == UInt8(ascii: "/")
      path = (isAbsolute ? [] : directory(of: path) + [UInt8(ascii: "/")]) + target.prefix(count)
    }
    throw OutputError(systemOf: name, ELOOP)
  }

  /// The directory of a path.
  static func directory(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
  }

  /// The name of a path in its directory.
  static func lastComponent(of path: [UInt8]) -> ArraySlice<UInt8> {
    path[((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
  }

  /// What is known of a file; `nil` where there is none of that name.
  ///
  /// - Throws: Where it is something else.
  static func status(ofFile name: [UInt8]) throws(OutputError) -> stat? {
    var status = stat()
    if withPath(name, { stat($0, &status) }) != 0 {
      if errno == ENOENT { return nil }
      throw OutputError(systemOf: name, errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return status
    case S_IFDIR: throw OutputError(name, .isDirectory)
    default: throw OutputError(name, .isSpecial)
    }
  }

  /// Throws where a file could not be replaced in the end: in a directory like
  /// /tmp whose files only their owners may replace.
  static func expectReplaceable(
    _ name: [UInt8], _ status: stat?, in directory: [UInt8]
  ) throws(OutputError) {
    var place = stat()
    guard let status, withPath(directory, { stat($0, &place) }) == 0 else { return }
    let user = geteuid()
    if place.st_mode & S_ISVTX != 0 && ![0, place.st_uid, status.st_uid].contains(user) {
      throw OutputError(systemOf: name, EPERM)
    }
  }

  /// Throws where a name is longer than names can be.
  static func expectShort(_ name: [UInt8]) throws(OutputError) {
    var status = stat()
    if withPath(name, { lstat($0, &status) }) != 0 && errno == ENAMETOOLONG {
      throw OutputError(systemOf: name, errno)
    }
  }

  // MARK: Whose a file is

  /// How much of a file says whose it is.
  private static let beginningSize = 160

  /// Throws where there is a file that no run has written. An empty one is of
  /// no worth to anybody, and one of zeros is what a lost machine leaves.
  static func expectOurs(
    _ name: [UInt8], _ isOurs: ([UInt8]) -> Bool
  ) throws(OutputError) {
    let descriptor = withPath(name) {
      open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    if descriptor < 0 {
      switch errno {
      case ENOENT: return
      case ELOOP: throw OutputError(name, .isForeign)
      default: throw OutputError(systemOf: name, errno)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw OutputError(name, .isForeign)
    }
    let begin = try beginning(descriptor, of: name)
    if !begin.allSatisfy({ $0 == 0 }) && !isOurs(begin) {
      throw OutputError(name, .isForeign)
    }
  }

  /// Whether records can begin so.
  static func isRecords(_ begin: [UInt8]) -> Bool {
    RecordHeader.begins(with: begin)
  }

  /// Whether a manifest can begin so: with a digest, a tag, or as mtree(5).
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
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    return DigestAlgorithm.allCases.contains { word.elementsEqual($0.tag.utf8) }
  }

  /// Opens a file, which is made where there is none, and locks it.
  static func lock(_ name: [UInt8]) throws(OutputError) -> Int32 {
    for _ in 0..<attempts {
      guard let descriptor = try openOrMake(name) else { continue }
      let error = OutputSync.retried { flock(descriptor, LOCK_EX | LOCK_NB) }
      if error == 0 {
        if leads(name, to: descriptor) { return descriptor }
        // A run has renamed or removed it after it was opened here.
        close(descriptor)
        continue
      }
      defer { close(descriptor) }
      throw OutputError(
        name,
        error == EWOULDBLOCK
          ? .isHeld(OutputHolder.find(descriptor)) : .isUnlockable(Errno(rawValue: error)))
    }
    throw OutputError(name, .isGone)
  }

  /// `nil` where it was there and is no more.
  private static func openOrMake(_ name: [UInt8]) throws(OutputError) -> Int32? {
    let made = withPath(name) {
      open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    if made >= 0 { return made }
    if errno != EEXIST { throw OutputError(systemOf: name, errno) }
    return try reopen(name)
  }

  /// Opens what is there; `nil` where nothing is.
  static func reopen(_ name: [UInt8]) throws(OutputError) -> Int32? {
    let descriptor = withPath(name) {
      open($0, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw OutputError(name, .isForeign) }
      throw OutputError(systemOf: name, errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw OutputError(name, .isForeign)
    }
    return descriptor
  }

  /// Makes a file, in the place of one that may be there, and locks it. Never what
  /// a link of that name leads to.
  static func make(_ name: [UInt8]) throws(OutputError) -> Int32 {
    try remove(name)
    let descriptor = withPath(name) {
      open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw OutputError(systemOf: name, errno) }
    // Nobody else knows of it.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Removes a file that may be there.
  static func remove(_ name: [UInt8]) throws(OutputError) {
    if withPath(name, { unlink($0) }) != 0 && errno != ENOENT {
      throw OutputError(systemOf: name, errno)
    }
  }

  static func move(_ name: [UInt8], to other: [UInt8]) throws(OutputError) {
    let isDone = withPath(name) { name in withPath(other) { rename(name, $0) == 0 } }
    if !isDone { throw OutputError(systemOf: other, errno) }
  }

  /// Throws where a name does not lead to a file any more that is written.
  static func expect(_ descriptor: Int32, at name: [UInt8]) throws(OutputError) {
    if !leads(name, to: descriptor) { throw OutputError(name, .isGone) }
  }

  private static func leads(_ name: [UInt8], to descriptor: Int32) -> Bool {
    var (there, here) = (stat(), stat())
    return withPath(name) { lstat($0, &there) } == 0 && fstat(descriptor, &here) == 0
      && there.st_ino == here.st_ino && there.st_dev == here.st_dev
  }

  /// What a file begins with.
  static func beginning(
    _ descriptor: Int32, of name: [UInt8]
  ) throws(OutputError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: beginningSize)
    let count = pread(descriptor, &piece, piece.count, 0)
    if count < 0 { throw OutputError(systemOf: name, errno) }
    return Array(piece.prefix(count))
  }

  /// The first line of a file, with its newline; `nil` where it is not whole.
  static func firstLine(
    _ descriptor: Int32, of name: [UInt8]
  ) throws(OutputError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while bytes.count < lineMax {
      let count = pread(descriptor, &piece, piece.count, off_t(bytes.count))
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw OutputError(systemOf: name, errno) }
      if count == 0 { return nil }
      let newline = piece[..<count].firstIndex(of: UInt8(ascii: "\n"))
      bytes.append(contentsOf: piece[..<(newline.map { $0 + 1 } ?? count)])
      if newline != nil { return bytes }
    }
    return nil
  }
}

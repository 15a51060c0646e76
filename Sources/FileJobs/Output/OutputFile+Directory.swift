// The names in the directory of an output: checked, locked, moved.

internal import Weir
internal import WeirLibC
internal import SystemPackage

extension OutputFile {
  /// The number of attempts to lock a file that is replaced each time.
  private static let attempts = 100
  private static let lineMax = 1 << 20
  /// The size of the beginning that shows if a run has written a file.
  private static let beginningSize = 160
  /// For files that exist: a link, a FIFO or a terminal in their place is an error.
  private static let safely = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

  // MARK: Checks

  /// Throws if a file exists that no run has written and that is not blank.
  static func expectOurs(
    _ name: [UInt8], or reason: Fault.Reason = .notOurs, isOurs: ([UInt8]) -> Bool
  ) throws(Fault) {
    guard let descriptor = try openExisting(name, O_RDONLY) else { return }
    defer { close(descriptor.rawValue) }
    let begin = try beginning(descriptor, of: name)
    if isOurs(begin) { return }
    if try !isBlank(descriptor, of: name) { throw Fault(name, reason) }
  }

  /// Returns true if a file has nothing but newlines, which have no worth to anybody, and zeros, the
  /// remainder of a machine crash.
  static func isBlank(_ descriptor: FileDescriptor, of name: [UInt8]) throws(Fault) -> Bool {
    var offset = 0
    while true {
      let piece = try Fault.of(name, try descriptor.bytes(at: offset, count: 1 << 16))
      if piece.isEmpty { return true }
      if !piece.allSatisfy({ $0 == 0 || $0 == UInt8(ascii: "\n") }) { return false }
      offset += piece.count
    }
  }

  /// Throws if a name does not lead to an open file any more.
  static func expect(_ descriptor: FileDescriptor, at name: [UInt8]) throws(Fault) {
    if try !leads(name, to: descriptor) { throw Fault(name, .replaced) }
  }

  private static func leads(
    _ name: [UInt8], to descriptor: FileDescriptor
  ) throws(Fault) -> Bool {
    do throws(Errno) {
      let there = try stat(of: name, followsLinks: false)
      return FileIdentity(there) == FileIdentity(try stat(of: descriptor))
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return false }
      throw Fault(name, .system(error))
    }
  }

  // MARK: Opening

  /// Opens a file, which is created if it does not exist, and locks it.
  static func lock(_ name: [UInt8]) throws(Fault) -> FileDescriptor {
    for _ in 0..<attempts {
      guard let descriptor = try openOrCreate(name) else { continue }
      do throws(Errno) {
        try retryingOnInterrupt { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
      } catch {
        defer { close(descriptor.rawValue) }
        if error == .wouldBlock { throw LockHolder.fault(name, descriptor) }
        throw Fault(name, .refused("cannot be locked: \(error)"))
      }
      do throws(Fault) {
        if try leads(name, to: descriptor) { return descriptor }
      } catch {
        close(descriptor.rawValue)
        throw error
      }
      // Another run has renamed or removed the file after it was opened here.
      close(descriptor.rawValue)
    }
    throw Fault(name, .replaced)
  }

  /// Returns `nil` if the file existed and was removed meanwhile.
  private static func openOrCreate(_ name: [UInt8]) throws(Fault) -> FileDescriptor? {
    do throws(Errno) {
      return try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666)
    } catch {
      if error != .fileExists { throw Fault(name, .system(error)) }
      return try reopen(name)
    }
  }

  static func reopen(_ name: [UInt8]) throws(Fault) -> FileDescriptor? {
    try openExisting(name, O_RDWR)
  }

  /// Opens a regular file; `nil` if it does not exist.
  private static func openExisting(
    _ name: [UInt8], _ flags: Int32
  ) throws(Fault) -> FileDescriptor? {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try openFile(name, flags | safely)
    } catch {
      switch error {
      case .noSuchFileOrDirectory: return nil
      case .tooManySymbolicLinkLevels: throw Fault(name, .notOurs)
      default: throw Fault(name, .system(error))
      }
    }
    do throws(Fault) {
      let status = try Fault.of(name, try stat(of: descriptor))
      if !status.isRegularFile { throw Fault(name, .notOurs) }
    } catch {
      close(descriptor.rawValue)
      throw error
    }
    return descriptor
  }

  /// Creates a file, in place of an existing one or of a symbolic link, and locks it.
  static func create(_ name: [UInt8]) throws(Fault) -> FileDescriptor {
    try remove(name)
    let descriptor = try Fault.of(name, try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
    // No other process knows the file yet.
    _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
    return descriptor
  }

  static func remove(_ name: [UInt8]) throws(Fault) {
    if withPath(name, { unlink($0) }) != 0 && errno != ENOENT {
      throw Fault(name, .system(Errno(rawValue: errno)))
    }
  }

  static func move(_ name: [UInt8], to other: [UInt8]) throws(Fault) {
    let isDone = withPath(name) { name in withPath(other) { rename(name, $0) == 0 } }
    if !isDone { throw Fault(other, .system(Errno(rawValue: errno))) }
  }

  // MARK: Reading

  static func beginning(
    _ descriptor: FileDescriptor, of name: [UInt8]
  ) throws(Fault) -> [UInt8] {
    try Fault.of(name, try descriptor.bytes(at: 0, count: beginningSize))
  }

  static func haveSameBytes(_ name: [UInt8], _ other: [UInt8]) throws(Fault) -> Bool {
    var files: [FileDescriptor] = []
    defer { for file in files { close(file.rawValue) } }
    for name in [name, other] {
      guard let file = try openExisting(name, O_RDONLY) else { return false }
      files.append(file)
    }
    return try Fault.attributing(to: name) { () throws(Errno) in
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
  ) throws(Fault) -> [UInt8]? {
    try Fault.attributing(to: name) { () throws(Errno) in try descriptor.firstLine(max: lineMax) }
  }
}

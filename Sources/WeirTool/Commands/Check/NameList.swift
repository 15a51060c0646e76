// --names0 KIND=FILE.

internal import FileJobs
internal import Glibc
internal import SystemPackage

/// What a check can find out about a file, as far as it can be asked for in a list
/// of names.
enum NameKind: String, CaseIterable, Sendable {
  /// No manifest names it.
  case new
  /// It is missing, and one that is new is the same: two names.
  case moved
  /// It is not there.
  case missing
  /// It is not what the manifest says: another content, or something else.
  case changed
  /// Of these, with the size and the time that a manifest of mtree(5) says.
  case rot
  /// And with others.
  case edited
  /// It has the content and another time than a manifest of mtree(5) says.
  case touched
  /// That could not be found out.
  case unreadable

  /// Whether only an audit finds it.
  var isAudited: Bool { self == .new || self == .moved }
}

/// A list of names that is being made: each ends in NUL. It is put in the place of
/// the file when it is whole, and until then stands beside it.
///
/// It holds no descriptor: there may be few of them.
struct NameList: Sendable {
  let kind: NameKind
  let place: NameListPlace
  private var waiting: [UInt8] = []
  private var last: [UInt8] = []
  /// What it is to the system while it is made.
  private(set) var identity: FileIdentity?
  /// The name by which a manifest lists the file: then it is not replaced.
  var listedName: [UInt8]?

  private static let waitingMax = 1 << 15

  /// Begins a list.
  init(_ kind: NameKind, in place: NameListPlace) throws(FileError) {
    self.kind = kind
    self.place = place
    let mode = place.status.map { $0.st_mode & 0o777 }
    let descriptor = try open(O_CREAT | O_EXCL, mode ?? 0o666)
    defer { _ = close(descriptor) }
    // What it is to have whatever the umask says, since it had it before.
    if let mode { _ = fchmod(descriptor, mode) }
    var status = stat()
    if fstat(descriptor, &status) == 0 { identity = FileIdentity(status) }
  }

  private func open(_ flags: Int32, _ mode: mode_t = 0) throws(FileError) -> Int32 {
    let descriptor = FilePath(bytes: place.temporary).withPlatformString {
      openat(place.base, $0, flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode)
    }
    if descriptor < 0 { throw trouble(errno) }
    return descriptor
  }

  private func trouble(_ error: Int32) -> FileError {
    FileError(place.file, Errno(rawValue: error))
  }

  // MARK: Names

  /// Takes a name, unless it is the one before: several lines can name one file.
  mutating func append(_ name: UnsafeRawBufferPointer) throws(FileError) {
    if last.elementsEqual(name) { return }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: name)
    try add(name)
  }

  /// Takes the two names of a file that has moved.
  mutating func append(
    _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
  ) throws(FileError) {
    if last.elementsEqual(old) { return }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: old)
    try add(old)
    try add(new)
  }

  private mutating func add(_ name: UnsafeRawBufferPointer) throws(FileError) {
    waiting.append(contentsOf: name)
    waiting.append(0)
    if waiting.count >= NameList.waitingMax { try flush() }
  }

  private mutating func flush() throws(FileError) {
    if waiting.isEmpty { return }
    let descriptor = try open(0)
    defer { _ = close(descriptor) }
    do {
      try FileDescriptor(rawValue: descriptor).writeAll(waiting)
    } catch {
      throw FileError(place.file, error)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  // MARK: The end

  /// Sees to it that all of it is on the disk.
  mutating func complete() throws(FileError) {
    try flush()
    let descriptor = try open(0)
    let failed = fsync(descriptor) != 0 ? errno : 0
    let isClosed = close(descriptor) == 0
    // Some file systems, and pipes, know no fsync.
    if failed != 0 && failed != EINVAL && failed != ENOTSUP {
      throw trouble(failed)
    }
    if !isClosed { throw trouble(errno) }
  }

  /// Puts it in the place of the file.
  func replace() throws(FileError) {
    let result = FilePath(bytes: place.temporary).withPlatformString { temporary in
      FilePath(bytes: place.path).withPlatformString {
        renameat(place.base, temporary, place.base, $0)
      }
    }
    if result != 0 { throw trouble(errno) }
  }

  /// Leaves the file as it was.
  func discard() { NameList.remove(place) }

  static func remove(_ place: NameListPlace) {
    _ = FilePath(bytes: place.temporary).withPlatformString { unlinkat(place.base, $0, 0) }
  }
}

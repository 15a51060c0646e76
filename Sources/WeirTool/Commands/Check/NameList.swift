// One list of --names0 KIND=FILE.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The kinds of files that a list of names can contain.
enum NameKind: String, CaseIterable, Sendable {
  /// A file that no manifest lists.
  case new
  /// A missing file that exists under another name: two names.
  case moved
  /// A file that does not exist.
  case missing
  /// A file with another content or type than the manifest says.
  case changed
  /// A changed file with the size and the time of the mtree(5) manifest.
  case rot
  /// A changed file with another size or time.
  case edited
  /// A file with the recorded content, and another time than the mtree(5) manifest says.
  case touched
  /// A file that could not be verified.
  case unreadable

  /// True if only an audit finds such files.
  var isAudited: Bool { self == .new || self == .moved }
}

/// A list of names, each ended by NUL, in a temporary file that replaces the target when
/// the list is complete.
///
/// The list holds no descriptor, since there may be few.
struct NameList: Sendable {
  let kind: NameKind
  let target: NameListTarget
  private var buffer: [UInt8] = []
  private var last: [UInt8] = []
  /// The identity of the temporary file.
  private(set) var identity: FileIdentity?
  /// The name by which a manifest lists the target, which then is not replaced.
  var listedName: [UInt8]?

  private static let maxBuffered = 1 << 15

  /// Creates the temporary file.
  init(_ kind: NameKind, target: NameListTarget) throws(FileError) {
    self.kind = kind
    self.target = target
    let mode = target.status.map { $0.st_mode & 0o777 }
    let descriptor = try open(O_CREAT | O_EXCL, mode ?? 0o666)
    defer { _ = close(descriptor) }
    // The mode of the target, whatever the umask.
    if let mode { _ = fchmod(descriptor, mode) }
    identity = (try? stat(of: FileDescriptor(rawValue: descriptor))).map { FileIdentity($0) }
  }

  private func open(_ flags: Int32, _ mode: mode_t = 0) throws(FileError) -> Int32 {
    do throws(Errno) {
      return try retryingOnInterrupt {
        FilePath(bytes: target.temporary).withPlatformString {
          openat(target.base, $0, flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode)
        }
      }
    } catch {
      throw self.error(error.rawValue)
    }
  }

  private func error(_ number: Int32) -> FileError {
    FileError(target.file, Errno(rawValue: number))
  }

  // MARK: Names

  /// Appends a name, or both of a moved file, unless it is the last one: several lines can
  /// list one file.
  mutating func append(
    _ name: UnsafeRawBufferPointer, movedTo new: UnsafeRawBufferPointer?
  ) throws(FileError) {
    if last.elementsEqual(name) { return }
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: name)
    try add(name)
    if let new { try add(new) }
  }

  private mutating func add(_ name: UnsafeRawBufferPointer) throws(FileError) {
    buffer.append(contentsOf: name)
    buffer.append(0)
    if buffer.count >= NameList.maxBuffered { try flush() }
  }

  private mutating func flush() throws(FileError) {
    if buffer.isEmpty { return }
    let descriptor = try open(0)
    defer { _ = close(descriptor) }
    do {
      try FileDescriptor(rawValue: descriptor).writeAll(buffer)
    } catch {
      throw FileError(target.file, error)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: End

  /// Writes the rest of the list and flushes it to the disk.
  mutating func complete() throws(FileError) {
    try flush()
    let descriptor = try open(0)
    var failure: Errno?
    do throws(Errno) {
      try retryingOnInterrupt { fsync(descriptor) }
    } catch {
      failure = error
    }
    // Some file systems do not support fsync.
    if failure == .invalidArgument || failure == .notSupported { failure = nil }
    do throws(Errno) {
      try FileDescriptor(rawValue: descriptor).closeWritten()
    } catch {
      failure = failure ?? error
    }
    if let failure { throw error(failure.rawValue) }
  }

  /// Renames the temporary file to the target.
  func replaceTarget() throws(FileError) {
    let result = FilePath(bytes: target.temporary).withPlatformString { temporary in
      FilePath(bytes: target.path).withPlatformString {
        renameat(target.base, temporary, target.base, $0)
      }
    }
    if result != 0 { throw error(errno) }
  }

  /// Removes the temporary file.
  func discard() { target.removeTemporaryFile() }
}

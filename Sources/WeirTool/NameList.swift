// --names0 KIND=FILE.

#if Tool
  internal import Glibc
  internal import SystemPackage
  internal import Weir

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
    private let file: RawArgument
    private let base: Int32
    private let temporary: [UInt8]
    private var waiting: [UInt8] = []
    private var last: [UInt8] = []
    private(set) var identities: [(device: UInt64, inode: UInt64)] = []

    private static let waitingMax = 1 << 15

    /// Begins a list.
    ///
    /// - Parameter base: The descriptor of the directory from which the file is
    ///   named.
    init(_ kind: NameKind, in file: RawArgument, from base: Int32) throws(FileTrouble) {
      self.kind = kind
      self.file = file
      self.base = base
      let path = file.bytes
      let begin = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
      let number = UInt64.random(in: .min ... .max)
      temporary = Array(path[..<begin]) + Array(".weir-\(String(number, radix: 36))".utf8)
      var status = stat()
      var mode: mode_t = 0o666
      let found = try NameList.look(file, base, &status)
      if found {
        if status.st_mode & S_IFMT != S_IFREG { throw FileTrouble(file, IsNoFile()) }
        identities.append((UInt64(status.st_dev), UInt64(status.st_ino)))
        mode = status.st_mode & 0o777
      }
      let descriptor = try open(O_CREAT | O_EXCL, mode)
      defer { _ = close(descriptor) }
      // What it is to have whatever the umask says, since it had it before.
      if found { _ = fchmod(descriptor, mode) }
      if fstat(descriptor, &status) == 0 {
        identities.append((UInt64(status.st_dev), UInt64(status.st_ino)))
      }
    }

    private struct IsNoFile: Error, CustomStringConvertible {
      let description = "is no regular file, and a list of names would take its place"
    }

    /// Whether a file is there.
    private static func look(
      _ file: RawArgument, _ base: Int32, _ status: inout stat
    ) throws(FileTrouble) -> Bool {
      let result = FilePath(bytes: file.bytes).withPlatformString {
        fstatat(base, $0, &status, 0)
      }
      if result == 0 { return true }
      if errno != ENOENT || file.bytes.isEmpty {
        throw FileTrouble(file, Errno(rawValue: errno))
      }
      return false
    }

    private func open(_ flags: Int32, _ mode: mode_t = 0) throws(FileTrouble) -> Int32 {
      let descriptor = FilePath(bytes: temporary).withPlatformString {
        openat(base, $0, flags | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode)
      }
      if descriptor < 0 { throw FileTrouble(file, Errno(rawValue: errno)) }
      return descriptor
    }

    // MARK: Names

    /// Takes a name, unless it is the one before: several lines can name one file.
    mutating func append(_ name: UnsafeRawBufferPointer) throws(FileTrouble) {
      if last.elementsEqual(name) { return }
      last.removeAll(keepingCapacity: true)
      last.append(contentsOf: name)
      try add(name)
    }

    /// Takes the two names of a file that has moved.
    mutating func append(
      _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
    ) throws(FileTrouble) {
      if last.elementsEqual(old) { return }
      last.removeAll(keepingCapacity: true)
      last.append(contentsOf: old)
      try add(old)
      try add(new)
    }

    private mutating func add(_ name: UnsafeRawBufferPointer) throws(FileTrouble) {
      waiting.append(contentsOf: name)
      waiting.append(0)
      if waiting.count >= NameList.waitingMax { try flush() }
    }

    private mutating func flush() throws(FileTrouble) {
      if waiting.isEmpty { return }
      let descriptor = try open(0)
      defer { _ = close(descriptor) }
      do {
        try FileDescriptor(rawValue: descriptor).writeAll(waiting)
      } catch {
        throw FileTrouble(file, error)
      }
      waiting.removeAll(keepingCapacity: true)
    }

    // MARK: The end

    /// Sees to it that all of it is on the disk.
    mutating func complete() throws(FileTrouble) {
      try flush()
      let descriptor = try open(0)
      let failed = fsync(descriptor) != 0 ? errno : 0
      let isClosed = close(descriptor) == 0
      // Some file systems, and pipes, know no fsync.
      if failed != 0 && failed != EINVAL && failed != ENOTSUP {
        throw FileTrouble(file, Errno(rawValue: failed))
      }
      if !isClosed { throw FileTrouble(file, Errno(rawValue: errno)) }
    }

    /// Puts it in the place of the file.
    func replace() throws(FileTrouble) {
      let result = FilePath(bytes: temporary).withPlatformString { temporary in
        FilePath(bytes: file.bytes).withPlatformString { renameat(base, temporary, base, $0) }
      }
      if result != 0 { throw FileTrouble(file, Errno(rawValue: errno)) }
    }

    /// Leaves the file as it was.
    func discard() {
      _ = FilePath(bytes: temporary).withPlatformString { unlinkat(base, $0, 0) }
    }
  }

  /// The lists of a run.
  final class NameLists: Sendable {
    private let lists = Locked<[NameList]>([])

    /// Begins the lists.
    init(
      _ wanted: [(kind: NameKind, file: RawArgument)], from base: Int32
    ) throws(FileTrouble) {
      for (kind, file) in wanted {
        do {
          let list = try NameList(kind, in: file, from: base)
          lists.with { $0.append(list) }
        } catch {
          discard()
          throw error
        }
      }
    }

    /// The files that are written, and those that they take the places of.
    var identities: [(device: UInt64, inode: UInt64)] {
      lists.with { lists in lists.flatMap { $0.identities } }
    }

    func append(_ kind: NameKind, _ name: UnsafeRawBufferPointer) throws(FileTrouble) {
      try each(kind) { list throws(FileTrouble) in try list.append(name) }
    }

    func append(
      _ kind: NameKind, _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
    ) throws(FileTrouble) {
      try each(kind) { list throws(FileTrouble) in try list.append(old, new) }
    }

    private func each(
      _ kind: NameKind, _ body: (inout NameList) throws(FileTrouble) -> Void
    ) throws(FileTrouble) {
      try lists.with { lists throws(FileTrouble) in
        for index in lists.indices where lists[index].kind == kind { try body(&lists[index]) }
      }
    }

    /// Puts all of them in their places, or none where one cannot be written.
    func replace() throws(FileTrouble) {
      do {
        try lists.with { lists throws(FileTrouble) in
          for index in lists.indices { try lists[index].complete() }
          for list in lists { try list.replace() }
          lists = []
        }
      } catch {
        discard()
        throw error
      }
    }

    /// Leaves all files as they were.
    func discard() {
      lists.with { lists in
        lists.forEach { $0.discard() }
        lists = []
      }
    }
  }
#endif

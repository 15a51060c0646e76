internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The directories of a check. The names in manifests are relative to the working directory, or to
/// that of `-C`, except that `--audit DIR` without `-C` makes them relative to DIR.
struct CheckDirectories: Sendable {
  /// The directory of manifests, as a descriptor for openat.
  private(set) var base: Int32 = AT_FDCWD
  private(set) var root = Array(".".utf8)
  /// Absolute names of the working directory.
  private(set) var names: [[UInt8]] = []
  /// The directory of an audit that was changed to, from the one before, and that one.
  private var change: (audit: [UInt8], from: [UInt8])?

  init(audit: RawArgument?, directory: RawArgument?) throws(FileError) {
    guard let audit else { return }
    if directory == nil {
      base = try CheckDirectories.open(RawArgument(bytes: root))
      change = workingDirectory().map { (canonicalPath(audit.bytes), $0) }
      let failed = withPath(audit.bytes) { chdir($0) } != 0
      if failed { throw FileError(audit, Errno(rawValue: errno)) }
    } else {
      root = audit.bytes
      guard let status = stat.of(root) else { throw FileError(audit, Errno(rawValue: errno)) }
      if status.st_mode & S_IFMT != S_IFDIR { throw FileError(audit, Errno.notDirectory) }
    }
    names = CheckDirectories.names(directory ?? audit)
  }

  /// Returns the path of a manifest from the working directory; `nil` if it is the given one.
  func listName(_ manifest: RawArgument) -> [UInt8]? {
    guard let (audit, from) = change, manifest.bytes.first != UInt8(ascii: "/") else { return nil }
    let (path, root) = (canonicalPath(manifest.bytes), audit.isEmpty ? [] : audit + "/".utf8)
    return path.starts(with: root) ? Array(path[root.count...]) : from + "/".utf8 + path
  }

  /// Opens a directory as a base of names. With O_PATH it need not be readable.
  static func open(_ name: RawArgument) throws(FileError) -> Int32 {
    let number = withPath(name.bytes) {
      WeirLibC.open($0, openPathOnly | O_DIRECTORY | O_CLOEXEC)
    }
    if number < 0 { throw FileError(name, Errno(rawValue: errno)) }
    return number
  }

  /// Returns names of the working directory: the system's, the given one, and the
  /// shell's, which may contain symbolic links.
  private static func names(_ given: RawArgument) -> [[UInt8]] {
    var names = [workingDirectory()]
    if given.bytes.first == .slash {
      names.append(given.bytes)
    } else if let shell = getenv("PWD") {
      names.append([UInt8](cString: shell) + [.slash] + given.bytes)
    }
    let place = FileIdentity.of(Array(".".utf8))
    return names.compactMap { $0 }.filter { name in
      name.first == .slash && FileIdentity.of(name) == place
    }
  }

  /// Returns the manifests and the files that weir keeps beside them: the records of a
  /// text manifest, the text of a manifest of records, and the files of interrupted runs.
  func ownFiles(of manifests: [RawArgument]) -> Set<FileIdentity> {
    var found: Set<FileIdentity> = []
    for manifest in manifests {
      if let descriptor = manifest.openDescriptor {
        if let status = try? stat(of: descriptor) { found.insert(FileIdentity(status)) }
        continue
      }
      let own = try? ReplacingFile.withoutLinks(manifest.bytes, from: base)
      let names = [manifest.bytes, own ?? manifest.bytes]
      for name in names.flatMap(CheckDirectories.ownNames) {
        if let file = FileIdentity.of(name, from: base) { found.insert(file) }
      }
    }
    return found
  }

  private static func ownNames(_ manifest: [UInt8]) -> [[UInt8]] {
    let ends = ["", ".partial", ".partial.next", ".partial.text", ".old", ".old.mtree"]
      .map { Array($0.utf8) }
    let records = Array(".mtree".utf8)
    var names = ends.map { manifest + $0 } + [manifest + records]
    let text = manifest.dropLast(records.count)
    let isNamed = text.last.map { $0 != UInt8(ascii: "/") } ?? false
    if isNamed && manifest.suffix(records.count).elementsEqual(records) {
      names += ends.map { text + $0 }
    }
    return names
  }
}

// Where a check is, and from where its files are named.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// The directories of a check. Manifests and lists are named from where the user
/// stands, or from where `-C` says; the names in manifests from there too, or where
/// `--audit DIR` stands alone from DIR.
struct CheckPlace: Sendable {
  /// The directory that manifests and lists are named from, as openat has it.
  private(set) var base: Int32 = AT_FDCWD
  /// The same by its name, where it is another one than the working directory.
  private(set) var baseName: [UInt8]?
  /// What an audit walks.
  private(set) var root = Array(".".utf8)
  /// Absolute names of the working directory.
  private(set) var names: [[UInt8]] = []

  /// O_PATH, which the module Glibc does not have: the directory need not be readable.
  private static let pathAlone: Int32 = 0x20_0000

  /// Goes to the directory of an audit, if there is one.
  init(audit: RawArgument?, directory: RawArgument?) throws(FileError) {
    guard let audit else { return }
    if directory == nil {
      let here = CheckPlace.workingDirectory()
      base = open(".", CheckPlace.pathAlone | O_DIRECTORY | O_CLOEXEC)
      if base < 0 { throw FileError(RawArgument(bytes: root), Errno(rawValue: errno)) }
      baseName = here
      let failed = FilePath(bytes: audit.bytes).withPlatformString { chdir($0) } != 0
      if failed { throw FileError(audit, Errno(rawValue: errno)) }
    } else {
      root = audit.bytes
      try CheckPlace.expectDirectory(audit)
    }
    names = CheckPlace.names(directory ?? audit)
  }

  private static func expectDirectory(_ name: RawArgument) throws(FileError) {
    var status = stat()
    let failed = FilePath(bytes: name.bytes).withPlatformString { stat($0, &status) } != 0
    if failed { throw FileError(name, Errno(rawValue: errno)) }
    if status.st_mode & S_IFMT != S_IFDIR { throw FileError(name, Errno.notDirectory) }
  }

  private static func workingDirectory() -> [UInt8]? {
    guard let here = getcwd(nil, 0) else { return nil }
    defer { free(here) }
    return Array(UnsafeRawBufferPointer(start: here, count: strlen(here)))
  }

  /// Names of the working directory: the system's, the one that was given, and the
  /// one that the shell has for it, which may lead through symbolic links.
  private static func names(_ given: RawArgument) -> [[UInt8]] {
    let slash = UInt8(ascii: "/")
    var names = [workingDirectory()]
    if given.bytes.first == slash {
      names.append(given.bytes)
    } else if let shell = getenv("PWD") {
      let outside = Array(UnsafeRawBufferPointer(start: shell, count: strlen(shell)))
      names.append(outside + [slash] + given.bytes)
    }
    let place = CheckPlace.identity(of: Array(".".utf8), from: AT_FDCWD)
    return names.compactMap { $0 }.filter { name in
      name.first == slash && identity(of: name, from: AT_FDCWD) == place
    }
  }

  /// The file of a name.
  static func identity(of name: [UInt8], from base: Int32) -> FileIdentity? {
    var status = stat()
    let found = FilePath(bytes: name).withPlatformString { fstatat(base, $0, &status, 0) } == 0
    return found ? FileIdentity(status) : nil
  }

  /// Manifests, and what stands beside them: the records of one in text, the text of
  /// one that is records, and what unfinished runs have left.
  func kept(_ manifests: [RawArgument]) -> Set<FileIdentity> {
    var found: Set<FileIdentity> = []
    for manifest in manifests {
      if let descriptor = manifest.openDescriptor {
        var status = stat()
        if fstat(descriptor.rawValue, &status) == 0 { found.insert(FileIdentity(status)) }
        continue
      }
      for name in CheckPlace.keptNames(manifest.bytes) {
        if let its = CheckPlace.identity(of: name, from: base) { found.insert(its) }
      }
    }
    return found
  }

  private static func keptNames(_ manifest: [UInt8]) -> [[UInt8]] {
    let ends = ["", ".partial", ".partial.next", ".partial.text"].map { Array($0.utf8) }
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

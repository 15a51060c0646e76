// The file that a list of names replaces.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The target of a list of names: the file that the given name leads to, and the
/// temporary file beside it.
struct NameListTarget: Sendable {
  /// The name as given.
  let file: RawArgument
  /// The descriptor of the directory that names are relative to.
  let base: Int32
  /// The path with symbolic links resolved: a rename would replace a link.
  let path: [UInt8]
  /// The path of the temporary file.
  let temporary: [UInt8]
  /// The status of the existing file.
  let status: stat?
  /// The directory and the name within it, which identify a file that does not exist.
  let directory: FileIdentity?
  let name: [UInt8]

  /// The prefix of temporary names; 13 digits of base 36 follow.
  private static let prefix = Array(".weir-names0-".utf8)
  private static let digits = 13

  /// - Parameter base: The descriptor of the directory that the name is relative to.
  init(_ file: RawArgument, from base: Int32) throws(FileError) {
    self.file = file
    self.base = base
    status = try NameListTarget.status(file, base)
    do throws(Errno) {
      path = try OutputFile.withoutLinks(file.bytes, from: base)
    } catch {
      throw FileError(file, error)
    }
    name = Array(OutputFile.lastComponent(of: path))
    directory = FileIdentity.of(OutputFile.directory(of: path), from: base)
    let number = String(UInt64.random(in: .min ... .max), radix: 36).utf8
    let zeros = [UInt8](
      repeating: UInt8(ascii: "0"), count: NameListTarget.digits - number.count)
    temporary = Array(path.dropLast(name.count)) + NameListTarget.prefix + zeros + number
  }

  /// Returns the status of the existing file; `nil` if there is none.
  private static func status(_ file: RawArgument, _ base: Int32) throws(FileError) -> stat? {
    guard let status = stat.of(file.bytes, from: base) else {
      if errno != ENOENT || file.bytes.isEmpty { throw FileError(file, Errno(rawValue: errno)) }
      return nil
    }
    if !status.isRegularFile {
      throw FileError(file, Refusal("is not a regular file, and a list of names would replace it"))
    }
    return status
  }

  /// The identity of the existing file.
  var identity: FileIdentity? { status.map { FileIdentity($0) } }

  /// Returns true if another target is the same file.
  func isSame(as other: NameListTarget) -> Bool {
    if let identity, identity == other.identity { return true }
    return directory != nil && directory == other.directory && name == other.name
  }

  /// The temporary files that killed runs left in the directory.
  var leftovers: [FileIdentity] {
    let parent = OutputFile.directory(of: path)
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
      guard NameListTarget.isTemporary(name) else { continue }
      if let file = FileIdentity.of(name, from: descriptor) { found.append(file) }
    }
    return found
  }

  func removeTemporaryFile() {
    _ = FilePath(bytes: temporary).withPlatformString { unlinkat(base, $0, 0) }
  }

  private static func isTemporary(_ name: [UInt8]) -> Bool {
    name.count == prefix.count + digits && name.starts(with: prefix)
      && name.dropFirst(prefix.count).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
      }
  }
}

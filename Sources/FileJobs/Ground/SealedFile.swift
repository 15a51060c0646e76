internal import WeirLibC
internal import SystemPackage

/// A regular file whose first line is a JSON object with its kind and version. What follows
/// belongs to the kind, as does the SHA-256 that covers line and content.
struct SealedFile {
  let name: [UInt8]
  let file: OwnedFile
  /// The first line with its newline.
  let line: [UInt8]
  /// The object of the first line.
  let header: JSONValue
  let size: Int

  /// The largest number of bytes of the first line: a plan names its shards, a part its command.
  private static let lineMax = 1 << 24

  /// The first member of the object.
  static func begin(of kind: String) -> [UInt8] { Array("{\"format\":\"weir \(kind)\",".utf8) }

  /// Opens a file of a kind, `plan` or `part`, up to a version, and reads its first line.
  init(_ name: [UInt8], _ kind: String, version: UInt64) throws(Fault) {
    self.name = name
    file = try SealedFile.open(name, kind)
    let (file, begin) = (file.descriptor, SealedFile.begin(of: kind))
    size = try Fault.of(name, Int(try stat(of: file).st_size))
    let (isKind, found) = try Fault.attributing(to: name) {
      () throws(Errno) -> (Bool, [UInt8]?) in
      guard try file.bytes(at: 0, count: begin.count) == begin else { return (false, nil) }
      return (true, try file.firstLine(max: SealedFile.lineMax))
    }
    if !isKind { throw Fault(name, .isNo(kind)) }
    guard let found else { throw Fault(name, .cut(after: size)) }
    line = found
    guard let object = JSONValue(line), let written = object["version"]?.count else {
      throw Fault(name, damaged: "its first line is malformed")
    }
    if written > version {
      throw Fault(
        name, .refused("is a \(kind) of version \(written), which this weir cannot read"))
    }
    header = object
  }

  /// Opens a regular file. Any other could hold up the process.
  static func open(_ name: [UInt8], _ kind: String) throws(Fault) -> OwnedFile {
    let file = OwnedFile(try Fault.of(name, openFile(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)))
    let status = try Fault.of(name, stat(of: file.descriptor))
    if status.isRegularFile { return file }
    throw Fault(name, status.st_mode & S_IFMT == S_IFDIR ? .system(.isDirectory) : .isNo(kind))
  }

  func expect(length: UInt64) throws(Fault) {
    let actual = UInt64(max(0, size - line.count))
    if actual == length { return }
    throw Fault(
      name,
      damaged: actual < length
        ? "it is too short by \(length - actual) bytes" : "it has bytes after its end")
  }
}

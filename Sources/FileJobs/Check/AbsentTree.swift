// The directory of all names of a manifest, if it is missing or empty.
//
// DESIGN. If the directory of the first name is missing or empty, the names are read ahead, up to the
// first file whose directory shows that something is there. Only the deepest directory that all names so
// far lie in is kept. (Rejected: to keep the missing names until a file is found. Nothing limits
// their number.)

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A directory that a manifest lists the names of, and in which nothing is: a file system that is not
/// mounted, perhaps.
public struct AbsentTree: Sendable, Equatable {
  /// The path of the directory; empty for the working directory.
  public private(set) var directory: [UInt8] = []
  /// True if the directory exists, and is empty.
  public private(set) var isEmpty = false
  /// The number of lines, but for those of directories.
  public private(set) var names = 0
  /// The first name.
  package private(set) var example: [UInt8] = []

  private static let slash = UInt8(ascii: "/")

  /// Returns true if the directory of a line, or the directory that it names, is missing or empty.
  static func mayBegin(with line: CheckManifest.Line) -> Bool {
    guard let directory = directory(of: line) else { return false }
    return state(directory) != .other
  }

  /// Reads a manifest from end to end, but for one of which something is there.
  ///
  /// - Parameter isCounted: Decides if a line counts, by its name and number.
  init?(
    _ lines: CheckManifest.LineReader,
    counting isCounted: (UnsafeRawBufferPointer, _ number: Int) -> Bool
  ) throws(Errno) {
    var isFirst = true
    while let line = try lines.next() {
      if case .malformed = line { continue }
      // What may be missing may be so as a whole.
      if line.entry?.isOptional == true { return nil }
      if line.entry?.type == .directory { continue }
      guard let name = AbsentTree.directory(of: line) else { return nil }
      let before = directory
      if isFirst { directory = name }
      while !AbsentTree.contains(directory, name) {
        directory = AbsentTree.parent(directory)
        if directory.first == AbsentTree.slash && name.first != AbsentTree.slash { return nil }
      }
      if isFirst || directory != before {
        let state = AbsentTree.state(directory)
        if state == .other { return nil }
        (isEmpty, isFirst) = (state == .empty, false)
      }
      let path = AbsentTree.name(of: line)
      if line.entry?.isIgnored == true || !isCounted(path, lines.number) { continue }
      if names == 0 { example = Array(path) }
      names += 1
    }
    // The verdict on one name is shorter.
    if names < 2 { return nil }
  }

  func isSame(as other: [UInt8]) -> Bool {
    let files = [directory.isEmpty ? Array(".".utf8) : directory, other].map { path in
      (try? LongPath.status(path + [0], followsLinks: true)).map { FileIdentity($0) }
    }
    return files[0] != nil && files[0] == files[1]
  }

  // MARK: Directories

  private enum State { case missing, empty, other }

  private static func name(of line: CheckManifest.Line) -> UnsafeRawBufferPointer {
    switch line {
    case .checksum(let entry): entry.name
    case .entry(let entry): entry.name
    case .malformed: .empty
    }
  }

  /// Returns the directory of a line without `./` at its beginning; `nil` if the line is not one of
  /// a file in the directory that its name says.
  private static func directory(of line: CheckManifest.Line) -> [UInt8]? {
    let name = name(of: line)
    if name.isEmpty || DescriptorNames.mayContain(name) { return nil }
    let components = name.split(separator: slash)
    if components.contains(where: { $0.elementsEqual("..".utf8) }) { return nil }
    let path = components.filter { !$0.elementsEqual(".".utf8) }
      .dropLast(line.entry?.type == .directory ? 0 : 1).joined(separator: CollectionOfOne(slash))
    return (name.first == slash ? [slash] : []) + path
  }

  /// Returns true if a directory is another one, or above it.
  private static func contains(_ directory: [UInt8], _ other: [UInt8]) -> Bool {
    if directory.isEmpty { return other.first != slash }
    return other.starts(with: directory)
      && (other.count == directory.count || directory == [slash] || other[directory.count] == slash)
  }

  private static func parent(_ directory: [UInt8]) -> [UInt8] {
    guard let end = directory.lastIndex(of: slash) else { return [] }
    return Array(directory[..<max(end, 1)])
  }

  private static func state(_ directory: [UInt8]) -> State {
    let path = directory.isEmpty ? Array(".".utf8) : directory
    guard let stream = withPath(path, { opendir($0) }) else {
      return Errno(rawValue: errno).isMissing ? .missing : .other
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let isDots = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        name[0] == UInt8(ascii: ".")
          && (name[1] == 0 || name[1] == UInt8(ascii: ".") && name[2] == 0)
      }
      if !isDots { return .other }
    }
    return .empty
  }
}

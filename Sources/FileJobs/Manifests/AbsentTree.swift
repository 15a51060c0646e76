// The directory of all names of a manifest, if it is missing or empty.
//
// DESIGN. If a directory on the way to the first name is missing or empty, the names are read ahead, up
// to the first that does not lie in it. So no name is kept. (Rejected: to keep the missing names until a
// file is found. Nothing limits their number.)

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A directory that a manifest lists the names of, and in which nothing is: a file system that is not
/// mounted, perhaps.
public struct AbsentTree: Sendable, Equatable {
  /// The path of the directory; empty for the working directory.
  public let directory: [UInt8]
  /// True if the directory exists, and is empty.
  public let isEmpty: Bool
  /// The number of lines, but for those of directories.
  public private(set) var names = 0
  /// The first name.
  package private(set) var example: [UInt8] = []

  /// Finds the highest directory on the way to the name of a line that is missing or empty.
  init?(before line: CheckManifest.Line) {
    guard let path = AbsentTree.directory(of: line) else { return nil }
    let ends = path.indices.filter { $0 > 0 && path[$0] == .slash } + [path.count]
    for end in (path.first == .slash ? [] : [0]) + ends {
      let directory = Array(path[..<end])
      guard let isEmpty = AbsentTree.isEmpty(directory) else { continue }
      (self.directory, self.isEmpty) = (directory, isEmpty)
      return
    }
    return nil
  }

  /// Counts the lines of the manifest for which `isCounted` is true. Returns false if one may be
  /// elsewhere.
  mutating func count(
    _ lines: CheckManifest.LineReader,
    if isCounted: (UnsafeRawBufferPointer, _ number: Int) -> Bool
  ) throws(Errno) -> Bool {
    while let line = try lines.next() {
      if case .malformed = line { continue }
      // What may be missing may be so as a whole.
      if line.entry?.isOptional == true { return false }
      if line.entry?.type == .directory { continue }
      guard let path = AbsentTree.directory(of: line), contains(path) else { return false }
      if line.entry?.isIgnored == true || !isCounted(line.name, lines.number) { continue }
      if names == 0 { example = Array(line.name) }
      names += 1
    }
    // The verdict on one name is shorter.
    return names > 1
  }

  private func contains(_ path: [UInt8]) -> Bool {
    if directory.isEmpty { return path.first != .slash }
    return path.starts(with: directory)
      && (path.count == directory.count || path[directory.count] == .slash)
  }

  /// Returns the directory of a line without `./`; `nil` unless its name says where the file is.
  private static func directory(of line: CheckManifest.Line) -> [UInt8]? {
    let name = line.name
    if name.isEmpty || DescriptorNames(open: nil).descriptor(of: name) != nil { return nil }
    let components = name.split(separator: .slash)
    if components.contains(where: { $0.elementsEqual("..".utf8) }) { return nil }
    let path = components.filter { !$0.elementsEqual(".".utf8) }
      .dropLast(line.entry?.type == .directory ? 0 : 1).joined(separator: [UInt8.slash])
    return (name.first == .slash ? [.slash] : []) + path
  }

  private static func path(of directory: [UInt8]) -> [UInt8] {
    directory.isEmpty ? Array(".".utf8) : directory
  }

  /// Returns true if a directory is empty, false if it is missing, `nil` otherwise.
  private static func isEmpty(_ directory: [UInt8]) -> Bool? {
    guard let stream = withPath(path(of: directory), { opendir($0) }) else {
      return Errno(rawValue: errno).isMissing ? false : nil
    }
    defer { closedir(stream) }
    while true {
      errno = 0
      guard let entry = readdir(stream) else { return errno == 0 ? true : nil }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 } }
      if !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8) { return nil }
    }
  }

  /// Returns true if a path leads to the directory.
  func isSame(as other: [UInt8]) -> Bool {
    let files = [AbsentTree.path(of: directory), other].map { path in
      (try? LongPath.status(path + [0], followsLinks: true)).map { FileIdentity($0) }
    }
    return files[0] != nil && files[0] == files[1]
  }
}

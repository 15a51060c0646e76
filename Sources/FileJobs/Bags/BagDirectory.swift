// A bag (RFC 8493): a directory with bagit.txt, data/ and manifests.

internal import SystemPackage
internal import Weir
internal import WeirLibC

package struct BagDirectory: Sendable {
  /// The path as the user gave it, with one slash at its end.
  let root: [UInt8]

  static let declaration = Array("bagit.txt".utf8)
  static let info = Array("bag-info.txt".utf8)
  static let fetch = Array("fetch.txt".utf8)
  static let payload = Array("data/".utf8)

  package init(_ path: [UInt8]) {
    let end = path.lastIndex { $0 != .slash }.map { $0 + 1 } ?? 0
    root = path[..<end] + [.slash]
  }

  func path(_ name: some Collection<UInt8>) -> [UInt8] { root + name }

  package var isBag: Bool { exists(BagDirectory.declaration) }

  /// Returns true if a name exists, be it that of a link to nothing.
  func exists(_ name: some Collection<UInt8>) -> Bool {
    (try? stat(of: path(name), followsLinks: false)) != nil
  }

  /// Returns the names in the bag's own directory, sorted.
  func names() throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for entry in FileWalk(bytes: root, maximumDepth: 1) {
      if let error = entry.error { throw error }
      if entry.depth > 0 { names.append(name(of: entry)) }
    }
    return names
  }

  func name(of entry: FileWalk.Entry) -> [UInt8] { Array(entry.pathBytes.dropFirst(root.count)) }

  /// Returns a tag file as UTF-8; `nil` if there is none.
  ///
  /// - Throws: `tooManySymbolicLinkLevels` for a symbolic link, which may lead out of the bag, and
  ///   `invalidArgument` for anything else that is no regular file.
  func text(_ name: [UInt8], _ encoding: BagEncoding = .utf8) throws(Errno) -> [UInt8]? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    guard let file = try ifExists(try openFile(path(name), flags)) else { return nil }
    defer { try? file.close() }
    if try !stat(of: file).isRegularFile { throw .invalidArgument }
    var bytes: [UInt8] = []
    while try file.read(appendingTo: &bytes, count: 1 << 18) {}
    return encoding.utf8(bytes)
  }

  /// Replaces a tag file, which gets the owner and the mode of a former one.
  func write(_ text: [UInt8], to name: [UInt8], like former: stat? = nil) throws(Errno) {
    let file = try ReplacingFile(path(name))
    defer { file.discard() }
    try file.descriptor.write(all: text)
    if let former { file.descriptor.copyOwnership(of: former) }
    try replace(name, by: file)
  }

  /// Gives a tag file its name, and the owner and the mode of the file that has it.
  func replace(_ name: [UInt8], by file: ReplacingFile) throws(Errno) {
    if let before = try? stat(of: path(name)) { file.descriptor.copyOwnership(of: before) }
    try file.replace()
  }

  /// Returns true if the path of a name leads out of the bag, through symbolic links.
  func isOutside(_ name: some Collection<UInt8>) -> Bool { contains(path(name)) == false }

  /// Returns true if a path leads into the bag or to it; `nil` if one of the two does not exist.
  package func contains(_ other: [UInt8]) -> Bool? {
    let real = [root, other].compactMap { realPath($0).map { BagDirectory($0).root } }
    return real.count == 2 ? real[1].starts(with: real[0]) : nil
  }
}

enum BagEncoding {
  case utf8, latin1
  /// In the order of bytes that its mark tells, or the given one.
  case utf16(isLittleEndian: Bool)

  /// Makes the encoding with a name; `nil` for others.
  init?(_ name: some Collection<UInt8>) {
    switch String(decoding: name, as: UTF8.self).uppercased() {
    case "UTF-8", "US-ASCII": self = .utf8
    case "ISO-8859-1": self = .latin1
    case "UTF-16", "UTF-16BE": self = .utf16(isLittleEndian: false)
    case "UTF-16LE": self = .utf16(isLittleEndian: true)
    default: return nil
    }
  }

  func utf8(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .utf8: return bytes
    case .latin1: return Array(String(decoding: bytes.map(UInt16.init), as: UTF16.self).utf8)
    case .utf16(let isLittleEndian):
      let isMarked = bytes.starts(with: [0xFE, 0xFF])
      let high = bytes.starts(with: [0xFF, 0xFE]) || isLittleEndian && !isMarked ? 1 : 0
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
        UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
      }
      return Array(String(decoding: units.drop { $0 == 0xFEFF }, as: UTF16.self).utf8)
    }
  }
}

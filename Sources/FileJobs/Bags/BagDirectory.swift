// A bag (RFC 8493): a directory with bagit.txt, data/ and manifests.

internal import SystemPackage
internal import WeirLibC

/// The directory of a bag, and the names in it.
package struct BagDirectory: Sendable {
  /// The path as the user gave it, with one slash at its end.
  let root: [UInt8]

  static let declaration = Array("bagit.txt".utf8)
  static let info = Array("bag-info.txt".utf8)
  static let fetch = Array("fetch.txt".utf8)
  static let payload = Array("data/".utf8)
  private static let slash = UInt8(ascii: "/")

  package init(_ path: [UInt8]) {
    let end = path.lastIndex { $0 != BagDirectory.slash }.map { $0 + 1 } ?? 0
    root = path[..<end] + [BagDirectory.slash]
  }

  func path(_ name: some Collection<UInt8>) -> [UInt8] { root + name }

  func path(_ name: String) -> [UInt8] { root + name.utf8 }

  /// True if there is a declaration.
  package var isBag: Bool { exists(BagDirectory.declaration) }

  /// Returns true if a name exists, be it that of a link to nothing.
  func exists(_ name: some Collection<UInt8>) -> Bool {
    (try? stat(of: path(name), followsLinks: false)) != nil
  }

  /// Returns the names in the bag's own directory, sorted.
  func names() throws(Errno) -> [[UInt8]] {
    guard let stream = withPath(root, { opendir($0) }) else { throw Errno(rawValue: errno) }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Returns a tag file as UTF-8; `nil` if there is none.
  ///
  /// - Throws: `tooManySymbolicLinkLevels` for a symbolic link, which may lead out of the bag, and
  ///   `invalidArgument` for anything else that is no regular file.
  func text(_ name: [UInt8], _ encoding: BagEncoding = .utf8) throws(Errno) -> [UInt8]? {
    let file: FileDescriptor
    do throws(Errno) {
      file = try openFile(path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
    defer { try? file.close() }
    if try !stat(of: file).isRegularFile { throw .invalidArgument }
    var bytes: [UInt8] = []
    while try file.read(appendingTo: &bytes, count: 1 << 18) {}
    return encoding.utf8(bytes)
  }

  /// Returns true if the path of a name leads out of the bag, through symbolic links.
  func isOutside(_ name: [UInt8]) -> Bool {
    guard let here = BagDirectory.real(root), let there = BagDirectory.real(path(name)) else {
      return false
    }
    return !(there + [BagDirectory.slash]).starts(
      with: here.last == BagDirectory.slash ? here : here + [BagDirectory.slash])
  }

  private static func real(_ path: [UInt8]) -> [UInt8]? {
    guard let found = withPath(path, { realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return [UInt8](UnsafeRawBufferPointer(start: found, count: strlen(found)))
  }
}

/// The encodings of tag files.
enum BagEncoding {
  case utf8, latin1, utf16

  /// Makes the encoding with a name; `nil` for others.
  init?(_ name: some Collection<UInt8>) {
    switch String(decoding: name, as: UTF8.self).uppercased() {
    case "UTF-8", "US-ASCII": self = .utf8
    case "ISO-8859-1": self = .latin1
    case "UTF-16", "UTF-16LE", "UTF-16BE": self = .utf16
    default: return nil
    }
  }

  func utf8(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .utf8: return bytes
    case .latin1: return bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
    case .utf16:
      let isLittle = bytes.starts(with: [0xFF, 0xFE])
      let begin = isLittle || bytes.starts(with: [0xFE, 0xFF]) ? 2 : 0
      let units = stride(from: begin, to: bytes.count - 1, by: 2).map { index in
        let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isLittle ? one | other << 8 : one << 8 | other
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    }
  }
}

// What an audit knows of its manifests when it begins to walk.

internal import Weir

/// The names that the manifests have, and the files that are missing.
///
/// @unchecked Sendable: it is filled by one thread at a time, and looked into by
/// many once it is sealed.
final class AuditIndex: @unchecked Sendable {
  let paths: AuditPaths
  let names = AuditNames()
  let missing: AuditMissing
  /// Names that are listed and get no verdict, and those below which nothing does.
  private let passed = AuditNames()
  private let ignored = AuditNames()
  private var memory = AuditKeyMemory()
  private var passedMemory = AuditKeyMemory()
  /// What stands before the key in the first name that lies below the root: new ones
  /// are written in the same way.
  private(set) var prefix: [UInt8]?

  init(_ paths: AuditPaths) {
    self.paths = paths
    missing = AuditMissing(names)
  }

  /// Takes the verdict on a line. Whether it is on a missing file, and thus to be
  /// said later.
  func take(_ line: CheckedLine) -> Bool {
    switch line.outcome {
    case .malformed, .unsupported: return false
    default: break
    }
    let key = paths.key(of: line.name, &memory)
    if prefix == nil && AuditIndex.isBelow(key) {
      prefix = AuditIndex.prefix(of: line.name, key)
    }
    let (place, isNew) = names.insert(line.name, key: key)
    guard case .missing = line.outcome else { return false }
    missing.add(
      line, at: place, isNew: isNew, digest: line.expected.map { ($0.algorithm, $0.digest) })
    return true
  }

  /// Takes an entry that gets no verdict. On another thread than the verdicts.
  func pass(_ name: UnsafeRawBufferPointer, isIgnored: Bool) {
    let key = paths.key(of: name, &passedMemory)
    _ = (isIgnored ? ignored : passed).insert(name, key: key)
  }

  /// Whether a name is listed.
  func isListed(_ key: UnsafeRawBufferPointer) -> Bool {
    names.contains(key) || (passed.count > 0 && passed.contains(key))
      || (ignored.count > 0 && isIgnored(key))
  }

  /// Whether a name, or a directory that it is in, is to be ignored.
  private func isIgnored(_ key: UnsafeRawBufferPointer) -> Bool {
    if ignored.contains(key) || ignored.contains(UnsafeRawBufferPointer(rebasing: key[..<0])) {
      return true
    }
    for end in key.indices where key[end] == UInt8(ascii: "/") {
      if ignored.contains(UnsafeRawBufferPointer(rebasing: key[..<end])) { return true }
    }
    return false
  }

  /// Whether a key is of something below the root. The root itself, and what is above
  /// it, say nothing of how names are written.
  private static func isBelow(_ key: UnsafeRawBufferPointer) -> Bool {
    !key.isEmpty && key.first != UInt8(ascii: "/") && !key.elementsEqual("..".utf8)
      && !key.starts(with: "../".utf8)
  }

  private static func prefix(
    of name: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
  ) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    if name.first == slash && key.first != slash && name.count > key.count {
      return Array(name.dropLast(key.count))
    }
    return name.starts(with: "./".utf8) ? Array("./".utf8) : []
  }

  /// How a new file is called.
  func shown(_ key: UnsafeRawBufferPointer) -> [UInt8] {
    AuditIndex.isBelow(key) ? (prefix ?? []) + key : Array(key)
  }
}

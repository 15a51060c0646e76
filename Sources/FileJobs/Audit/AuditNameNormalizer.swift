// The common key of different spellings of a name.

internal import WeirLibC

/// The mapping of names to keys: `./a/b`, `a//b`, `a/./b` and, if the root of the audit is
/// `/srv`, `/srv/a/b` have the key `a/b`.
///
/// The mapping uses the bytes only. It keeps `..`, whose meaning depends on symbolic links.
struct AuditNameNormalizer: Sendable {
  /// Absolute names of the root, each with one slash at its end.
  private let roots: [[UInt8]]

  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let dot = UInt8(ascii: ".")

  /// - Parameter roots: The absolute names of the root. Relative names are ignored.
  init(roots: [[UInt8]] = []) {
    var normal: [[UInt8]] = []
    for root in roots where root.first == AuditNameNormalizer.slash {
      var memory = AuditKeyBuffer()
      let name = root.withUnsafeBytes { Array(memory.normalized($0)) }
      let key = name.last == AuditNameNormalizer.slash ? name : name + [AuditNameNormalizer.slash]
      if !normal.contains(key) { normal.append(key) }
    }
    self.roots = normal
  }

  /// Returns the key of a name.
  ///
  /// - Returns: The end of `name` if that is the key, else a part of `memory`. Valid as long
  ///   as both are unchanged. Empty for the root itself.
  func key(
    of name: UnsafeRawBufferPointer, _ memory: inout AuditKeyBuffer
  ) -> UnsafeRawBufferPointer {
    let key = AuditNameNormalizer.isNormal(name) ? name : memory.normalized(name)
    guard key.first == AuditNameNormalizer.slash else { return key }
    for root in roots {
      if key.starts(with: root) {
        return UnsafeRawBufferPointer(rebasing: key[root.count...])
      }
      if key.count == root.count - 1 && root.starts(with: key) {
        return UnsafeRawBufferPointer(rebasing: key[key.count...])
      }
    }
    return key
  }

  /// Returns true if no component of a name is empty or `.`.
  fileprivate static func isNormal(_ name: UnsafeRawBufferPointer) -> Bool {
    var begin = name.first == slash ? 1 : 0
    if begin == name.count { return true }
    while let end = component(of: name, from: begin) {
      if isRedundant(name, begin, end) { return false }
      if end == name.count { return true }
      begin = end + 1
    }
    return true
  }

  /// Returns true if a component is empty or `.`.
  fileprivate static func isRedundant(
    _ name: UnsafeRawBufferPointer, _ begin: Int, _ end: Int
  ) -> Bool {
    end == begin || (end == begin + 1 && name[begin] == dot)
  }

  /// Returns the end of the component that begins at `begin`.
  fileprivate static func component(of name: UnsafeRawBufferPointer, from begin: Int) -> Int? {
    guard let start = name.baseAddress, begin <= name.count else { return nil }
    guard let found = memchr(start + begin, Int32(slash), name.count - begin) else {
      return name.count
    }
    return UnsafeRawPointer(found) - start
  }
}

/// The memory for a key that is not a part of its name.
struct AuditKeyBuffer: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  deinit { memory.deallocate() }

  /// Returns a name without redundant components. The result is a part of the name if only
  /// its beginning is redundant.
  fileprivate mutating func normalized(
    _ name: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let isAbsolute = name.first == AuditNameNormalizer.slash
    if !isAbsolute {
      let rest = AuditKeyBuffer.withoutRedundantBegin(name)
      if AuditNameNormalizer.isNormal(rest) { return rest }
    }
    memory.ensure(name.count)
    var length = isAbsolute ? 1 : 0
    if isAbsolute { memory[0] = AuditNameNormalizer.slash }
    var begin = 0
    while let end = AuditNameNormalizer.component(of: name, from: begin) {
      if !AuditNameNormalizer.isRedundant(name, begin, end) {
        if length > (isAbsolute ? 1 : 0) {
          memory[length] = AuditNameNormalizer.slash
          length += 1
        }
        let part = UnsafeRawBufferPointer(rebasing: name[begin..<end])
        UnsafeMutableRawBufferPointer(rebasing: memory[length...]).copyMemory(from: part)
        length += part.count
      }
      if end == name.count { break }
      begin = end + 1
    }
    return UnsafeRawBufferPointer(rebasing: memory[..<length])
  }

  /// Returns a relative name without the redundant components at its beginning.
  private static func withoutRedundantBegin(
    _ name: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    var begin = 0
    while begin < name.count, let end = AuditNameNormalizer.component(of: name, from: begin),
      AuditNameNormalizer.isRedundant(name, begin, end)
    {
      begin = min(end + 1, name.count)
    }
    return UnsafeRawBufferPointer(rebasing: name[begin...])
  }
}

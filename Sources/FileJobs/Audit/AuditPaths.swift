// Names of the same file that are written in different ways.

internal import Glibc

/// Makes one name of all that lead from the root of an audit to a file: `a/b` of
/// `./a/b`, `a//b`, `a/./b` and, where the root is `/srv`, of `/srv/a/b`.
///
/// It goes by the bytes alone: `..` stays, since what it leads to is another
/// matter where there are symbolic links.
struct AuditPaths: Sendable {
  /// Absolute names of the root, each with one slash at its end.
  private let roots: [[UInt8]]

  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let dot = UInt8(ascii: ".")

  /// - Parameter roots: Absolute names that the root has; others are of no use.
  init(roots: [[UInt8]] = []) {
    var normal: [[UInt8]] = []
    for root in roots where root.first == AuditPaths.slash {
      var memory = AuditKeyMemory()
      let name = root.withUnsafeBytes { Array(memory.normalized($0)) }
      let key = name.last == AuditPaths.slash ? name : name + [AuditPaths.slash]
      if !normal.contains(key) { normal.append(key) }
    }
    self.roots = normal
  }

  /// The one name.
  ///
  /// - Returns: A part of `name`, where that has it at its end, or of `memory`: of
  ///   use until either is gone. Empty for the root itself.
  func key(
    of name: UnsafeRawBufferPointer, _ memory: inout AuditKeyMemory
  ) -> UnsafeRawBufferPointer {
    let key = AuditPaths.isNormal(name) ? name : memory.normalized(name)
    guard key.first == AuditPaths.slash else { return key }
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

  /// Whether a name has no component that is empty or `.`.
  fileprivate static func isNormal(_ name: UnsafeRawBufferPointer) -> Bool {
    var begin = name.first == slash ? 1 : 0
    if begin == name.count { return true }
    while let end = component(of: name, from: begin) {
      if isIdle(name, begin, end) { return false }
      if end == name.count { return true }
      begin = end + 1
    }
    return true
  }

  /// Whether a component leads nowhere.
  fileprivate static func isIdle(
    _ name: UnsafeRawBufferPointer, _ begin: Int, _ end: Int
  ) -> Bool {
    end == begin || (end == begin + 1 && name[begin] == dot)
  }

  /// Where the component ends that begins there.
  fileprivate static func component(of name: UnsafeRawBufferPointer, from begin: Int) -> Int? {
    guard let start = name.baseAddress, begin <= name.count else { return nil }
    guard let found = memchr(start + begin, Int32(slash), name.count - begin) else {
      return name.count
    }
    return UnsafeRawPointer(found) - start
  }
}

/// Room for a name that has to be put together.
struct AuditKeyMemory: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  deinit { memory.deallocate() }

  /// A name without components that lead nowhere; a part of it where it loses
  /// nothing but what it begins with.
  fileprivate mutating func normalized(
    _ name: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let isAbsolute = name.first == AuditPaths.slash
    if !isAbsolute {
      let rest = AuditKeyMemory.withoutIdleBegin(name)
      if AuditPaths.isNormal(rest) { return rest }
    }
    if memory.count < name.count {
      memory.deallocate()
      memory = .allocate(byteCount: name.count * 2, alignment: 1)
    }
    var length = isAbsolute ? 1 : 0
    if isAbsolute { memory[0] = AuditPaths.slash }
    var begin = 0
    while let end = AuditPaths.component(of: name, from: begin) {
      if !AuditPaths.isIdle(name, begin, end) {
        if length > (isAbsolute ? 1 : 0) {
          memory[length] = AuditPaths.slash
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

  /// A relative name without the `./` at its beginning.
  private static func withoutIdleBegin(
    _ name: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    var begin = 0
    while begin < name.count, let end = AuditPaths.component(of: name, from: begin),
      AuditPaths.isIdle(name, begin, end)
    {
      begin = min(end + 1, name.count)
    }
    return UnsafeRawBufferPointer(rebasing: name[begin...])
  }
}

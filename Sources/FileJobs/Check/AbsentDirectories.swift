// Directories that may be missing, and are.

/// The directories of a manifest of mtree(5) that are `optional` and not there: so
/// is what is in them.
///
/// DESIGN. Of directories in each other the outermost alone is kept. So this takes
/// memory for what is missing, which nobody has many of, and not for what is there.
struct AbsentDirectories {
  private var paths: Set<[UInt8]> = []

  private static let slash = UInt8(ascii: "/")

  /// Whether a name is below one of them.
  func hold(_ name: UnsafeRawBufferPointer) -> Bool {
    if paths.isEmpty { return false }
    let path = AbsentDirectories.bytes(of: name)
    return path.indices.contains { index in
      path[index] == AbsentDirectories.slash && paths.contains(Array(path[..<index]))
    }
  }

  /// Adds one.
  mutating func insert(_ name: UnsafeRawBufferPointer) {
    if !hold(name) { paths.insert(AbsentDirectories.bytes(of: name)) }
  }

  /// A path, without a `./` before it and slashes behind it: with or without, it is
  /// the same.
  private static func bytes(of name: UnsafeRawBufferPointer) -> [UInt8] {
    var path = name[...]
    if MtreeLine.isDotted(name) { path = path.dropFirst(2) }
    while path.last == slash && path.count > 1 { path = path.dropLast() }
    return Array(path)
  }
}

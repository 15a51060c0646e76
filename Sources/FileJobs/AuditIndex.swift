// What an audit knows of its manifests when it begins to walk.

#if Tool
  internal import Weir

  /// The names that the manifests have, and the files that are missing.
  ///
  /// @unchecked Sendable: it is filled by one thread at a time, and looked into by
  /// many once it is sealed.
  final class AuditIndex: @unchecked Sendable {
    let paths: AuditPaths
    let names = AuditNames()
    let missing: AuditMissing
    private var memory = AuditKeyMemory()
    /// What stands before the key in the first name there is: new ones are written
    /// in the same way.
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
      if prefix == nil { prefix = AuditIndex.prefix(of: line.name, key) }
      let (place, isNew) = names.insert(line.name, key: key)
      guard case .missing = line.outcome else { return false }
      missing.add(
        line.name, at: place, isNew: isNew, manifest: line.manifest, line: line.number,
        digest: line.expected.map { ($0.algorithm, $0.digest) })
      return true
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
      if key.first == UInt8(ascii: "/") || key.starts(with: "../".utf8) { return Array(key) }
      return (prefix ?? []) + key
    }
  }
#endif

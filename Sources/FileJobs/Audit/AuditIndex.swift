// The index of an audit's manifests, which the walk consults.

internal import Weir

/// The keys of names: `./a/b`, `a//b`, `a/./b` and, if a root of the audit is `/srv`, `/srv/a/b`
/// have the key `a/b`, and `/srv` has the empty one.
///
/// The bytes alone decide. A key keeps `..`, whose meaning depends on symbolic links.
struct AuditKeys: Sendable {
  /// Absolute names of the root, each with one slash at its end.
  private let roots: [[UInt8]]

  private static let slash = UInt8(ascii: "/")

  /// - Parameter roots: The absolute names of the root. Relative names are ignored.
  init(roots: [[UInt8]] = []) {
    self.roots = roots.filter { $0.first == AuditKeys.slash }.map { root in
      let name = RecordNames.canonical(root)
      return name.last == AuditKeys.slash ? name : name + [AuditKeys.slash]
    }
  }

  func key(of name: some Collection<UInt8>) -> [UInt8] {
    let key = RecordNames.canonical(name)
    if key.first == AuditKeys.slash, let root = roots.first(where: { isIn($0, key) }) {
      return Array(key.dropFirst(root.count))
    }
    return key.elementsEqual(DashFile.name) ? [UInt8(ascii: "-")] : key
  }

  private func isIn(_ root: [UInt8], _ key: [UInt8]) -> Bool {
    key.starts(with: root) || key.elementsEqual(root.dropLast())
  }
}

/// The names in the manifests, and the missing files.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it afterwards.
final class AuditIndex: @unchecked Sendable {
  let keys: AuditKeys
  let missing = MissingFiles()
  private var names: Set<[UInt8]> = []
  /// The names without a verdict, and the names below which nothing has a verdict.
  private var skipped: Set<[UInt8]> = []
  private var ignored: Set<[UInt8]> = []
  /// The part before the key in the first name below the root. New names are written with
  /// it too.
  private var prefix: [UInt8]?

  init(_ keys: AuditKeys) {
    self.keys = keys
  }

  /// Takes the verdict on a line. Returns true if its file is missing, so that the report
  /// has to wait for the end of the walk.
  func take(_ line: CheckedLine) -> Bool {
    switch line.outcome {
    case .malformed, .unsupported: return false
    default: break
    }
    let key = line.withName { keys.key(of: $0) }
    if prefix == nil && AuditIndex.isBelow(key) { prefix = AuditIndex.prefix(of: line.name, key) }
    names.insert(key)
    guard case .missing = line.outcome else { return false }
    missing.add(line, key: key, content: line.content)
    return true
  }

  /// Adds an entry that gets no verdict. Called on another thread than `take`.
  func skip(_ name: UnsafeRawBufferPointer, isIgnored: Bool) {
    if isIgnored { ignored.insert(keys.key(of: name)) } else { skipped.insert(keys.key(of: name)) }
  }

  /// Returns true if a manifest lists a name, or ignores it or one of its parent directories.
  func isListed(_ key: [UInt8]) -> Bool {
    if names.contains(key) || skipped.contains(key) { return true }
    if ignored.isEmpty { return false }
    return ([0, key.count] + key.indices.filter { key[$0] == UInt8(ascii: "/") })
      .contains { ignored.contains(Array(key[..<$0])) }
  }

  /// Returns true if a key lies below the root. The root itself and names above it do not
  /// show how names are written.
  private static func isBelow(_ key: [UInt8]) -> Bool {
    !key.isEmpty && key.first != UInt8(ascii: "/") && !key.elementsEqual("..".utf8)
      && !key.starts(with: "../".utf8)
  }

  private static func prefix(of name: [UInt8], _ key: [UInt8]) -> [UInt8] {
    if name.first == UInt8(ascii: "/") && name.count > key.count {
      return Array(name.dropLast(key.count))
    }
    return name.starts(with: "./".utf8) ? Array("./".utf8) : []
  }

  /// Returns the name under which a new file is reported.
  func displayName(of key: [UInt8]) -> [UInt8] {
    AuditIndex.isBelow(key) ? (prefix ?? []) + key : key
  }
}

extension CheckedLine {
  /// The content that the line records; `nil` if it has no digest.
  fileprivate var content: RecordedContent? {
    guard let expected else { return nil }
    var content = RecordedContent()
    content.append(expected.digest, expected.algorithm, or: expected.alternative)
    if let otherDigests {
      for digest in otherDigests { content.append(digest.digest, digest.algorithm) }
    }
    if let expectedSize { content.append(size: expectedSize) }
    return content
  }
}

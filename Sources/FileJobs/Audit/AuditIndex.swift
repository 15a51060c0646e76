// The index of an audit's manifests, which the walk consults.

internal import Weir

/// The names in the manifests, and the missing files.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it after it is
/// sealed.
final class AuditIndex: @unchecked Sendable {
  let normalizer: AuditNameNormalizer
  let names = AuditNameSet()
  let missing: MissingFiles
  /// The names without a verdict, and the names below which nothing has a verdict.
  private let skipped = AuditNameSet()
  private let ignored = AuditNameSet()
  private var memory = AuditKeyBuffer()
  private var skippedMemory = AuditKeyBuffer()
  /// The part before the key in the first name below the root. New names are written with
  /// it too.
  private(set) var prefix: [UInt8]?

  init(_ normalizer: AuditNameNormalizer) {
    self.normalizer = normalizer
    missing = MissingFiles(names)
  }

  /// Takes the verdict on a line. Returns true if its file is missing, so that the report
  /// has to wait for the end of the walk.
  func take(_ line: CheckedLine) -> Bool {
    switch line.outcome {
    case .malformed, .unsupported: return false
    default: break
    }
    let key = normalizer.key(of: line.name, &memory)
    if prefix == nil && AuditIndex.isBelow(key) {
      prefix = AuditIndex.prefix(of: line.name, key)
    }
    let (place, isNew) = names.insert(line.name, key: key)
    guard case .missing = line.outcome else { return false }
    missing.add(line, at: place, isNew: isNew, content: line.content)
    return true
  }

  /// Adds an entry that gets no verdict. Called on another thread than `take`.
  func skip(_ name: UnsafeRawBufferPointer, isIgnored: Bool) {
    let key = normalizer.key(of: name, &skippedMemory)
    _ = (isIgnored ? ignored : skipped).insert(name, key: key)
  }

  /// Returns true if a manifest lists a name.
  func isListed(_ key: UnsafeRawBufferPointer) -> Bool {
    names.contains(key) || (skipped.count > 0 && skipped.contains(key))
      || (ignored.count > 0 && isIgnored(key))
  }

  /// Returns true if a manifest ignores a name or one of its parent directories.
  private func isIgnored(_ key: UnsafeRawBufferPointer) -> Bool {
    if ignored.contains(key) || ignored.contains(UnsafeRawBufferPointer(rebasing: key[..<0])) {
      return true
    }
    for end in key.indices where key[end] == UInt8(ascii: "/") {
      if ignored.contains(UnsafeRawBufferPointer(rebasing: key[..<end])) { return true }
    }
    return false
  }

  /// Returns true if a key lies below the root. The root itself and names above it do not
  /// show how names are written.
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

  /// Returns the name under which a new file is reported.
  func displayName(of key: UnsafeRawBufferPointer) -> [UInt8] {
    AuditIndex.isBelow(key) ? (prefix ?? []) + key : Array(key)
  }
}

extension CheckedLine {
  /// The content that the line records; `nil` if it has no digest.
  fileprivate var content: RecordedContent? {
    guard var digest = expected else { return nil }
    var content = RecordedContent()
    content.append(digest.digest, digest.algorithm, or: digest.alternative)
    for _ in 1..<expectedCount {
      digest = digest.next
      content.append(digest.digest, digest.algorithm)
    }
    if let expectedSize { content.append(size: expectedSize) }
    return content
  }
}

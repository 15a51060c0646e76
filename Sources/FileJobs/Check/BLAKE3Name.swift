// The names that people give to manifests of BLAKE3.

/// The names that tell plain lines of BLAKE3 from those of SHA-256: `B3SUMS`, `a.b3`,
/// `a.b3sum`, `blake3.txt`. They only decide which digest is computed first.
enum BLAKE3Name {
  /// Returns true if the last component of a path is such a name.
  static func matches(_ path: [UInt8]) -> Bool {
    let last = path.split(separator: UInt8(ascii: "/")).last ?? []
    let name = String(decoding: last, as: UTF8.self).lowercased()
    let parts = name.split { !$0.isLetter && !$0.isNumber }
    return parts.contains { $0 == "b3" || $0.hasPrefix("b3sum") || $0.hasPrefix("blake3") }
  }
}

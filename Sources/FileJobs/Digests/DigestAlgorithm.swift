// To add an algorithm, add a row to the table in Sources/CFileKernels/digests/algorithms.c.
// Everything else reads that table: the names on the command line, tags in manifests, keywords of
// mtree(5), completion.

internal import CFileKernels

/// A digest algorithm: of OpenSSL's libcrypto, of xxHash, or BLAKE2b and BLAKE3.
public struct DigestAlgorithm: Sendable, Hashable, CaseIterable {
  /// The index in the kernels' table.
  package let index: Int

  /// All algorithms: first those of help texts, then XXH32, CRC-32, and BLAKE2b and BLAKE3 of 8 to 512
  /// bits.
  public static let allCases = (0..<kernel_algorithm_count()).map(DigestAlgorithm.init(index:))

  /// The algorithms that help texts list, in their order.
  package static let listed = Array(allCases.prefix(kernel_algorithm_listed_count()))

  /// The maximum number of algorithms in a job, and of digests that one read verifies.
  public static let countMax = 32

  /// SHA-256, the default.
  public static let sha256 = named("sha256")

  /// MD5, for manifests of others: it protects against accidents only.
  public static let md5 = named("md5")
  /// SHA-1, for manifests of others: it protects against accidents only.
  public static let sha1 = named("sha1")
  /// SHA-512.
  public static let sha512 = named("sha512")
  /// SHA-512/256: SHA-512 with its own first value, cut to 32 bytes.
  package static let sha512_256 = named("sha512-256")
  /// BLAKE2b with 64 bytes, as b2sum computes it.
  package static let blake2b = named("blake2b")
  /// BLAKE3 with 32 bytes, as b3sum computes it. All lanes hash a big file together.
  public static let blake3 = named("blake3")
  /// XXH32, for manifests of xxhsum: the others of xxHash are faster.
  package static let xxh32 = named("xxh32")
  /// CRC-32 as in SFV, ZIP and zlib: it protects against accidents only.
  package static let crc32 = named("crc32")
  /// XXH64: fast, not cryptographic.
  package static let xxh64 = named("xxh64")
  /// XXH3 with 8 bytes: fast, not cryptographic.
  package static let xxh3 = named("xxh3")
  /// XXH3 with 16 bytes: fast, not cryptographic.
  public static let xxh128 = named("xxh128")

  private static func named(_ name: String) -> DigestAlgorithm {
    guard let algorithm = DigestAlgorithm(name) else {
      fatalError("the table of digest algorithms lacks \(name)")
    }
    return algorithm
  }

  package init(index: Int) {
    self.index = index
  }

  /// Makes the algorithm with a name such as `"sha256"`; `nil` if there is none. A number, as in
  /// `"blake2b-256"` and `"blake3-512"`, is one of bits. `"sha512/256"` is `"sha512-256"`.
  public init?(_ name: String) {
    let all = DigestAlgorithm.allCases
    guard
      let found = all.first(where: { $0.name == name })
        ?? all.first(where: { $0.tag.lowercased() == name })
        ?? all.first(where: { "\($0.name)-\($0.byteCount * 8)" == name && $0.withLength(1) != nil })
    else { return nil }
    self = found
  }

  /// Returns BLAKE2b or BLAKE3 with a digest of 1 to 64 bytes; `nil` for another length or algorithm.
  package func withLength(_ byteCount: Int) -> DigestAlgorithm? {
    let all =
      self == .blake2b
      ? DigestAlgorithm.blake2bByLength : self == .blake3 ? DigestAlgorithm.blake3ByLength : []
    return all.indices.contains(byteCount) ? all[byteCount] : nil
  }

  private static let blake2bByLength = byLength("BLAKE2b")
  private static let blake3ByLength = byLength("BLAKE3")

  private static func byLength(_ tag: String) -> [DigestAlgorithm?] {
    let all = allCases.filter { $0.tag.hasPrefix(tag) }
    return (0...64).map { byteCount in all.first { $0.byteCount == byteCount } }
  }

  var isXXHash: Bool { tag.hasPrefix("XXH") }

  /// The name as users type it: `"sha256"`.
  public var name: String { String(cString: kernel_algorithm_name(kernel)) }

  /// The name in BSD lines: `"SHA256"`.
  package var tag: String { String(cString: tagBytes) }

  /// The tag as a C string with static lifetime.
  var tagBytes: UnsafePointer<CChar> { kernel_algorithm_tag(kernel) }

  /// The number of bytes in a digest.
  public var byteCount: Int { kernel_algorithm_length(kernel) }

  /// True if BSD lines are the usual ones: a plain line could be one of another algorithm
  /// with digests of the same length.
  package var isUsuallyTagged: Bool { kernel_algorithm_is_tagged(kernel) }

  /// True if the algorithm's own tool reads BSD lines only.
  package var isAlwaysTagged: Bool { kernel_algorithm_is_always_tagged(kernel) }

  var kernel: OpaquePointer {
    guard let kernel = kernel_algorithm_at(index) else {
      fatalError("the digest algorithm \(index) is not in the table")
    }
    return kernel
  }
}

extension [DigestAlgorithm] {
  /// The algorithms, each once, in the order of first occurrence.
  var withoutDuplicates: [DigestAlgorithm] {
    reduce(into: []) { all, next in
      if !all.contains(next) { all.append(next) }
    }
  }
}

// The digest algorithms.
//
// To add one, add a row to the table `algorithms` in
// Sources/CFileKernels/digests/algorithms.c. Everything else reads that table: the names on
// the command line, tags in manifests, keywords of mtree(5), completion.

internal import CFileKernels

/// A digest algorithm of OpenSSL's libcrypto or of xxHash.
public struct DigestAlgorithm: Sendable, Hashable, CaseIterable {
  /// The index in the kernels' table.
  let index: Int

  /// All algorithms, in the order in which help texts list them.
  public static let allCases = (0..<kernel_algorithm_count()).map(DigestAlgorithm.init(index:))

  /// SHA-256, the default.
  public static let sha256 = named("sha256")

  /// MD5, for manifests of others: it protects against accidents only.
  public static let md5 = named("md5")
  /// SHA-1, for manifests of others: it protects against accidents only.
  public static let sha1 = named("sha1")
  /// SHA-512.
  public static let sha512 = named("sha512")
  /// BLAKE2b with 64 bytes, as b2sum computes it.
  public static let blake2b = named("blake2b")
  /// XXH3 with 16 bytes: fast, not cryptographic.
  public static let xxh128 = named("xxh128")

  private static func named(_ name: String) -> DigestAlgorithm {
    guard let algorithm = DigestAlgorithm(name) else {
      fatalError("the table of digest algorithms lacks \(name)")
    }
    return algorithm
  }

  /// Makes the algorithm with an index in the kernels' table.
  init(index: Int) {
    self.index = index
  }

  /// Makes the algorithm with a name such as `"sha256"`; `nil` if there is none.
  public init?(_ name: String) {
    guard let found = DigestAlgorithm.allCases.first(where: { $0.name == name }) else {
      return nil
    }
    self = found
  }

  /// The name as users type it: `"sha256"`.
  public var name: String { String(cString: kernel_algorithm_name(kernel)) }

  /// The name in BSD lines: `"SHA256"`.
  public var tag: String { String(cString: tagBytes) }

  /// The tag as a C string with static lifetime.
  var tagBytes: UnsafePointer<CChar> { kernel_algorithm_tag(kernel) }

  /// The number of bytes in a digest.
  public var byteCount: Int { kernel_algorithm_length(kernel) }

  /// True if the algorithm's own tool reads BSD lines only.
  public var isAlwaysTagged: Bool { kernel_algorithm_is_always_tagged(kernel) }

  /// The entry in the kernels' table.
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

// The digests there are.

internal import CFileKernels

/// A digest algorithm, of OpenSSL's libcrypto or of xxHash.
public struct DigestAlgorithm: Sendable, Hashable, CaseIterable {
  /// Its place in the kernels' table.
  let index: Int

  /// All there are, in the order in which help texts name them.
  public static let allCases = (0..<kernel_algorithm_count()).map(DigestAlgorithm.init(index:))

  /// SHA-256, which is meant where none is named.
  public static let sha256 = DigestAlgorithm("sha256") ?? DigestAlgorithm(index: 0)

  /// The one that has a place in the table.
  init(index: Int) {
    self.index = index
  }

  /// The algorithm of a name, as `"sha256"`.
  public init?(_ name: String) {
    guard let found = DigestAlgorithm.allCases.first(where: { $0.name == name }) else {
      return nil
    }
    self = found
  }

  /// Its name as users type it: `"sha256"`.
  public var name: String { String(cString: kernel_algorithm_name(kernel)) }

  /// Its name in BSD lines: `"SHA256"`.
  public var tag: String { String(cString: tagBytes) }

  /// The same, as C has it, for good.
  var tagBytes: UnsafePointer<CChar> { kernel_algorithm_tag(kernel) }

  /// How many bytes a digest has.
  public var byteCount: Int { kernel_algorithm_length(kernel) }

  /// Whether its own tool knows BSD lines alone.
  public var isAlwaysTagged: Bool { kernel_algorithm_is_always_tagged(kernel) }

  /// The entry of the kernels' table.
  var kernel: OpaquePointer {
    guard let kernel = kernel_algorithm_at(index) else {
      fatalError("the digest algorithm \(index) is not in the table")
    }
    return kernel
  }
}

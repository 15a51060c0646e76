/// The digests of a file, one for each algorithm of a ``HashJob``.
///
///     import Weir
///
///     let job = try HashJob([.sha256, .md5])
///     for try await file in job.results(of: [.tree("/srv")]) {
///       guard case .done(let digests) = file.outcome, let md5 = digests[.md5] else { continue }
///       print(md5, digests.first.bytes, digests.size, file.path)
///     }
public struct FileDigests: Sendable, Hashable {
  /// The number of bytes digested.
  public let size: UInt64
  /// The digests in the order of the job's algorithms, at least one.
  public let all: [FileDigest]

  /// The digest of the job's first algorithm, which is the only one of most jobs.
  public var first: FileDigest { all[0] }

  /// The digest of an algorithm; `nil` if the job does not compute it.
  ///
  /// - Complexity: O(*n*) in the number of algorithms.
  public subscript(algorithm: DigestAlgorithm) -> FileDigest? {
    all.first { $0.algorithm == algorithm }
  }
}

/// One digest of a file. Its description is its hexadecimal digits.
public struct FileDigest: Sendable, Hashable, CustomStringConvertible {
  /// The algorithm.
  public let algorithm: DigestAlgorithm
  /// The bytes.
  public let bytes: [UInt8]

  /// The bytes as hexadecimal digits, in lower case, as checksum tools print them.
  public var hexadecimal: String { bytes.withUnsafeBytes { FileJobs.hexadecimal($0) } }

  /// The bytes as hexadecimal digits.
  public var description: String { hexadecimal }
}

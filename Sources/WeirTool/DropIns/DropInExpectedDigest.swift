// The digest that a line of a manifest expects, and its computation.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// The note of a file that is verified: the index of the algorithm, and the digest.
enum DropInExpectedDigest {
  private static let headerSize = 1
  static let sizeMax = headerSize + 64

  /// Writes a note. Returns it.
  static func write(
    _ line: ManifestLine, to memory: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    memory[0] = UInt8(line.algorithm.index)
    UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...]).copyMemory(from: line.digest)
    return UnsafeRawBufferPointer(rebasing: memory[..<(headerSize + line.digest.count)])
  }

  static func algorithm(of note: UnsafeRawBufferPointer) -> DigestAlgorithm {
    DigestAlgorithm(index: Int(note[0]))
  }

  static func bytes(of note: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: note[headerSize...])
  }
}

extension Errno {
  /// The error of a file whose digest differs; not an error of the system.
  static let mismatch = Errno(rawValue: 0x7F01)
}

/// The digests of a lane that verifies: each file needs that of its note.
final class DropInDigests: DropInContent {
  private var made: [DigestAlgorithm: Digest] = [:]
  private var last: (algorithm: DigestAlgorithm, digest: Digest)?

  init(_ first: DigestAlgorithm) throws(Errno) {
    _ = try digest(first)
  }

  func compute(_ file: borrowing OpenFile) throws(Errno) {
    try digest(DropInExpectedDigest.algorithm(of: file.note)).compute(file)
  }

  func compute(_ descriptor: FileDescriptor, _ note: UnsafeRawBufferPointer) throws(Errno) {
    try digest(DropInExpectedDigest.algorithm(of: note)).compute(descriptor)
  }

  /// Returns true if the digest computed last is that of a note, or begins with it.
  func matches(_ note: UnsafeRawBufferPointer) -> Bool {
    last?.digest.bytes.starts(with: DropInExpectedDigest.bytes(of: note)) ?? false
  }

  private func digest(_ algorithm: DigestAlgorithm) throws(Errno) -> Digest {
    if let last, last.algorithm == algorithm { return last.digest }
    let digest = if let known = made[algorithm] { known } else { try Digest(algorithm) }
    made[algorithm] = digest
    last = (algorithm, digest)
    return digest
  }
}

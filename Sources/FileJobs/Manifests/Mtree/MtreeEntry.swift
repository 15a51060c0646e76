package import Weir

/// An entry of a manifest of mtree(5).
///
/// The pointers refer to the memory of the parser and of the line, and are valid until the
/// next line is parsed.
package struct MtreeEntry {
  /// The name without escapes, as the user gave it to the program that wrote the manifest.
  package internal(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// True if Weir wrote the manifest and the user gave the name without the `./` that the
  /// line has. Then `-` is standard input.
  var isBare = false
  /// The type; `nil` if the entry has none.
  package internal(set) var type: FileWalk.EntryType?
  /// The number of bytes.
  package internal(set) var size: UInt64?
  /// The time of the last change.
  package internal(set) var time: FileTime?
  /// True if the time has no fraction of a second: `tar_time`.
  var hasWholeSeconds = false
  /// The target of a symbolic link.
  package internal(set) var target: UnsafeRawBufferPointer?
  /// True if the file may be missing.
  package internal(set) var isOptional = false
  /// True if nothing of the file is to be verified.
  package internal(set) var isIgnored = false
  /// The keyword of a digest that Weir does not compute, such as `"rmd160"`.
  package internal(set) var otherDigest: String?
  /// The digests, in the order of the line.
  package internal(set) var digests = UnsafeBufferPointer<MtreeDigest>(start: nil, count: 0)

  /// Returns the digest of an algorithm; `nil` if the entry has none.
  package func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    digests.first { $0.algorithm == algorithm }?.bytes
  }
}

package struct MtreeDigest {
  /// The algorithm of the digest.
  package let algorithm: DigestAlgorithm
  /// The digest as bytes, with the algorithm's length.
  package let bytes: UnsafeRawBufferPointer
}

/// The digests of the entry that is being parsed, in memory for all entries.
final class MtreeDigests {
  private let memory = UnsafeMutableBufferPointer<MtreeDigest>.allocate(
    capacity: DigestAlgorithm.countMax)
  var count = 0

  deinit { memory.deallocate() }

  var all: UnsafeBufferPointer<MtreeDigest> { UnsafeBufferPointer(rebasing: memory[..<count]) }

  /// Returns false if there is no room.
  func append(_ algorithm: DigestAlgorithm, _ bytes: UnsafeRawBufferPointer) -> Bool {
    if count == memory.count { return false }
    memory.initializeElement(at: count, to: MtreeDigest(algorithm: algorithm, bytes: bytes))
    count += 1
    return true
  }

  /// Decodes digits in place. Returns false if they are no digest of the algorithm.
  func append(_ algorithm: DigestAlgorithm, digits: UnsafeMutableRawBufferPointer) -> Bool {
    guard let text = ManifestText(digits), text.count == algorithm.byteCount * 2,
      text.digitCount(at: 0) == text.count
    else { return false }
    return append(algorithm, text.decode(at: 0, byteCount: algorithm.byteCount))
  }
}

/// The content of a line of a manifest of mtree(5).
package enum MtreeContent {
  /// An entry for a file.
  case entry(MtreeEntry)
  case comment(UnsafeRawBufferPointer)
  /// A line without an entry, or the beginning of a continued line.
  case ignored
  /// Not a line of mtree(5).
  case malformed
}

/// A parser of lines that have entries, one after the other.
protocol EntryParser: AnyObject {
  var isContinued: Bool { get }
  /// Parses a line without its newline. Names and digests are decoded in place.
  func parse(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent
  /// Ends the manifest. Returns the entry that only its end completes, ``MtreeContent/malformed`` if a
  /// continuation is missing, or ``MtreeContent/ignored``.
  func finish() -> MtreeContent
  /// True if an entry is returned when the line after it is parsed.
  var isLate: Bool { get }
}

extension EntryParser {
  var isContinued: Bool { false }
  var isLate: Bool { false }
  func finish() -> MtreeContent { .ignored }
}

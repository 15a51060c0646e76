package import Weir

/// An entry of a manifest of mtree(5), in memory of the parser and the line, valid until the next
/// line.
package struct MtreeEntry {
  /// The name without escapes, as the user gave it to the program that wrote the manifest.
  package internal(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// True if the user gave Weir the name without the `./` in the line. Then `-` is standard input.
  var isBare = false
  package internal(set) var type: FileWalk.EntryType?
  package internal(set) var size: UInt64?
  /// The time of the last change.
  package internal(set) var time: FileTime?
  /// True if the time has no fraction of a second: `tar_time`.
  var hasWholeSeconds = false
  /// The target of a symbolic link.
  package internal(set) var target: UnsafeRawBufferPointer?
  /// The open point that a ledger has of the file.
  var open: OpenPoint?
  /// The number of the source of the run that has written a ledger; `nil` if none is named.
  var source: Int?
  /// True if the file may be missing.
  package internal(set) var isOptional = false
  /// True if nothing of the file is to be verified.
  package internal(set) var isIgnored = false
  /// The keyword of a digest that Weir does not compute, such as `"rmd160"`.
  package internal(set) var otherDigest: String?
  /// The digests, in the order of the line.
  var digests = EntryDigests(.empty)

  func digest(_ algorithm: DigestAlgorithm) -> UnsafeRawBufferPointer? {
    digests.first { $0.algorithm == algorithm }?.bytes
  }
}

/// The content of a line of a manifest of mtree(5).
package enum MtreeContent {
  case entry(MtreeEntry)
  case comment(UnsafeRawBufferPointer)
  /// A line without an entry, or the beginning of a continued line.
  case ignored
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

package import Weir

/// A side of a comparison as it was named, and the number of leading components that its names lose.
package enum CompareInput: Sendable {
  case manifest(CheckManifest, stripping: Int)
  /// A directory, which is walked.
  case directory(FileSource, stripping: Int)

  package var directory: FileSource? {
    if case .directory(let source, _) = self { source } else { nil }
  }

  /// The side with the records beside a manifest, which have the sizes and times of its files.
  package var withRecords: CompareInput {
    guard case .manifest(let manifest, let stripped) = self else { return self }
    return .manifest(manifest.withRecords, stripping: stripped)
  }

  /// The path before the names of the files of a directory; `nil` for a manifest.
  var root: [UInt8]? {
    guard let name = directory?.nameBytes else { return nil }
    return name.last == UInt8(ascii: "/") ? name : name + [UInt8(ascii: "/")]
  }
}

package struct CompareCounts: Sendable {
  /// Names that are the same, and those of them with another time.
  package var same: UInt64 = 0
  package var touched: UInt64 = 0
  package var differing: UInt64 = 0
  package var moved: UInt64 = 0
  package var onlyA: UInt64 = 0
  package var onlyB: UInt64 = 0
  package var unknown: UInt64 = 0
  /// Files and directories that could not be read.
  package var unreadable: UInt64 = 0
  /// Names that both sides have, by the fact that decided.
  package var byDigest: UInt64 = 0
  package var bySizeAndTime: UInt64 = 0
  package var bySize: UInt64 = 0
  /// The lines and names of each side that could not be used.
  package var faults = Sides(ManifestFaults(), ManifestFaults())
  /// The side whose names would be those of the other one without so many more leading components.
  package var strip: (side: Side, count: Int)?

  /// True if each side has names, and none of them is a name of the other side.
  package var sharesNone: Bool {
    same + differing + unknown == 0 && onlyA + moved > 0 && onlyB + moved > 0
  }

  mutating func count(_ verdict: EntryVerdict) {
    switch verdict {
    case .same(let basis, let isTouched):
      same += 1
      if isTouched { touched += 1 }
      count(basis)
    case .differs(let basis):
      differing += 1
      count(basis)
    case .moved: moved += 1
    case .only(.a): onlyA += 1
    case .only(.b): onlyB += 1
    case .unknown: unknown += 1
    }
  }

  private mutating func count(_ basis: VerdictBasis) {
    switch basis {
    case .digest: byDigest += 1
    case .sizeAndTime, .time: bySizeAndTime += 1
    case .size: bySize += 1
    case .type, .target, .owner, .mode: break
    }
  }
}

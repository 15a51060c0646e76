internal import WeirLibC
internal import SystemPackage
package import Weir

/// Writes the records and the manifest lines of the files that a ``RecordJob`` delivers, and
/// reports changes.
///
/// @unchecked Sendable: batches are delivered one at a time.
package final class RecordDelivery: @unchecked Sendable {
  /// Counts of a run.
  package struct Counts: Sendable {
    /// Files whose earlier record was reused without reading them.
    package var unread: UInt64 = 0
    /// Files that were read.
    package var read: UInt64 = 0
    /// Files by their difference from the manifest that is brought up to date.
    package var changes: [RecordChange: UInt64] = [:]
    /// Files of the manifest that is brought up to date.
    package var former: UInt64 = 0
    /// Files that could not be read and whose earlier record stays.
    package var kept: UInt64 = 0
    /// Copies of moved files, which the delivery reads; in the statistics of the run they are files
    /// that were not read.
    package var copies: UInt64 = 0
    /// The bytes of those that were read.
    package var copyBytes: UInt64 = 0
    /// The number of those that could not be read.
    package var unreadable: UInt64 = 0
  }

  /// The output; `nil` if the run writes none.
  private let output: OutputFile?
  /// The manifest that is brought up to date.
  private let manifest: PreviousManifest?
  private var name: [UInt8] { manifest?.name ?? [] }
  /// One value, so that a batch is one access to the object: Swift checks each.
  private var matching: RecordMatching

  /// - Parameters:
  ///   - changes: The changes of an update, to which those of this run are appended.
  package init(
    _ output: OutputFile?, _ form: RecordManifest, manifest: PreviousManifest?, acceptsRot: Bool,
    changes: RecordChanges?
  ) {
    self.output = output
    self.manifest = manifest
    matching = RecordMatching(
      form, manifest: manifest, acceptsRot: acceptsRot, changes: changes)
  }

  /// As of ``RecordMatching``.
  package func record(
    _ batch: borrowing FileBatch, report: (FileResult, Fault?) -> Void
  ) throws {
    do {
      try matching.record(batch, report: report)
    } catch let error as Errno {
      throw Fault(manifest: name, error)
    }
    try appendLines()
  }

  /// Reports the files of the manifest that a complete run has not found.
  package func finish() throws {
    do {
      try matching.finish()
    } catch let error as Errno {
      throw Fault(manifest: name, error)
    }
    try appendLines()
  }

  private func appendLines() throws(Fault) {
    try output?.append(matching.lines.records, manifest: matching.lines.manifest)
  }

  package var counts: Counts { matching.counts }

  /// A source below which nothing was found, although the manifest has files there, and the
  /// number of those. An empty directory has one result, itself.
  package var emptied: (source: Int, files: UInt64)? { matching.emptied }

  /// Returns true if an update could not read the list of this name.
  package func isUnreadable(list name: [UInt8]) -> Bool { matching.unreadable.contains(name) }

  /// A file that was taken for one that has moved, and has other content; `nil` if there is none.
  package var mistaken: [UInt8]? { matching.mistaken }

  /// As of ``RecordChanges/firstLoss(unread:)``.
  package var unread: [Int64: [UInt8]] { matching.unread }

  /// The algorithms of a manifest of lines of which no file has its digest; empty if one has.
  package var mistakenAlgorithms: [DigestAlgorithm] {
    let edited = counts.changes[.edited, default: 0]
    let differing = edited + counts.changes[.new, default: 0]
    guard let manifest, manifest.isText, edited > 0, counts.read + counts.unread == differing
    else { return [] }
    return manifest.firstAlgorithms
  }

  /// True if there is nothing to write: no file, no directory, and no earlier record.
  package var isEmpty: Bool {
    counts.read + counts.unread + counts.kept == 0 && !matching.hasDirectories
  }
}

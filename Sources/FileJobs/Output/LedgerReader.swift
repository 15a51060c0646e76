// The records beside a manifest of text, in step with its lines.
//
// DESIGN. `weir hash --output M` writes M and M.mtree in the same order. So both are read in step, each
// once, and the memory does not grow with either. Where a line has another name or digest than its
// record, one of the two was cut, edited or replaced, and nobody knows which: the lines from there on
// have only their digests. (Rejected: to compare both as a whole before the first file, which reads
// them twice.)

internal import WeirLibC
package import SystemPackage
internal import Weir

/// A reader of the records that `weir hash --output M` keeps beside M, as `M.mtree`.
package final class LedgerReader {
  private let lines: CheckManifest.LineReader
  let header: LedgerHeader
  private(set) var entry: MtreeEntry?
  /// True if the line for which no record was found has another digest than the record of its name.
  private(set) var isContradicted = false
  /// The number of lines that the present record has had.
  private var lineCount = 0

  /// Opens the records at a path; `nil` if they are unusable.
  ///
  /// - Parameters:
  ///   - isZeroTerminated: True if the lines of the manifest end in NUL; `nil` if the records say it.
  ///   - names: The rules for the names of the manifest.
  ///   - listName: The path from which these begin; `nil` for that of the records.
  package init?(
    _ path: [UInt8], from directory: FileDescriptor, isZeroTerminated: Bool? = nil,
    names: NameRules = NameRules(), listName: [UInt8]? = nil
  ) {
    guard let opened = try? CheckManifest.open(path, from: directory.rawValue) else { return nil }
    lines = CheckManifest.LineReader(
      opened, false, ManifestParser(), isOwned: true,
      names: ListedNames(names, of: listName ?? path))
    guard !lines.isSlow, (try? lines.step()) != nil,
      let header = LedgerHeader(line: Array(lines.text) + [UInt8(ascii: "\n")]),
      header.isZeroTerminated == isZeroTerminated ?? header.isZeroTerminated
    else { return nil }
    self.header = header
  }

  /// Returns the path of the records beside a manifest; `nil` if there is no such file.
  package static func path(beside manifest: [UInt8], from directory: FileDescriptor) -> [UInt8]? {
    // A run that writes the manifest follows a link of its name.
    let own = try? ReplacingFile.withoutLinks(manifest, from: directory.rawValue)
    let path = (own ?? manifest) + ".mtree".utf8
    return withPath(path, { faccessat(directory.rawValue, $0, F_OK, 0) }) == 0 ? path : nil
  }

  /// Returns the header of the records beside a manifest; `nil` if there are none.
  static func header(beside manifest: CheckManifest) -> LedgerHeader? {
    guard let records = manifest.records, case .path(_, let directory) = manifest.source else {
      return nil
    }
    return LedgerReader(records, from: FileDescriptor(rawValue: directory))?.header
  }

  /// Advances to the record of a line. Returns the algorithm of the line's digest there; `nil` if
  /// the next record is not that of the line.
  func advance(to line: ManifestLine) -> DigestAlgorithm? {
    if let algorithm = algorithm(of: line) { return algorithm }
    let isOfLast = contradicts(line)
    readEntry()
    if let algorithm = algorithm(of: line) { return algorithm }
    isContradicted = isOfLast || contradicts(line)
    return nil
  }

  private func contradicts(_ line: ManifestLine) -> Bool {
    guard let entry, entry.name.hasSameBytes(as: line.name) else { return false }
    let alike = entry.digests.filter { $0.bytes.count == line.digest.count }
    return !alike.isEmpty && !alike.contains { $0.bytes.hasSameBytes(as: line.digest) }
  }

  /// Returns true if there are no more records.
  func isAtEnd() -> Bool {
    readEntry()
    return entry == nil
  }

  var open: OpenPoint? { lines.open }

  private func algorithm(of line: ManifestLine) -> DigestAlgorithm? {
    guard let entry, lineCount < entry.digests.count, entry.name.hasSameBytes(as: line.name),
      let digest = entry.digests.first(where: { $0.bytes.hasSameBytes(as: line.digest) })
    else { return nil }
    lineCount += 1
    return digest.algorithm
  }

  private func readEntry() {
    (entry, lineCount) = (nil, 0)
    while let line = try? lines.next() {
      if case .entry(let found) = line, !found.digests.isEmpty { return entry = found }
    }
  }
}

internal import Weir
internal import WeirLibC
package import SystemPackage

/// Merges the records of an unfinished run with those of the run that resumed it and did
/// not finish either: all records of the second, and those of the first after the last
/// file that the second has.
///
/// The second file only grows at its end. If the merge is interrupted, a repeated merge
/// gives the same result.
struct RecordMerge {
  let first: FileDescriptor
  let second: FileDescriptor
  /// As of ``RecordJoin``.
  let isInStep: Bool

  func run() throws(Errno) {
    let former = RecordReader(first, unreadable: .end)
    let present = RecordReader(second, unreadable: .end)
    var join = RecordJoin(former, isInStep: isInStep)
    while let file = try present.next() {
      // The records of a run always name their source.
      _ = try join.find(file.name, source: file.source ?? 0)
    }
    var begin = join.position()
    begin.offset = max(begin.offset, try headerLength())
    while try former.next() != nil {}
    try retryingOnInterrupt { ftruncate(second.rawValue, off_t(present.position.offset)) }
    if lseek(second.rawValue, 0, SEEK_END) < 0 { throw Errno(rawValue: errno) }
    if begin.offset < former.position.offset {
      let names = begin.isBare ? "bare" : "dotted"
      try second.write(
        all: Array("\(RecordReader.source)\(begin.source ?? 0)\n#weir \(names)\n".utf8))
      try copy(from: Int(begin.offset), to: Int(former.position.offset))
    }
    try retryingOnInterrupt { fdatasync(second.rawValue) }
  }

  /// The length of the first line, which the second file has too: in its middle it would end the
  /// records.
  private func headerLength() throws(Errno) -> Int64 {
    let lines = ManifestReader(first, from: 0)
    return try lines.next().map { Int64($0.count) + 1 } ?? 0
  }

  private func copy(from begin: Int, to end: Int) throws(Errno) {
    var offset = begin
    while offset < end {
      let piece = try first.bytes(at: offset, count: min(1 << 16, end - offset))
      if piece.isEmpty { return }
      try second.write(all: piece)
      offset += piece.count
    }
  }
}

extension OutputFile {
  /// Checks that a run would replace none of the files beside the output that it has not written.
  ///
  /// - Parameters:
  ///   - keepsRecords: As of ``finish(keepsRecords:keepsFormer:willReplace:)``.
  ///   - keepsFormer: As of that function.
  package func check(keepsRecords: Bool = true, keepsFormer: Bool = false) throws(Fault) {
    try check(
      keepsRecords: keepsRecords, keepsFormer: keepsFormer, isAnyManifest: OutputFile.isAnyManifest)
  }

  /// Checks that the output is a manifest, or has nothing to lose. One that this user may not read
  /// passes.
  package func expectManifest() throws(Fault) {
    do throws(Fault) {
      try OutputFile.expectOurs(path, or: .noManifest) { begin in
        begin.starts(with: OutputFile.mtreeBegin) || OutputFile.isAnyManifest(path)
      }
    } catch {
      if error.reason != .system(.permissionDenied) { throw error }
    }
  }

  /// Returns true if the first line that is no comment is one of a manifest: another text may have
  /// such a line anywhere.
  private static func isAnyManifest(_ name: [UInt8]) -> Bool {
    [false, true].contains { isZero in
      var isFirst = false
      _ = CheckManifest.path(bytes: name).forEachLine(isZero) { line, _ in
        if case .malformed = line { isFirst = false } else { isFirst = true }
        return false
      }
      return isFirst
    }
  }

  /// Locks the output. Returns true if an unfinished run has left records.
  ///
  /// - Parameters:
  ///   - keepsRecords: As of ``finish(keepsRecords:keepsFormer:willReplace:)``.
  ///   - keepsFormer: As of that function.
  package func lock(
    keepsRecords: Bool = true, keepsFormer: Bool = false
  ) throws(Fault) -> Bool {
    try check(keepsRecords: keepsRecords, keepsFormer: keepsFormer)
    return try lockChecked()
  }

  /// Resumes an unfinished run, after a merge of its records with those of a run that resumed it.
  ///
  /// - Parameters:
  ///   - line: The first line, with its newline; the same as that run's.
  ///   - isInStep: As of ``RecordJoin``.
  /// - Returns: A descriptor of that run's records, valid until the end of this run.
  package func resume(with line: [UInt8], isInStep: Bool) throws(Fault) -> FileDescriptor {
    try resume(with: line) { (first, second) throws(Errno) in
      try RecordMerge(first: first, second: second, isInStep: isInStep).run()
    }
  }
}

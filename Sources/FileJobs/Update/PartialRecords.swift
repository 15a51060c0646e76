// The records of an interrupted run.

package import SystemPackage
internal import WeirLibC
internal import Weir

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

  /// Continues an unfinished run. Returns a descriptor of its records, valid until the end of this
  /// run, which appends its own.
  package func resume() throws(Fault) -> FileDescriptor {
    let records = try resume { (records, next) throws(Errno) in
      let end = try OutputFile.end(ofRecords: records)
      try retryingOnInterrupt { ftruncate(records.rawValue, off_t(end)) }
      if lseek(records.rawValue, 0, SEEK_END) < 0 { throw Errno(rawValue: errno) }
      let header = ManifestReader(next, from: 0)
      var offset = try header.next().map { Int64($0.count) + 1 } ?? 0
      let last = try OutputFile.end(ofRecords: next)
      try records.write(all: Array("#weir dotted\n".utf8))
      while offset < last {
        let piece = try next.bytes(at: Int(offset), count: Int(min(1 << 16, last - offset)))
        if piece.isEmpty { break }
        try records.write(all: piece)
        offset += Int64(piece.count)
      }
      try retryingOnInterrupt { fdatasync(records.rawValue) }
    }
    try continueRecords(at: try Fault.of(partial, try OutputFile.end(ofRecords: records)))
    return records
  }

  /// Returns the offset after the last readable record of a run.
  private static func end(ofRecords file: FileDescriptor) throws(Errno) -> Int64 {
    let reader = RecordReader(file, unreadable: .end)
    while try reader.advance() {}
    return reader.offset
  }
}

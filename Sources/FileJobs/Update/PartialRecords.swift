// The records of an interrupted run.

package import SystemPackage
internal import WeirLibC
internal import Weir

extension OutputFile {
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

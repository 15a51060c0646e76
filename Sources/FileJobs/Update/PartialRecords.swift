// The records of an interrupted run.

package import SystemPackage
internal import WeirLibC
internal import Weir

extension OutputFile {
  /// Continues an unfinished run. Returns a descriptor of its records, valid until the end of this
  /// run, which appends its own.
  package func resume() throws(Fault) -> FileDescriptor {
    try absorbNext()
    return try resume(after: OutputFile.end)
  }

  /// Appends the records that a run before 0.17 has written to `M.partial.next` when it continued
  /// another one. Since then that file is a future ledger, which has no contents of its own.
  private func absorbNext() throws(Fault) {
    guard let other = try OutputFile.reopen(next) else { return }
    defer { close(other.rawValue) }
    guard let line = try OutputFile.firstLine(other, of: next),
      let before = LedgerHeader(line: line), before.isBefore17,
      let own = try previousHeaderLine().flatMap(LedgerHeader.init(line:)),
      before.differences(from: own).isEmpty
    else { return }
    try Fault.attributing(to: next) { () throws(Errno) in
      try append(from: Int64(line.count), to: try OutputFile.end(ofRecords: other), of: other)
    }
    try OutputFile.remove(next)
  }

  private func append(
    from begin: Int64, to end: Int64, of other: FileDescriptor
  ) throws(Errno) {
    let records = try openFile(partial, O_RDWR)
    defer { close(records.rawValue) }
    let own = try OutputFile.end(ofRecords: records)
    try retryingOnInterrupt { ftruncate(records.rawValue, off_t(own)) }
    if lseek(records.rawValue, 0, SEEK_END) < 0 { throw Errno(rawValue: errno) }
    try records.write(all: Array("#weir dotted\n".utf8))
    var offset = begin
    while offset < end {
      let piece = try other.bytes(at: Int(offset), count: Int(min(1 << 16, end - offset)))
      if piece.isEmpty { break }
      try records.write(all: piece)
      offset += Int64(piece.count)
    }
    try retryingOnInterrupt { fdatasync(records.rawValue) }
  }

  /// Returns the offset after the last readable record of a run.
  private static func end(ofRecords file: FileDescriptor) throws(Errno) -> Int64 {
    let reader = RecordReader(file, unreadable: .end)
    var end: Int64?
    while try reader.advance() { end = reader.offset }
    // A mark without its record would be that of the next one.
    if let end { return end }
    let header = ManifestReader(file, from: 0)
    return try header.next().map { Int64($0.count) + 1 } ?? 0
  }
}

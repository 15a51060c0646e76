// The records of an interrupted run.

package import SystemPackage
internal import WeirLibC
internal import Weir

extension OutputFile {
  /// Continues an unfinished run. Returns a descriptor of its records, valid until the end of this
  /// run, which appends its own.
  package func resume() throws(Fault) -> FileDescriptor {
    try resume(after: OutputFile.end)
  }

  /// Returns the offset after the last readable record of a run.
  private static func end(ofRecords file: FileDescriptor) throws(Errno) -> Int64 {
    let reader = RecordReader(file, unreadable: .end)
    while try reader.advance() {}
    return reader.offset
  }
}

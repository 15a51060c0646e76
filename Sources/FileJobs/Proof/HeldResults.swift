// Results that come in another order than that of the lines.
//
// DESIGN. The oldest proofs are verified first, and the time decides how many; their verdicts come
// in the order of the lines all the same. So results go to a file without a name, and are delivered
// at the end of the run. (Rejected: to choose the lines before the run, by their sizes. Nobody
// knows how long they take.)

internal import SystemPackage
internal import Weir

/// Results of a check until the end of its run. In memory a result takes 16 bytes.
///
/// @unchecked Sendable: one thread at a time appends, and then delivers.
final class HeldResults: @unchecked Sendable {
  private let spool: RecordSpool
  private var results: [(place: Int, offset: Int)] = []
  private var record: [UInt8] = []

  init(beside path: [UInt8]) throws(Errno) { spool = try RecordSpool(beside: path) }

  /// - Parameter place: Orders the results.
  func append(_ result: FileResult, place: Int) throws(Errno) {
    record.removeAll(keepingCapacity: true)
    record.append(littleEndian: UInt64(result.path.count))
    record.append(contentsOf: result.path)
    result.append(to: &record)
    results.append((place, try spool.append(record)))
  }

  /// Calls `body` with all results, in batches.
  func deliver(_ body: (borrowing FileBatch) throws -> Void) throws {
    try spool.finish()
    results.sort { $0 < $1 }
    var batch = RecordedBatch()
    for (_, offset) in results {
      let record = try spool.record(at: offset)
      let end = 8 + Int(record.littleEndian(at: 0) as UInt64)
      let path = UnsafeRawBufferPointer(rebasing: record[8..<end])
      guard batch.append(UnsafeRawBufferPointer(rebasing: record[end...]), path: path) else {
        throw Errno.ioError
      }
      if batch.isFull { try batch.deliver(body) }
    }
    try batch.deliver(body)
  }
}

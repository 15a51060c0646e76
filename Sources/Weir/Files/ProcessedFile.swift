// The result of one file as a value that can be kept.

public import SystemPackage

/// The result of one file and of its job: an element of
/// ``FileProcessor/results(of:)-(FileSource...)``.
///
/// The paths and outputs of files delivered together, 64 at most by default, share one piece of
/// memory, which each of the values keeps alive. To keep few of many values, copy the parts that
/// are needed.
///
/// The corresponding C type is `weir_file_result_t`.
public struct ProcessedFile<Value: Sendable>: Sendable {
  private let batch: ProcessedBatch<Value>
  private let index: Int

  init(_ batch: ProcessedBatch<Value>, _ index: Int) {
    self.batch = batch
    self.index = index
  }

  private var entry: ProcessedBatch<Value>.Entry { batch.entries[index] }

  /// The path, as a copy: the named path, or the named root followed by the relative path.
  /// `FilePath` normalizes `a//b/` to `a/b`; ``pathBytes`` has the exact bytes.
  public var path: FilePath { batch.withBytes(entry.path) { FilePath(bytes: $0) } }

  /// The bytes of the path, without a NUL, as a copy.
  public var pathBytes: [UInt8] { batch.withBytes(entry.path) { Array($0) } }

  /// The outcome of the file, with the value or the error of its job.
  public var outcome: FileOutcome<Value> { entry.outcome }

  /// The type of the file, as far as known.
  public var type: FileWalk.EntryType { entry.type }

  /// The size of a regular file when its status was last read; else 0.
  public var size: UInt64 { entry.size }

  /// The result of the job; `nil` unless ``outcome`` is `.done`.
  public var value: Value? {
    if case .done(let value) = outcome { value } else { nil }
  }

  /// The note of the file's item, as a copy; empty without a note.
  public var note: [UInt8] { batch.withBytes(entry.note) { Array($0) } }

  /// The output of the job, as a copy. For a ``FileOutcome/link``, the target of the link.
  public var output: [UInt8] { batch.withBytes(entry.output) { Array($0) } }
}

/// A copy of a batch, outside the memory of the processor.
final class ProcessedBatch<Value: Sendable>: Sendable {
  struct Entry: Sendable {
    let path: Range<Int>  // of the bytes
    let output: Range<Int>
    let note: Range<Int>
    let size: UInt64
    let outcome: FileOutcome<Value>
    let type: FileWalk.EntryType
  }

  let entries: [Entry]
  private let bytes: [UInt8]

  /// The weight of the batch in a ``Handover``, whose capacity is a sum of weights.
  var byteCount: Int { bytes.count }

  init(_ batch: borrowing FileBatch, of sources: [FileSource]) {
    var bytes: [UInt8] = []
    var entries: [Entry] = []
    bytes.reserveCapacity(batch.output.count + 64 * batch.count)
    entries.reserveCapacity(batch.count)
    func add(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
      bytes.append(contentsOf: piece)
      return bytes.count - piece.count..<bytes.count
    }
    for index in 0..<batch.count {
      let result = batch[index]
      var outcome: FileOutcome<Value> = batch.outcome(at: index)
      if case .failed(Errno.isDirectory) = outcome, sources[result.source].isFile {
        outcome = .failed(FileProcessorError.isDirectory)
      }
      entries.append(
        Entry(
          path: add(result.path), output: add(result.output), note: add(result.note),
          size: result.size, outcome: outcome, type: result.type))
    }
    self.bytes = bytes
    self.entries = entries
  }

  func withBytes<R, E: Error>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withUnsafeBufferPointer { (all) throws(E) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[range])))
    }
  }
}

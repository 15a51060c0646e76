// The result of one file as a value that can be kept.

public import SystemPackage

/// The result of one file and of its job: an element of ``FileResults``.
///
///     let sizes = try FileProcessor { file in file.size }
///     for try await file in sizes.results(of: .tree("/srv")) {
///       switch file.outcome {
///       case .done(let size): print(size, file.path)
///       case .failed(let error): print("\(file.path): \(error)")
///       case .changed: print("\(file.path): changed while it was read")
///       case .special: print("\(file.path): not a file")
///       case .noted, .directory, .link: break
///       }
///     }
///
/// A processed file is a value that can be stored. The paths and outputs of files delivered
/// together, 64 at most by default, share one piece of memory, which each of the values
/// keeps alive. To keep few of many values, copy the parts that are needed.
///
/// The corresponding C type is `weir_file_result_t`.
public struct ProcessedFile<Value: Sendable>: Sendable {
  private let batch: ProcessedBatch<Value>
  private let index: Int

  init(_ batch: ProcessedBatch<Value>, _ index: Int) {
    self.batch = batch
    self.index = index
  }

  /// The path: the named path, or the named root followed by the relative path.
  ///
  /// `FilePath` normalizes `a//b/` to `a/b`; ``pathBytes`` has the exact bytes.
  ///
  /// - Complexity: O(*length*), a copy.
  public var path: FilePath { withPathBytes { FilePath(bytes: $0) } }

  /// The bytes of the path, without a NUL.
  ///
  /// - Complexity: O(*length*), a copy.
  public var pathBytes: [UInt8] { withPathBytes { Array($0) } }

  /// Calls a closure with the bytes of the path, without a NUL, valid during the call.
  ///
  /// - Complexity: O(1), without a copy.
  ///
  /// Blocks: no. There is no corresponding C function: C has the bytes in
  /// `weir_file_result_t`.
  public func withPathBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(batch.bytes(batch.entry(index).path))
  }

  /// The outcome of the file, with the value or the error of its job.
  public var outcome: FileOutcome<Value> { batch.entry(index).outcome }

  /// The type of the file, as far as known.
  public var type: EntryType { batch.entry(index).type }

  /// True if the file is a source itself; false if a walk found it.
  public var isNamed: Bool { batch.entry(index).isNamed }

  /// The index of the source of the file: 0 for the first.
  public var source: Int { batch.entry(index).source }

  /// The number of bytes read from the file.
  public var bytesRead: UInt64 { batch.entry(index).bytesRead }

  /// The size of a regular file when its status was last read; 0 for other types, for a file
  /// that could not be opened, and if the status was not read.
  public var size: UInt64 { batch.entry(index).size }

  /// The result of the job; `nil` unless ``outcome`` is `.done`.
  public var value: Value? {
    if case .done(let value) = outcome { value } else { nil }
  }

  /// The note of the file's item, or of the annotation closure; empty without a note.
  ///
  /// - Complexity: O(*length*), a copy.
  public var note: [UInt8] { Array(batch.bytes(batch.entry(index).note)) }

  /// The output of the job. For a ``FileOutcome/link``, the target of the link.
  ///
  /// - Complexity: O(*length*), a copy.
  public var output: [UInt8] { withOutput { Array($0) } }

  /// Calls a closure with the output of the job, valid during the call.
  ///
  /// - Complexity: O(1), without a copy.
  ///
  /// Blocks: no. There is no corresponding C function: C has the bytes in
  /// `weir_file_result_t`.
  public func withOutput<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(batch.bytes(batch.entry(index).output))
  }
}

/// A copy of a batch, outside the memory of the processor.
///
/// @unchecked Sendable: it does not change after its creation.
final class ProcessedBatch<Value: Sendable>: @unchecked Sendable {
  struct Entry {
    let path: Range<Int>  // of the bytes
    let output: Range<Int>
    let note: Range<Int>
    let bytesRead: UInt64
    let size: UInt64
    let outcome: FileOutcome<Value>
    let type: EntryType
    let isNamed: Bool
    let source: Int
  }

  let count: Int
  /// The weight of the batch in a ``Handover``, whose capacity is a sum of weights.
  let byteCount: Int
  private let bytes: UnsafeMutableRawPointer
  private let entries: UnsafeMutablePointer<Entry>

  init(_ batch: borrowing FileBatch) {
    count = batch.count
    var length = 0
    for index in 0..<batch.count {
      let result = batch[index]
      length += result.path.count + result.output.count + result.note.count
    }
    byteCount = length
    bytes = .allocate(byteCount: max(length, 1), alignment: 1)
    entries = .allocate(capacity: batch.count)
    copy(batch)
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
    bytes.deallocate()
  }

  private func copy(_ batch: borrowing FileBatch) {
    var used = 0
    func add(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
      defer { used += piece.count }
      if let start = piece.baseAddress {
        (bytes + used).copyMemory(from: start, byteCount: piece.count)
      }
      return used..<used + piece.count
    }
    for index in 0..<count {
      let result = batch[index]
      (entries + index).initialize(
        to: Entry(
          path: add(result.path), output: add(result.output), note: add(result.note),
          bytesRead: result.bytesRead, size: result.size, outcome: batch.outcome(at: index),
          type: result.type, isNamed: result.isNamed, source: result.source))
    }
  }

  func entry(_ index: Int) -> Entry { entries[index] }

  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }
}

// The result of a file, and the batch of results that is delivered at once, which is valid during
// the delivery only.

package import CWeir
internal import SystemPackage

/// The result of one file, without a value. The corresponding C type is `weir_file_result_t`.
public struct FileResult {
  package typealias Outcome = FileOutcome<Void>

  private let result: weir_file_result_t
  /// The error that the job threw, unless the result has it as an errno value.
  private let thrown: Box<any Error>?
  /// The memory of the result; `nil` if its batch has it, during the delivery only.
  private var owned: FixedBytes?

  init(_ result: weir_file_result_t, thrown: Box<any Error>?) {
    self.result = result
    self.thrown = thrown
  }

  /// Returns the result with memory of its own.
  package func copied() -> FileResult {
    let bytes = FixedBytes(note, Array(path) + [0] + output)
    var copy = result
    copy.note = bytes.first.baseAddress
    copy.path = bytes.second.assumingMemoryBound(to: CChar.self).baseAddress ?? result.path
    copy.output = copy.path + path.count + 1
    var owner = FileResult(copy, thrown: thrown)
    owner.owned = bytes
    return owner
  }

  /// The bytes of the path, without a NUL, as a copy.
  public var pathBytes: [UInt8] { Array(path) }

  /// The bytes of the path; of a result in a batch valid during the delivery.
  package var path: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.path, count: result.path_length)
  }

  /// The outcome of the file.
  public var outcome: FileOutcome<Void> {
    switch result.outcome {
    case WEIR_FILE_DONE: .done(())
    case WEIR_FILE_SPECIAL: .special
    case WEIR_FILE_NOTED: .noted
    case WEIR_FILE_CHANGED: .changed(result.error == 0 ? nil : Errno(rawValue: result.error))
    case WEIR_FILE_DIRECTORY: .directory
    case WEIR_FILE_LINK: .link
    default: .failed(thrown?.value ?? Errno(rawValue: result.error))
    }
  }

  /// The outcome and the type as the numbers of C.
  package var code: UInt32 { result.outcome.rawValue }
  package var typeCode: UInt32 { result.type.rawValue }

  /// The type of the file, as far as known.
  public var type: FileWalk.EntryType { FileWalk.EntryType(result.type) }

  package var isNamed: Bool { result.named }

  package var source: Int { result.source }

  package var bytesRead: UInt64 { result.bytes }

  /// The note of the item or the annotation, aligned to 8; empty without one.
  package var note: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.note, count: result.note_length)
  }

  package var size: UInt64 { result.size }

  /// The output of the job; the target of a link, which is no part of ``FileBatch/output``.
  package var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: result.output, count: result.output_length)
  }
}

/// The results of files that are delivered together; it exists during the delivery only.
package struct FileBatch: ~Copyable {
  private let handle: UnsafePointer<weir_files_batch_t>

  private var batch: weir_files_batch_t { handle.pointee }

  /// True if the batch was made of records, and has no values.
  private let isRecorded: Bool

  init(_ handle: UnsafePointer<weir_files_batch_t>) {
    self.handle = handle
    isRecorded = false
  }

  /// Makes the batch of recorded results.
  package init(recorded handle: UnsafePointer<weir_files_batch_t>) {
    self.handle = handle
    isRecorded = true
  }

  package var count: Int { batch.count }

  /// Returns the result of one file. The results are in order of delivery.
  package subscript(index: Int) -> FileResult {
    guard index >= 0 && index < batch.count else {
      misuse("file \(index) of a batch of \(batch.count) was requested")
    }
    let result = batch.results[index]
    let isFailed = result.outcome == WEIR_FILE_FAILED
    let box = isFailed ? left(at: index) : nil
    return FileResult(
      result, thrown: box.map { Unmanaged<Box<any Error>>.fromOpaque($0).takeUnretainedValue() })
  }

  /// The output of all jobs in order, so that one write can pass it on.
  package var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: batch.output, count: batch.output_length)
  }

  /// Returns the outcome of one file with the value of its job.
  func outcome<Value>(at index: Int) -> FileOutcome<Value> {
    self[index].outcome.with { valueOfJob(left(at: index)) }
  }

  /// Returns the box with the value of a job or, if the file failed, with its error.
  private func left(at index: Int) -> UnsafeRawPointer? {
    isRecorded ? nil : UnsafeRawPointer(weir_files_batch_value(handle, index))
  }
}

/// Returns the value in a box that a job left, and that belongs to C.
func valueOfJob<Value>(_ box: UnsafeRawPointer?) -> Value {
  if let nothing = () as? Value, Value.self == Void.self { return nothing }
  guard let box else { fatalError("the file processor lost the value of a job") }
  // The job of the processor creates no other boxes.
  return unsafeDowncast(
    Unmanaged<AnyObject>.fromOpaque(box).takeUnretainedValue(), to: Box<Value>.self
  ).value
}

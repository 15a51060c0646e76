// Files that are delivered together.

internal import CWeir

/// Files that are delivered together.
///
/// It exists during the delivery, and is lent.
///
/// The corresponding C type is `weir_files_batch_t`.
public struct FileBatch: ~Copyable {
  private let handle: UnsafePointer<weir_files_batch_t>

  private var batch: weir_files_batch_t { handle.pointee }

  init(_ handle: UnsafePointer<weir_files_batch_t>) {
    self.handle = handle
  }

  /// How many files.
  public var count: Int { batch.count }

  /// The result of one of them, in order.
  public subscript(index: Int) -> FileResult {
    guard index >= 0 && index < batch.count else {
      misuse("file \(index) of a batch of \(batch.count) was asked for")
    }
    return FileResult(batch.results[index])
  }

  /// What the jobs wrote for all of them, one after the other: so it can go out
  /// in one write.
  public var output: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: batch.output, count: batch.output_length)
  }

  /// The value that the job of one of them returned, in the box that carries it
  /// through C; lent, as all of the batch.
  func box(at index: Int) -> AnyObject? {
    weir_files_batch_value(handle, index).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

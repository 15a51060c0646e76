// A file as its job sees it.

internal import CWeir
public import SystemPackage

/// A file that a ``FileProcessor`` has opened for a job.
///
/// It exists during the job, on the job's thread, and is lent: it cannot be
/// copied or kept. The pointers it gives are of use until the job returns, and
/// those of ``read()`` until the next read.
///
/// The corresponding C type is `weir_file_t`.
public struct OpenFile: ~Copyable {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  /// The bytes of its path, without a NUL.
  ///
  /// The corresponding C function is `weir_file_path`.
  public var path: UnsafeRawBufferPointer {
    var length = 0
    let start = weir_file_path(handle, &length)
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The note of the item that it is or was found below; empty where there is
  /// none. The first byte is aligned to 8.
  ///
  /// The corresponding C function is `weir_file_note`.
  public var note: UnsafeRawBufferPointer {
    var length = 0
    let start = weir_file_note(handle, &length)
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The open descriptor, which the processor closes.
  ///
  /// The corresponding C function is `weir_file_descriptor`.
  public var descriptor: FileDescriptor {
    FileDescriptor(rawValue: weir_file_descriptor(handle))
  }

  /// Its size in bytes when it was opened; 0 for what has none.
  ///
  /// The corresponding C function is `weir_file_status`.
  public var size: Int64 {
    Int64(weir_file_status(handle).pointee.st_size)
  }

  /// Reads the next piece into the lane's buffer.
  ///
  /// Blocks: as the file system does.
  ///
  /// - Returns: The piece, or `nil` at the end of the file.
  /// - Throws: What `read(2)` said, `EINTR` aside.
  ///
  /// The corresponding C function is `weir_file_read`.
  public borrowing func read() throws(Errno) -> UnsafeRawBufferPointer? {
    var bytes: UnsafeRawPointer?
    var length = 0
    let error = weir_file_read(handle, &bytes, &length)
    if error != 0 {
      throw Errno(rawValue: error)
    }
    return length == 0 ? nil : UnsafeRawBufferPointer(start: bytes, count: length)
  }

  /// Adds to what is delivered for this file.
  ///
  /// - Parameters:
  ///   - capacity: How many bytes at most.
  ///   - body: Is given that much memory, uninitialised, and returns how many
  ///     bytes of it were written, from the first on.
  /// - Throws: `Errno.noMemory`.
  ///
  /// The corresponding C functions are `weir_file_reserve` and
  /// `weir_file_commit`.
  public borrowing func write(
    capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(Errno) {
    guard capacity >= 0 else { fatalError("a file was asked to reserve \(capacity) bytes") }
    guard let room = weir_file_reserve(handle, capacity) else { throw .noMemory }
    let written = body(UnsafeMutableRawBufferPointer(start: room, count: capacity))
    guard written >= 0 && written <= capacity else {
      fatalError("\(written) bytes of output were written where \(capacity) were reserved")
    }
    weir_file_commit(handle, written)
  }

  /// Adds bytes to what is delivered for this file.
  ///
  /// - Throws: `Errno.noMemory`.
  ///
  /// The corresponding C function is `weir_file_write`.
  public borrowing func write(_ bytes: some Sequence<UInt8>) throws(Errno) {
    let copied = Array(bytes)
    let error = copied.withUnsafeBytes { bytes -> Int32 in
      guard let start = bytes.baseAddress else { return 0 }
      return weir_file_write(handle, start, bytes.count)
    }
    if error != 0 {
      throw Errno(rawValue: error)
    }
  }
}

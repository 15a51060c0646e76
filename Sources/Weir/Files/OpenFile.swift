// A file as its job sees it.

internal import CWeir
public import SystemPackage
internal import WeirLibC

/// A file that a ``FileProcessor`` has opened for a job.
///
/// The value exists during the job, on the job's thread, and cannot be copied or stored; nor can
/// the bytes that ``read()`` returns, which the next read replaces.
///
/// The corresponding C type is `weir_file_t`.
public struct OpenFile: ~Copyable {
  /// The file of C, for the forms of FileJobs.
  package let handle: OpaquePointer
  private let doesKeepValue: Bool

  /// True if the run delivers the value of the job, which otherwise may be any value.
  package var keepsValue: Bool { doesKeepValue }

  init(_ handle: OpaquePointer, keepsValue: Bool) {
    self.handle = handle
    doesKeepValue = keepsValue
  }

  /// The bytes of the path, without a NUL, as a copy. The corresponding C function is
  /// `weir_file_path`.
  public var pathBytes: [UInt8] { Array(path) }

  /// The bytes of the path; valid until the job returns.
  package var path: UnsafeRawBufferPointer {
    var length = 0
    let start = weir_file_path(handle, &length)
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The note of the file's item, as a copy; empty without a note. The corresponding C function is
  /// `weir_file_note`.
  public var note: [UInt8] { Array(lentNote) }

  /// The note of the item or the annotation, aligned to 8; valid until the job returns.
  package var lentNote: UnsafeRawBufferPointer {
    var length = 0
    let start = weir_file_note(handle, &length)
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The open descriptor, which the processor closes. Its number is -1 if the descriptor could not
  /// be moved to the bytes that ``read()`` has not returned; ``read()`` then throws the error. The
  /// corresponding C function is `weir_file_descriptor`.
  public var descriptor: FileDescriptor {
    FileDescriptor(rawValue: weir_file_descriptor(handle))
  }

  /// The size in bytes when the status was last read; 0 for a file without a size. Before the first
  /// ``read()`` it costs a system call. The corresponding C function is `weir_file_status`.
  public var size: Int64 {
    Int64(weir_file_status(handle).pointee.st_size)
  }

  /// Reads the next piece into the lane's buffer.
  ///
  ///     let counter = try FileProcessor { file in
  ///       var zeros = 0
  ///       while let piece = try file.read() {
  ///         for index in piece.indices where piece[index] == 0 { zeros += 1 }
  ///       }
  ///       return zeros
  ///     }
  ///
  /// - Returns: The piece, or `nil` at the end of the file. The next read replaces its bytes.
  /// - Throws: Any error of `read(2)` but `EINTR`; `Errno.canceled` a second after the run was
  ///   cancelled.
  ///
  /// Blocks: as the file system does. The corresponding C function is `weir_file_read`.
  @_lifetime(borrow self)
  public borrowing func read() throws(Errno) -> Span<UInt8>? {
    guard let piece = try readPiece() else { return nil }
    return _overrideLifetime(Span(_unsafeBytes: piece), borrowing: self)
  }

  /// Reads the next piece; valid until the next read.
  package borrowing func readPiece() throws(Errno) -> UnsafeRawBufferPointer? {
    var bytes: UnsafeRawPointer?
    var length = 0
    try check(weir_file_read(handle, &bytes, &length))
    return length == 0 ? nil : UnsafeRawBufferPointer(start: bytes, count: length)
  }

  /// Appends to the output: `body` writes to uninitialized memory, and returns the number of bytes.
  package borrowing func write(
    capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws(Errno) {
    guard capacity >= 0 else { misuse("a file was asked to reserve \(capacity) bytes") }
    guard let room = weir_file_reserve(handle, capacity) else { throw .noMemory }
    let written = body(UnsafeMutableRawBufferPointer(start: room, count: capacity))
    guard written >= 0 && written <= capacity else {
      misuse("\(written) bytes of output were written, but \(capacity) were reserved")
    }
    weir_file_commit(handle, written)
  }

  /// Appends bytes to the output of the file. Throws `Errno.noMemory`. The corresponding C function
  /// is `weir_file_write`.
  public borrowing func write(_ bytes: some Sequence<UInt8>) throws(Errno) {
    let handle = handle
    let append = { (bytes: UnsafeRawBufferPointer) -> Int32 in
      bytes.baseAddress.map { weir_file_write(handle, $0, bytes.count) } ?? 0
    }
    let error =
      bytes.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes(append)
    try check(error)
  }

  /// Appends bytes to the output of the file, such as those of ``read()``. Throws `Errno.noMemory`.
  /// The corresponding C function is `weir_file_write`.
  public borrowing func write(_ bytes: Span<UInt8>) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in try write(bytes) }
  }
}

extension OpenFile {
  /// Reads a part of the file at an offset, for jobs that need only a part, such as the end.
  ///
  ///     let ends = try FileProcessor { file -> Bool in
  ///       try file.read(at: UInt64(max(file.size, 1) - 1), count: 1) == [UInt8(ascii: "\n")]
  ///     }
  ///
  /// The position of ``read()`` does not change.
  ///
  /// - Parameters:
  ///   - offset: The offset of the part from the beginning of the file, in bytes.
  ///   - count: The number of bytes.
  /// - Returns: The bytes; fewer if the file ends before.
  /// - Throws: Any error of `pread(2)` but `EINTR`, such as `Errno.illegalSeek` for a file that can
  ///   only be read sequentially; else as ``read()``.
  /// - Complexity: O(*count*).
  ///
  /// Blocks: as the file system does. The corresponding C function is `weir_file_read_at`.
  public borrowing func read(at offset: UInt64, count: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = try bytes.withUnsafeMutableBufferPointer { (memory) throws(Errno) in
      try read(at: offset, into: UnsafeMutableRawBufferPointer(memory))
    }
    bytes.removeSubrange(done...)
    return bytes
  }

  /// Fills memory from an offset, unless the file ends before; returns the number of bytes read.
  package borrowing func read(
    at offset: UInt64, into memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    _ = descriptor  // opens the file; C counts the descriptor as used by the job
    var done = 0
    while done < memory.count, let start = memory.baseAddress {
      let got = try readOnce(at: offset + UInt64(done), start + done, memory.count - done)
      if got == 0 { break }
      done += got
    }
    return done
  }

  private borrowing func readOnce(
    at offset: UInt64, _ start: UnsafeMutableRawPointer, _ count: Int
  ) throws(Errno) -> Int {
    var length = 0
    let error = weir_file_read_at(handle, offset, start, count, &length)
    // read() throws the reason that the file must not be read.
    if error == EBADF { _ = try readPiece() }
    try check(error)
    return length
  }
}

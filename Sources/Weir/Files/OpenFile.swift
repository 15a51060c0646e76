// A file as its job sees it.

internal import CWeir
internal import Glibc
public import SystemPackage

/// A file that a ``FileProcessor`` has opened for a job.
///
/// It exists during the job, on the job's thread, and is lent: it cannot be
/// copied or kept. The pointers it gives are of use until the job returns, and
/// those of ``read()`` until the next read.
///
/// The corresponding C type is `weir_file_t`.
public struct OpenFile: ~Copyable {
  let handle: OpaquePointer

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

  /// The note of the item that it is or was found below, or what annotated it;
  /// empty where there is none. The first byte is aligned to 8.
  ///
  /// The corresponding C function is `weir_file_note`.
  public var note: UnsafeRawBufferPointer {
    var length = 0
    let start = weir_file_note(handle, &length)
    return UnsafeRawBufferPointer(start: start, count: length)
  }

  /// The open descriptor, which the processor closes. Its number is -1 where a file
  /// that is opened late could not be opened; then ``read()`` says why.
  ///
  /// The corresponding C function is `weir_file_descriptor`.
  public var descriptor: FileDescriptor {
    FileDescriptor(rawValue: weir_file_descriptor(handle))
  }

  /// Its size in bytes when it was last looked at; 0 for what has none. Asked
  /// for before the first ``read()`` it costs a system call.
  ///
  /// The corresponding C function is `weir_file_status`.
  public var size: Int64 {
    Int64(weir_file_status(handle).pointee.st_size)
  }

  /// What the system said of it last; of a file that is opened late and could not be
  /// opened nothing, with the type `.unknown`. Asked for before the first
  /// ``read()`` it costs a system call.
  ///
  /// The corresponding C function is `weir_file_status`.
  public var status: FileStatus {
    FileStatus(weir_file_status(handle).pointee)
  }

  /// Looks at the file without opening it, under
  /// ``FileProcessorOptions/opensLate``: one system call, which follows a symbolic
  /// link where opening would.
  ///
  ///     var options = FileProcessorOptions()
  ///     options.opensLate = true
  ///     let yesterday = FileTime(seconds: 1_700_000_000, nanoseconds: 0)
  ///     let counter = try FileProcessor(options) { (file) throws(Errno) -> Int in
  ///       if try file.pathStatus().modified < yesterday { return 0 }
  ///       var count = 0
  ///       while let piece = try file.read() { count += piece.count }
  ///       return count
  ///     }
  ///
  /// What the path leads to may be another file by the time it is opened. Where it
  /// turns out to be nothing to be read (special, excluded, a directory, a link that
  /// is not to be followed) it is not opened any more, and what becomes of it is as
  /// if it had been. Where the file is open already, what is known of it is given.
  ///
  /// - Returns: What it is.
  /// - Throws: What the system said. Caught, it decides nothing about the file.
  /// - Complexity: O(1).
  ///
  /// Blocks: as the file system does.
  ///
  /// The corresponding C function is `weir_file_stat_path`.
  public borrowing func pathStatus() throws(Errno) -> FileStatus {
    var status = stat()
    let error = weir_file_stat_path(handle, &status)
    if error != 0 {
      throw Errno(rawValue: error)
    }
    return FileStatus(status)
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

  /// What a job has left with ``remember(_:)``, in this run, for another name
  /// of the same file (a hard link); `nil` where there is nothing.
  ///
  ///     let sums = try FileProcessor { (file) throws(Errno) in
  ///       if let known = file.remembered { return known.load(as: UInt8.self) }
  ///       var sum: UInt8 = 0
  ///       while let piece = try file.read() {
  ///         sum = piece.reduce(sum, &+)
  ///       }
  ///       withUnsafeBytes(of: sum) { file.remember($0) }
  ///       return sum
  ///     }
  ///
  /// To be asked before the file is read: who is told nothing is to read it, and
  /// who meets another of its names meanwhile waits for this job to end. So each
  /// file is read once, however many names it has. For a file with one name it
  /// costs no system call. The bytes are of use until the job ends.
  ///
  /// Blocks: while another lane is at the same file by another name.
  ///
  /// The corresponding C function is `weir_file_remembered`.
  public var remembered: UnsafeRawBufferPointer? {
    var length = 0
    guard let bytes = weir_file_remembered(handle, &length) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: length)
  }

  /// Leaves something, as a digest, for the other names of the file.
  ///
  /// It is kept where ``remembered`` was asked before and gave nothing, the file
  /// has other names, the job ends without an error, and the file has not
  /// changed meanwhile; at most 8 MiB together, of which the oldest go first.
  ///
  /// - Parameter bytes: What to keep, copied at once; more than 512 KiB are not
  ///   kept.
  /// - Complexity: O(*length*).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_file_remember`.
  public borrowing func remember(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeBytes(of: handle) { other in
      // Of no bytes there may be no address.
      guard let start = bytes.baseAddress ?? other.baseAddress else { return }
      weir_file_remember(handle, start, bytes.count)
    }
  }

  /// Whether what ``remember(_:)`` is given is of use to anybody: the file has other
  /// names, and this job is the first to read it.
  ///
  /// The corresponding C function is `weir_file_is_awaited`.
  public var isAwaited: Bool { weir_file_is_awaited(handle) }

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
    guard capacity >= 0 else { misuse("a file was asked to reserve \(capacity) bytes") }
    guard let room = weir_file_reserve(handle, capacity) else { throw .noMemory }
    let written = body(UnsafeMutableRawBufferPointer(start: room, count: capacity))
    guard written >= 0 && written <= capacity else {
      misuse("\(written) bytes of output were written where \(capacity) were reserved")
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

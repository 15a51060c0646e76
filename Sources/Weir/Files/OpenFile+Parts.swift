// A part of a file, wherever it lies.

internal import CWeir
internal import Glibc
public import SystemPackage

extension OpenFile {
  /// Reads a part of the file, wherever it lies: for jobs that need no more than that,
  /// as its end.
  ///
  ///     let ends = try FileProcessor { (file) throws(Errno) -> Bool in
  ///       let last = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
  ///       defer { last.deallocate() }
  ///       let begin = UInt64(max(file.size, 1) - 1)
  ///       return try file.read(at: begin, into: last) == 1 && last[0] == UInt8(ascii: "\n")
  ///     }
  ///
  /// Where ``read()`` stands is left as it is. The file is looked at before the first
  /// part is read, and once more when the job has returned.
  ///
  /// - Parameters:
  ///   - offset: Where the part begins, from the beginning of the file.
  ///   - memory: Where to write it. It is filled, unless the file ends before.
  /// - Returns: How many bytes there were.
  /// - Throws: What `pread(2)` said, `EINTR` aside: `Errno.illegalSeek` of what can
  ///   only be read on and on. Of a file that is not to be read, what ``read()`` says.
  /// - Complexity: O(*length*).
  ///
  /// Blocks: as the file system does.
  ///
  /// The corresponding C function is `weir_file_read_at`.
  public borrowing func read(
    at offset: UInt64, into memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    _ = descriptor  // from here on it is lent
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
    // Reading says why the file is not to be read.
    if error == EBADF { _ = try read() }
    if error != 0 { throw Errno(rawValue: error) }
    return length
  }
}

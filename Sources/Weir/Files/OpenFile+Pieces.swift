// A big file, read by several threads.

internal import CWeir
public import SystemPackage

extension OpenFile {
  /// Reads what is left of the file in pieces, on this thread and on lanes, and
  /// gathers what comes of them.
  ///
  ///     let helpers = Lanes(label: "pieces", width: Lanes.defaultWidth)
  ///     let zeros = try FileProcessor { (file) throws(Errno) in
  ///       try file.concurrentReduce(into: 0, on: helpers) { (count, bytes) throws(Errno) in
  ///         for byte in bytes where byte == 0 { count += 1 }
  ///       } combine: { (count, next) throws(Errno) in
  ///         count += next
  ///       }
  ///     }
  ///
  /// Each piece has a partial result of its own, which begins as a copy of the
  /// identity and is given the piece's bytes in order, bit by bit. Partial results are
  /// combined in the order of the file, whoever read them. So the result is the same
  /// on any number of lanes, as long as it does not matter to it where pieces end.
  ///
  /// What has fewer than two pieces left, and what is no regular file, is one piece,
  /// and is read on this thread alone. Where the lanes have other work, this thread
  /// does not wait for them, but for what they have begun.
  ///
  /// - Parameters:
  ///   - identity: What changes nothing when it is combined with another. The result
  ///     where nothing is left.
  ///   - lanes: Who helps, for as many files at once as there are; not the ones that
  ///     this job runs on, if any.
  ///   - helpers: How many of them at most; `nil` for one less than there are cores.
  ///   - pieceSize: How many bytes a piece has, at least 1.
  ///   - accumulate: Adds bytes to a partial result. Called by several threads at
  ///     once, each with a partial result of its own; the bytes are lent.
  ///   - combine: Adds a partial result to that of all before it. Called by one
  ///     thread at a time.
  /// - Returns: The partial results, combined.
  /// - Throws: What reading or a closure throws: the first in time. No piece begins
  ///   after it.
  /// - Complexity: O(*length*), and 256 KiB of memory for each thread.
  ///
  /// Blocks: yes, as the file system does, and until everybody is done.
  ///
  /// The corresponding C function is `weir_file_read_at`.
  public borrowing func concurrentReduce<Partial: Sendable>(
    into identity: Partial, on lanes: Lanes, helpers: Int? = nil, pieceSize: Int = 4 << 20,
    _ accumulate: @escaping @Sendable (inout Partial, UnsafeRawBufferPointer) throws(Errno) -> Void,
    combine: @escaping @Sendable (inout Partial, Partial) throws(Errno) -> Void
  ) throws(Errno) -> Partial {
    guard pieceSize >= 1 else {
      misuse("a file was to be read in pieces of \(pieceSize) bytes; it is 1 at least")
    }
    var result = identity
    let helpers = helpers ?? Lanes.defaultWidth - 1
    if helpers > 0, let range = try rest,
      (range.upperBound - range.lowerBound) / UInt64(pieceSize) >= 2
    {
      let run = PieceRun(
        handle, range, UInt64(pieceSize), identity, accumulate: accumulate, combine: combine)
      result = try run.run(on: lanes, helpers: helpers)
      try seek(to: range.upperBound)
    }
    // The rest, or what has been added meanwhile.
    var last = identity
    var hasLast = false
    while let bytes = try read() {
      hasLast = true
      try accumulate(&last, bytes)
    }
    if hasLast { try combine(&result, last) }
    return result
  }

  /// What is left of a regular file; `nil` of anything else.
  private var rest: Range<UInt64>? {
    get throws(Errno) {
      let status = status
      guard status.type == .file else { return nil }
      let descriptor = descriptor
      do {
        let begin = UInt64(try descriptor.seek(offset: 0, from: .current))
        return begin < status.size ? begin..<status.size : nil
      } catch {
        return nil  // it can only be read on and on
      }
    }
  }

  private borrowing func seek(to offset: UInt64) throws(Errno) {
    do {
      try descriptor.seek(offset: Int64(offset), from: .start)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}

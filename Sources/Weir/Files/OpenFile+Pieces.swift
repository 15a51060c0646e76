// Concurrent reads of one large file.

internal import CWeir
internal import Dispatch
public import SystemPackage
internal import WeirLibC

extension OpenFile {
  /// Reads the rest of the file in pieces, on this thread and on lanes, and combines their
  /// results.
  ///
  ///     let helpers = Lanes(label: "pieces", width: Lanes.defaultWidth)
  ///     let zeros = try FileProcessor { file in
  ///       try file.concurrentReduce(into: 0, on: helpers) { count, bytes in
  ///         for index in bytes.indices where bytes[index] == 0 { count += 1 }
  ///       } combine: { count, next in
  ///         count += next
  ///       }
  ///     }
  ///
  /// Each piece has its own partial result, which begins as a copy of the identity and receives the
  /// bytes of the piece in order, in parts. Partial results are combined in the order of the file.
  ///
  /// A rest of fewer than two pieces, and anything but a regular file, is read as one piece on this
  /// thread. If the lanes have other work, this thread waits only for pieces that they have begun.
  ///
  /// - Parameters:
  ///   - identity: The value that changes nothing when combined. The result for an empty rest.
  ///   - lanes: The lanes that help, shared by any number of files. Not the lanes that run this
  ///     job.
  ///   - helpers: The maximum number of lanes that help; `nil` for one less than there are cores.
  ///   - pieceSize: The number of bytes in a piece, at least 1.
  ///   - accumulate: Adds bytes, valid during the call, to a partial result. Called by several
  ///     threads at once, each with its own partial result.
  ///   - combine: Adds a partial result to the result of all earlier pieces. Called by one thread
  ///     at a time.
  /// - Throws: The first error of a read or a closure. No piece begins after it.
  /// - Complexity: O(*length*), and 256 KiB of memory for each thread.
  ///
  /// Blocks: yes, as the file system does, and until all helpers are done. The corresponding C
  /// function is `weir_file_read_at`.
  public borrowing func concurrentReduce<Partial: Sendable>(
    into identity: Partial, on lanes: Lanes, helpers: Int? = nil, pieceSize: Int = 4 << 20,
    _ accumulate: @escaping @Sendable (inout Partial, Span<UInt8>) throws(Errno) -> Void,
    combine: @escaping @Sendable (inout Partial, Partial) throws(Errno) -> Void
  ) throws(Errno) -> Partial {
    try concurrentReduce(
      on: lanes, helpers: helpers, pieceSize: pieceSize, partial: { _ in identity },
      accumulate: { (partial, bytes) throws(Errno) in
        try accumulate(&partial, Span(_unsafeBytes: bytes))
      }, combine: combine)
  }

  /// Reads the rest of the file in pieces. `partial` makes the partial result of a piece, from the
  /// number of bytes before it in the rest; several threads call it at once.
  package borrowing func concurrentReduce<Partial: Sendable>(
    on lanes: Lanes, helpers: Int? = nil, pieceSize: Int = 4 << 20,
    partial: @escaping @Sendable (_ offset: UInt64) -> Partial,
    accumulate: @escaping @Sendable (inout Partial, UnsafeRawBufferPointer) throws(Errno) -> Void,
    combine: @escaping @Sendable (inout Partial, Partial) throws(Errno) -> Void
  ) throws(Errno) -> Partial {
    guard pieceSize >= 1 else {
      misuse("a file was to be read in pieces of \(pieceSize) bytes; a piece has at least 1 byte")
    }
    var result = partial(0)
    var done: UInt64 = 0
    let helpers = helpers ?? Lanes.defaultWidth - 1
    if helpers > 0, let range = try rest,
      (range.upperBound - range.lowerBound) / UInt64(pieceSize) >= 2
    {
      let run = PieceRun(
        handle, range, UInt64(pieceSize), partial, accumulate: accumulate, combine: combine)
      result = try run.run(on: lanes, helpers: helpers)
      try seek(to: range.upperBound)
      done = range.upperBound - range.lowerBound
    }
    // The rest, or bytes that were appended meanwhile.
    var last = partial(done)
    var hasLast = false
    while let bytes = try readPiece() {
      hasLast = true
      try accumulate(&last, bytes)
    }
    if hasLast { try combine(&result, last) }
    return result
  }

  /// The unread range of a regular file; `nil` for any other file.
  private var rest: Range<UInt64>? {
    get throws(Errno) {
      let status = weir_file_status(handle).pointee
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      let descriptor = descriptor
      do {
        let begin = UInt64(try descriptor.seek(offset: 0, from: .current))
        let end = UInt64(status.st_size)
        return begin < end ? begin..<end : nil
      } catch {
        return nil  // it can only be read sequentially
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

/// One concurrent read of a file in pieces.
final class PieceRun<Partial: Sendable>: @unchecked Sendable {
  // @unchecked: the C library lets any thread read the file at an offset during the run; the
  // other members are locked or constant.
  typealias MakePartial = @Sendable (UInt64) -> Partial
  typealias Accumulate = @Sendable (inout Partial, UnsafeRawBufferPointer) throws(Errno) -> Void
  typealias Combine = @Sendable (inout Partial, Partial) throws(Errno) -> Void

  private struct Progress {
    var next: UInt64 = 0
    var helpers = 0
    var isClosed = false
    var error: Errno?
  }

  private struct Sum {
    var result: Partial
    /// The number of pieces in the result.
    var count: UInt64 = 0
    var early: [UInt64: Partial] = [:]
  }

  private let file: OpaquePointer
  private let range: Range<UInt64>
  /// Pieces begin at multiples of their size in the file, as mapped parts do.
  private let pieceSize: UInt64
  private let pieceCount: UInt64
  private let makePartial: MakePartial
  private let accumulate: Accumulate
  private let combine: Combine
  private let progress = Locked(Progress())
  private let sum: Locked<Sum>
  private let helpersEnded = DispatchSemaphore(value: 0)

  /// The number of bytes in one read, which fits the nearer caches of the core.
  private static var bufferSize: Int { 1 << 18 }

  init(
    _ file: OpaquePointer, _ range: Range<UInt64>, _ pieceSize: UInt64,
    _ makePartial: @escaping MakePartial, accumulate: @escaping Accumulate,
    combine: @escaping Combine
  ) {
    self.file = file
    self.range = range
    self.pieceSize = pieceSize
    pieceCount = (range.upperBound - 1) / pieceSize - range.lowerBound / pieceSize + 1
    self.makePartial = makePartial
    self.accumulate = accumulate
    self.combine = combine
    sum = Locked(Sum(result: makePartial(0)))
  }

  /// Reads all pieces; returns when no thread reads the file any more.
  func run(on lanes: Lanes, helpers: Int) throws(Errno) -> Partial {
    for _ in 0..<Int(clamping: min(UInt64(helpers), pieceCount - 1)) {
      lanes.async { [self] in help() }
    }
    if !work() { fail(.noMemory) }
    let mustWait = progress.with { progress in
      progress.isClosed = true
      return progress.helpers > 0
    }
    if mustWait { helpersEnded.wait() }
    if let error = progress.with({ $0.error }) { throw error }
    return sum.with { $0.result }
  }

  private func help() {
    let isOpen = progress.with { progress in
      if !progress.isClosed { progress.helpers += 1 }
      return !progress.isClosed
    }
    guard isOpen else { return }
    // Without a buffer, the others read all pieces.
    _ = work()
    let isLast = progress.with { progress in
      progress.helpers -= 1
      return progress.isClosed && progress.helpers == 0
    }
    if isLast { helpersEnded.signal() }
  }

  /// Reads pieces until none are left. Returns false if there is no memory for a buffer.
  private func work() -> Bool {
    let size = min(PieceRun.bufferSize, Int(clamping: pieceSize))
    guard let view = weir_spi_view_create(file, size) else { return false }
    defer { weir_spi_view_end(view) }
    do throws(Errno) {
      while let number = takeNext() {
        try add(number, try read(number, view))
      }
    } catch {
      fail(error)
    }
    return true
  }

  private func fail(_ error: Errno) {
    progress.with { $0.error = $0.error ?? error }
  }

  private func takeNext() -> UInt64? {
    progress.with { progress in
      guard progress.error == nil, progress.next < pieceCount else { return nil }
      defer { progress.next += 1 }
      return progress.next
    }
  }

  private func read(_ number: UInt64, _ view: OpaquePointer) throws(Errno) -> Partial {
    let begin = (range.lowerBound / pieceSize + number) * pieceSize
    var offset = max(begin, range.lowerBound)
    let end = begin + min(pieceSize, range.upperBound - begin)
    var partial = makePartial(offset - range.lowerBound)
    while offset < end {
      var start: UnsafeRawPointer?
      var length = 0
      try check(weir_spi_view_read(view, offset, Int(end - offset), &start, &length))
      if length == 0 { break }  // the file was truncated
      try accumulate(&partial, UnsafeRawBufferPointer(start: start, count: length))
      offset += UInt64(length)
    }
    return partial
  }

  /// Combines the result of a piece when its turn comes.
  private func add(_ number: UInt64, _ partial: Partial) throws(Errno) {
    try sum.with { sum throws(Errno) in
      sum.early[number] = partial
      while let next = sum.early.removeValue(forKey: sum.count) {
        try combine(&sum.result, next)
        sum.count += 1
      }
    }
  }
}

// The pieces of a file, and who reads which.
//
// DESIGN. Whoever has nothing to do takes the next piece. Partial results that come
// out of turn are kept until those before them are there; there are hardly more of
// them than threads. A helper that gets its lane when all pieces are taken finds the
// run closed and goes: the file may be gone by then, so nobody looks at it without
// having said so before. A loop of libdispatch would need no lanes, but would start
// its event loop, which takes three descriptors.

internal import CWeir
internal import Dispatch
internal import SystemPackage

/// Reads a file's pieces on several threads. For one run.
final class PieceRun<Partial: Sendable>: @unchecked Sendable {
  // @unchecked: the file is C's, which lets any thread read at an offset while the
  // run is open; the rest is behind locks or does not change.
  typealias Accumulate = @Sendable (inout Partial, UnsafeRawBufferPointer) throws(Errno) -> Void
  typealias Combine = @Sendable (inout Partial, Partial) throws(Errno) -> Void

  private struct Turns {
    var next: UInt64 = 0
    var helpers = 0
    var isClosed = false
    var error: Errno?
  }

  private struct Sum {
    var result: Partial
    /// How many pieces are in it.
    var count: UInt64 = 0
    var early: [UInt64: Partial] = [:]
  }

  private let file: OpaquePointer
  private let range: Range<UInt64>
  private let pieceSize: UInt64
  private let pieceCount: UInt64
  private let identity: Partial
  private let accumulate: Accumulate
  private let combine: Combine
  private let turns = Locked(Turns())
  private let sum: Locked<Sum>
  private let areGone = DispatchSemaphore(value: 0)

  /// How much is read at once: it stays in the nearer caches of the core.
  private static var bufferSize: Int { 1 << 18 }

  init(
    _ file: OpaquePointer, _ range: Range<UInt64>, _ pieceSize: UInt64, _ identity: Partial,
    accumulate: @escaping Accumulate, combine: @escaping Combine
  ) {
    self.file = file
    self.range = range
    self.pieceSize = pieceSize
    pieceCount = (range.upperBound - range.lowerBound - 1) / pieceSize + 1
    self.identity = identity
    self.accumulate = accumulate
    self.combine = combine
    sum = Locked(Sum(result: identity))
  }

  /// Reads all of them; returns when nobody is at the file any more.
  func run(on lanes: Lanes, helpers: Int) throws(Errno) -> Partial {
    for _ in 0..<Int(clamping: min(UInt64(helpers), pieceCount - 1)) {
      lanes.async { [self] in help() }
    }
    work()
    let mustWait = turns.with { turns in
      turns.isClosed = true
      return turns.helpers > 0
    }
    if mustWait { areGone.wait() }
    if let error = turns.with({ $0.error }) { throw error }
    return sum.with { $0.result }
  }

  private func help() {
    let isOpen = turns.with { turns in
      if !turns.isClosed { turns.helpers += 1 }
      return !turns.isClosed
    }
    guard isOpen else { return }
    work()
    let isLast = turns.with { turns in
      turns.helpers -= 1
      return turns.isClosed && turns.helpers == 0
    }
    if isLast { areGone.signal() }
  }

  /// Takes pieces until there are no more.
  private func work() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(PieceRun.bufferSize, Int(clamping: pieceSize)), alignment: 4096)
    defer { buffer.deallocate() }
    do throws(Errno) {
      while let number = takeNext() {
        try add(number, try read(number, buffer))
      }
    } catch {
      turns.with { $0.error = $0.error ?? error }
    }
  }

  private func takeNext() -> UInt64? {
    turns.with { turns in
      guard turns.error == nil, turns.next < pieceCount else { return nil }
      defer { turns.next += 1 }
      return turns.next
    }
  }

  private func read(
    _ number: UInt64, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Partial {
    var partial = identity
    var offset = range.lowerBound + number * pieceSize
    let end = min(range.upperBound, offset + pieceSize)
    guard let start = buffer.baseAddress else { return partial }
    while offset < end {
      var length = 0
      let error = weir_file_read_at(
        file, offset, start, min(buffer.count, Int(end - offset)), &length)
      if error != 0 { throw Errno(rawValue: error) }
      if length == 0 { break }  // it was cut short
      try accumulate(&partial, UnsafeRawBufferPointer(start: start, count: length))
      offset += UInt64(length)
    }
    return partial
  }

  /// Adds what came of a piece, in its turn.
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

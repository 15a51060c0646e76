// Whose turn it is.

internal import Dispatch
internal import SystemPackage
internal import Weir

/// Counts what was given to the lanes and what they have handed out, and keeps
/// what waits until these are the same.
///
/// All but ``handedOut(_:)`` is for the feeder's thread.
final class DropInTurns: @unchecked Sendable {
  // @unchecked: the mutex of Locked guards the counts; the rest is the feeder's.
  private struct Counts {
    var given = 0
    var handedOut = 0
    var isAwaited = false
  }

  private let counts = Locked(Counts())
  private let isLevel = DispatchSemaphore(value: 0)
  private var isTurnAwaited = false
  private var file: (name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)?
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    memory.deallocate()
  }

  /// One more was given to the lanes.
  func given() {
    counts.with { $0.given += 1 }
  }

  /// So many were handed out.
  func handedOut(_ count: Int) {
    let isAwaited = counts.with { counts in
      counts.handedOut += count
      return counts.isAwaited && counts.handedOut == counts.given
    }
    if isAwaited { isLevel.signal() }
  }

  /// What comes next has to have its turn.
  func await() {
    isTurnAwaited = true
  }

  /// A file comes next, and has to have its turn.
  func await(_ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer) {
    isTurnAwaited = true
    file = (name, note)
  }

  /// Where a turn is awaited, waits until all that was given is handed out.
  /// Gives the file whose turn it is, if it is a file's.
  func waitForTurn() -> (name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)? {
    guard isTurnAwaited else { return nil }
    isTurnAwaited = false
    waitUntilLevel()
    defer { file = nil }
    return file
  }

  private func waitUntilLevel() {
    let isBehind = counts.with { counts in
      counts.isAwaited = counts.handedOut != counts.given
      return counts.isAwaited
    }
    if isBehind { isLevel.wait() }
    counts.with { $0.isAwaited = false }
  }

  /// Memory for the line of a file that had its turn; what was written to it.
  func room(
    _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  ) throws(Errno) -> UnsafeRawBufferPointer {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count, alignment: 1)
    }
    return UnsafeRawBufferPointer(rebasing: memory[..<(try body(memory))])
  }
}

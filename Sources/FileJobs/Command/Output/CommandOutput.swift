// The output of one command, kept until it is delivered.

internal import SystemPackage
package import Weir
internal import WeirLibC

/// The output of one command: both streams, in the order in which they were read.
public final class CommandOutput: Sendable {
  /// A part in the temporary file.
  private struct Piece {
    let slot: Int
    let count: Int
  }

  private struct State {
    var pieces: [Piece] = []
    /// The part in memory, in spans with a header each: memory is bounded however often
    /// the stream changes.
    var tail: [UInt8] = []
    /// The last span of the tail: the index of its header, its stream and its size.
    var span: (header: Int, isError: Bool, count: Int)?
    var failure: Errno?
    var total: UInt64 = 0
  }

  /// 15 bits for the number of bytes less one, and one for the stream.
  private static let headerBytes = 2
  private static let spanMost = 0x8000

  private let spool: OutputSpool
  private let state = Locked(State())

  init(_ spool: OutputSpool) {
    self.spool = spool
  }

  deinit {
    for piece in state.with({ $0.pieces }) { spool.release(piece.slot) }
  }

  /// The number of bytes.
  package var count: UInt64 { state.with { $0.total } }

  /// The error because of which not all output could be kept.
  var failure: Errno? { state.with { $0.failure } }

  /// Appends bytes that were read.
  func append(_ stream: ChildProcess.Stream, _ bytes: UnsafeRawBufferPointer) {
    state.with { state -> Void in
      guard state.failure == nil else { return }
      state.total += UInt64(bytes.count)
      var rest = bytes[...]
      while !rest.isEmpty {
        guard let room = CommandOutput.room(in: &state, isError: stream == .error) else {
          if !spill(&state) { return }
          continue
        }
        let part = rest.prefix(room)
        rest = rest.dropFirst(part.count)
        state.tail.append(contentsOf: part)
        CommandOutput.lengthen(&state, by: part.count)
      }
    }
  }

  /// Begins a span of a stream if the last one is full or of the other stream. Returns the
  /// room in the span; `nil` if the tail is full.
  private static func room(in state: inout State, isError: Bool) -> Int? {
    let room = OutputSpool.slotBytes - state.tail.count
    if let span = state.span, span.isError == isError, span.count < spanMost {
      return room > 0 ? min(room, spanMost - span.count) : nil
    }
    guard room > headerBytes else { return nil }
    state.span = (state.tail.count, isError, 0)
    state.tail.append(contentsOf: repeatElement(0, count: headerBytes))
    return min(room - headerBytes, spanMost)
  }

  private static func lengthen(_ state: inout State, by count: Int) {
    guard var span = state.span else { return }
    span.count += count
    state.span = span
    let header = UInt16(span.count - 1) | (span.isError ? 0x8000 : 0)
    state.tail[span.header] = UInt8(truncatingIfNeeded: header)
    state.tail[span.header + 1] = UInt8(header >> 8)
  }

  private func spill(_ state: inout State) -> Bool {
    do throws(Errno) {
      let slot = try spool.write(state.tail)
      state.pieces.append(Piece(slot: slot, count: state.tail.count))
      state.tail.removeAll(keepingCapacity: true)
      state.span = nil
      return true
    } catch {
      state.failure = error
      return false
    }
  }

  /// Calls a closure with all output, piece by piece, in the order in which it was read.
  /// The memory is valid during the call.
  ///
  /// Blocks: while the temporary file is read, if there is one.
  package func forEach(
    _ body: (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try forEachSlot { try CommandOutput.visit($0, body) }
  }

  /// Calls a closure with all output as it is kept: slots of spans with a header each.
  func forEachSlot(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let (pieces, tail) = state.with { ($0.pieces, $0.tail) }
    if !pieces.isEmpty {
      let memory = try reading { () throws(Errno) in
        try UnsafeMutableRawBufferPointer.allocating(OutputSpool.slotBytes)
      }
      defer { free(memory.baseAddress) }
      for piece in pieces {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<piece.count])
        try reading { () throws(Errno) in try spool.read(piece.slot, into: bytes) }
        try body(UnsafeRawBufferPointer(bytes))
      }
    }
    if !tail.isEmpty { try tail.withUnsafeBytes(body) }
  }

  /// Appends a slot of another output. Returns false if it is malformed.
  func append(slot: UnsafeRawBufferPointer) -> Bool {
    CommandOutput.visit(slot) { append($0, $1) }
  }

  /// Names the directory of the temporary file in an error.
  private func reading<R>(_ body: () throws(Errno) -> R) throws(CommandFailure) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw .spool(spool.directory, error.rawValue)
    }
  }

  /// Calls a closure with each span of a slot. Returns false if the slot is malformed.
  @discardableResult
  private static func visit(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void
  ) rethrows -> Bool {
    var offset = 0
    while offset < bytes.count {
      guard bytes.count - offset > headerBytes else { return false }
      let header = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
      offset += headerBytes
      let end = offset + Int(header & 0x7FFF) + 1
      guard end <= bytes.count else { return false }
      let stream: ChildProcess.Stream = header & 0x8000 == 0 ? .output : .error
      try body(stream, UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
      offset = end
    }
    return true
  }
}

internal import SystemPackage
package import Weir

/// The output of one command: both streams, in the order in which they were read.
public final class CommandOutput: Sendable {
  /// A closure that takes a piece of the output, whose memory is valid during the call.
  typealias Sink = @Sendable (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void

  private struct State {
    /// The places of the parts in the temporary file.
    var pieces: [Int] = []
    /// The taker of what is appended, once the turn of the running command has come.
    var sink: Sink?
    var isComplete = false
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
    clear()
  }

  package var count: UInt64 { state.with { $0.total } }

  /// The error because of which not all output could be kept.
  var failure: Errno? { state.with { $0.failure } }

  func append(_ stream: ChildProcess.Stream, _ bytes: UnsafeRawBufferPointer) {
    state.with { state -> Void in
      guard state.failure == nil else { return }
      state.total += UInt64(bytes.count)
      if let sink = state.sink { return sink(stream, bytes) }
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

  /// Begins a span if needed. Returns the room in the span; `nil` if the tail is full.
  private static func room(in state: inout State, isError: Bool) -> Int? {
    let room = OutputSpool.pieceBytes - state.tail.count
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
      state.pieces.append(try spool.append(state.tail))
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
    try forEachSlot(pieces, tail, body)
  }

  private func forEachSlot(
    _ pieces: [Int], _ tail: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    for piece in pieces {
      try spool.attributing { () throws(Errno) in try spool.content(piece) }.withUnsafeBytes(body)
    }
    if !tail.isEmpty { try tail.withUnsafeBytes(body) }
  }

  // MARK: - The end, and the turn, of a command

  func clear() {
    state.with { state -> Void in
      state.pieces.forEach(spool.release)
      (state.pieces, state.tail, state.span, state.total) = ([], [], nil, 0)
    }
  }

  /// Passes on what is kept, and then what is appended, unless the output is complete.
  ///
  /// Blocks: while the command passes on a piece.
  func attach(_ sink: @escaping Sink) throws {
    try state.with { state in
      if state.sink != nil || state.isComplete { return }
      try forEachSlot(state.pieces, state.tail) { CommandOutput.visit($0, sink) }
      state.pieces.forEach(spool.release)
      (state.pieces, state.tail, state.sink) = ([], [], sink)
    }
  }

  /// Notes that the command has ended. Returns true if its output was passed on.
  func complete() -> Bool {
    state.with { state in
      state.isComplete = true
      return state.sink != nil
    }
  }

  /// Returns the output as bytes, which have the pieces from now on: the number of bytes in all, of
  /// pieces, and in memory; the pieces; the part in memory.
  func pack() -> [UInt8] {
    state.with { state in
      var bytes: [UInt8] = []
      let numbers = [state.total, UInt64(state.pieces.count), UInt64(state.tail.count)]
      for number in numbers + state.pieces.map(UInt64.init) { bytes.append(littleEndian: number) }
      bytes += state.tail
      state.pieces = []
      return bytes
    }
  }

  /// Unpacks an output; `nil` if it is malformed. Sets `rest` to the bytes after it.
  convenience init?(_ spool: OutputSpool, packed rest: inout UnsafeRawBufferPointer) {
    self.init(spool)
    guard rest.count >= 24 else { return nil }
    var numbers = (0..<3).map { rest.littleEndian(at: $0 * 8) as UInt64 }
    guard numbers[1] <= (rest.count - 24) / 8 else { return nil }
    let begin = 24 + Int(numbers[1]) * 8
    guard numbers[2] <= rest.count - begin else { return nil }
    numbers += stride(from: 24, to: begin, by: 8).map { rest.littleEndian(at: $0) as UInt64 }
    let end = begin + Int(numbers[2])
    state.with { state -> Void in
      state.total = numbers[0]
      state.pieces = numbers[3...].map { Int(clamping: $0) }
      state.tail = Array(rest[begin..<end])
    }
    rest = rest[end...].rebased
  }

  /// Appends a slot of another output. Returns false if it is malformed.
  func append(slot: UnsafeRawBufferPointer) -> Bool {
    CommandOutput.visit(slot) { append($0, $1) }
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
      try body(stream, bytes[offset..<end].rebased)
      offset = end
    }
    return true
  }
}

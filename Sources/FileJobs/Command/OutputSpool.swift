// What commands have written and nobody has taken yet.
//
// DESIGN. Of each command 64 KiB are kept in memory, and the rest goes to one file
// for all of them, which has no name: so it needs one descriptor, however many
// commands there are, and is gone with the process, however that ends. It is cut
// into places of 64 KiB, which are used again, so that it does not grow beyond what
// waits at one time. A file for each command, as other tools have it, would need a
// descriptor or a name for each. What was written to both streams stays in the order
// in which it came.

internal import Glibc
internal import SystemPackage
public import Weir

/// The file without a name.
final class OutputSpool: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var free: [Int] = []
    var end = 0
  }

  static let placeBytes = 65536

  private let state = Locked(State())
  let directory: [UInt8]

  /// - Parameter directory: Where it is made, once it is needed.
  init(directory: [UInt8]) {
    self.directory = directory
  }

  deinit {
    let descriptor = state.with { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Writes what fits one place. Returns the place.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    let (descriptor, place) = try state.with { state throws(Errno) in
      if state.descriptor < 0 { state.descriptor = try make() }
      if let place = state.free.popLast() { return (state.descriptor, place) }
      defer { state.end += 1 }
      return (state.descriptor, state.end)
    }
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
        off_t(place * OutputSpool.placeBytes + done))
      if count < 0 {
        if errno == EINTR { continue }
        let error = Errno(rawValue: errno)
        give(place)
        throw error
      }
      done += count
    }
    return place
  }

  /// Reads what was written to a place.
  func read(_ place: Int, into memory: UnsafeMutableRawBufferPointer) throws(Errno) {
    let descriptor = state.with { $0.descriptor }
    var done = 0
    while done < memory.count {
      let count = pread(
        descriptor, memory.baseAddress.map { $0 + done }, memory.count - done,
        off_t(place * OutputSpool.placeBytes + done))
      if count < 0 && errno == EINTR { continue }
      // It has no name, so nobody has cut it short.
      if count <= 0 { throw count < 0 ? Errno(rawValue: errno) : .ioError }
      done += count
    }
  }

  /// Gives a place back.
  func give(_ place: Int) {
    state.with { state -> Void in
      state.free.append(place)
      if state.free.count == state.end && state.end > 0 {
        // Nothing waits: the disk has its room back.
        if ftruncate(state.descriptor, 0) == 0 {
          state.free = []
          state.end = 0
        }
      }
    }
  }

  private func make() throws(Errno) -> Int32 {
    try DescriptorBudget.retrying { () throws(Errno) in
      let path = directory.map { CChar(bitPattern: $0) } + [0]
      var descriptor = open(path, O_RDWR | O_CLOEXEC | OutputSpool.temporary, 0o600)
      // Not every file system has files without names.
      if descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) {
        var name = directory.map { CChar(bitPattern: $0) }
        name += "/weir-run-XXXXXX".utf8.map { CChar(bitPattern: $0) } + [0]
        descriptor = mkstemp(&name)
        if descriptor >= 0 {
          _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
          unlink(name)
        }
      }
      if descriptor < 0 { throw Errno(rawValue: errno) }
      return descriptor
    }
  }

  /// O_TMPFILE, which is no plain number in the headers.
  private static var temporary: Int32 { 0o20000000 | O_DIRECTORY }
}

/// What one command has written.
public final class CommandOutput: Sendable {
  /// A place that is full.
  private struct Piece {
    let place: Int
    let count: Int
  }

  private struct State {
    var pieces: [Piece] = []
    /// What is not spilled yet, in spans: each with a header before it. So memory is
    /// bounded however often the stream changes.
    var tail: [UInt8] = []
    /// Where the last span begins, and what it has; none in an empty tail.
    var span: (header: Int, isError: Bool, count: Int)?
    var failure: Errno?
    var total: UInt64 = 0
  }

  /// The number of bytes less one, and whether they are of standard error.
  private static let headerBytes = 2
  private static let spanMost = 0x8000

  private let spool: OutputSpool
  private let state = Locked(State())

  init(_ spool: OutputSpool) {
    self.spool = spool
  }

  deinit {
    for piece in state.with({ $0.pieces }) { spool.give(piece.place) }
  }

  /// How many bytes there are.
  public var count: UInt64 { state.with { $0.total } }

  /// Why not all of it could be kept.
  var failure: Errno? { state.with { $0.failure } }

  /// Keeps what was read.
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

  /// How many bytes the last span can take, which is one of this stream from now on;
  /// `nil` where the place is full.
  private static func room(in state: inout State, isError: Bool) -> Int? {
    let room = OutputSpool.placeBytes - state.tail.count
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
      let place = try write(state.tail)
      state.pieces.append(Piece(place: place, count: state.tail.count))
      state.tail.removeAll(keepingCapacity: true)
      state.span = nil
      return true
    } catch {
      state.failure = error
      return false
    }
  }

  private func write(_ tail: [UInt8]) throws(Errno) -> Int {
    // withUnsafeBytes takes no typed throws in every toolchain.
    let result: Result<Int, Errno> = tail.withUnsafeBytes { bytes in
      do throws(Errno) {
        return .success(try spool.write(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Calls a closure with all of it, piece by piece, in the order in which it was
  /// read. What it is called with is lent.
  ///
  /// Blocks: as the temporary file does, where there is one.
  public func forEach(
    _ body: (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let (pieces, tail) = state.with { ($0.pieces, $0.tail) }
    if !pieces.isEmpty {
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: OutputSpool.placeBytes, alignment: 1)
      defer { memory.deallocate() }
      for piece in pieces {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<piece.count])
        try spool.read(piece.place, into: bytes)
        try CommandOutput.visit(UnsafeRawBufferPointer(bytes), body)
      }
    }
    try tail.withUnsafeBytes { try CommandOutput.visit($0, body) }
  }

  private static func visit(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var place = 0
    while place < bytes.count {
      let header = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
      place += headerBytes
      let end = place + Int(header & 0x7FFF) + 1
      let stream: ChildProcess.Stream = header & 0x8000 == 0 ? .output : .error
      try body(stream, UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
      place = end
    }
  }
}

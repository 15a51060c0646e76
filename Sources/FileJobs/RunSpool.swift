// What commands have written and nobody has taken yet.
//
// DESIGN. Of each command 64 KiB are kept in memory, and the rest goes to one file
// for all of them, which has no name: so it needs one descriptor, however many
// commands there are, and is gone with the process, however that ends. It is cut
// into places of 64 KiB, which are used again, so that it does not grow beyond what
// waits at one time. A file for each command, as other tools have it, would need a
// descriptor or a name for each. What was written to both streams stays in the order
// in which it came.

#if Tool
  internal import Glibc
  internal import SystemPackage
  public import Weir

  /// The file without a name.
  final class RunSpool: Sendable {
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
          off_t(place * RunSpool.placeBytes + done))
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
          off_t(place * RunSpool.placeBytes + done))
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
        var descriptor = open(path, O_RDWR | O_CLOEXEC | RunSpool.temporary, 0o600)
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
  public final class RunOutput: Sendable {
    private struct Span {
      let isError: Bool
      var count: Int
    }

    private struct Piece {
      let place: Int
      let spans: [Span]

      var count: Int { spans.reduce(0) { $0 + $1.count } }
    }

    private struct State {
      var pieces: [Piece] = []
      var tail: [UInt8] = []
      var spans: [Span] = []
      var failure: Errno?
      var total: UInt64 = 0
    }

    private static let spansMost = 4096

    private let spool: RunSpool
    private let state = Locked(State())

    init(_ spool: RunSpool) {
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
          let room = RunSpool.placeBytes - state.tail.count
          if room == 0 || state.spans.count >= RunOutput.spansMost {
            if !spill(&state) { return }
            continue
          }
          let part = rest.prefix(room)
          rest = rest.dropFirst(part.count)
          state.tail.append(contentsOf: part)
          let isError = stream == .error
          if let last = state.spans.indices.last, state.spans[last].isError == isError {
            state.spans[last].count += part.count
          } else {
            state.spans.append(Span(isError: isError, count: part.count))
          }
        }
      }
    }

    private func spill(_ state: inout State) -> Bool {
      do throws(Errno) {
        let place = try write(state.tail)
        state.pieces.append(Piece(place: place, spans: state.spans))
        state.tail.removeAll(keepingCapacity: true)
        state.spans.removeAll(keepingCapacity: true)
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
      let (pieces, tail, spans) = state.with { ($0.pieces, $0.tail, $0.spans) }
      if !pieces.isEmpty {
        let memory = UnsafeMutableRawBufferPointer.allocate(
          byteCount: RunSpool.placeBytes, alignment: 1)
        defer { memory.deallocate() }
        for piece in pieces {
          let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<piece.count])
          try spool.read(piece.place, into: bytes)
          try RunOutput.visit(piece.spans, UnsafeRawBufferPointer(bytes), body)
        }
      }
      try tail.withUnsafeBytes { try RunOutput.visit(spans, $0, body) }
    }

    private static func visit(
      _ spans: [Span], _ bytes: UnsafeRawBufferPointer,
      _ body: (ChildProcess.Stream, UnsafeRawBufferPointer) throws -> Void
    ) throws {
      var place = 0
      for span in spans {
        let end = place + span.count
        try body(
          span.isError ? .error : .output, UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
        place = end
      }
    }
  }
#endif

// Standard output and standard error, as GNU's tools write them.
//
// DESIGN. GNU's standard output is a C stream. If lines end in a newline, it writes at each
// newline. If lines end in NUL, it writes when its 4,096 bytes are full, before a message,
// and at the end. A failed write loses its bytes, and the tool continues: the failure is
// reported at the end, with a reason only if the last write failed. All of this can be
// observed, and is done here. The number of lines in one write cannot be observed, provided
// that a pipe takes the write in one piece: programs that share a pipe must not cut each
// other's lines.
//
// A terminal is the exception: it gets no control byte of a name, although the original tools
// write some. Files and pipes get the bytes of the originals.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The output of a drop-in tool. One thread at a time uses it, in the order of the files.
final class DropInStreams: CheckSink {
  private struct State {
    var pending: [UInt8] = []
    var endsInNewline = true
    var hasOutputFailed = false
    var hasErrorFailed = false
    let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    let isErrorTerminal = isatty(STDERR_FILENO) == 1
  }

  /// The size of a C stream's buffer, which a pipe takes in one piece.
  private static let capacity = 4096

  /// False: what goes to a terminal is made harmless where it is written.
  let isOutputTerminal = false
  private let calledAs: [UInt8]
  private let isOutputClosed: Bool
  private let state: Locked<State>

  init(calledAs: [UInt8], standard: StandardDescriptors) {
    self.calledAs = calledAs
    isOutputClosed = standard.isOutputClosed
    var state = State()
    state.pending.reserveCapacity(DropInStreams.capacity)
    self.state = Locked(state)
  }

  var endsInNewline: Bool {
    get { state.with { $0.endsInNewline } }
    set { state.with { $0.endsInNewline = newValue } }
  }

  /// Adds a line to standard output, which ``flushLines()`` writes at the latest.
  func write(_ line: UnsafeRawBufferPointer) {
    state.with { state in
      if state.pending.count + line.count > DropInStreams.capacity {
        if state.endsInNewline {
          DropInStreams.flush(&state)
        } else {
          DropInStreams.fill(&state, line)
          return
        }
      }
      state.pending.append(contentsOf: line)
    }
  }

  func write(_ line: [UInt8]) {
    line.withUnsafeBytes { write($0) }
  }

  func flushLines() {
    state.with { state in
      if state.endsInNewline { DropInStreams.flush(&state) }
    }
  }

  // MARK: Messages

  /// Writes a message, after all output before it: `NAME: TEXT`, and the error if it is not 0.
  func report(_ text: Message, error: Int32) {
    report(error: error) { line, room in
      line.reserveCapacity(line.count + text.bytes.count + room)
      line += text.bytes
    }
  }

  func report(_ text: Message) { report(text, error: 0) }

  /// Writes a message about a file. The name is quoted in the message itself: a name in a list
  /// may fill memory.
  func report(_ name: UnsafeRawBufferPointer, error: Int32) {
    report(error: error) { line, room in QuotedName.append(name, to: &line, room: room) }
  }

  private func report(error: Int32, _ add: (_ line: inout [UInt8], _ room: Int) -> Void) {
    let reason = error != 0 ? Array(": ".utf8) + DropInStreams.reason(error) : []
    var line = calledAs + Array(": ".utf8)
    add(&line, reason.count + 1)
    line += reason
    line.append(UInt8(ascii: "\n"))
    writeError(whole: line)
  }

  /// Writes a line to standard error, after all output before it.
  func writeError(_ line: Message) {
    writeError(whole: line.bytes + [UInt8(ascii: "\n")])
  }

  /// Writes whole lines to standard error, after all output before them.
  func writeError(whole line: [UInt8]) {
    let hasFailed = line.withUnsafeBytes { bytes in
      state.with { state in
        DropInStreams.flush(&state)
        return writeAll(
          bytes, to: .standardError, isTerminal: state.isErrorTerminal, keeping: .text) != 0
      }
    }
    if hasFailed { state.with { $0.hasErrorFailed = true } }
  }

  private static func reason(_ error: Int32) -> [UInt8] {
    strerror(error).map { [UInt8](cString: $0) } ?? []
  }

  // MARK: The end of the program

  func endWithUsageHint() -> Never {
    writeError(
      whole: Array("Try '".utf8) + calledAs + Array(" --help' for more information.\n".utf8))
    end(status: 1)
  }

  func end(reporting text: Message, error: Int32 = 0) -> Never {
    report(text, error: error)
    end(status: 1)
  }

  /// Reports that memory is exhausted or that libcrypto lacks the digest, and ends the
  /// program.
  func end(after error: Errno) -> Never {
    report(error == .noMemory ? "memory exhausted" : "cannot compute digests: \(error)")
    end(status: 1)
  }

  /// Closes the streams and ends the program. Reports a failure to write.
  func end(status: Int32) -> Never {
    WeirTrace.finish()  // _exit does not write the recording of WEIR_TRACE
    if let error = closeOutput() {
      report("write error", error: error)
      _exit(1)
    }
    let hasErrorFailed = state.with { $0.hasErrorFailed }
    if hasErrorFailed || close(STDERR_FILENO) != 0 && errno != EINTR { _exit(1) }
    _exit(status)
  }

  /// Returns the error to report if output was lost; 0 if the reason is no longer known.
  private func closeOutput() -> Int32? {
    state.with { state in
      let hadFailed = state.hasOutputFailed
      let hadPending = !state.pending.isEmpty
      var error = DropInStreams.flush(&state)
      if isOutputClosed {
        error = EBADF
      } else if close(STDOUT_FILENO) != 0 && errno != EINTR {
        error = errno
      }
      let isFailure = hadFailed || (error != 0 && (hadPending || error != EBADF))
      return isFailure ? error : nil
    }
  }

  // MARK: The buffer

  /// Writes the pending bytes, and drops them even if that fails. Returns 0 or an error.
  @discardableResult
  private static func flush(_ state: inout State) -> Int32 {
    let kept = TerminalText.Kept.terminator(state.endsInNewline ? UInt8(ascii: "\n") : 0)
    let error = state.pending.withUnsafeBytes {
      writeAll($0, to: .standardOutput, isTerminal: state.isOutputTerminal, keeping: kept)
    }
    if error != 0 { state.hasOutputFailed = true }
    state.pending.removeAll(keepingCapacity: true)
    return error
  }

  /// Adds bytes, and writes whenever the buffer is full.
  private static func fill(_ state: inout State, _ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if state.pending.count == capacity { flush(&state) }
      let piece = rest.prefix(capacity - state.pending.count)
      state.pending.append(contentsOf: piece)
      rest = rest.dropFirst(piece.count)
    }
  }
}

/// Writes all bytes, to a terminal without the control bytes of names. Returns 0 or an error.
private func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: FileDescriptor, isTerminal: Bool,
  keeping kept: TerminalText.Kept
) -> Int32 {
  if isTerminal && TerminalText.hasControls(bytes, keeping: kept) {
    return TerminalText.printable(bytes, keeping: kept).withUnsafeBytes {
      writeAll($0, to: descriptor, isTerminal: false, keeping: kept)
    }
  }
  do throws(Errno) {
    try descriptor.write(all: bytes)
    return 0
  } catch {
    return error.rawValue
  }
}

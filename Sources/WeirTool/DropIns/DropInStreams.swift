// Standard output and standard error, as GNU's tools use them.
//
// GNU's standard output is a stream of C's that writes at each newline; where
// lines end in NUL, when its 4,096 bytes are full, before a message, and at the
// end. A write that fails loses what it was to write, and the tool goes on: that
// there was a failure is said at the end, and why only where the last write of
// all failed. All of this can be seen from outside, and is done here. What
// cannot be seen is how many lines one write carries, as long as it is no more
// than a pipe takes in one piece: programs that share a pipe must not cut each
// other's lines.

internal import Glibc
internal import Weir

/// Where a drop-in tool writes: used by one thread at a time, in the order of
/// the files.
final class DropInStreams: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var endsInNewline = true
    var hasOutputFailed = false
    var hasErrorFailed = false
  }

  /// What C's stream keeps, and what a pipe takes in one piece.
  private static let capacity = 4096

  private let calledAs: [UInt8]
  private let isOutputClosed: Bool
  private let state: Locked<State>

  /// - Parameters:
  ///   - calledAs: What stands before each message.
  ///   - standard: What was closed from the beginning.
  init(calledAs: [UInt8], standard: StandardDescriptors) {
    self.calledAs = calledAs
    isOutputClosed = standard.isOutputClosed
    var state = State()
    state.pending.reserveCapacity(DropInStreams.capacity)
    self.state = Locked(state)
  }

  /// Whether lines end in a newline, so that they go out at once.
  var endsInNewline: Bool {
    get { state.with { $0.endsInNewline } }
    set { state.with { $0.endsInNewline = newValue } }
  }

  /// Adds a line to standard output. It is written soon; at the latest by
  /// ``finishLines()``.
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

  /// Has the lines written that end in a newline.
  func finishLines() {
    state.with { state in
      if state.endsInNewline { DropInStreams.flush(&state) }
    }
  }

  /// Says something on standard error, behind all that was written before:
  /// `NAME: TEXT`, and a reason where there is one.
  func say(_ text: [UInt8], error: Int32 = 0) {
    say(error: error) { line, room in
      line.reserveCapacity(line.count + text.count + room)
      line += text
    }
  }

  /// Says a reason of a name. It is quoted in the line itself: a name in a list may be
  /// as long as there is memory for.
  func say(of name: UnsafeRawBufferPointer, error: Int32) {
    say(error: error) { line, room in QuotedName.append(name, to: &line, room: room) }
  }

  private func say(error: Int32, _ add: (_ line: inout [UInt8], _ room: Int) -> Void) {
    let reason = error != 0 ? Array(": ".utf8) + DropInStreams.reason(error) : []
    var line = calledAs + Array(": ".utf8)
    add(&line, reason.count + 1)
    line += reason
    writeError(ending: &line)
  }

  func say(_ text: String) {
    say(Array(text.utf8))
  }

  /// Points to --help, and ends with status 1.
  func endWithUsage() -> Never {
    sayPlainly(
      Array("Try '".utf8) + calledAs + Array(" --help' for more information.".utf8))
    end(status: 1)
  }

  /// Ends the program: closes the streams, and says so where that fails.
  func end(status: Int32) -> Never {
    if let error = closeOutput() {
      say(Array("write error".utf8), error: error)
      _exit(1)
    }
    let hasErrorFailed = state.with { $0.hasErrorFailed }
    if hasErrorFailed || close(STDERR_FILENO) != 0 { _exit(1) }
    _exit(status)
  }

  /// A line without the tool's name before it.
  func sayPlainly(_ line: [UInt8]) {
    var line = line
    writeError(ending: &line)
  }

  /// Ends a line and writes it to standard error.
  private func writeError(ending line: inout [UInt8]) {
    line.append(UInt8(ascii: "\n"))
    let hasFailed = line.withUnsafeBytes { bytes in
      state.with { state in
        DropInStreams.flush(&state)
        return put(bytes, STDERR_FILENO) != 0
      }
    }
    if hasFailed { state.with { $0.hasErrorFailed = true } }
  }

  /// Closes standard output. The error to name where something was not
  /// written: 0 where the reason is forgotten.
  private func closeOutput() -> Int32? {
    state.with { state in
      let hadFailed = state.hasOutputFailed
      let hadPending = !state.pending.isEmpty
      var error = DropInStreams.flush(&state)
      if isOutputClosed {
        error = EBADF
      } else if close(STDOUT_FILENO) != 0 {
        error = errno
      }
      let isFailure = hadFailed || (error != 0 && (hadPending || error != EBADF))
      return isFailure ? error : nil
    }
  }

  /// Writes what is pending, which is then gone in any case. 0 or an error.
  @discardableResult
  private static func flush(_ state: inout State) -> Int32 {
    let error = state.pending.withUnsafeBytes { put($0, STDOUT_FILENO) }
    if error != 0 { state.hasOutputFailed = true }
    state.pending.removeAll(keepingCapacity: true)
    return error
  }

  /// Adds bytes as to a stream that writes when it is full.
  private static func fill(_ state: inout State, _ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if state.pending.count == capacity { flush(&state) }
      let piece = rest.prefix(capacity - state.pending.count)
      state.pending.append(contentsOf: piece)
      rest = rest.dropFirst(piece.count)
    }
  }

  private static func reason(_ error: Int32) -> [UInt8] {
    strerror(error).map { DropIn.bytes(of: $0) } ?? []
  }
}

/// Writes all of it. 0 or an error.
private func put(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = write(
      descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if written < 0 && errno == EINTR { continue }
    if written < 0 { return errno }
    rest = rest.dropFirst(written)
  }
  return 0
}

internal import FileJobs
internal import WeirLibC
internal import Weir
internal import Synchronization
internal import SystemPackage

/// An error in writing standard output.
struct WriteFailure: ReportedError {
  let reason: any Error
  /// The file that takes the place of standard output; `nil` if there is none.
  var file: RawArgument?

  var text: Message { file.map { "\($0): \(reason)" } ?? "write error: \(reason)" }
}

/// The output of the program. Lines for standard output are written at once. A message
/// to standard error, or a line to a terminal, first clears the progress line.
final class Console: Sendable {
  private struct ProgressState {
    var isShown = false
    /// True after the work: a late progress line is not shown.
    var isOver = false
  }

  private let progress = Locked(ProgressState())
  private let writtenBytes = Atomic<UInt64>(0)
  /// True if standard output may share a terminal with the progress line. If not, a
  /// write needs no lock, and no other thread waits for a slow reader.
  let isOutputTerminal = isatty(STDOUT_FILENO) == 1

  /// The file that takes the place of standard output.
  let outputName = Locked<RawArgument?>(nil)

  private static let clearLine = "\r\u{1B}[J"

  /// The bytes of the writes to standard output that have ended. They move while a reader takes a
  /// write, of at most 64 KiB for the output of commands, in the two seconds of a stalled run.
  var written: UInt64 { writtenBytes.load(ordering: .relaxed) }

  /// Writes the bytes of another program, or text without foreign bytes, to standard output,
  /// unchanged.
  func write(raw bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty else { return }
    do {
      if isOutputTerminal {
        try withoutProgress { _ in try FileDescriptor.standardOutput.write(all: bytes) }
      } else {
        try FileDescriptor.standardOutput.write(all: bytes)
      }
      writtenBytes.add(UInt64(bytes.count), ordering: .relaxed)
    } catch {
      throw WriteFailure(reason: error, file: outputName.with { $0 })
    }
  }

  /// Writes text to standard output. A terminal gets no control byte of a name in it.
  func write(_ text: UnsafeRawBufferPointer) throws {
    try write(text, keeping: .text)
  }

  func write(_ text: [UInt8]) throws {
    try text.withUnsafeBytes { try write($0) }
  }

  /// Writes lines with names to standard output. A terminal gets no control byte of a name.
  func write(lines: UnsafeRawBufferPointer, isZeroTerminated: Bool = false) throws {
    try write(lines, keeping: .terminator(isZeroTerminated ? 0 : UInt8(ascii: "\n")))
  }

  private func write(_ text: UnsafeRawBufferPointer, keeping kept: TerminalText.Kept) throws {
    if isOutputTerminal, TerminalText.hasControls(text, keeping: kept) {
      try TerminalText.printable(text, keeping: kept).withUnsafeBytes { try write(raw: $0) }
    } else {
      try write(raw: text)
    }
  }

  /// Writes the bytes of another program to standard error, unchanged.
  func writeError(_ bytes: UnsafeRawBufferPointer) {
    withoutProgress { _ in _ = try? FileDescriptor.standardError.writeAll(bytes) }
  }

  /// Closes standard output: some file systems report only then that a write failed for
  /// lack of space. An interrupted close has closed the descriptor.
  func closeOutput() throws {
    if close(STDOUT_FILENO) != 0 && errno != EINTR {
      throw WriteFailure(reason: Errno(rawValue: errno), file: outputName.with { $0 })
    }
  }

  /// Writes a message to standard error, as one line: `weir: TEXT`. Control bytes that are left
  /// in it become octal escapes.
  func report(_ message: Message) {
    report(lines: [message.bytes])
  }

  func report(_ error: any Error) {
    report(Message(error))
  }

  private func report(lines: [[UInt8]]) {
    let message =
      Array("weir: ".utf8)
      + lines.map { line in
        line.withUnsafeBytes { TerminalText.printable($0, keeping: .colors) }
          + [UInt8(ascii: "\n")]
      }.joined()
    withoutProgress { _ in _ = try? FileDescriptor.standardError.writeAll(message) }
  }

  /// Writes a long message to standard error: on a terminal in lines that end between two
  /// words, with the command in a line of its own, else in one line.
  func report(paragraph text: Message, command: [UInt8] = []) {
    guard TerminalStream.error.isTerminal else {
      return report(lines: [text.bytes + (command.isEmpty ? [] : [UInt8(ascii: " ")] + command)])
    }
    let lines = TextWidth.lines(
      of: "weir: \(String(decoding: text.bytes, as: UTF8.self))",
      columns: TerminalStream.error.columns - 1
    ).enumerated().map { index, line in
      Array(line.utf8.dropFirst(index == 0 ? "weir: ".utf8.count : 0))
    }
    report(lines: lines + (command.isEmpty ? [] : [Array("  ".utf8) + command]))
  }

  /// Replaces the progress line.
  ///
  /// DESIGN. The cursor waits at the beginning of the line. So the echo of what is typed does
  /// not wrap, and is cleared with the line; the terminal keeps the text for the program that
  /// reads next. A terminal that became narrower has made several lines of one, all of them
  /// at or below the cursor.
  ///
  /// Nothing is written while another program has the terminal.
  ///
  /// - Parameter text: One line that fits the terminal.
  func show(_ text: String) {
    progress.with { progress in
      if progress.isOver || !TerminalStream.error.isOurs { return }
      let line = Array(text.utf8).withUnsafeBytes { TerminalText.printable($0, keeping: .colors) }
      _ = try? FileDescriptor.standardError.writeAll(
        Array(Console.clearLine.utf8) + line + Array("\r".utf8))
      progress.isShown = true
    }
  }

  func beginProgress() {
    progress.with { $0.isOver = false }
  }

  /// Clears the progress line, and shows no other.
  func endProgress() {
    withoutProgress { progress in progress.isOver = true }
  }

  private func withoutProgress(_ body: (inout ProgressState) throws -> Void) rethrows {
    try progress.with { progress in
      if progress.isShown {
        _ = try? FileDescriptor.standardError.writeAll(Console.clearLine.utf8)
        progress.isShown = false
      }
      try body(&progress)
    }
  }
}

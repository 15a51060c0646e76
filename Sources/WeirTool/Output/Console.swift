// Standard output, standard error, and the one line on it that moves.

internal import Glibc
internal import Weir
internal import SystemPackage

/// Standard output could not be written.
struct WriteFailure: Error, CustomStringConvertible {
  let reason: any Error

  var description: String { "write error: \(reason)" }
}

/// What is written where. Lines for standard output go out as they come; a
/// message to standard error, or a line to a terminal, first wipes away the
/// progress that may stand there.
final class Console: Sendable {
  /// Whether a line of progress stands on the terminal.
  private let isProgressShown = Locked(false)
  /// Where standard output is no terminal it cannot get into the progress, and
  /// nobody has to wait for it: its reader may sleep.
  private let isOutputTerminal = isatty(STDOUT_FILENO) == 1

  private static let wipe = "\r\u{1B}[K"

  /// Writes to standard output, all of it.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty else { return }
    do {
      if isOutputTerminal {
        try withoutProgress { _ = try FileDescriptor.standardOutput.writeAll(bytes) }
      } else {
        try FileDescriptor.standardOutput.writeAll(bytes)
      }
    } catch {
      throw WriteFailure(reason: error)
    }
  }

  /// Writes to standard output, all of it.
  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Writes to standard error what is not the program's own.
  func writeError(_ bytes: UnsafeRawBufferPointer) {
    withoutProgress { _ = try? FileDescriptor.standardError.writeAll(bytes) }
  }

  /// Closes standard output: some file systems say only then that there was no
  /// room for what was written.
  func closeOutput() throws {
    if close(STDOUT_FILENO) != 0 {
      throw WriteFailure(reason: Errno(rawValue: errno))
    }
  }

  /// Says something on standard error: `weir: TEXT`.
  ///
  /// - Parameter text: Bytes, so that names in it stay what they are.
  func say(_ text: some Sequence<UInt8>) {
    withoutProgress {
      var line = Array("weir: ".utf8)
      line.append(contentsOf: text)
      line.append(UInt8(ascii: "\n"))
      _ = try? FileDescriptor.standardError.writeAll(line)
    }
  }

  /// Says something on standard error.
  func say(_ text: String) {
    say(text.utf8)
  }

  /// Shows progress in the place of what it showed before.
  ///
  /// - Parameter text: One line that fits the terminal.
  func show(_ text: String) {
    isProgressShown.with { isShown in
      _ = try? FileDescriptor.standardError.writeAll("\r\(text)\u{1B}[K".utf8)
      isShown = true
    }
  }

  /// Wipes the progress away.
  func clear() {
    withoutProgress {}
  }

  private func withoutProgress(_ body: () throws -> Void) rethrows {
    try isProgressShown.with { isShown in
      if isShown {
        _ = try? FileDescriptor.standardError.writeAll(Console.wipe.utf8)
        isShown = false
      }
      try body()
    }
  }
}

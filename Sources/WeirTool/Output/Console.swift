// Standard output, standard error, and the progress line.

internal import WeirLibC
internal import Weir
internal import SystemPackage

/// An error in writing standard output.
struct WriteFailure: Error, CustomStringConvertible {
  let reason: any Error

  var description: String { "write error: \(reason)" }
}

/// The output of the program. Lines for standard output are written at once. A message
/// to standard error, or a line to a terminal, first clears the progress line.
final class Console: Sendable {
  /// True if a progress line is on the terminal.
  private let isProgressShown = Locked(false)
  /// True if standard output may share a terminal with the progress line. If not, a
  /// write needs no lock, and no other thread waits for a slow reader.
  private let isOutputTerminal = isatty(STDOUT_FILENO) == 1

  private static let clearLine = "\r\u{1B}[K"

  /// Writes all bytes to standard output.
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

  /// Writes all bytes to standard output.
  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Writes the bytes of another program to standard error, unchanged.
  func writeError(_ bytes: UnsafeRawBufferPointer) {
    withoutProgress { _ = try? FileDescriptor.standardError.writeAll(bytes) }
  }

  /// Closes standard output: some file systems report only then that a write failed for
  /// lack of space.
  func closeOutput() throws {
    if close(STDOUT_FILENO) != 0 {
      throw WriteFailure(reason: Errno(rawValue: errno))
    }
  }

  /// Writes a message to standard error: `weir: TEXT`.
  ///
  /// - Parameter text: Bytes, so that names in the message stay unchanged.
  func report(_ text: some Sequence<UInt8>) {
    withoutProgress {
      var line = Array("weir: ".utf8)
      line.append(contentsOf: text)
      line.append(UInt8(ascii: "\n"))
      _ = try? FileDescriptor.standardError.writeAll(line)
    }
  }

  /// Writes a message to standard error.
  func report(_ text: String) {
    report(text.utf8)
  }

  /// Replaces the progress line.
  ///
  /// - Parameter text: One line that fits the terminal.
  func show(_ text: String) {
    isProgressShown.with { isShown in
      _ = try? FileDescriptor.standardError.writeAll("\r\(text)\u{1B}[K".utf8)
      isShown = true
    }
  }

  /// Clears the progress line.
  func clear() {
    withoutProgress {}
  }

  private func withoutProgress(_ body: () throws -> Void) rethrows {
    try isProgressShown.with { isShown in
      if isShown {
        _ = try? FileDescriptor.standardError.writeAll(Console.clearLine.utf8)
        isShown = false
      }
      try body()
    }
  }
}

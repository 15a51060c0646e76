// The end of b3sum before it reads a file: help, version, and errors on the command line.

/// Ends the program. The messages have the form that Rust's programs have.
struct DropInB3SumExit: Sendable {
  let tool: DropIn
  let streams: DropInStreams

  func withHelp() -> Never { end(with: tool.help) }

  func withVersion() -> Never { end(with: tool.version) }

  /// Ends the program because of an option that does not exist.
  func withUnknown(_ option: [UInt8]) -> Never {
    let text = "Found argument '".utf8 + option
    withUsageError(text + Array("' which wasn't expected, or isn't valid in this context".utf8))
  }

  /// Ends the program because of an invalid combination of options.
  func withUsageError(_ text: String) -> Never {
    withUsageError(Array(text.utf8))
  }

  private func withUsageError(_ text: [UInt8]) -> Never {
    streams.writeError("error: ".utf8 + text)
    streams.writeError([])
    streams.writeError(Array("For more information try --help".utf8))
    streams.end(status: 1)
  }

  /// Ends the program because of an error that concerns no single file.
  ///
  /// - Parameter cause: The reason of the error, if it is not in the text.
  func withError(_ text: String, cause: String? = nil) -> Never {
    streams.writeError(Array("Error: \(text)".utf8))
    if let cause { streams.writeError(Array("\nCaused by:\n    \(cause)".utf8)) }
    streams.end(status: 1)
  }

  private func end(with text: String) -> Never {
    streams.write(Array(text.utf8))
    streams.flushLines()
    streams.end(status: 0)
  }
}

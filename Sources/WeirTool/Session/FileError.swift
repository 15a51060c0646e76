// A file of the command line that a run cannot begin without.

/// A list or a trace that cannot be opened, or a trace that cannot be written:
/// status 2.
struct FileError: Error {
  /// `NAME: reason`, with the name quoted.
  let message: [UInt8]

  init(_ name: RawArgument, _ error: any Error) {
    message = QuotedName.bytes(of: name.bytes) + Array(": \(error)".utf8)
  }
}

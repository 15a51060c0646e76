// --trace FILE.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// Records the run and writes it to a file at its end. The file is opened at
  /// the beginning: that it cannot be written is not to be learned after an hour.
  final class TraceFile: Sendable {
    let descriptor: FileDescriptor
    private let name: [UInt8]
    private let recorder = TraceRecorder()

    /// It could not be opened or written.
    struct Failure: Error {
      let message: [UInt8]
    }

    init(_ argument: RawArgument) throws(Failure) {
      name = argument.bytes
      do {
        descriptor = try FileDescriptor.open(
          FilePath(bytes: name), .writeOnly, options: [.create, .truncate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        try recorder.start()
      } catch {
        throw TraceFile.failure(name, error)
      }
    }

    /// Ends recording, and writes and closes the file.
    func finish() throws(Failure) {
      recorder.stop()
      do {
        try recorder.write(to: descriptor, format: .traceEvents)
        try descriptor.close()
      } catch {
        throw TraceFile.failure(name, error)
      }
    }

    private static func failure(_ name: [UInt8], _ error: any Error) -> Failure {
      Failure(message: QuotedName.bytes(of: name) + Array(": \(error)".utf8))
    }
  }

  extension FilePath {
    /// The path of these bytes, up to a NUL.
    init(bytes: [UInt8]) {
      let terminated = (bytes + [0]).map { CChar(bitPattern: $0) }
      self = terminated.withUnsafeBufferPointer { characters in
        guard let start = characters.baseAddress else { return FilePath() }
        return FilePath(platformString: start)
      }
    }
  }
#endif

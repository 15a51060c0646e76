// --trace FILE.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// Records the run and writes it to a file at its end. The file is opened at
  /// the beginning: that it cannot be written is not to be learned after an hour.
  final class TraceFile: Sendable {
    let descriptor: FileDescriptor
    private let name: RawArgument
    private let recorder = TraceRecorder()

    init(_ argument: RawArgument) throws(FileTrouble) {
      name = argument
      do {
        descriptor = try FileDescriptor.open(
          FilePath(bytes: name.bytes), .writeOnly, options: [.create, .truncate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        try recorder.start()
      } catch {
        throw FileTrouble(name, error)
      }
    }

    /// Ends recording, and writes and closes the file.
    func finish() throws(FileTrouble) {
      recorder.stop()
      do {
        try recorder.write(to: descriptor, format: .traceEvents)
        try descriptor.close()
      } catch {
        throw FileTrouble(name, error)
      }
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

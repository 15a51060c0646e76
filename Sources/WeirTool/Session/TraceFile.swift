internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A recording of the run, written to a file at its end. The file is opened at the
/// start, so that an error does not appear only after an hour.
final class TraceFile: Sendable {
  var descriptor: FileDescriptor { opened.with { $0 } }
  private let opened: Locked<FileDescriptor>
  /// The file that ``suspend()`` has closed.
  private let closed = Locked<FileIdentity?>(nil)
  private let name: RawArgument
  private let recorder = TraceRecorder()

  init(_ argument: RawArgument, inputs: [RawArgument]) throws(FileError) {
    name = argument
    do {
      let descriptor = try TraceFile.open(name)
      opened = Locked(descriptor)
      let own = try stat(of: descriptor)
      // Also the records beside a manifest.
      let isOpen = { (other: [UInt8]) in
        own.isRegularFile && FileIdentity.of(other) == FileIdentity(own)
      }
      if inputs.contains(where: { isOpen($0.bytes) || isOpen($0.bytes + ".mtree".utf8) }) {
        throw Refusal("is an input, and --trace would overwrite it")
      }
      if own.isRegularFile { try TraceFile.expectTrace(name, own) }
      try recorder.start()
      // Devices and pipes have no length.
      if own.isRegularFile { try retryingOnInterrupt { ftruncate(descriptor.rawValue, 0) } }
    } catch {
      throw FileError(name, error)
    }
  }

  /// Opens the file without truncating it. A FIFO without a reader is an error: signals
  /// are blocked already and could not end the wait for a reader.
  private static func open(_ name: RawArgument) throws -> FileDescriptor {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try openFile(name.bytes, O_WRONLY | O_CREAT | O_NONBLOCK, mode: 0o666)
    } catch {
      if error != .noSuchAddressOrDevice || !isFIFO(name) { throw error }
      throw Refusal("is a FIFO without a reader; start the reader first, or choose another name")
    }
    do {
      if try stat(of: descriptor).st_mode & S_IFMT == S_IFBLK {
        throw Refusal("is a block device, and --trace would overwrite it")
      }
      let flags = fcntl(descriptor.rawValue, F_GETFL)
      if flags < 0 || fcntl(descriptor.rawValue, F_SETFL, flags & ~O_NONBLOCK) != 0 {
        throw Errno(rawValue: errno)
      }
    } catch {
      try? descriptor.close()
      throw error
    }
    return descriptor
  }

  /// Throws an error if a file is neither empty nor a trace, or if the run prints to it.
  private static func expectTrace(_ name: RawArgument, _ own: stat) throws {
    if FileIdentity(own).isOutput {
      throw Refusal("is the output of the run, and --trace would overwrite it")
    }
    if own.st_size == 0 { return }
    let file = try openFile(name.bytes, O_RDONLY | O_NONBLOCK)
    defer { try? file.close() }
    if try !file.bytes(at: 0, count: 32).starts(with: Array("{\"displayTimeUnit\":".utf8)) {
      throw Refusal("is no trace and is left unchanged; choose another name, or remove it")
    }
  }

  private static func isFIFO(_ name: RawArgument) -> Bool {
    stat.of(name.bytes).map { $0.st_mode & S_IFMT == S_IFIFO } ?? false
  }

  /// Closes a regular file until the end.
  func suspend() {
    guard let own = try? stat(of: descriptor), own.isRegularFile else { return }
    close(descriptor.rawValue)
    closed.with { $0 = FileIdentity(own) }
  }

  func finish() throws(FileError) {
    recorder.stop()
    try resume()
    do {
      try recorder.write(to: descriptor, format: .traceEvents)
      try descriptor.closeWritten()
    } catch {
      throw FileError(name, Refusal("\(error); the trace in it is incomplete"))
    }
  }

  private func resume() throws(FileError) {
    guard let own = closed.with({ $0 }) else { return }
    do {
      guard FileIdentity.of(name.bytes) == own else {
        throw Refusal("was removed or replaced during the run")
      }
      let again = try openFile(name.bytes, O_WRONLY)
      opened.with { $0 = again }
    } catch {
      throw FileError(name, Refusal("\(error); the trace is lost"))
    }
  }
}

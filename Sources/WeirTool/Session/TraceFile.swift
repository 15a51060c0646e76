// --trace FILE.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Records the run and writes it to a file at its end. The file is opened at
/// the beginning: that it cannot be written is not to be learned after an hour.
final class TraceFile: Sendable {
  let descriptor: FileDescriptor
  private let name: RawArgument
  private let recorder = TraceRecorder()

  init(
    _ argument: RawArgument, inputs: [RawArgument], output: RawArgument? = nil,
    log: RawArgument? = nil
  ) throws(FileError) {
    name = argument
    do {
      if let output, let place = try? OutputFile(output.bytes), place.isNamed(by: name.bytes) {
        throw IsOutput(option: "--output")
      }
      descriptor = try TraceFile.open(name)
      if let log, TraceFile.isOpen(descriptor, onOneOf: [log]) {
        throw IsOutput(option: "--joblog")
      }
      if TraceFile.isOpen(descriptor, onOneOf: inputs) { throw IsInput() }
      try recorder.start()
      TraceFile.empty(descriptor)
    } catch {
      throw FileError(name, error)
    }
  }

  /// Opens one, and leaves in it what there is. Nothing waits for somebody who reads
  /// a FIFO: signals are kept already, and could not end that.
  static func open(_ name: RawArgument) throws -> FileDescriptor {
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        FilePath(bytes: name.bytes), .writeOnly,
        options: [.create, .nonBlocking, .closeOnExec],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    } catch let error as Errno where error == .noSuchAddressOrDevice && isFIFO(name) {
      throw HasNoReader()
    }
    do {
      try expectWritable(descriptor)
    } catch {
      try? descriptor.close()
      throw error
    }
    return descriptor
  }

  private struct HasNoReader: Error, CustomStringConvertible {
    let description =
      "is a FIFO that nobody reads; choose another name to write to, or read it first"
  }

  private struct IsSpecial: Error, CustomStringConvertible {
    let description = "is a block device, and --trace would overwrite it"
  }

  private static func isFIFO(_ name: RawArgument) -> Bool {
    var status = stat()
    return FilePath(bytes: name.bytes).withPlatformString { stat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Throws where it is nothing to write a trace to; has writing wait, else.
  private static func expectWritable(_ descriptor: FileDescriptor) throws {
    var status = stat()
    if fstat(descriptor.rawValue, &status) != 0 { throw Errno(rawValue: errno) }
    if status.st_mode & S_IFMT == S_IFBLK { throw IsSpecial() }
    let flags = fcntl(descriptor.rawValue, F_GETFL)
    if flags < 0 || fcntl(descriptor.rawValue, F_SETFL, flags & ~O_NONBLOCK) != 0 {
      throw Errno(rawValue: errno)
    }
  }

  /// Devices and pipes have no length to cut.
  static func empty(_ descriptor: FileDescriptor) {
    _ = ftruncate(descriptor.rawValue, 0)
  }

  private struct IsInput: Error, CustomStringConvertible {
    let description = "is to be read, and --trace would overwrite it"
  }

  private struct IsOutput: Error, CustomStringConvertible {
    let option: String
    var description: String { "is of \(option), and cannot be that of --trace too" }
  }

  private static func isOpen(_ descriptor: FileDescriptor, onOneOf names: [RawArgument]) -> Bool {
    var own = stat()
    guard fstat(descriptor.rawValue, &own) == 0, own.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    return names.contains { name in
      var other = stat()
      return FilePath(bytes: name.bytes).withPlatformString { stat($0, &other) } == 0
        && other.st_ino == own.st_ino && other.st_dev == own.st_dev
    }
  }

  /// Ends recording, and writes and closes the file.
  func finish() throws(FileError) {
    recorder.stop()
    do {
      try recorder.write(to: descriptor, format: .traceEvents)
      try descriptor.close()
    } catch {
      throw FileError(name, error)
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

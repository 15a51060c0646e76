// The log of a run, by which the next one knows what is done.
//
// DESIGN. A command has its line when what it wrote has been handed on, in one write
// behind the last one: so whatever ends the process, what has a line was done, and
// what has none is done again. A line when the command ends would save a few of
// those, and lose the output of as many. The log is read once, when a run goes on
// from it, and of each command eight bytes are kept.

#if Tool
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// A log, open and locked.
  public final class RunLog: Sendable {
    /// What to make of a log that is there.
    public enum Resumption: Sendable {
      /// It is not to be there.
      case none
      /// What it has is not run again.
      case all
      /// What it has and did not fail is not run again.
      case successes
    }

    /// What is known of a command.
    enum Past {
      case nothing
      case done(isSuccess: Bool)
    }

    private struct Known {
      /// Of each command, 0 for none.
      var fingerprints: [UInt64] = []
      var failed: Set<UInt64> = []
    }

    private let path: [UInt8]
    private let resumption: Resumption
    private let descriptor: Int32
    private let known: Known

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - resumption: What to make of one that is there.
    public init(_ path: [UInt8], _ resumption: Resumption = .none) throws(RunFailure) {
      self.path = path
      self.resumption = resumption
      let terminated = path.map { CChar(bitPattern: $0) } + [0]
      let descriptor = open(terminated, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
      if descriptor < 0 { throw .log(path, errno) }
      do throws(RunFailure) {
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
          throw errno == EWOULDBLOCK ? .logInUse(path) : .log(path, errno)
        }
        known = try RunLog.load(descriptor, path, resumption)
      } catch {
        close(descriptor)
        throw error
      }
      self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// What it is written to.
    var file: FileDescriptor { FileDescriptor(rawValue: descriptor) }

    /// How many commands it has of which nothing is to be done again.
    public var doneCount: Int { known.fingerprints.count { $0 != 0 } }

    /// What is known of a command. Throws where the log has another one there.
    func past(_ number: UInt64, _ arguments: [[UInt8]]) throws(RunFailure) -> Past {
      guard number <= UInt64(known.fingerprints.count) else { return .nothing }
      let fingerprint = known.fingerprints[Int(number - 1)]
      if fingerprint == 0 { return .nothing }
      if fingerprint != RunLogLine.fingerprint(RunLogLine.command(arguments)) {
        throw .otherCommand(path, number: number)
      }
      let isSuccess = !known.failed.contains(number)
      return isSuccess || resumption == .all ? .done(isSuccess: isSuccess) : .nothing
    }

    /// Adds a command that is done.
    func append(_ result: RunResult) throws(RunFailure) {
      try RunLog.write(RunLogLine.bytes(of: result), to: descriptor, path)
    }

    // MARK: - The file

    private static func write(
      _ line: [UInt8], to descriptor: Int32, _ path: [UInt8]
    ) throws(RunFailure) {
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
          if errno == EINTR { continue }
          throw .log(path, errno)
        }
        rest = rest.dropFirst(count)
      }
    }

    private static func load(
      _ descriptor: Int32, _ path: [UInt8], _ resumption: Resumption
    ) throws(RunFailure) -> Known {
      var status = stat()
      if fstat(descriptor, &status) != 0 { throw .log(path, errno) }
      // A device, such as /dev/stderr, is written to and has nothing to say.
      let isFile = status.st_mode & S_IFMT == S_IFREG
      var known = Known()
      if isFile && status.st_size > 0 {
        if resumption == .none { throw .logExists(path) }
        try read(descriptor, path, into: &known)
      }
      if !isFile || lseek(descriptor, 0, SEEK_END) == 0 {
        try write(RunLogLine.header, to: descriptor, path)
      }
      return known
    }

    private static let pieceBytes = 65536
    /// How far a line may be ahead of its place: so many commands are under way at most.
    private static let aheadMost: UInt64 = 65536

    /// Reads all lines. One that was cut short is dropped, also from the file.
    private static func read(
      _ descriptor: Int32, _ path: [UInt8], into known: inout Known
    ) throws(RunFailure) {
      var rest: [UInt8] = []
      var (lineCount, whole) = (0, 0)
      while true {
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        let count = piece.withUnsafeMutableBytes { memory in
          Glibc.read(descriptor, memory.baseAddress, memory.count)
        }
        if count < 0 {
          if errno == EINTR { continue }
          throw .log(path, errno)
        }
        if count == 0 { break }
        rest += piece[..<count]
        var begin = 0
        while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
          lineCount += 1
          try take(rest[begin..<end], path, line: lineCount, into: &known)
          begin = end + 1
        }
        whole += begin
        rest.removeSubrange(..<begin)
      }
      if lineCount == 0 && !RunLogLine.header.starts(with: rest) {
        throw .noLog(path, line: 1)
      }
      if !rest.isEmpty && ftruncate(descriptor, off_t(whole)) != 0 { throw .log(path, errno) }
    }

    private static func take(
      _ line: ArraySlice<UInt8>, _ path: [UInt8], line number: Int, into known: inout Known
    ) throws(RunFailure) {
      if number == 1 && line.elementsEqual(RunLogLine.header.dropLast()) { return }
      guard let entry = RunLogLine.parse(line), number > 1,
        entry.number < UInt64(number) + RunLog.aheadMost
      else {
        throw .noLog(path, line: number)
      }
      let index = Int(entry.number - 1)
      while known.fingerprints.count <= index { known.fingerprints.append(0) }
      known.fingerprints[index] = entry.fingerprint
      if entry.isSuccess {
        known.failed.remove(entry.number)
      } else {
        known.failed.insert(entry.number)
      }
    }
  }
#endif

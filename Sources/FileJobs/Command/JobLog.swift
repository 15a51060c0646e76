// The log of a run, by which the next one knows what is done.
//
// DESIGN. A command has its line when what it wrote has been handed on, in one write
// behind the last one: so whatever ends the process, what has a line was done, and
// what has none is done again. A line when the command ends would save a few of
// those, and lose the output of as many. The log is read once, when a run goes on
// from it.

internal import Glibc
internal import SystemPackage
internal import Weir

/// A log, open and locked.
public final class JobLog: Sendable {
  /// What to make of a log that is there.
  public enum Resumption: Sendable {
    /// It is not to be there, unless no command is in it.
    case none
    /// What it has is not run again.
    case all
    /// What it has and did not fail is not run again.
    case successes
  }

  private let path: [UInt8]
  private let resumption: Resumption
  private let descriptor: Int32
  private let past: Locked<JobLogHistory>

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - resumption: What to make of one that is there.
  ///   - template: The command, which what it has must be of.
  public init(
    _ path: [UInt8], _ resumption: Resumption, of template: CommandTemplate
  ) throws(CommandFailure) {
    self.path = path
    self.resumption = resumption
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(terminated, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw .log(path, errno) }
    do throws(CommandFailure) {
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        throw errno == EWOULDBLOCK ? .logInUse(path) : .log(path, errno)
      }
      past = Locked(try JobLog.load(descriptor, path, resumption, template))
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// What it is written to.
  var file: FileDescriptor { FileDescriptor(rawValue: descriptor) }

  /// Meets a command on the way: whether it was a success where it is not to be run
  /// again, and `nil` where it is.
  func meet(_ arguments: [[UInt8]]) -> Bool? {
    if resumption == .none { return nil }
    let command = JobLogLine.command(arguments)
    return past.with { $0.meet(command, takesFailures: resumption == .all) }
  }

  /// Adds a command that is done.
  func append(_ result: CommandResult) throws(CommandFailure) {
    try JobLog.write(JobLogLine.bytes(of: result), to: descriptor, path)
  }

  // MARK: - The file

  private static func write(
    _ line: [UInt8], to descriptor: Int32, _ path: [UInt8]
  ) throws(CommandFailure) {
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
    _ descriptor: Int32, _ path: [UInt8], _ resumption: Resumption, _ template: CommandTemplate
  ) throws(CommandFailure) -> JobLogHistory {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .log(path, errno) }
    // A device, such as /dev/stderr, is written to and has nothing to say.
    let isFile = status.st_mode & S_IFMT == S_IFREG
    var past = JobLogHistory()
    if isFile && status.st_size > 0 {
      if resumption == .none && !hasNoCommand(descriptor, status.st_size) {
        throw .logExists(path)
      }
      try read(descriptor, path, template, into: &past)
      past.finish()
    }
    if !isFile || lseek(descriptor, 0, SEEK_END) == 0 {
      try write(JobLogLine.header, to: descriptor, path)
    }
    return past
  }

  /// Whether it is the header and nothing else: of a run that could run nothing.
  private static func hasNoCommand(_ descriptor: Int32, _ size: off_t) -> Bool {
    var bytes = [UInt8](repeating: 0, count: JobLogLine.header.count)
    return size == bytes.count && pread(descriptor, &bytes, bytes.count, 0) == bytes.count
      && bytes == JobLogLine.header
  }

  private static let pieceBytes = 65536

  /// Reads all lines. One that was cut short is dropped, also from the file.
  private static func read(
    _ descriptor: Int32, _ path: [UInt8], _ template: CommandTemplate,
    into past: inout JobLogHistory
  ) throws(CommandFailure) {
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
        try take(rest[begin..<end], path, line: lineCount, template, into: &past)
        begin = end + 1
      }
      whole += begin
      rest.removeSubrange(..<begin)
    }
    if lineCount == 0 && !JobLogLine.header.starts(with: rest) {
      throw .noLog(path, line: 1)
    }
    if !rest.isEmpty && ftruncate(descriptor, off_t(whole)) != 0 { throw .log(path, errno) }
  }

  private static func take(
    _ line: ArraySlice<UInt8>, _ path: [UInt8], line number: Int, _ template: CommandTemplate,
    into past: inout JobLogHistory
  ) throws(CommandFailure) {
    if number == 1 && line.elementsEqual(JobLogLine.header.dropLast()) { return }
    guard number > 1, let entry = JobLogLine.parse(line),
      let words = JobLogLine.words(of: entry.command)
    else {
      throw .noLog(path, line: number)
    }
    if !template.canMake(words) { throw .otherCommand(path, line: number) }
    past.add(entry.command, number: entry.number, isSuccess: entry.isSuccess)
  }
}

// The job log of a run, from which a later run resumes.
//
// DESIGN. A command gets its line when its output has been delivered, in one write after
// that of the output: however the process ends, a command with a line is done, and one
// without is run again. A line at the end of the command would save a few of those
// repetitions, and lose the output of as many commands. The log is read once, when a run
// resumes.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A job log, open and locked.
public final class JobLog: Sendable {
  /// The treatment of an existing log.
  public enum Resumption: Sendable {
    /// An existing log is an error, unless it has no command.
    case none
    /// Commands in the log are not run again.
    case all
    /// Commands in the log that succeeded are not run again.
    case successes
  }

  private let path: [UInt8]
  private let resumption: Resumption
  /// The descriptor of the log.
  let file: FileDescriptor
  private let history: Locked<JobLogHistory>

  /// Opens a job log.
  ///
  /// - Parameters:
  ///   - path: The path of the log.
  ///   - resumption: The treatment of an existing log.
  ///   - template: The command, which must be that of an existing log.
  public init(
    _ path: [UInt8], _ resumption: Resumption, of template: CommandTemplate
  ) throws(CommandFailure) {
    self.path = path
    self.resumption = resumption
    do throws(Errno) {
      file = try openFile(path, O_RDWR | O_CREAT | O_APPEND, mode: 0o666)
    } catch {
      throw .log(path, error.rawValue)
    }
    do throws(CommandFailure) {
      do throws(Errno) {
        try JobLog.lock(file)
      } catch {
        throw error == .wouldBlock ? .logInUse(path) : .log(path, error.rawValue)
      }
      history = Locked(try JobLog.load(file, path, resumption, template))
    } catch {
      close(file.rawValue)
      throw error
    }
  }

  deinit { close(file.rawValue) }

  /// Finds a command of this run in the log. Returns true if it succeeded, false if it
  /// failed, and `nil` if it is to be run.
  func find(_ arguments: [[UInt8]]) -> Bool? {
    if resumption == .none { return nil }
    let command = JobLogQuoting.line(of: arguments)
    return history.with { $0.find(command[...], takesFailures: resumption == .all) }
  }

  /// Appends the line of a command.
  func append(_ result: CommandResult) throws(CommandFailure) {
    try JobLog.write(JobLogLine.bytes(of: result), to: file, path)
  }

  // MARK: - The file

  /// Locks the file; waits up to a second for the lock. If a run is killed while it starts a
  /// command, the child has a copy of the descriptor, and with it the lock, until its exec.
  private static func lock(_ file: FileDescriptor) throws(Errno) {
    for _ in 0..<100 {
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return }
      if errno != EWOULDBLOCK && errno != EINTR { throw Errno(rawValue: errno) }
      usleep(10_000)
    }
    throw .wouldBlock
  }

  private static func write(
    _ line: [UInt8], to file: FileDescriptor, _ path: [UInt8]
  ) throws(CommandFailure) {
    do throws(Errno) { try file.write(all: line) } catch { throw .log(path, error.rawValue) }
  }

  private static func load(
    _ file: FileDescriptor, _ path: [UInt8], _ resumption: Resumption,
    _ template: CommandTemplate
  ) throws(CommandFailure) -> JobLogHistory {
    let status: stat
    do throws(Errno) {
      status = try stat(of: file)
    } catch {
      throw .log(path, error.rawValue)
    }
    // A device, such as /dev/stderr, is written only.
    let isFile = status.isRegularFile
    var history = JobLogHistory()
    if isFile && status.st_size > 0 {
      if resumption == .none && !hasNoCommand(file, Int(status.st_size)) {
        throw .logExists(path)
      }
      try read(file, path, template, into: &history)
      history.finish()
    }
    let isEmpty = isFile ? try moveToEnd(file, path) == 0 : true
    if isEmpty {
      try write(JobLogLine.header, to: file, path)
    }
    return history
  }

  /// Returns the length of the file, which the next write extends.
  private static func moveToEnd(
    _ file: FileDescriptor, _ path: [UInt8]
  ) throws(CommandFailure) -> off_t {
    do throws(Errno) {
      return try retryingOnInterrupt { lseek(file.rawValue, 0, SEEK_END) }
    } catch {
      throw .log(path, error.rawValue)
    }
  }

  /// Returns true if the log is only a header: its run could not start any command.
  private static func hasNoCommand(_ file: FileDescriptor, _ size: Int) -> Bool {
    size == JobLogLine.header.count
      && (try? file.bytes(at: 0, count: size)) == JobLogLine.header
  }

  private static let pieceBytes = 65536

  /// Reads all lines. A last line without a newline is removed, also from the file.
  private static func read(
    _ file: FileDescriptor, _ path: [UInt8], _ template: CommandTemplate,
    into history: inout JobLogHistory
  ) throws(CommandFailure) {
    var rest: [UInt8] = []
    var (lineCount, completeCount) = (0, 0)
    while true {
      // A line may have many pieces: those without its end are not searched again.
      let searched = rest.count
      do throws(Errno) {
        if !(try file.read(appendingTo: &rest, count: pieceBytes)) { break }
      } catch {
        throw .log(path, error.rawValue)
      }
      var begin = 0
      while let end = rest[max(begin, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        lineCount += 1
        try add(rest[begin..<end], path, line: lineCount, template, to: &history)
        begin = end + 1
      }
      completeCount += begin
      rest.removeSubrange(..<begin)
    }
    if lineCount == 0 && !JobLogLine.header.starts(with: rest) {
      throw .notALog(path, line: 1)
    }
    if rest.isEmpty { return }
    do throws(Errno) {
      try retryingOnInterrupt { ftruncate(file.rawValue, off_t(completeCount)) }
    } catch {
      throw .log(path, error.rawValue)
    }
  }

  private static func add(
    _ line: ArraySlice<UInt8>, _ path: [UInt8], line number: Int, _ template: CommandTemplate,
    to history: inout JobLogHistory
  ) throws(CommandFailure) {
    if number == 1 && line.elementsEqual(JobLogLine.header.dropLast()) { return }
    guard number > 1, let entry = JobLogLine.parse(line),
      let arguments = JobLogQuoting.arguments(in: entry.command)
    else {
      throw .notALog(path, line: number)
    }
    if !template.canProduce(arguments) { throw .otherCommand(path, line: number) }
    history.add(entry.command, number: entry.number, isSuccess: entry.isSuccess)
  }
}

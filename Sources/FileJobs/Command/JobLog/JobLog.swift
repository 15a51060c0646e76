// The job log of a run, from which a later run resumes.
//
// DESIGN. A command gets its line when it has ended. Its output was delivered by then, or waits in
// the spool beside the log: however the process ends, a command with a line is done, and one
// without is run again. A resumed run delivers first what waits. Between the write to the spool and
// that of the line a kill makes a command run and be delivered once more, as any that was running.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A job log, open and locked.
package final class JobLog: Sendable {
  package enum Resumption: Sendable {
    /// An existing log is an error, unless it has no command.
    case none
    case all
    /// Commands in the log that succeeded are not run again.
    case successes
  }

  private let path: [UInt8]
  private let resumption: Resumption
  var file: FileDescriptor { opened.descriptor }
  private let opened: OwnedFile
  private let history: Locked<JobLogHistory>
  /// The file for output that waits; `nil` if the log is a device, which has no file beside it.
  let spool: OutputSpool?
  /// True if the log has a command, and the run resumes it.
  let isContinued: Bool

  package init(_ path: [UInt8], _ resumption: Resumption) throws(CommandFailure) {
    self.path = path
    self.resumption = resumption
    let flags = O_RDWR | O_CREAT | O_APPEND
    let file = try CommandFailure.ofLog(path, openFile(path, flags, mode: 0o666))
    opened = OwnedFile(file)
    let type = try CommandFailure.ofLog(path, stat(of: file)).st_mode & S_IFMT
    // A shell passes the pipe of a process substitution as /dev/fd/N. No file can be beside such a name.
    let isDescriptor = path.first == .slash && path.withUnsafeBytes(DescriptorNames.mayContain)
    if type == S_IFIFO && !isDescriptor { throw .logIsFIFO(path) }
    let hasSpool = type == S_IFREG && !isDescriptor
    spool = hasSpool ? OutputSpool(path + Array(".waiting".utf8), isNamed: true) : nil
    try JobLog.lock(file, path)
    isContinued =
      resumption != .none && ((try? stat(of: file))?.st_size ?? 0) > JobLogLine.header.count
    history = Locked(try JobLog.load(file, path, resumption))
  }

  /// Finds a command of this run in the log. Returns true if it succeeded, false if it
  /// failed, and `nil` if it is to be run.
  func find(_ arguments: [[UInt8]]) -> Bool? {
    if resumption == .none { return nil }
    let command = ShellWords.line(of: arguments)
    return history.with { $0.find(command[...], takesFailures: resumption == .all) }
  }

  func append(_ result: CommandResult) throws(CommandFailure) {
    let line = JobLogLine.bytes(of: result)
    // One at a time: not every file system appends in one step.
    let failure = history.with { history in
      if history.failure == nil {
        do throws(Errno) { try file.write(all: line) } catch { history.failure = error }
      }
      return history.failure
    }
    if let failure { throw .log(path, failure.rawValue) }
  }

  // MARK: - The file

  /// Locks the file; waits up to a second for the lock. If a run is killed while it starts a
  /// command, the child has a copy of the descriptor, and with it the lock, until its exec.
  private static func lock(_ file: FileDescriptor, _ path: [UInt8]) throws(CommandFailure) {
    for _ in 0..<100 {
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return }
      if errno != EWOULDBLOCK && errno != EINTR { throw .log(path, errno) }
      usleep(10_000)
    }
    throw .logInUse(path)
  }

  private static func load(
    _ file: FileDescriptor, _ path: [UInt8], _ resumption: Resumption
  ) throws(CommandFailure) -> JobLogHistory {
    var history = JobLogHistory()
    let header = JobLogLine.header
    let status = try CommandFailure.ofLog(path, stat(of: file))
    // A device, such as /dev/stderr, is written only.
    let isFile = status.isRegularFile
    let size = isFile ? Int(status.st_size) : 0
    let begin = try CommandFailure.ofLog(
      path, isFile ? file.bytes(at: 0, count: header.count) : [])
    // The run of a log that is only a header could not start any command.
    if resumption == .none && size > 0 && (size != header.count || begin != header) {
      throw .logExists(path)
    }
    let length = size == 0 ? 0 : try read(file, path, into: &history)
    if length == 0 {
      try CommandFailure.ofLog(path, file.write(all: header))
    }
    history.finish()
    return history
  }

  /// Reads all lines. A last line without a newline is removed, also from the file. Returns the
  /// size of the file.
  private static func read(
    _ file: FileDescriptor, _ path: [UInt8], into history: inout JobLogHistory
  ) throws(CommandFailure) -> Int {
    let lines = ManifestReader(file, from: 0, lengthMax: .max)
    var size = 0
    while let line = try CommandFailure.ofLog(path, lines.next().map({ Array($0) })) {
      if !lines.isCut {
        size += line.count + 1
        try add(line[...], path, line: lines.lineNumber, to: &history)
      } else if lines.lineNumber == 1 && !JobLogLine.header.starts(with: line) {
        throw .notALog(path, line: 1)
      } else {
        try CommandFailure.ofLog(
          path, retryingOnInterrupt { ftruncate(file.rawValue, off_t(size)) })
      }
    }
    return size
  }

  private static func add(
    _ line: ArraySlice<UInt8>, _ path: [UInt8], line number: Int, to history: inout JobLogHistory
  ) throws(CommandFailure) {
    if number == 1 && line.elementsEqual(JobLogLine.header.dropLast()) { return }
    guard number > 1, let entry = JobLogLine.parse(line) else {
      throw .notALog(path, line: number)
    }
    history.add(entry.command, number: entry.number, isSuccess: entry.isSuccess)
  }
}

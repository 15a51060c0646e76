// The job of weir run: its options, and its place in the session.

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

extension RunVerb {
  /// Returns the words for the progress of a job that is made later.
  func wording(
    _ statistics: Locked<(@Sendable () -> CommandStatistics)?>
  ) -> ProgressWording {
    CommandReport.wording(itemsPerCommand: options.itemsPerCommand) {
      statistics.with { $0 }?() ?? CommandStatistics()
    }
  }

  /// Returns the options that do not depend on the items.
  func jobOptions(_ session: Session) -> CommandJobOptions {
    var options = options
    options.onProcessShortage = { [console = session.console] error in
      console.report(CommandReport.shortage(error))
    }
    options.temporaryDirectory = RunVerb.temporaryDirectory
    return options
  }

  /// TMPDIR, or /tmp.
  static var temporaryDirectory: [UInt8] {
    guard let directory = getenv("TMPDIR"), directory.pointee != 0 else {
      return CommandJobOptions().temporaryDirectory
    }
    return Array(UnsafeRawBufferPointer(start: directory, count: strlen(directory)))
  }

  func log(_ template: CommandTemplate) throws(FileError) -> JobLog? {
    do throws(CommandFailure) {
      let resumption: JobLog.Resumption =
        resumeFailed ? .successes : shardOptions.resume ? .all : .none
      return try joblog.map { file throws(CommandFailure) in
        try JobLog(file.bytes, resumption, of: template)
      }
    } catch {
      throw FileError(error)
    }
  }

  /// Makes the job, and lets the session end its commands.
  func makeJob(
    _ template: CommandTemplate, _ options: CommandJobOptions, _ settings: FileProcessorOptions,
    _ session: Session, _ statistics: Locked<(@Sendable () -> CommandStatistics)?>
  ) throws(FileError) -> CommandJob {
    let job: CommandJob
    do throws(Errno) {
      job = try CommandJob(template, options, settings)
    } catch {
      throw FileError(message: Array("cannot start: \(error)".utf8))
    }
    statistics.with { $0 = { job.commandStatistics } }
    session.cleanup.with { $0 = { job.abandon() } }
    return job
  }

  /// Ignores SIGPIPE, so that a lost reader is an error and no child is left behind.
  /// Returns true if the signal was not ignored before.
  @discardableResult
  static func prepareSignals() -> Bool {
    // If SIGCHLD is ignored, the exit statuses of children are lost.
    signal(SIGCHLD, SIG_DFL)
    let before = signal(SIGPIPE, SIG_IGN)
    return unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

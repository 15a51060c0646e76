// The job of `weir run`: a command for every item.
//
// DESIGN. Commands run on a file processor: it has the lanes, permits that are taken
// before a lane begins, delivery in order within bounded memory, and cancellation. Each
// command is one item of the processor, whose note has the names. The job opens no file,
// and takes its descriptors (two pipes) from the permits of the lane. The output of a
// command is kept elsewhere, since it can be larger than memory, and the processor
// delivers the number of the command. The lanes block in `poll` and `waitpid`: a dispatch
// source for each child takes 120 us a child.

public import SystemPackage
public import Weir

/// Options of a ``CommandJob``.
public struct CommandJobOptions: Sendable {
  /// The effect of a failed command on the run.
  public enum Halt: String, CaseIterable, Sendable {
    /// The run continues.
    case never
    /// No more commands are started; those that run may end.
    case soon
    /// No more commands are started, and those that run are ended.
    case now
  }

  /// Options of the walks.
  package var walk = CommandWalk()
  /// The maximum number of items of a command, 1 or more.
  public var itemsPerCommand = 1
  /// The time after which a command is ended, by SIGTERM and a second later by SIGKILL; `nil` for
  /// no limit.
  public var timeout: Duration? {
    get { timeoutSeconds.map { .seconds($0) } }
    set { timeoutSeconds = newValue.map { $0 / .seconds(1) } }
  }
  package var timeoutSeconds: Double?
  /// The number of times that a failed command is run again.
  public var retries = 0
  /// The effect of a failed command on the run.
  public var halt = Halt.never
  /// A Boolean value that indicates whether commands write directly to the output of this
  /// process.
  public var isUngrouped = false
  /// The log that records the commands, and from which the run resumes.
  package var log: JobLog?
  /// The directory of the temporary file for output that does not fit in memory.
  package var temporaryDirectory = Array("/tmp".utf8)
  /// The items that get a command; `nil` for all.
  package var select: CommandSelector?
  /// The environment of the commands, as `NAME=value`; `nil` for that of this process.
  package var environment: [[UInt8]]?

  /// A closure that is called once in a run, on any thread, with the errno value, when the
  /// system has no process or descriptor to give and a command has to wait.
  package var onProcessShortage: @Sendable (Int32) -> Void = { _ in }

  /// The default options.
  public init() {}
}

/// Statistics of a run of commands.
package struct CommandStatistics: Sendable {
  /// Commands that have ended.
  package var commands: UInt64 = 0
  /// Commands that failed.
  package var failed: UInt64 = 0
  /// Attempts after the first, of all commands.
  package var retried: UInt64 = 0
  /// Items that the sources named.
  package var items: UInt64 = 0
  /// Commands that the log has and that were not run again.
  package var doneBefore: UInt64 = 0
  /// Commands among ``doneBefore`` that had failed.
  package var failedBefore: UInt64 = 0
  /// Directories and lists that could not be read, and items that cannot be arguments.
  package var unreadable: UInt64 = 0
  /// FIFOs, sockets and devices that walks found.
  package var special: UInt64 = 0
  /// Symbolic links that walks did not follow.
  package var links: UInt64 = 0
  /// Files and directories that the filters excluded.
  package var filtered: UInt64 = 0
  /// Files that walks skipped because this process writes them.
  package var excluded: UInt64 = 0
  /// A Boolean value that indicates whether a failed command has ended the run.
  package var isHalted = false
  /// A Boolean value that indicates whether commands were ended early or not started.
  package var isCut = false

  /// Statistics of no run.
  package init() {}
}

/// A job that runs a command for every item, or for several items each.
///
///     let job = try CommandJob(CommandTemplate(["gzip", "-k", "{}"].map { Array($0.utf8) }))
///     try job.run([.path(Array("/srv".utf8))]) { event in
///       if case .finished(let result) = event { print(result.number, result.outcome) }
///     }
///
/// The output of a command is kept until its turn comes: 64 KiB of each command in
/// memory, for at most 64 commands or 32 more than there are lanes; the rest in a file.
public final class CommandJob: FileJob {
  private struct State {
    var statistics = CommandStatistics()
    var conclusions: [UInt64: CommandConclusion] = [:]
    var stop: CommandFailure?
    /// True if a command was ended early and its turn has come.
    var hasGap = false
    /// True if the turn of a command has come that was ended early, whatever has ended it.
    var hasPassedGap = false
  }

  private let processor: FileProcessor<Void, Void>
  private let template: CommandTemplate
  private let options: CommandJobOptions
  private let isOrdered: Bool
  /// The files that this process writes.
  private let excluded: [FileDescriptor]
  private let children: CommandChildren
  private let state: Locked<State>

  /// Two pipes of a command.
  private static let descriptors = 4

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - template: The command.
  ///   - options: The options of the commands.
  ///   - processorOptions: The number of commands at once, their order, and the files that
  ///     no walk may find. The log is always such a file.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    _ template: CommandTemplate, _ options: CommandJobOptions = CommandJobOptions(),
    _ processorOptions: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    guard options.itemsPerCommand >= 1, options.retries >= 0 else { throw .invalidArgument }
    self.options = options
    self.template = template
    isOrdered = processorOptions.order == .input
    excluded = processorOptions.excluded + (options.log.map { [$0.file] } ?? [])
    let children = CommandChildren()
    let state = Locked(State())
    self.children = children
    self.state = state
    let spool = OutputSpool(directory: options.temporaryDirectory)
    let lane = CommandLane(template: template, options: options, children: children, spool: spool)
    var settings = processorOptions
    settings.opensLate = true
    settings.filesPerBatch = 1
    settings.descriptorsPerLane = options.isUngrouped ? 1 : CommandJob.descriptors
    // Set when the processor exists: a failed command cancels it.
    let cancel = Locked<(@Sendable () -> Void)?>(nil)
    processor = try FileProcessor(settings) { (file) throws(Errno) in
      let result = try CommandJob.run(CommandInvocation(packed: file.lentNote), lane, state) {
        cancel.with { $0 }?()
      }
      if result.hasFailed && options.halt != .never {
        state.with { $0.statistics.isHalted = true }
        cancel.with { $0 }?()
        if options.halt == .now { children.terminate() }
      }
      try file.write(bytesOf: result.number)
    }
    let processor = processor
    cancel.with { cancel -> Void in
      cancel = { [weak processor] in processor?.cancel() }
    }
  }

  /// Runs one command and keeps its conclusion.
  private static func run(
    _ invocation: CommandInvocation, _ lane: CommandLane, _ state: Locked<State>,
    stopping cancel: () -> Void
  ) throws(Errno) -> CommandConclusion {
    do throws(CommandLane.Stop) {
      let result = try lane.run(invocation)
      state.with { state -> Void in
        state.conclusions[result.number] = result
      }
      return result
    } catch {
      switch error {
      case .canceled:
        state.with { $0.statistics.isCut = true }
      case .failure(let failure):
        state.with { $0.stop = $0.stop ?? failure }
        lane.children.terminate()
        cancel()
      }
      throw .canceled
    }
  }

  /// Runs the commands; returns when all have ended.
  ///
  /// - Parameters:
  ///   - sources: The sources of the items.
  ///   - deliver: Called with each event, in the order of the items or as completed, one
  ///     call at a time, on any thread. An error that it throws ends the run and its
  ///     commands.
  /// - Throws: `Errno.canceled` after ``FileJob/cancel()``, a ``CommandFailure``, or the
  ///   error of `deliver`. A failed command is not an error of the run.
  ///
  /// Blocks: yes, until the run has ended.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  public func run(
    _ sources: [CommandSource], deliver: @escaping @Sendable (CommandEvent) throws -> Void
  ) throws {
    let items = CommandItems(
      sources, options.walk, excluding: ExcludedFiles(excluded), select: options.select)
    let log = options.log
    try run(
      items, event: { event in try deliver(event) },
      record: { [template] record in
        for event in record.events(template) {
          try deliver(event)
          if case .finished(let result) = event { try log?.append(result) }
        }
      })
  }

  /// Runs the commands of items; returns when all have ended.
  ///
  /// - Parameters:
  ///   - items: The items, as of a shard.
  ///   - record: Called with each record, in the order of the items. An error that it throws ends
  ///     the run and its commands.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ items: any CommandItemIterator, record: @escaping @Sendable (CommandRecord) throws -> Void
  ) throws {
    try run(items, event: { _ in }, record: record)
  }

  private func run(
    _ items: any CommandItemIterator, event: @escaping @Sendable (CommandEvent) throws -> Void,
    record: @escaping @Sendable (CommandRecord) throws -> Void
  ) throws {
    state.with { $0 = State() }
    let feed = CommandFeed(items, template, options) { [state] change in
      state.with { change(&$0.statistics) }
    }
    children.begin()
    let source = FileSource.items { feed.nextItem() }
    var failure: (any Error)?
    do {
      try processor.run([source]) { [self] batch in
        for index in 0..<batch.count { try report(batch[index], event, record) }
      }
    } catch {
      failure = error
    }
    if let stop = state.with({ $0.stop }) { throw stop }
    if let failure, !(failure as? Errno == .canceled && commandStatistics.isHalted) {
      throw failure
    }
  }

  /// The handle on the present run; each of its files is a command. ``FileJob/cancel()``
  /// starts no more commands and ends those that run, by SIGTERM and a second later by
  /// SIGKILL.
  public var control: JobControl {
    JobControl(
      cancel: { [self] in
        processor.cancel()
        children.terminate()
      },
      statistics: { [self] in processor.statistics },
      busyFiles: { [self] in processor.busyFiles(nanoseconds: $0) })
  }

  /// Sends SIGKILL to all commands and starts no more: for a process that is about to end.
  ///
  /// Blocks: at most a second, while commands are being started.
  package func abandon() {
    children.abandon()
  }

  /// The statistics of the present run, or of the last one.
  package var commandStatistics: CommandStatistics {
    state.with { $0.statistics }
  }

  // MARK: - Delivering

  /// Returns the record of a command whose turn has come; `nil` after a command that was
  /// ended early. The output of the run is then a beginning of the complete output.
  private func takeRecord(_ number: UInt64, _ note: UnsafeRawBufferPointer) -> CommandRecord? {
    let found = state.with { state -> (conclusion: CommandConclusion, followsGap: Bool)? in
      guard let conclusion = state.conclusions.removeValue(forKey: number), !state.hasGap else {
        return nil
      }
      state.statistics.add(conclusion)
      return (conclusion, state.hasPassedGap)
    }
    guard let found else { return nil }
    return CommandRecord(
      items: CommandInvocation(packed: note).items, conclusion: found.conclusion,
      followsGap: found.followsGap)
  }

  private func report(
    _ result: FileResult, _ event: (CommandEvent) throws -> Void,
    _ record: (CommandRecord) throws -> Void
  ) throws {
    do {
      switch result.outcome {
      case .done:
        let number = result.output.loadUnaligned(as: UInt64.self)
        if let command = takeRecord(number, result.note) { try record(command) }
      case .noted:
        guard let special = CommandFeed.special(in: result.note) else { return }
        state.with { $0.statistics.special += 1 }
        try event(.special(special.path, special.type))
      case .failed(let error):
        // With a note it is a command, without one a path that could not be read.
        if !result.note.isEmpty {
          // Any other error has lost the result of a command.
          let error = Errno(of: error)
          guard error == .canceled else { throw CommandFailure.delivery(error.rawValue) }
          return state.with { state -> Void in
            state.hasPassedGap = true
            // A gap is never closed: a command may fail while others are cancelled.
            if isOrdered && !state.statistics.isHalted { state.hasGap = true }
          }
        }
        state.with { $0.statistics.unreadable += 1 }
        try event(.unreadable(Array(result.path), Errno(of: error).rawValue))
      default:
        return
      }
    } catch {
      children.terminate()
      throw error
    }
  }
}

// A command for every item of a set.
//
// DESIGN. Commands are what a file processor is for: it has the lanes, permits that
// are taken before a lane begins, an order of delivery within bounded memory, and a
// way to end early. What it is given is an item for each command, whose note has the
// names; the job never opens anything, and takes its descriptors (two pipes) from
// the permits that the lane has. What a command wrote is kept beside, since it may
// be larger than memory, and the processor delivers its number.

public import SystemPackage
public import Weir

/// How commands are run.
public struct CommandJobOptions: Sendable {
  /// What becomes of a run in which a command fails.
  public enum Halt: Sendable {
    /// It goes on.
    case never
    /// No more are started; those that run are waited for.
    case soon
    /// No more are started, and those that run are ended.
    case now
  }

  /// How trees are walked.
  public var walk = CommandWalk()
  /// How many items a command is given at most, 1 or more.
  public var itemsPerCommand = 1
  /// After so many seconds a command is ended, by SIGTERM and a second later by
  /// SIGKILL; `nil` for never.
  public var timeout: Double?
  /// How often a command that failed is run again.
  public var retries = 0
  /// What becomes of a run in which a command fails.
  public var halt = Halt.never
  /// Whether commands write where this process does, and nothing is read.
  public var isUngrouped = false
  /// Where is written what is done, and read what was.
  public var log: JobLog?
  /// Where the file is made, without a name, that has what does not fit in memory.
  public var temporaryDirectory = Array("/tmp".utf8)

  /// Called once in a run, on any thread, where the system has no process to give and
  /// a command has to wait for one; with its errno value.
  public var heldUp: @Sendable (Int32) -> Void = { _ in }

  /// The defaults.
  public init() {}
}

/// Figures of a run.
public struct CommandStatistics: Sendable {
  /// Commands that ran to their end.
  public var commands: UInt64 = 0
  /// Of these, how many failed.
  public var failed: UInt64 = 0
  /// How often a command was run again.
  public var retried: UInt64 = 0
  /// Items that were found.
  public var items: UInt64 = 0
  /// Commands that the log has, and that were not run again.
  public var doneBefore: UInt64 = 0
  /// Of these, how many had failed.
  public var failedBefore: UInt64 = 0
  /// Directories and lists that could not be read, and what is no argument.
  public var unreadable: UInt64 = 0
  /// FIFOs, sockets and devices that a walk has met.
  public var special: UInt64 = 0
  /// Symbolic links that a walk did not follow.
  public var links: UInt64 = 0
  /// What filters took out.
  public var filtered: UInt64 = 0
  /// Files that a walk has passed over because output goes there.
  public var excluded: UInt64 = 0
  /// Whether a failure has ended the run.
  public var isHalted = false
  /// Whether commands were cut short, or not begun.
  public var isCut = false

  /// Those of no run.
  public init() {}
}

/// A job that runs a command for every item, or for every so many.
///
///     let job = try CommandJob(CommandTemplate(["gzip", "-k", "{}"].map { Array($0.utf8) }))
///     try job.run([.path(Array("/srv".utf8))]) { event in
///       if case .finished(let result) = event { print(result.number, result.outcome) }
///     }
///
/// What commands write is kept until their turn comes: 64 KiB of each in memory,
/// of at most 64 commands, or of 32 more than there are lanes; the rest in a file.
public final class CommandJob: FileJob {
  private struct State {
    var feed: CommandFeed?
    var statistics = CommandStatistics()
    var conclusions: [UInt64: CommandLane.Conclusion] = [:]
    var stop: CommandFailure?
    /// Whether one was cut short whose turn has come.
    var hasGap = false
  }

  private let processor: FileProcessor<Void, Void>
  private let template: CommandTemplate
  private let options: CommandJobOptions
  private let isOrdered: Bool
  private let written: [FileDescriptor]
  private let children: CommandChildren
  private let state: Locked<State>

  /// Two pipes.
  private static let descriptors = 4

  /// Makes the job.
  ///
  /// - Parameters:
  ///   - template: The command.
  ///   - options: How it is run.
  ///   - processorOptions: How many at once, in which order, and what no walk is to
  ///     find, as it is not to find the log.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  public init(
    _ template: CommandTemplate, _ options: CommandJobOptions = CommandJobOptions(),
    _ processorOptions: FileProcessorOptions = FileProcessorOptions()
  ) throws(Errno) {
    guard options.itemsPerCommand >= 1, options.retries >= 0 else { throw .invalidArgument }
    self.options = options
    self.template = template
    isOrdered = processorOptions.order == .input
    written = processorOptions.excluded + (options.log.map { [$0.file] } ?? [])
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
    // Set when the processor is there: a failure has to reach it.
    let cancel = Locked<(@Sendable () -> Void)?>(nil)
    processor = try FileProcessor(settings) { (file) throws(Errno) in
      let result = try CommandJob.run(CommandBatch(packed: file.note), lane, state) {
        cancel.with { $0 }?()
      }
      if !result.outcome.isSuccess && options.halt != .never {
        state.with { $0.statistics.isHalted = true }
        cancel.with { $0 }?()
        if options.halt == .now { children.terminate() }
      }
      try file.write(withUnsafeBytes(of: result.number) { Array($0) })
    }
    let processor = processor
    cancel.with { place -> Void in
      place = { [weak processor] in processor?.cancel() }
    }
  }

  /// Runs one command and keeps what became of it.
  private static func run(
    _ batch: CommandBatch, _ lane: CommandLane, _ state: Locked<State>, stopping cancel: () -> Void
  ) throws(Errno) -> CommandLane.Conclusion {
    do {
      let result = try lane.run(batch)
      state.with { state -> Void in
        state.conclusions[result.number] = result
      }
      return result
    } catch let stop as CommandLane.Stop {
      state.with { state -> Void in
        if state.stop == nil { state.stop = stop.failure }
      }
      lane.children.terminate()
      cancel()
      throw .canceled
    } catch {
      state.with { $0.statistics.isCut = true }
      throw error as? Errno ?? .ioError
    }
  }

  /// Runs the commands; returns when all have ended.
  ///
  /// - Parameters:
  ///   - sources: What to run them for.
  ///   - deliver: Called with what there is to tell, in the order of the items or
  ///     as completed, never two at a time, on any thread. What it throws ends the
  ///     run, and its commands, and is thrown.
  /// - Throws: `Errno.canceled` after ``cancel()``, a ``CommandFailure``, or what
  ///   `deliver` throws. That commands fail is no error of the run.
  ///
  /// Blocks: yes, as long as it takes.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  public func run(
    _ sources: [CommandSource], deliver: @escaping @Sendable (CommandEvent) throws -> Void
  ) throws {
    let feed = CommandFeed(sources, template, options, sparing: OwnOutput(written))
    state.with { state -> Void in
      state = State()
      state.feed = feed
    }
    children.begin()
    let source = FileSource.items { feed.nextItem() }
    var failure: (any Error)?
    do {
      try processor.run([source]) { [self] batch in
        for index in 0..<batch.count { try hand(batch[index], to: deliver) }
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
  /// SIGKILL. ``FileJob/busyFiles(nanoseconds:)`` returns them by their first items.
  public var control: JobControl {
    JobControl(
      cancel: { [self] in
        processor.cancel()
        children.terminate()
      },
      statistics: { [self] in processor.statistics },
      busyFiles: { [self] in processor.busyFiles(nanoseconds: $0) })
  }

  /// Ends all commands at once, by SIGKILL, and starts no more: for a process that
  /// is about to end.
  public func abandon() {
    children.abandon()
  }

  /// The figures of the present run, or the last one.
  public var commandStatistics: CommandStatistics {
    var (statistics, feed) = state.with { ($0.statistics, $0.feed) }
    if let found = feed?.statistics {
      statistics.items = found.items
      statistics.doneBefore = found.doneBefore
      statistics.failedBefore = found.failedBefore
      statistics.links = found.links
      statistics.filtered = found.filtered
      statistics.excluded = found.excluded
    }
    return statistics
  }

  // MARK: - Delivering

  /// What became of a command whose turn has come; `nil` behind one that was cut
  /// short, where nothing is written any more: what is written is to be a beginning
  /// of what would have been.
  private func take(_ number: UInt64, _ note: UnsafeRawBufferPointer) -> CommandResult? {
    let conclusion = state.with { state -> CommandLane.Conclusion? in
      guard let conclusion = state.conclusions.removeValue(forKey: number), !state.hasGap else {
        return nil
      }
      state.statistics.commands += 1
      state.statistics.failed += conclusion.outcome.isSuccess ? 0 : 1
      state.statistics.retried += UInt64(conclusion.attempts - 1)
      return conclusion
    }
    guard let conclusion else { return nil }
    let items = CommandBatch(packed: note).items
    return CommandResult(
      number: number, items: items, arguments: template.arguments(for: items, number: number),
      outcome: conclusion.outcome, attempts: conclusion.attempts, start: conclusion.start,
      seconds: conclusion.seconds, output: conclusion.output)
  }

  private func hand(_ result: FileResult, to deliver: (CommandEvent) throws -> Void) throws {
    do {
      switch result.outcome {
      case .done:
        let number = result.output.loadUnaligned(as: UInt64.self)
        guard let command = take(number, result.note) else { return }
        try deliver(.finished(command))
        try options.log?.append(command)
      case .noted:
        guard let special = CommandFeed.special(in: result.note) else { return }
        state.with { $0.statistics.special += 1 }
        try deliver(.special(special.path, special.type))
      case .failed(let error):
        // One that was cut short has nothing to tell; of those it is not the path
        // that could not be read.
        if !result.note.isEmpty {
          return state.with { $0.hasGap = isOrdered && !$0.statistics.isHalted }
        }
        state.with { $0.statistics.unreadable += 1 }
        try deliver(.unreadable(Array(result.path), error.rawValue))
      default:
        return
      }
    } catch {
      children.terminate()
      throw error
    }
  }
}

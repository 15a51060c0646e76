// The job of `weir run`: a command for every item.
//
// DESIGN. Commands run on a file processor for its lanes, permits and cancellation. Each command is
// one item, whose note has its turn and the names. It takes its descriptors (two pipes) from the
// permits of the lane. The processor delivers nothing: its order would keep the lanes from running
// ahead of a slow command (CommandDelivery.swift). The lanes block in `poll` and `waitpid`: a
// dispatch source for each child takes 120 us a child.

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
  /// True if commands write directly to the output of this process.
  public var isUngrouped = false
  /// The log that records the commands, and from which the run resumes.
  package var log: JobLog?
  /// A Boolean value that indicates whether at most 64 commands, or 32 more than there are lanes, have
  /// ended and wait for their turn: what waits for an end of the run is then little.
  package var hasWindow = false
  /// The directory of the temporary file for output that does not fit in memory.
  package var temporaryDirectory = Array("/tmp".utf8)
  package var select: CommandSelector?
  /// The environment of the commands, as `NAME=value`; `nil` for that of this process.
  package var environment: [[UInt8]]?

  /// A closure that is called once in a run, on any thread, with the errno value, when the
  /// system has no process or descriptor to give and a command has to wait.
  package var onProcessShortage: @Sendable (Int32) -> Void = { _ in }

  /// The default options.
  public init() {}
}

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
  package var isHalted = false
  /// A Boolean value that indicates whether commands were ended early or not started.
  package var isCut = false

  package init() {}
}

/// A job that runs a command for every item, or for several items each.
///
///     let job = try CommandJob(CommandTemplate(["gzip", "-k", "{}"].map { Array($0.utf8) }))
///     try job.run([.path(Array("/srv".utf8))]) { event in
///       if case .finished(let result) = event { print(result.number, result.outcome) }
///     }
///
/// The output of a command is kept until its turn comes: 64 KiB of each command in memory, for the
/// running commands and at most 64 others; the rest in a file.
public final class CommandJob: FileJob {
  private struct State {
    var statistics = CommandStatistics()
    var stop: CommandFailure?
  }

  private let processor: FileProcessor<Void, Void>
  private let template: CommandTemplate
  private let options: CommandJobOptions
  private let delivery: CommandDelivery
  /// The files that this process writes.
  private let excluded: ExcludedFiles
  private let lanes: Int
  private let children: CommandChildren
  private let state: Locked<State>

  /// Two pipes of a command.
  private static let descriptors = 4
  /// The turn of a command, before its invocation in a note.
  private static let turnBytes = MemoryLayout<UInt64>.size

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
    excluded = ExcludedFiles(
      processorOptions.excluded + (options.log.map { [$0.file] } ?? []),
      besides: options.log?.spool?.path)
    lanes = processorOptions.jobs ?? Lanes.defaultWidth
    let children = CommandChildren()
    let state = Locked(State())
    self.children = children
    self.state = state
    let spool = options.log?.spool ?? OutputSpool(options.temporaryDirectory)
    // Set when the processor exists: a failed command cancels it.
    let cancel = Locked<(@Sendable () -> Void)?>(nil)
    let stop: @Sendable () -> Void = {
      children.terminate()
      cancel.with { $0 }?()
    }
    let delivery = CommandDelivery(
      spool, options.log, template, isOrdered: processorOptions.order == .input, onFailure: stop)
    self.delivery = delivery
    let lane = CommandLane(
      template: template, options: options, children: children, spool: spool, delivery: delivery)
    var settings = processorOptions
    if !options.hasWindow { settings.order = .completion }
    settings.opensLate = true
    settings.filesPerBatch = 1
    settings.descriptorsPerLane = options.isUngrouped ? 1 : CommandJob.descriptors
    processor = try FileProcessor(settings) { (file) throws(Errno) in
      let note = file.lentNote
      let turn = note.loadUnaligned(as: UInt64.self)
      let invocation = CommandInvocation(packed: note.dropFirst(CommandJob.turnBytes).rebased)
      do throws(CommandLane.Stop) {
        let entry = try lane.run(invocation, turn: turn)
        state.with { $0.statistics.add(entry) }
        if entry.hasFailed && options.halt != .never {
          state.with { $0.statistics.isHalted = true }
          cancel.with { $0 }?()
          if options.halt == .now { children.terminate() }
        }
        try lane.finish(entry, turn: turn)
      } catch {
        delivery.cut(turn, invocation)
        switch error {
        case .canceled:
          state.with { $0.statistics.isCut = true }
        case .failure(let failure):
          state.with { $0.stop = $0.stop ?? failure }
          stop()
        }
        throw .canceled
      }
    }
    let processor = processor
    cancel.with { cancel -> Void in
      cancel = { [weak processor] in processor?.cancel() }
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
    try run(sources, output: nil, deliver: deliver)
  }

  /// Runs the commands; the command whose turn it is passes its output on as it comes.
  ///
  /// - Parameter output: Called with each piece of that output, which the result of the command
  ///   then lacks; `nil` to keep all output for the results.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ sources: [CommandSource], output: CommandOutputReceiver?,
    deliver: @escaping @Sendable (CommandEvent) throws -> Void
  ) throws {
    try run(
      items(of: sources),
      CommandDelivery.Receiver(
        event: deliver,
        record: { [template] in for event in $0.events(template) { try deliver(event) } },
        output: output))
  }

  private func items(of sources: [CommandSource]) -> CommandItems {
    CommandItems(
      sources, options.walk, excluding: excluded, select: options.select)
  }

  /// Runs the commands of items, as of a shard. `record` is called in the order of the items; an
  /// error that it throws ends the run and its commands.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  package func run(
    _ items: CommandItems, record: @escaping @Sendable (CommandPartEntry) throws -> Void
  ) throws {
    try run(
      items, CommandDelivery.Receiver(event: { _ in }, record: record, output: nil))
  }

  private func run(
    _ items: CommandItems, _ receiver: CommandDelivery.Receiver
  ) throws {
    state.with { $0 = State() }
    let feed = makeFeed(items)
    children.begin()
    try delivery.begin(receiver)
    let source = FileSource.items { [self] in nextItem(feed) }
    var failure: (any Error)?
    do {
      try processor.run([source]) { batch in
        for index in 0..<batch.count {
          // Any other error has lost the result of a command.
          if case .failed(let error) = batch[index].outcome, Errno(of: error) != .canceled {
            throw CommandFailure.delivery(Errno(of: error).rawValue)
          }
        }
      }
    } catch {
      children.terminate()
      failure = error
    }
    delivery.end()
    if let stop = state.with({ $0.stop }) { throw stop }
    if let failure = delivery.failure { throw failure }
    if let failure, !(failure as? Errno == .canceled && commandStatistics.isHalted) {
      throw failure
    }
  }

  private func makeFeed(_ items: CommandItems) -> CommandFeed {
    CommandFeed(items, template, options, lanes: lanes) { [state] change in
      state.with { change(&$0.statistics) }
    }
  }

  /// Returns the arguments of each command that a run would run; no command is run.
  package func preview(
    _ sources: [CommandSource], deliver: (CommandEvent) throws -> Void,
    command: (_ arguments: [[UInt8]]) throws -> Void
  ) throws {
    let feed = makeFeed(items(of: sources))
    children.begin()
    while let element = feed.nextInvocation() {
      if children.isOver { throw Errno.canceled }
      switch element {
      case .pause: continue
      case .event(let event): try deliver(event)
      case .invocation(let invocation):
        try command(template.arguments(for: invocation.items, number: invocation.number))
      }
    }
  }

  /// Returns the next item of the processor. What is no command is delivered in its turn.
  private func nextItem(_ feed: CommandFeed) -> FileItem? {
    switch feed.nextInvocation() {
    case nil: return nil
    case .pause: return .flush
    case .event(let event):
      delivery.add(event)
      return .flush
    case .invocation(let invocation):
      var turn = delivery.reserve()
      let note = withUnsafeBytes(of: &turn) { Array($0) } + invocation.packed
      return FileItem(path: invocation.items[0].bytes, note: note, isWalked: false)
    }
  }

  /// The handle on the present run; each of its files is a command. ``FileJob/cancel()`` ends the
  /// commands that run, by SIGTERM and a second later by SIGKILL.
  public var control: JobControl {
    JobControl(
      cancel: { [self] in
        processor.cancel()
        children.terminate()
      },
      statistics: { [self] in
        var statistics = processor.statistics
        // A run that is interrupted is not stalled while it delivers.
        statistics.bytes += delivery.rest
        return statistics
      },
      busyFiles: { [self] in processor.busyFiles(nanoseconds: $0) },
      pause: { [self] in if $0 { children.stop() } else { children.resume() } })
  }

  /// Sends SIGKILL to all commands and starts no more: for a process that is about to end.
  ///
  /// Blocks: at most a second, while commands are being started.
  package func abandon() {
    children.abandon()
  }

  package var commandStatistics: CommandStatistics {
    state.with { $0.statistics }
  }
}

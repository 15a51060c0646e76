internal import Dispatch
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A runner of commands, which runs failed commands again.
struct CommandLane: Sendable {
  let template: CommandTemplate
  let options: CommandJobOptions
  let children: CommandChildren
  let spool: OutputSpool
  let delivery: CommandDelivery

  /// The reason why a command has no conclusion.
  enum Stop: Error {
    /// The run was canceled, or ended for another reason.
    case canceled
    /// No command can be run any more.
    case failure(CommandFailure)
  }

  func run(_ invocation: CommandInvocation, turn: UInt64) throws(Stop) -> CommandPartEntry {
    var entry = CommandPartEntry(invocation: invocation)
    for (index, item) in invocation.items.enumerated() {
      if let error = item.planned?.error(at: item.bytes) {
        entry.omissions.append(.init(index: index, error: error.rawValue))
      }
    }
    let items = entry.items
    if !items.isEmpty { try run(items, turn: turn, into: &entry) }
    return entry
  }

  func finish(_ entry: CommandPartEntry, turn: UInt64) throws(Stop) {
    do throws(CommandFailure) { try delivery.finish(entry, turn: turn) } catch {
      throw .failure(error)
    }
  }

  private func run(
    _ items: [CommandItem], turn: UInt64, into entry: inout CommandPartEntry
  ) throws(Stop) {
    let arguments = template.arguments(for: items, number: entry.invocation.number)
    entry.output = options.isUngrouped ? nil : CommandOutput(spool)
    repeat {
      entry.attempts += 1
      entry.output?.clear()
      // The output of an attempt that is not the last one is passed on only if the attempt succeeds.
      if let output = entry.output, entry.attempts > options.retries {
        delivery.start(turn, output)
      }
      let begin = DispatchTime.now().uptimeNanoseconds
      entry.start = CommandLane.timeOfDay
      let outcome = try run(arguments, entry.output)
      if let failure = entry.output?.failure {
        throw .failure(.spool(spool.path, failure.rawValue))
      }
      entry.outcome = outcome
      entry.seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    } while entry.hasFailed && entry.attempts <= options.retries && !children.isOver
  }

  private func run(
    _ arguments: [[UInt8]], _ output: CommandOutput?
  ) throws(Stop) -> CommandOutcome {
    let child: ChildProcess
    do throws(Errno) {
      child = try start(arguments)
    } catch {
      return try outcome(ofFailedStart: arguments, error)
    }
    let outcome: CommandOutcome
    do throws(Errno) {
      outcome = try collect(child, output)
    } catch {
      // An error of the system concerns this command alone.
      child.killGroupAtEnd()
      child.send(SIGKILL)
      _ = try? child.wait()
      outcome = .lost(error.rawValue)
    }
    if children.remove(child) { throw .canceled }
    return outcome
  }

  private func collect(
    _ child: ChildProcess, _ output: CommandOutput?
  ) throws(Errno) -> CommandOutcome {
    let take = { (stream: ChildProcess.Stream, bytes: UnsafeRawBufferPointer) in
      output?.append(stream, bytes)
      // Output that cannot be kept ends the run.
      if output?.failure != nil { CommandChildren.terminate(child) }
    }
    let deadline = options.timeoutSeconds.map { children.activeTime + $0 } ?? .infinity
    repeat {
      let seconds = min(deadline - children.activeTime, CommandLane.checkSeconds)
      if let ending = try child.collect(until: .now() + seconds, take) { return .ended(ending) }
      children.killWhenDue()
      // A process that left the group of the command may write forever.
      if children.isKilled { return .ended(try child.wait()) }
    } while children.activeTime < deadline
    if child.hasEnded { return .ended(try rest(of: child, take)) }
    CommandChildren.terminate(child)
    for _ in 0..<2 {
      if let ending = try child.collect(until: .now() + CommandChildren.grace, take) {
        return .timedOut(ending)
      }
      child.send(SIGKILL)
    }
    // The pipes are closed with the object.
    return .timedOut(try child.wait())
  }

  /// Reads for a while what other processes write to the pipes of a command that has ended in time.
  private func rest(
    of child: ChildProcess, _ take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  ) throws(Errno) -> ChildProcess.TerminationStatus {
    if let ending = try child.collect(until: .now() + CommandLane.restSeconds, take) {
      return ending
    }
    return try child.wait()
  }

  /// Longer than `collect` waits for pipes without output.
  private static let restSeconds = 2.0

  /// The interval at which a lane that reads checks if the run was killed: longer than
  /// `collect` waits for the pipes of an ended command to be closed.
  private static let checkSeconds = 3.0

  private func start(_ arguments: [[UInt8]]) throws(Errno) -> ChildProcess {
    var settings = ChildProcess.Options(input: nil, environment: options.environment)
    settings.leadsSession = true
    if !options.isUngrouped {
      settings.output = .pipe
      settings.error = .pipe
    }
    var delay = RetryDelay()
    while true {
      do throws(Errno) {
        return try children.start { () throws(Errno) in try ChildProcess(arguments, settings) }
      } catch {
        guard CommandLane.isShortage(error) || error == .interrupted,
          let pause = delay.next(whileOthersRun: children.areRunning)
        else { throw error }
        let isReported =
          CommandLane.lacksDescriptors(error)
          ? delay.isLong && children.areRunning : CommandLane.isShortage(error)
        if isReported && children.markShortage() { options.onProcessShortage(error.rawValue) }
        usleep(useconds_t(pause * 1e6))
      }
    }
  }

  /// Returns true if the system has no process, descriptor or memory to give at present.
  private static func isShortage(_ error: Errno) -> Bool {
    error == .resourceTemporarilyUnavailable || error == .noMemory || lacksDescriptors(error)
  }

  private static func lacksDescriptors(_ error: Errno) -> Bool {
    error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem
  }

  /// Returns the outcome of a command that could not be started; throws if no other can be either.
  private func outcome(
    ofFailedStart arguments: [[UInt8]], _ error: Errno
  ) throws(Stop) -> CommandOutcome {
    switch error {
    case .canceled:
      throw .canceled
    case .argListTooLong, .invalidArgument, .resourceTemporarilyUnavailable, .noMemory:
      return .notStarted(error.rawValue)
    default:
      if template.programDependsOnItems { return .notStarted(error.rawValue) }
      throw .failure(.program(arguments[0], error.rawValue))
    }
  }

  private static var timeOfDay: Double {
    var time = timeval()
    gettimeofday(&time, nil)
    return Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

/// The growing pauses between attempts to start a command when a limit of processes or descriptors
/// is reached, or memory is short. While other commands run, each one that ends makes room, so the
/// attempts go on. Otherwise other programs have taken the room, perhaps for good, so the attempts
/// end.
private struct RetryDelay {
  private var pause = 0.02
  private var left = 3.0

  private var waited = 0.0

  private static let longest = 0.1
  /// The seconds after which a lack of descriptors is reported, while other commands run: a
  /// shorter one is usual when there are few. If none runs, the error follows soon.
  private static let patience = 1.0

  /// Returns the longest wait in seconds before the next attempt; `nil` after the last one.
  mutating func next(whileOthersRun: Bool) -> Double? {
    if !whileOthersRun {
      if left <= 0 { return nil }
      left -= pause
    }
    waited += pause
    defer { pause = min(pause * 2, RetryDelay.longest) }
    return pause
  }

  var isLong: Bool { waited >= RetryDelay.patience }
}

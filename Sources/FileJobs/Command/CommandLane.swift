// One command, from its start to its end, on a lane.

internal import Dispatch
internal import Glibc
internal import SystemPackage
internal import Weir

/// Runs commands, again where they fail.
struct CommandLane: Sendable {
  let template: CommandTemplate
  let options: CommandJobOptions
  let children: CommandChildren
  let spool: OutputSpool

  /// Why no command can be run any more.
  struct Stop: Error {
    let failure: CommandFailure
  }

  /// What became of one, without what it was run for: that may be much, many wait for
  /// their turn, and the processor has it in one piece.
  struct Conclusion: Sendable {
    let number: UInt64
    let outcome: CommandOutcome
    let attempts: Int
    let start: Double
    let seconds: Double
    let output: CommandOutput?
  }

  /// Runs one. Throws `Errno.canceled` where it was cut short, or `Stop`.
  func run(_ batch: CommandBatch) throws -> Conclusion {
    let arguments = template.arguments(for: batch.items, number: batch.number)
    var attempt = 1
    while true {
      let output = options.isUngrouped ? nil : CommandOutput(spool)
      let begin = DispatchTime.now().uptimeNanoseconds
      let start = CommandLane.timeOfDay
      let outcome = try run(arguments, output)
      if let failure = output?.failure {
        throw Stop(failure: .spool(spool.directory, failure.rawValue))
      }
      if outcome.isSuccess || attempt > options.retries || children.isOver {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
        return Conclusion(
          number: batch.number, outcome: outcome, attempts: attempt, start: start,
          seconds: seconds, output: output)
      }
      attempt += 1
    }
  }

  private func run(_ arguments: [[UInt8]], _ output: CommandOutput?) throws -> CommandOutcome {
    let child: ChildProcess
    do throws(Errno) {
      child = try start(arguments)
    } catch {
      return try refusal(arguments, error)
    }
    let result = Result { try collect(child, output) }
    if children.end(child) { throw Errno.canceled }
    return try result.get()
  }

  private func collect(_ child: ChildProcess, _ output: CommandOutput?) throws -> CommandOutcome {
    let take = { (stream: ChildProcess.Stream, bytes: UnsafeRawBufferPointer) in
      output?.append(stream, bytes)
      // There is no use in going on.
      if output?.failure != nil { CommandChildren.terminate(child) }
    }
    let deadline = options.timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
    repeat {
      let end = min(deadline, .now() + CommandLane.lookSeconds)
      if let ending = try child.collect(until: end, take) { return .ended(ending) }
      children.killWhenDue()
      // What it has left behind, out of its group, may write for ever.
      if children.isKilled { return .ended(try child.wait()) }
    } while DispatchTime.now() < deadline
    CommandChildren.terminate(child)
    for _ in 0..<2 {
      if let ending = try child.collect(until: .now() + CommandChildren.grace, take) {
        return .timedOut(ending)
      }
      child.send(SIGKILL)
    }
    // Its pipes are closed with the object.
    return .timedOut(try child.wait())
  }

  /// How often a lane that reads looks whether the run was ended by force: longer than
  /// `collect` waits in silence for what a child has left behind.
  private static let lookSeconds = 3.0

  private func start(_ arguments: [[UInt8]]) throws(Errno) -> ChildProcess {
    var settings = ChildProcess.Options(input: .null, leadsSession: true)
    if !options.isUngrouped {
      settings.output = .pipe
      settings.error = .pipe
    }
    var patience = RetryDelay()
    while true {
      let ended = children.look.ended
      do throws(Errno) {
        return try children.start { () throws(Errno) in
          try DescriptorBudget.retrying { () throws(Errno) in
            try ChildProcess(arguments, settings)
          }
        }
      } catch {
        guard CommandLane.isShortage(error) || error == .interrupted,
          let pause = patience.next(whileOthersRun: children.look.areRunning)
        else { throw error }
        if CommandLane.isShortage(error) && children.noteHoldUp() { options.heldUp(error.rawValue) }
        children.awaitEnd(since: ended, seconds: pause)
      }
    }
  }

  /// Whether there can be no more processes now.
  private static func isShortage(_ error: Errno) -> Bool {
    error == .resourceTemporarilyUnavailable || error == .noMemory
  }

  /// What it means that a command could not be started.
  private func refusal(_ arguments: [[UInt8]], _ error: Errno) throws -> CommandOutcome {
    switch error {
    case .canceled:
      throw error
    case .argListTooLong, .invalidArgument, .resourceTemporarilyUnavailable, .noMemory:
      return .notStarted(error.rawValue)
    default:
      if template.programIsOfItems { return .notStarted(error.rawValue) }
      throw Stop(failure: .program(arguments[0], error.rawValue))
    }
  }

  private static var timeOfDay: Double {
    var time = timeval()
    gettimeofday(&time, nil)
    return Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

// One command, from its start to its end, on a lane.

#if Tool
  internal import Dispatch
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// Runs commands, again where they fail.
  struct RunLane: Sendable {
    let template: RunTemplate
    let options: RunJobOptions
    let children: RunChildren
    let spool: RunSpool

    /// Why no command can be run any more.
    struct Stop: Error {
      let failure: RunFailure
    }

    /// Runs one. Throws `Errno.canceled` where it was cut short, or `Stop`.
    func run(_ batch: RunBatch) throws -> RunResult {
      let arguments = template.arguments(for: batch.items, number: batch.number)
      var attempt = 1
      while true {
        let output = options.isUngrouped ? nil : RunOutput(spool)
        let begin = DispatchTime.now().uptimeNanoseconds
        let start = RunLane.timeOfDay
        let outcome = try run(arguments, output)
        if let failure = output?.failure {
          throw Stop(failure: .spool(spool.directory, failure.rawValue))
        }
        if outcome.isSuccess || attempt > options.retries || children.isOver {
          let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
          return RunResult(
            number: batch.number, items: batch.items, arguments: arguments, outcome: outcome,
            attempts: attempt, start: start, seconds: seconds, output: output)
        }
        attempt += 1
      }
    }

    private func run(_ arguments: [[UInt8]], _ output: RunOutput?) throws -> RunOutcome {
      let child: ChildProcess
      do throws(Errno) {
        child = try start(arguments)
      } catch {
        return try refusal(arguments, error)
      }
      defer { children.end(child) }
      let take = { (stream: ChildProcess.Stream, bytes: UnsafeRawBufferPointer) in
        output?.append(stream, bytes)
        // There is no use in going on.
        if output?.failure != nil { RunChildren.terminate(child) }
      }
      let deadline = options.timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
      if let ending = try child.collect(until: deadline, take) {
        // One that was ended has not done what it was to do.
        if children.isOver && ending != .exited(0) { throw Errno.canceled }
        return .ended(ending)
      }
      RunChildren.terminate(child)
      var ending = try child.collect(until: .now() + RunChildren.grace, take)
      if ending == nil { child.send(SIGKILL) }
      while ending == nil { ending = try child.collect(take) }
      if children.isOver { throw Errno.canceled }
      return .timedOut(ending ?? .signaled(SIGKILL))
    }

    private func start(_ arguments: [[UInt8]]) throws(Errno) -> ChildProcess {
      var settings = ChildProcess.Options(input: .null, leadsGroup: true)
      if !options.isUngrouped {
        settings.output = .pipe
        settings.error = .pipe
      }
      var attempt = 0
      while true {
        do throws(Errno) {
          return try children.start { () throws(Errno) in
            try DescriptorBudget.retrying { () throws(Errno) in
              try ChildProcess(arguments, settings)
            }
          }
        } catch {
          attempt += 1
          // There can be no more processes now, or a signal came in between.
          let isTransient =
            error == .resourceTemporarilyUnavailable || error == .noMemory || error == .interrupted
          guard isTransient && attempt < RunLane.startsMost else { throw error }
          usleep(RunLane.pause)
        }
      }
    }

    private static let startsMost = 500
    private static let pause: useconds_t = 20_000

    /// What it means that a command could not be started.
    private func refusal(_ arguments: [[UInt8]], _ error: Errno) throws -> RunOutcome {
      switch error {
      case .canceled:
        throw error
      case .argListTooLong, .invalidArgument:
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
#endif

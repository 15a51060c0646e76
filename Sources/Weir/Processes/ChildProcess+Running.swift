// Programs that run to their end, or are ended: their input, their output and their status.
//
// DESIGN. The input is in memory that the child reads as a file, so no caller has to write to a
// pipe while it reads others. The end of the time and the cancellation of the task are signals to
// the child: its end wakes the caller, which waits for nothing else.

internal import CWeir
internal import Dispatch
internal import SystemPackage
internal import WeirLibC

extension ChildProcess {
  /// The result of a program that ran to its end.
  ///
  /// There is no corresponding C type.
  public struct ExecutionResult: Sendable {
    /// The ending of the program.
    public internal(set) var terminationStatus: TerminationStatus
    /// The bytes that the program wrote to its standard output, if that was a pipe.
    public internal(set) var standardOutput: [UInt8] = []
    /// The bytes that the program wrote to its standard error, if that was a pipe.
    public internal(set) var standardError: [UInt8] = []
  }

  /// The error of `run` for a program that did not end in time.
  ///
  /// There is no corresponding C type.
  public struct TimeoutError: Error, CustomStringConvertible {
    /// The ending of the program, and its output until then.
    public let result: ExecutionResult
    let name: String
    /// A sentence that names the program, without a full stop.
    public var description: String { "\"\(name)\" did not end in time" }
  }

  /// The time between SIGTERM and SIGKILL.
  private static let grace = DispatchTimeInterval.seconds(1)
  private static let timers = DispatchQueue(label: "weir.child-timers")

  /// Runs a program to its end, and returns its output.
  ///
  ///     let sorted = try ChildProcess.run(["sort"], input: Array("b\na\n".utf8))
  ///     print(sorted.terminationStatus, String(decoding: sorted.standardOutput, as: UTF8.self))
  ///
  /// The child leads a session of its own, without a terminal. At the end of the time its process
  /// group gets `SIGTERM`, and a second later, or when the child has ended, `SIGKILL`.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, as of the initializer.
  ///   - options: The options. An input or output that they leave to this process is empty, or
  ///     collected; pass `.descriptor(.standardError)` to share that of this process.
  ///   - input: The bytes of the standard input; `nil` for the input of the options.
  ///   - timeout: The duration after which to end the child; `nil` for none.
  /// - Returns: The status and the output, which is in memory as a whole.
  /// - Throws: The error of the start; ``TimeoutError`` if the child was ended at the end of the
  ///   time. A child that exits with another status than 0 is no error.
  /// - Complexity: O(*n*) in bytes. A time-out costs a timer.
  ///
  /// Blocks: yes, until the child ends. The caller holds permits of the ``DescriptorBudget``, two
  /// for each pipe and one for an input.
  ///
  /// There is no corresponding C function.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public static func run(
    _ arguments: [String], _ options: Options = Options(), input: [UInt8]? = nil,
    timeout: Duration? = nil
  ) throws -> ExecutionResult {
    try start(arguments, options, input).result(by: Deadline(after: timeout, by: nil))
  }

  /// Runs a program to its end, and returns its output; otherwise like the blocking form.
  ///
  ///     import SystemPackage
  ///     import Weir
  ///
  ///     do {
  ///       let result = try await ChildProcess.run(["git", "status"], timeout: .seconds(10))
  ///       print(result.terminationStatus.isSuccess, result.standardOutput.count)
  ///     } catch let error as ChildProcess.TimeoutError {
  ///       print(error, error.result.standardOutput.count)
  ///     }
  ///
  /// - Parameter clock: The clock that measures the duration; `nil` for a monotonic clock.
  /// - Throws: Also `CancellationError` if the task was cancelled: the child and its group are
  ///   ended as at the end of the time, and the method returns when the child has ended.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function.
  nonisolated(nonsending) public static func run(
    _ arguments: [String], _ options: Options = Options(), input: [UInt8]? = nil,
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil
  ) async throws -> ExecutionResult {
    try Task.checkCancellation()
    let child = try await onOwnThread("weir.child") {
      Result { () throws(Errno) in try start(arguments, options, input) }
    }.get()
    return try await withTaskCancellationHandler {
      try await onOwnThread("weir.child") {
        Result { try child.result(by: Deadline(after: timeout, by: clock)) }
      }.get()
    } onCancel: {
      child.end(CancellationError())
    }
  }

  private static func start(
    _ arguments: [String], _ options: Options, _ input: [UInt8]?
  ) throws(Errno) -> ChildProcess {
    var options = options
    (options.leadsGroup, options.leadsSession) = (false, true)
    if options.input == .standardInput { options.input = nil }
    if case .inherited = options.output { options.output = .pipe }
    if case .inherited = options.error { options.error = .pipe }
    guard let input else { return try ChildProcess(arguments, options) }
    var descriptor: Int32 = -1
    try check(input.withUnsafeBytes { weir_spi_spawn_input($0.baseAddress, $0.count, &descriptor) })
    defer { close(descriptor) }
    options.input = FileDescriptor(rawValue: descriptor)
    return try ChildProcess(arguments, options)
  }

  private func result(by deadline: Deadline?) throws -> ExecutionResult {
    var result = ExecutionResult(terminationStatus: .exited(0))
    let alarm = deadline?.alarm(on: Self.timers) { self.end(Errno.timedOut) }
    defer { alarm?() }
    do {
      let status = try collect(until: .distantFuture) { stream, bytes in
        if stream == .output {
          result.standardOutput += bytes
        } else {
          result.standardError += bytes
        }
      }
      if let status { result.terminationStatus = status }
    } catch {
      end(error)
      _ = try? wait()
    }
    guard let reason = state.with({ $0.reason }) else { return result }
    guard case Errno.timedOut = reason else { throw reason }
    throw TimeoutError(result: result, name: String(decoding: program, as: UTF8.self))
  }

  /// Ends the child and its group, for a reason that `run` throws, unless it has ended.
  private func end(_ reason: any Error) {
    let isFirst = state.with { state in
      guard state.ending == nil, state.reason == nil else { return false }
      state.reason = reason
      state.isOutputUnwanted = true
      state.endsGroup = true
      return true
    }
    guard isFirst else { return }
    send(SIGTERM)
    // A stopped process receives SIGTERM only when it continues.
    send(SIGCONT)
    Self.timers.asyncAfter(deadline: .now() + Self.grace) { [weak self] in self?.send(SIGKILL) }
  }
}

// Programs that run to their end, or are ended: their input, their output and their status.
//
// DESIGN. The input is in memory that the child reads as a file, so no caller has to write to a
// pipe while it reads others. The watcher reads the output. The end of the time, too much output
// and the cancellation of the task are signals to the child, whose end wakes the caller.

internal import CWeir
internal import Dispatch
internal import SystemPackage
internal import WeirLibC

extension ChildProcess {
  /// The result of a program that ran to its end. There is no corresponding C type.
  public struct ExecutionResult: Sendable {
    /// The ending of the program. A program that was ended at a time-out may have caught `SIGTERM`
    /// and exited with status 0; see ``hasTimedOut``.
    public internal(set) var terminationStatus: TerminationStatus
    /// A Boolean value that indicates whether the program was ended because it did not end in time.
    public internal(set) var hasTimedOut = false
    /// The bytes that the program wrote to its standard output, if that was a pipe.
    public internal(set) var standardOutput: [UInt8] = []
    /// The bytes that the program wrote to its standard error, if that was a pipe.
    public internal(set) var standardError: [UInt8] = []
  }

  /// The error of `run` for a program that wrote more than the limit of its output. There is no
  /// corresponding C type.
  public struct OutputLimitError: Error, CustomStringConvertible {
    /// The ending of the program, and its output up to the limit.
    public let result: ExecutionResult
    let name: String
    let limit: Int
    /// A sentence that names the program, without a full stop.
    public var description: String { "\"\(name)\" wrote more than \(limit) bytes" }
  }

  enum EndReason {
    case timedOut, cancelled, outputLimit
    case failed(Errno)
  }

  /// The time between SIGTERM and SIGKILL.
  private static let grace = Duration.seconds(1)

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
  ///   - timeout: The duration after which to end the child, from the call on; `nil` for none.
  ///   - outputLimit: The bytes that the child may write to both pipes together, by default 64 MiB.
  ///     When it writes more, it is ended as at the end of the time.
  /// - Throws: The error of the start; ``TimeoutError`` if the child was ended at the end of the
  ///   time; ``OutputLimitError`` if it wrote too much. Both have the output so far.
  /// - Complexity: O(*n*) in bytes.
  ///
  /// Blocks: yes, until the child ends. The caller holds permits of the ``DescriptorBudget``, two
  /// for each pipe and one for an input. There is no corresponding C function.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public static func run(
    _ arguments: [String], _ options: Options = Options(), input: [UInt8]? = nil,
    timeout: Duration? = nil, outputLimit: Int = 64 << 20
  ) throws -> ExecutionResult {
    let deadline = Deadline(after: timeout, by: nil)
    let run = ChildRun(
      try start(arguments, options, input), timeout, by: deadline, outputLimit: outputLimit)
    let collecting = run.collecting
    collecting.runBlocking()
    run.ending(after: collecting)?.runBlocking()
    return try run.ended()
  }

  /// Runs a program to its end, and returns its output; otherwise like the blocking form.
  ///
  ///     import SystemPackage
  ///     import Weir
  ///
  ///     do {
  ///       let result = try await ChildProcess.run(["git", "status"], timeout: .seconds(10))
  ///       print(result.terminationStatus.isSuccess, result.standardOutput.count)
  ///     } catch let error as TimeoutError {
  ///       print(error, error.childResult?.standardOutput.count ?? 0)
  ///     }
  ///
  /// - Throws: Also `CancellationError` if the task was cancelled: the child and its group are
  ///   ended as at the end of the time, and the method returns when the child has ended.
  ///
  /// Blocks: no, it suspends, and no thread waits for the child. There is no corresponding C
  /// function.
  nonisolated(nonsending) public static func run(
    _ arguments: [String], _ options: Options = Options(), input: [UInt8]? = nil,
    timeout: Duration? = nil, outputLimit: Int = 64 << 20,
    clock: (any Clock<Duration>)? = nil
  ) async throws -> ExecutionResult {
    try Task.checkCancellation()
    let deadline = Deadline(after: timeout, by: clock)
    let child = try await ChildStarter.run {
      Result { () throws(Errno) in try start(arguments, options, input) }
    }.get()
    let run = ChildRun(child, timeout, by: deadline, outputLimit: outputLimit)
    return try await withTaskCancellationHandler {
      let collecting = run.collecting
      await collecting.run()
      await run.ending(after: collecting)?.run()
      return try run.ended()
    } onCancel: {
      child.end(.cancelled)
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

  /// Ends the child and its group, for a reason that `run` throws, unless it has ended.
  fileprivate func end(_ reason: EndReason) {
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
    let killing = Deadline(after: Self.grace, by: nil)?.alarm { [weak self] in
      self?.send(SIGKILL)
    }
    state.with { $0.killing = killing }
  }
}

extension TimeoutError {
  /// For `ChildProcess.run`, the ending of the program, and its output until then.
  public var childResult: ChildProcess.ExecutionResult? { cause as? ChildProcess.ExecutionResult }
}

/// A child that runs to its end, and its output so far, to which the watcher adds.
// @unchecked: the caller reads the output after the watcher is done.
private final class ChildRun: @unchecked Sendable {
  private let child: ChildProcess
  private let outputLimit: Int
  private let timeout: Duration
  private let alarm: Alarm?
  private var room: Int
  private var result = ChildProcess.ExecutionResult(terminationStatus: .exited(0))

  init(_ child: ChildProcess, _ timeout: Duration?, by deadline: Deadline?, outputLimit: Int) {
    self.child = child
    self.timeout = timeout ?? .zero
    self.outputLimit = outputLimit
    room = max(0, outputLimit)
    alarm = deadline?.alarm { child.end(.timedOut) }
  }

  /// The collection of the output.
  var collecting: ChildWatch {
    _ = child.beginCollecting()
    return ChildWatch(ChildCollection(child, until: .distantFuture), take: take)
  }

  /// Returns the wait for the end of a child whose output could not be read.
  func ending(after collecting: ChildWatch) -> ChildWatch? {
    guard case .failure(let error) = collecting.result else { return nil }
    child.end(.failed(error))
    return ChildWatch(ChildCollection(child, until: .distantFuture, readsPipes: false))
  }

  private func take(_ stream: ChildProcess.Stream, _ bytes: UnsafeRawBufferPointer) {
    let taken = bytes.prefix(room)
    if stream == .output { result.standardOutput += taken } else { result.standardError += taken }
    room -= taken.count
    if taken.count < bytes.count { child.end(.outputLimit) }
  }

  /// Returns the result of a child that has ended.
  func ended() throws -> ChildProcess.ExecutionResult {
    withExtendedLifetime(alarm) {}
    result.terminationStatus = try child.taken()
    let name = String(decoding: child.program, as: UTF8.self)
    switch child.state.with({ $0.reason }) {
    case nil:
      return result
    case .timedOut:
      result.hasTimedOut = true
      throw TimeoutError(label: name, cause: result, timeout)
    case .outputLimit:
      throw ChildProcess.OutputLimitError(result: result, name: name, limit: outputLimit)
    case .cancelled:
      throw CancellationError()
    case .failed(let error):
      throw error
    }
  }
}

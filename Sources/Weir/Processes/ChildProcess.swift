// Starting programs and waiting for their end.
//
// DESIGN. The process id of a child is reserved until the child has been waited for. So the end is
// first awaited without reaping (WNOWAIT), and the child is then reaped under the lock under which
// signals are sent: no signal can reach another process. For tasks one thread waits for all
// children (`ChildWatcher`).

internal import CWeir
internal import Dispatch
public import SystemPackage
internal import WeirLibC

/// A program that this process has started.
///
///     let child = try ChildProcess(["ls", "/srv"], ChildProcess.Options(output: .pipe))
///     var listing: [UInt8] = []
///     let status = try child.collect { bytes in listing += bytes }
///     print(status?.isSuccess ?? false, listing.count)
///
/// Most programs need only `run(_:_:input:timeout:outputLimit:clock:)`.
///
/// No shell is involved, and arguments are bytes. The child begins with an empty signal mask, the
/// default dispositions and the descriptor limit from before ``DescriptorBudget/raiseLimit()``.
///
/// Every child must be waited for, with `wait()` or `collect(timeout:output:error:)`. A child whose
/// object is released before is reaped when it ends, with a warning on standard error. Pipes are
/// closed at the end of their output, at the latest with the object.
///
/// The corresponding C header is `weir/spawn.h`.
public final class ChildProcess: Sendable {
  /// The ending of a child. C has the status of `waitpid`.
  public enum TerminationStatus: Sendable, Hashable {
    /// The child exited with this status.
    case exited(Int32)
    /// The child was ended by this signal.
    case signaled(Int32)

    /// True if the child exited with status 0.
    public var isSuccess: Bool { self == .exited(0) }
  }

  struct State {
    var ending: TerminationStatus?
    /// True if other code has waited for the child: its process id may belong to another one.
    var isLost = false
    /// True to kill the group when the child has ended.
    var endsGroup = false
    /// True if the pipes need not be read any more when the child has ended.
    var isOutputUnwanted = false
    /// The reason why `run` ends the child.
    var reason: EndReason?
    /// The alarm of SIGKILL after SIGTERM.
    var killing: Alarm?
    /// True while a caller reads the pipes.
    var isCollecting = false
    /// The read ends of the pipes; -1 without a pipe, or after its end.
    var output: Int32 = -1
    var error: Int32 = -1

    mutating func closePipes() {
      if output >= 0 { close(output) }
      if error >= 0 { close(error) }
      (output, error) = (-1, -1)
    }
  }

  /// The process id, which is reserved until the child has been waited for; `weir_spawn` writes it.
  public var processIdentifier: Int32 { number }

  private let number: Int32
  let program: [UInt8]
  let state: Locked<State>
  private let leadsGroup: Bool

  /// Starts a program.
  ///
  ///     let child = try ChildProcess(["sh", "-c", "exit 3"])
  ///     print(try child.wait())
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments. A program with a slash is a path; any other is
  ///     looked up in `PATH`. A file without an executable format is not passed to a shell. An
  ///     empty array is a programmer's error, and traps.
  ///   - options: The input, output and environment of the child, and further arguments as bytes.
  /// - Throws: `Errno.invalidArgument` for a NUL among the bytes, or the error of the system, such
  ///   as `Errno.noSuchFileOrDirectory`, `Errno.permissionDenied` or `Errno.argListTooLong`; then
  ///   there is no child.
  /// - Complexity: O(*bytes* of the arguments).
  ///
  /// Blocks: until the program has begun to run, some tenths of a millisecond. The caller takes
  /// permits from the ``DescriptorBudget``, two for each pipe. The corresponding C function is
  /// `weir_spawn`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public convenience init(
    _ arguments: [String], _ options: Options = Options()
  ) throws(Errno) {
    try self.init(ChildProcess.bytes(of: arguments, options), options)
  }

  /// Starts a program, on a thread of Weir; otherwise like the blocking form. Blocks: no, it
  /// suspends. The corresponding C function is `weir_spawn`.
  public convenience init(
    _ arguments: [String], _ options: Options = Options()
  ) async throws(Errno) {
    let arguments = ChildProcess.bytes(of: arguments, options)
    let started = try await ChildStarter.run {
      Result { () throws(Errno) in try Started(arguments, options) }
    }.get()
    self.init(started, arguments, options)
  }

  private static func bytes(of arguments: [String], _ options: Options) -> [[UInt8]] {
    arguments.map { Array($0.utf8) } + options.arguments
  }

  /// Starts a program with bytes as all its arguments.
  package convenience init(_ arguments: [[UInt8]], _ options: Options) throws(Errno) {
    self.init(try Started(arguments, options), arguments, options)
  }

  private init(_ started: Started, _ arguments: [[UInt8]], _ options: Options) {
    number = started.number
    program = arguments[0]
    leadsGroup = options.leadsGroup || options.leadsSession
    var state = State()
    (state.output, state.error) = started.readEnds
    self.state = Locked(state)
  }

  deinit {
    state.with { $0.closePipes() }
    if state.with({ $0.ending != nil || $0.isLost }) { return }
    weir_spi_warn(
      """
      the program "\(String(decoding: program, as: UTF8.self))" was started, and its ChildProcess \
      was released without a wait; call run, wait or collect
      """)
    if reap(WNOHANG) == nil && !state.with({ $0.isLost }) { Orphans.add(number) }
  }

  // MARK: - The end of the child

  /// Waits for the end of the child, and returns it, also if it is already known. Output that no
  /// caller has read or reads is discarded; `collect(timeout:output:error:)` reads it.
  ///
  /// - Throws: `Errno.noChildProcess` if other code has waited for the child, or if this process
  ///   ignores `SIGCHLD`.
  ///
  /// Blocks: yes, until the child ends. There is no corresponding C function: it is `waitpid`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func wait() throws(Errno) -> TerminationStatus {
    if beginCollecting() {
      state.with { $0.isOutputUnwanted = true }
      _ = try read(until: .distantFuture) { _, _ in }
    } else {
      try awaitEnd()
    }
    return try taken()
  }

  /// Waits for the end of the child; otherwise like the blocking form. Cancelling the task ends
  /// neither the wait nor the child. Blocks: no, it suspends, and no thread waits for the child.
  /// There is no corresponding C function: it is `waitpid`.
  nonisolated(nonsending)
    public func wait() async throws(Errno) -> TerminationStatus
  {
    let readsPipes = beginCollecting()
    defer { if readsPipes { endCollecting() } }
    if readsPipes { state.with { $0.isOutputUnwanted = true } }
    let watch = ChildWatch(
      ChildCollection(self, until: .distantFuture, readsPipes: readsPipes))
    await watch.run()
    _ = try watch.result?.get()
    return try taken()
  }

  /// Sends a signal, such as `SIGTERM`, to the child, or to its whole group if the child leads one.
  /// After the child has been waited for, the method has no effect.
  ///
  ///     let child = try ChildProcess(["sleep", "60"])
  ///     child.send(15)  // SIGTERM
  ///     print(try child.wait())
  ///
  /// Blocks: no. There is no corresponding C function: it is `kill`.
  public func send(_ signal: Int32) {
    state.with { state -> Void in
      if state.ending == nil && !state.isLost { kill(leadsGroup ? -number : number, signal) }
    }
  }

  /// Kills the rest of the child's group with `SIGKILL` when the child is waited for. For a child
  /// that leads a group. Blocks: no. There is no corresponding C function.
  public func killGroupAtEnd() {
    state.with { $0.endsGroup = leadsGroup }
  }

  // MARK: - Implementation

  /// Waits until the child has ended, without reaping it.
  func awaitEnd() throws(Errno) {
    if state.with({ $0.ending != nil }) { return }
    var info = siginfo_t()
    do throws(Errno) {
      _ = try retryingOnInterrupt { waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) }
    } catch {
      let isReaped = state.with { state in
        state.isLost = error == .noChildProcess
        // By another thread, perhaps.
        return state.ending != nil
      }
      if !isReaped { throw error }
    }
  }

  /// True if the child has ended, whether or not it was reaped.
  package var hasEnded: Bool {
    if state.with({ $0.ending != nil }) { return true }
    var info = siginfo_t()
    let result = waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT | WNOHANG)
    // A result of 0 without a signal means that the child runs.
    return result != 0 || info.si_signo == SIGCHLD
  }

  /// Reaps a child that has ended, and returns its ending.
  func taken() throws(Errno) -> TerminationStatus {
    guard let ending = reap(0) else { throw Errno(rawValue: ECHILD) }
    return ending
  }

  private func reap(_ flags: Int32) -> TerminationStatus? {
    state.with { state in
      if let ending = state.ending { return ending }
      // The id of the group is reserved as long as the child has not been reaped.
      if state.endsGroup && flags == 0 { kill(-number, SIGKILL) }
      var status: Int32 = 0
      let result = Result { () throws(Errno) in
        try retryingOnInterrupt { waitpid(number, &status, flags) }
      }
      switch result {
      case .success(number):
        let signal = status & 0x7F
        state.ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
      case .failure:
        state.isLost = true
      default:
        break
      }
      return state.ending
    }
  }
}

/// A child that has begun to run, and the read ends of its pipes.
private struct Started: Sendable {
  let number: Int32
  let readEnds: (output: Int32, error: Int32)

  init(_ arguments: [[UInt8]], _ options: ChildProcess.Options) throws(Errno) {
    guard !arguments.isEmpty else {
      misuse("a ChildProcess was given no arguments: the first one is the program")
    }
    var pipes = ChildPipes()
    do throws(Errno) {
      number = try pipes.spawn(arguments, options)
    } catch {
      pipes.closeAll()
      throw error
    }
    readEnds = pipes.keepReadEnds()
  }
}

/// The children whose objects were released while they ran. An alarm tries them all.
private enum Orphans {
  private static let state = Locked<(numbers: [Int32], alarm: Alarm?)>(([], nil))

  static func add(_ number: Int32) {
    let isFirst = state.with { state in
      state.numbers.append(number)
      return state.numbers.count == 1
    }
    if isFirst { reap(after: .milliseconds(10)) }
  }

  private static func reap(after pause: Duration) {
    // Under the lock: a late thread must not put a former alarm in the place of the next.
    state.with { state in
      state.alarm = Deadline(after: pause, by: nil)?.alarm { reap() }
    }
  }

  private static func reap() {
    let isDone = state.with { state in
      state.numbers.removeAll { waitpid($0, nil, WNOHANG) != 0 }
      return state.numbers.isEmpty
    }
    if !isDone { reap(after: .milliseconds(200)) }
  }
}

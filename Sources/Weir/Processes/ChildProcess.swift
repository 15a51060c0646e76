// Starting programs and waiting for their end.
//
// DESIGN. The process id of a child is reserved until the child has been waited for; then the
// system may reuse it. So the end is first awaited without reaping (WNOWAIT), and the child is
// then reaped under the lock under which signals are sent: no signal can reach another
// process. Waiting is a blocking call on the caller's thread: a dispatch source per child
// would cost three descriptors once, and a change of thread each time.

public import SystemPackage
internal import WeirLibC

/// A program that this process has started.
///
///     let child = try ChildProcess(["ls", "/srv"], ChildProcess.Options(output: .pipe))
///     var listing: [UInt8] = []
///     let ending = try child.collect { _, bytes in listing += bytes }
///     print(ending?.isSuccess ?? false, listing.count)
///
/// No shell is involved, and arguments are bytes. The child begins with an empty signal mask,
/// the default dispositions and the descriptor limit from before
/// ``DescriptorBudget/raiseLimit()``, from any thread: threads of libdispatch block `SIGINT`
/// and `SIGTERM`, and a child of `posix_spawn` inherits that.
///
/// Every child must be waited for, with `wait()` or `collect(until:_:)`; otherwise it remains a
/// zombie until this process ends. Pipes are closed at the end of their output, at the latest
/// with the object.
///
/// The corresponding C header is `weir/spawn.h`.
public final class ChildProcess: Sendable {
  /// The ending of a child.
  ///
  /// There is no corresponding C type: C has the status of `waitpid`.
  public enum Ending: Sendable, Hashable {
    /// The child exited with this status.
    case exited(Int32)
    /// The child was ended by this signal.
    case signaled(Int32)

    /// True if the child exited with status 0.
    ///
    /// There is no corresponding C function.
    public var isSuccess: Bool { self == .exited(0) }
  }

  struct State {
    var ending: Ending?
    /// True if other code has waited for the child: its process id may belong to another one.
    var isLost = false
    /// True to kill the group when the child has ended.
    var endsGroup = false
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

  /// The process id, which is reserved until the child has been waited for.
  ///
  /// Blocks: no. There is no corresponding C function: `weir_spawn` writes it.
  public var id: Int32 { number }

  private let number: Int32
  let state: Locked<State>
  private let leadsGroup: Bool

  /// Starts a program.
  ///
  ///     let child = try ChildProcess([Array("true".utf8)])
  ///     print(try child.wait())
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, as bytes. A program with a slash is a path;
  ///     any other is looked up in `PATH`. A file without an executable format is not passed to
  ///     a shell. An empty array is a programmer's error, and traps.
  ///   - options: The input, output and environment of the child.
  /// - Throws: `Errno.invalidArgument` for a NUL among the bytes, or the error of the system, such
  ///   as `Errno.noSuchFileOrDirectory`, `Errno.permissionDenied` or `Errno.argListTooLong`; then
  ///   there is no child.
  /// - Complexity: O(*bytes* of the arguments), for any size of this process.
  ///
  /// Blocks: until the program has begun to run, some tenths of a millisecond. The initializer
  /// takes no permits: the caller takes them from the ``DescriptorBudget``, two for each pipe.
  ///
  /// The corresponding C function is `weir_spawn`.
  public init(_ arguments: [[UInt8]], _ options: Options = Options()) throws(Errno) {
    guard !arguments.isEmpty else {
      misuse("a ChildProcess was given no arguments: the first one is the program")
    }
    var pipes = ChildPipes()
    let spawned: Int32
    do throws(Errno) {
      spawned = try pipes.spawn(arguments, options)
    } catch {
      pipes.closeAll()
      throw error
    }
    number = spawned
    leadsGroup = options.leadsGroup || options.leadsSession
    var state = State()
    (state.output, state.error) = pipes.keepReadEnds()
    self.state = Locked(state)
  }

  /// Starts a program with text as its arguments; otherwise like the initializer that takes bytes.
  ///
  ///     let child = try ChildProcess(["sh", "-c", "exit 3"])
  ///     print(try child.wait())
  ///
  /// Blocks: until the program has begun to run. The corresponding C function is `weir_spawn`.
  public convenience init(
    _ arguments: [String], _ options: Options = Options()
  ) throws(Errno) {
    try self.init(arguments.map { Array($0.utf8) }, options)
  }

  deinit {
    state.with { $0.closePipes() }
    // A child that has ended meanwhile does not remain a zombie.
    _ = reap(WNOHANG)
  }

  // MARK: - The end of the child

  /// Waits for the end of the child. The method does not read pipes: a child that fills a pipe
  /// never ends; see `collect(until:_:)`.
  ///
  /// - Returns: The ending, also if it is already known.
  /// - Throws: `Errno.noChildProcess` if other code has waited for the child, or if this process
  ///   ignores `SIGCHLD`.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until the child ends.
  ///
  /// There is no corresponding C function: it is `waitpid`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func wait() throws(Errno) -> Ending {
    try awaitEnd()
    return try taken()
  }

  /// Waits for the end of the child, on a thread of Weir; otherwise like the blocking form.
  ///
  /// Cancelling the task ends neither the wait nor the child; ``send(_:)`` ends the child.
  ///
  /// Blocks: no, it suspends. There is no corresponding C function: it is `waitpid`.
  nonisolated(nonsending)
    public func wait() async throws(Errno) -> Ending
  {
    try await onOwnThread("weir.child") {
      Result { () throws(Errno) in
        try self.awaitEnd()
        return try self.taken()
      }
    }.get()
  }

  /// Sends a signal to the child, or to its whole group if the child leads one. It cannot reach
  /// another process: after the child has been waited for, the method has no effect.
  ///
  ///     let child = try ChildProcess(["sleep", "60"])
  ///     child.send(15)  // SIGTERM
  ///     print(try child.wait())
  ///
  /// - Parameter signal: The signal, such as `SIGTERM`.
  /// - Complexity: O(1). Blocks: no.
  ///
  /// There is no corresponding C function: it is `kill`.
  public func send(_ signal: Int32) {
    state.with { state -> Void in
      if state.ending == nil && !state.isLost { kill(leadsGroup ? -id : id, signal) }
    }
  }

  /// Kills the rest of the child's group with `SIGKILL` when the child is waited for: processes
  /// that the child started and that have not ended. For a child that leads a group.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// There is no corresponding C function.
  public func endGroupWithIt() {
    state.with { $0.endsGroup = leadsGroup }
  }

  // MARK: - Implementation

  /// Waits until the child has ended, without reaping it.
  func awaitEnd() throws(Errno) {
    if state.with({ $0.ending != nil }) { return }
    var info = siginfo_t()
    do throws(Errno) {
      _ = try retryingOnInterrupt { waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) }
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
    let result = waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT | WNOHANG)
    // A result of 0 without a signal means that the child runs.
    return result != 0 || info.si_signo == SIGCHLD
  }

  /// Reaps a child that has ended, and returns its ending.
  func taken() throws(Errno) -> Ending {
    guard let ending = reap(0) else { throw Errno(rawValue: ECHILD) }
    return ending
  }

  private func reap(_ flags: Int32) -> Ending? {
    state.with { state in
      if let ending = state.ending { return ending }
      // The id of the group is reserved as long as the child has not been reaped.
      if state.endsGroup && flags == 0 { kill(-id, SIGKILL) }
      var status: Int32 = 0
      let result = Result { () throws(Errno) in
        try retryingOnInterrupt { waitpid(id, &status, flags) }
      }
      switch result {
      case .success(id):
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

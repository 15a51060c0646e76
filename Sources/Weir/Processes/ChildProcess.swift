// Starting programs and waiting for their end.
//
// DESIGN. The number of a child is its own until it has been waited for, and then
// may be anybody's. So the end is first awaited without taking it (WNOWAIT), and
// then taken under the lock under which signals are sent: none can reach a
// stranger. Waiting is a blocking call on the caller's thread: a dispatch source
// for each child costs three descriptors once, and a hand-over each time.

internal import CWeir
internal import Dispatch
internal import Glibc
public import SystemPackage

/// A program that this process has started.
///
///     let child = try ChildProcess(["ls", "/srv"], ChildProcess.Options(output: .pipe))
///     var listing: [UInt8] = []
///     let ending = try child.collect { _, bytes in listing += bytes }
///     print(ending?.isSuccess ?? false, listing.count)
///
/// No shell stands in between, and arguments are bytes. The child begins with an
/// empty signal mask, the default dispositions and the descriptor limit that this
/// process began with, whichever thread it is started from: threads of libdispatch
/// block `SIGINT` and `SIGTERM`, and a child of `posix_spawn` inherits that.
///
/// Every child is to be waited for, with `wait()` or `collect(until:_:)`; one that is
/// not is a zombie until this process ends. Pipes are closed when they are at their
/// end, at the latest with the object.
///
/// The corresponding C header is `weir/spawn.h`.
public final class ChildProcess: Sendable {
  /// How a child ended.
  ///
  /// There is no corresponding C type: C has what `waitpid` says.
  public enum Ending: Sendable, Hashable {
    /// It ended itself, with this status.
    case exited(Int32)
    /// A signal ended it.
    case signaled(Int32)

    /// Whether it ended itself with 0.
    ///
    /// There is no corresponding C function.
    public var isSuccess: Bool { self == .exited(0) }
  }

  struct State {
    var ending: Ending?
    /// What is to be done with its group when it has ended.
    var endsGroup = false
    /// Whether somebody reads the pipes.
    var isCollecting = false
    /// The ends of its pipes; -1 where there is none, or none any more.
    var output: Int32 = -1
    var error: Int32 = -1
  }

  /// Its process id, which is its own until it has been waited for.
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function: `weir_spawn` writes it.
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
  ///   - arguments: The program and its arguments, as bytes: a path where there is
  ///     a slash in the first, else a name that is looked up in `PATH`. A file
  ///     without an executable format is not handed to a shell. None at all is
  ///     misuse: a sentence, and a trap.
  ///   - options: What it reads and writes, and where it runs.
  /// - Throws: `Errno.invalidArgument` for a NUL among the bytes, or what the
  ///   system says, as `Errno.noSuchFileOrDirectory`, `Errno.permissionDenied` or
  ///   `Errno.argListTooLong`; then there is no child.
  /// - Complexity: O(*bytes* of the arguments), whatever the size of this process.
  ///
  /// Blocks: until the program has begun to run, some tenths of a millisecond. It
  /// asks for no permits: ``DescriptorBudget`` is the caller's business, with two
  /// descriptors for each pipe.
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

  /// Starts a program, whose arguments are text.
  ///
  ///     let child = try ChildProcess(["sh", "-c", "exit 3"])
  ///     print(try child.wait())
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - options: What it reads and writes, and where it runs.
  /// - Throws: As the initializer that takes bytes.
  /// - Complexity: O(*bytes* of the arguments).
  ///
  /// Blocks: until the program has begun to run.
  ///
  /// The corresponding C function is `weir_spawn`.
  public convenience init(
    _ arguments: [String], _ options: Options = Options()
  ) throws(Errno) {
    try self.init(arguments.map { Array($0.utf8) }, options)
  }

  deinit {
    let left = state.with { ($0.output, $0.error) }
    if left.0 >= 0 { close(left.0) }
    if left.1 >= 0 { close(left.1) }
    // Where it has ended meanwhile there is no need for a zombie.
    _ = reap(WNOHANG)
  }

  // MARK: - Its end

  /// Waits for its end. What it writes to pipes is not read: a child that writes
  /// more than they take never ends; see `collect(until:_:)`.
  ///
  /// - Returns: How it ended, also where that is known already.
  /// - Throws: `Errno.noChildProcess` where somebody else has waited for it, or
  ///   `SIGCHLD` is ignored in this process.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, as long as the child runs.
  ///
  /// There is no corresponding C function: it is `waitpid`.
  @available(
    *, noasync,
    message: "use the async form: try await child.wait(); at the top level: in an async function"
  )
  @_disfavoredOverload
  public func wait() throws(Errno) -> Ending {
    try awaitEnd()
    return try taken()
  }

  /// Waits for its end.
  ///
  ///     let child = try ChildProcess(["true"])
  ///     print(try await child.wait().isSuccess)
  ///
  /// Cancelling the task does not end the wait, nor the child; ``send(_:)`` does.
  ///
  /// - Returns: How it ended, also where that is known already.
  /// - Throws: `Errno.noChildProcess` where somebody else has waited for it, or
  ///   `SIGCHLD` is ignored in this process.
  /// - Complexity: O(1), and a thread.
  ///
  /// Blocks: no, it suspends. A thread of Weir's own waits.
  ///
  /// There is no corresponding C function: it is `waitpid`.
  nonisolated(nonsending)
    public func wait() async throws(Errno) -> Ending
  {
    try await onOwnThread { () throws(Errno) in
      try self.awaitEnd()
      return try self.taken()
    }
  }

  /// Sends it a signal, and where it leads a group to all of that. It reaches
  /// nobody else: once the child has been waited for, this does nothing.
  ///
  ///     let child = try ChildProcess(["sleep", "60"])
  ///     child.send(15)  // SIGTERM
  ///     print(try child.wait())
  ///
  /// - Parameter signal: As `SIGTERM`.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function: it is `kill`.
  public func send(_ signal: Int32) {
    state.with { state -> Void in
      if state.ending == nil { kill(leadsGroup ? -id : id, signal) }
    }
  }

  /// Has what is left of its group ended by `SIGKILL` in the moment in which it is
  /// waited for: what it has started, and what has not ended with it. Of use where
  /// it leads a group.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function.
  public func endGroupWithIt() {
    state.with { $0.endsGroup = leadsGroup }
  }

  // MARK: - Inside

  /// Waits until it has ended, without taking the end.
  func awaitEnd() throws(Errno) {
    if state.with({ $0.ending != nil }) { return }
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      // Another thread may have taken it.
      if state.with({ $0.ending != nil }) { return }
      throw Errno(rawValue: errno)
    }
  }

  /// Whether it has ended, without taking the end.
  var hasEnded: Bool {
    if state.with({ $0.ending != nil }) { return true }
    var info = siginfo_t()
    let result = waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT | WNOHANG)
    // 0 with nothing written: it runs.
    return result != 0 || info.si_signo == SIGCHLD
  }

  /// The end, of a child that has ended.
  func taken() throws(Errno) -> Ending {
    guard let ending = reap(0) else { throw Errno(rawValue: ECHILD) }
    return ending
  }

  private func reap(_ flags: Int32) -> Ending? {
    state.with { state in
      if let ending = state.ending { return ending }
      // As long as the child is there its group's number is nobody else's.
      if state.endsGroup && flags == 0 { kill(-id, SIGKILL) }
      var status: Int32 = 0
      var result: Int32
      repeat { result = waitpid(id, &status, flags) } while result < 0 && errno == EINTR
      if result == id {
        let signal = status & 0x7F
        state.ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
      }
      return state.ending
    }
  }

  /// Does on a thread of its own what blocks.
  nonisolated(nonsending)
    func onOwnThread<R: Sendable>(
      _ body: @escaping @Sendable () throws(Errno) -> R
    ) async throws(Errno) -> R
  {
    let result: Result<R, Errno> = await withCheckedContinuation { continuation in
      // Not a global queue, on which others would wait for it.
      DispatchQueue(label: "weir.child").async {
        do throws(Errno) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}

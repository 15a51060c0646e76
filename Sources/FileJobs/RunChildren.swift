// The children of a run, so that none outlives it.

#if Tool
  internal import Dispatch
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// All children that are running. Each leads a group of its own.
  final class RunChildren: Sendable {
    private struct State {
      var running: [Int32: ChildProcess] = [:]
      /// How many are about to be.
      var starting = 0
      var isOver = false
      /// How many were sent a signal while they ran.
      var cut = 0
    }

    private let state = Locked(State())

    /// How long who was sent SIGTERM has for it.
    static let grace = 1.0

    /// Whether no more are to be started.
    var isOver: Bool { state.with { $0.isOver } }

    /// A new run begins.
    func begin() {
      state.with { $0.isOver = false }
    }

    /// Starts one, unless it is over: then it throws `Errno.canceled`.
    func start(_ make: () throws(Errno) -> ChildProcess) throws(Errno) -> ChildProcess {
      let isRefused = state.with { state in
        if !state.isOver { state.starting += 1 }
        return state.isOver
      }
      if isRefused { throw .canceled }
      do throws(Errno) {
        let child = try make()
        let isLate = state.with { state in
          state.starting -= 1
          state.running[child.id] = child
          return state.isOver
        }
        // What ended the others came before it was among them.
        if isLate { RunChildren.terminate(child) }
        return child
      } catch {
        state.with { $0.starting -= 1 }
        throw error
      }
    }

    /// One has been waited for.
    func end(_ child: ChildProcess) {
      state.with { state -> Void in state.running[child.id] = nil }
    }

    /// Starts no more and ends all: by SIGTERM, and a second later by SIGKILL.
    func terminate() {
      let (isFirst, running) = state.with { state in
        defer { state.isOver = true }
        return (!state.isOver, Array(state.running.values))
      }
      guard isFirst else { return }
      running.forEach { RunChildren.terminate($0) }
      // A thread of its own: not a timer, which takes descriptors.
      DispatchQueue(label: "weir.run.grace").async {
        usleep(useconds_t(RunChildren.grace * 1e6))
        self.kill()
      }
    }

    /// Ends all at once, those too that are being started.
    func kill() {
      var tries = 0
      while true {
        let (starting, running) = state.with { state in
          // Of a run that has begun meanwhile nobody is meant.
          state.isOver ? (state.starting, Array(state.running.values)) : (0, [])
        }
        for child in running {
          child.endGroupWithIt()
          child.send(SIGKILL)
        }
        tries += 1
        if starting == 0 || tries > 2000 { return }
        usleep(500)
      }
    }

    /// Starts no more and ends all at once.
    func abandon() {
      state.with { $0.isOver = true }
      kill()
    }

    /// Asks one to end, and those that it has started.
    static func terminate(_ child: ChildProcess) {
      child.endGroupWithIt()
      child.send(SIGTERM)
      // One that is stopped would not hear of it.
      child.send(SIGCONT)
    }
  }
#endif

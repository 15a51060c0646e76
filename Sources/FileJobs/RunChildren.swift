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
      /// Whether all were sent SIGKILL.
      var isKilled = false
      /// Which were sent a signal while they ran.
      var cut: Set<Int32> = []
    }

    private let state = Locked(State())

    /// How long who was sent SIGTERM has for it.
    static let grace = 1.0

    /// Whether no more are to be started.
    var isOver: Bool { state.with { $0.isOver } }

    /// Whether those that were to end have been ended by force: there is nothing more
    /// to be read from them.
    var isKilled: Bool { state.with { $0.isKilled } }

    /// A new run begins.
    func begin() {
      state.with { state -> Void in
        state.isOver = false
        state.isKilled = false
      }
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
          if state.isOver { state.cut.insert(child.id) }
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

    /// One has been waited for. Returns whether it was among those that were ended:
    /// then it is not known to have done all, even where it says so. One that catches
    /// SIGTERM may well end with 0.
    func end(_ child: ChildProcess) -> Bool {
      state.with { state in
        state.running[child.id] = nil
        return state.cut.remove(child.id) != nil
      }
    }

    /// Starts no more and ends all: by SIGTERM, and a second later by SIGKILL.
    func terminate() {
      let (isFirst, running) = state.with { state in
        defer { state.isOver = true }
        if !state.isOver { state.cut.formUnion(state.running.keys) }
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
          guard state.isOver else { return (0, [ChildProcess]()) }
          state.cut.formUnion(state.running.keys)
          return (state.starting, Array(state.running.values))
        }
        for child in running {
          child.endGroupWithIt()
          child.send(SIGKILL)
        }
        tries += 1
        if starting == 0 || tries > 2000 {
          return state.with { $0.isKilled = $0.isOver }
        }
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

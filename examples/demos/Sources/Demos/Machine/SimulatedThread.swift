// A thread of the simulated machine: it runs only when it has the turn.

internal import Dispatch
internal import Synchronization
internal import Glibc

/// A thread that takes turns with the others. The machine gives it the turn; it returns the turn
/// when it waits and when it ends.
/// @unchecked: the turn is passed on by semaphores, and only its owner touches the state.
final class SimulatedThread: @unchecked Sendable {
  private let turn = DispatchSemaphore(value: 0)
  private let returned = DispatchSemaphore(value: 0)
  private let body: @Sendable () -> Void
  private var isStarted = false
  /// The queue whose block the thread runs.
  var queue: SimulatedQueue?

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// The key whose value is not NULL on simulated threads.
  private static let mark: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "no key for the simulation")
    return key
  }()

  /// True if the calling code runs on a thread of a simulation.
  static var isCurrent: Bool { pthread_getspecific(mark) != nil }

  /// Gives the thread the turn, and returns when it has returned it.
  func takeTurn() {
    if !isStarted {
      isStarted = true
      start()
    }
    turn.signal()
    returned.wait()
  }

  /// Returns the turn, and goes on with the next one. Called by the thread itself.
  func yield() {
    returned.signal()
    turn.wait()
  }

  private func start() {
    let context = Unmanaged.passRetained(self).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        // The block runs for the life of the thread.
        let own = Unmanaged<SimulatedThread>.fromOpaque(context).takeRetainedValue()
        own.turn.wait()
        pthread_setspecific(SimulatedThread.mark, context)
        own.body()
        own.returned.signal()
        return nil
      }, context)
    pthread_attr_destroy(&attributes)
    precondition(error == 0, "no thread for the simulation")
  }
}

// Where Weir tells Swift that something is over.

internal import CWeir

/// A serial queue for closures that are soon done: they resume a task or hand
/// on to a queue of the caller's.
///
/// All of Weir shares it. A global queue would have libdispatch open three
/// descriptors.
enum Notifications {
  // nonisolated(unsafe): never changed, and a queue may be used by any thread.
  nonisolated(unsafe) static let queue: dispatch_queue_t = {
    guard let made = weir_queue_create("weir.notifications", nil, nil, nil) else {
      fatalError("no memory for a queue")
    }
    return made
  }()
}

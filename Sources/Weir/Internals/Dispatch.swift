// Objects and constants of libdispatch in the form that the C library uses, and blocking calls of
// tasks.

internal import CWeir
internal import Dispatch

/// `dispatch_release`, which the headers of libdispatch hide from Swift.
@_silgen_name("dispatch_release")
func releaseQueue(_ queue: dispatch_queue_t)

/// Returns a queue as the type that C functions on any object take.
func anyObject(_ queue: dispatch_queue_t) -> dispatch_object_t {
  dispatch_object_t(_dq: queue)
}

/// A serial queue for short closures. (For a global one libdispatch would open three descriptors.)
enum Notifications {
  // nonisolated(unsafe): never changed, and any thread may use a queue.
  nonisolated(unsafe) static let queue: dispatch_queue_t = {
    guard let made = weir_queue_create("weir.notifications", nil, nil, nil) else {
      fatalError("no memory for a queue")
    }
    return made
  }()
}

extension DispatchQoS.QoSClass {
  /// The C constant; 0 for an unspecified class.
  var cValue: dispatch_qos_class_t {
    let value =
      switch self {
      case .background: QOS_CLASS_BACKGROUND
      case .utility: QOS_CLASS_UTILITY
      case .default: QOS_CLASS_DEFAULT
      case .userInitiated: QOS_CLASS_USER_INITIATED
      case .userInteractive: QOS_CLASS_USER_INTERACTIVE
      case .unspecified: QOS_CLASS_UNSPECIFIED
      @unknown default: QOS_CLASS_UNSPECIFIED
      }
    return dispatch_qos_class_t(value)
  }
}

/// Runs a blocking closure outside the cooperative pool, while the task is suspended. Each call has a
/// serial queue, which gets a thread at once; a global queue may have to wait for a busy one.
nonisolated(nonsending) func onOwnThread<R: Sendable>(
  _ label: String, _ body: @escaping @Sendable () -> R
) async -> R {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: label).async { continuation.resume(returning: body()) }
  }
}

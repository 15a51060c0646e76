// libdispatch's own queues, as Weir needs them.

internal import CWeir

/// `dispatch_release`, which libdispatch's headers do not show to Swift.
@_silgen_name("dispatch_release")
func releaseQueue(_ queue: dispatch_queue_t)

/// The queue, where C takes any object.
func anyObject(_ queue: dispatch_queue_t) -> dispatch_object_t {
  dispatch_object_t(_dq: queue)
}

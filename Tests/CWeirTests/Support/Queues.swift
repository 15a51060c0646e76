// libdispatch's own objects, as the tests need them.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

let forever: dispatch_time_t = ~0
let atOnce: dispatch_time_t = 0

func after(milliseconds: Int) -> dispatch_time_t {
  dispatch_time(0, Int64(milliseconds) * 1_000_000)
}

func object(_ queue: dispatch_queue_t) -> dispatch_object_t {
  dispatch_object_t(_dq: queue)
}

/// dispatch_release, which Swift is not shown.
@_silgen_name("dispatch_release")
func release(_ queue: dispatch_queue_t)

func globalQueue() -> dispatch_queue_t { dispatch_get_global_queue(0, 0) }

func serialQueue() -> dispatch_queue_t {
  weir_queue_create("serial", nil, nil, nil)!
}

func concurrentQueue() -> dispatch_queue_t {
  weir_queue_create("concurrent", concurrentAttribute(), nil, nil)!
}

/// A queue that Weir did not make.
func foreignQueue(
  _ label: String, concurrent: Bool = false, onto target: Passed<dispatch_queue_t>? = nil
) -> Passed<dispatch_queue_t> {
  let queue: dispatch_queue_t = dispatch_queue_create(
    label, concurrent ? concurrentAttribute() : nil)
  if let target { dispatch_set_target_queue(object(queue), target.it) }
  return Passed(queue)
}

/// A queue for as long as somebody has it.
final class TestQueue: @unchecked Sendable {
  let it: dispatch_queue_t

  init(concurrent: Bool = false) { it = concurrent ? concurrentQueue() : serialQueue() }
  deinit { release(it) }
}

/// DISPATCH_QUEUE_CONCURRENT, a macro that Swift does not see.
func concurrentAttribute() -> dispatch_queue_attr_t {
  let address = dlsym(nil, "_dispatch_queue_attr_concurrent")!
  return dispatch_queue_attr_t(address)
}

/// A closure as a dispatch_function_t and its context, for one call.
final class Job {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }

  static let run: dispatch_function_t = { context in
    Unmanaged<Job>.fromOpaque(context!).takeRetainedValue().body()
  }
  func retained() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }
}

func async(_ queue: dispatch_queue_t, _ body: @escaping @Sendable () -> Void) {
  dispatch_async_f(queue, Job(body).retained(), Job.run)
}

func sync(_ queue: dispatch_queue_t, _ body: @escaping () -> Void) {
  dispatch_sync_f(queue, Job(body).retained(), Job.run)
}

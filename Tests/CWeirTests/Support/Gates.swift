// A gate as the tests use it, from any thread.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport

struct Gate: @unchecked Sendable {
  let raw: weir_gate_t

  init(_ permits: Int, _ label: String? = nil) { raw = weir_gate_create(label, permits)! }
  init(raw: weir_gate_t) { self.raw = raw }

  func wait(_ count: Int, _ timeout: dispatch_time_t = forever) -> Int32 {
    weir_gate_wait(raw, count, timeout)
  }
  func attempt(_ count: Int) -> Int32 { weir_gate_try(raw, count) }
  @discardableResult
  func signal(_ count: Int) -> Int { weir_gate_signal(raw, count) }
  func resize(_ permits: Int) -> Int32 { weir_gate_resize(raw, permits) }
  func close() { weir_gate_close(raw) }
  func release() { weir_gate_release(raw) }

  var stats: weir_gate_stats_t {
    var stats = weir_gate_stats_t()
    weir_gate_stats(raw, &stats, MemoryLayout.size(ofValue: stats))
    return stats
  }

  /// weir_gate_grant_f with a closure.
  func grant(_ count: Int, _ granted: @escaping (Int) -> Void) -> Int32 {
    final class Box {
      let body: (Int) -> Void
      init(_ body: @escaping (Int) -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(granted))
    let error = weir_gate_grant_f(raw, count, box.toOpaque()) { context, count in
      Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body(count)
    }
    if error != 0 { box.release() }
    return error
  }

  /// Starts somebody who waits, and comes back when he stands in the queue.
  func startWaiter(_ count: Int, _ served: @escaping @Sendable () -> Void) -> Bool {
    let waiting = stats.waiting
    startThread { if self.wait(count) == 0 { served() } }
    return eventually { stats.waiting == waiting + 1 }
  }
}

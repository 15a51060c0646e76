// Permits beside dispatch_semaphore, uncontended: so many pairs of taking one
// and giving it back, on one thread.

import OverlayBodies
import Weir

private let count = 100_000

func compareGates(_ pairs: Pairs) {
  pairs.compare("100,000 pairs, C", goal: 1.5) {
    overlay_semaphore_pairs(count)
  } _: {
    overlay_gate_pairs(count)
  }
  let gate = Gate(label: "overlay", permits: 3)
  pairs.compare("100,000 pairs, Swift", goal: 3) {
    overlay_semaphore_pairs(count)
  } _: {
    takeAndRelease(gate)
  }
}

private func takeAndRelease(_ gate: Gate) {
  do {
    for _ in 0..<count {
      let permit = try gate.acquire()
      permit.release()
    }
  } catch {
    fatalError("an open gate gave no permit: \(error)")
  }
}

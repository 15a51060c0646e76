// Statistics of gates and lanes for swift-metrics; call it every few seconds.

import Metrics
import Weir

extension Gate {
  func report() {
    Meter(label: "\(label).in_use").set(statistics.inUse)
    Meter(label: "\(label).waiting").set(statistics.waiting)
  }
}

extension Lanes {
  func report(as label: String) {
    Meter(label: "\(label).running").set(statistics.running)
    Meter(label: "\(label).queued").set(statistics.queued)
  }
}

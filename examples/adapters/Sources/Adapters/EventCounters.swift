// The number of events of each kind, for swift-metrics, by gate, lanes or group.

import Metrics
import Weir

/// An observer for `WeirTrace.setObserver(_:)`.
func countEvents(_ event: TraceEvent) {
  Counter(label: "\(event.label).\(event.kind)").increment()
}

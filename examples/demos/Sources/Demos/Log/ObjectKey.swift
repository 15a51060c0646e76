// The identity of an object of a log.

/// The identity of an object: its number, or its label in a log without numbers.
struct ObjectKey: Hashable {
  var number: Int
  var label: String

  init(_ event: TraceLog.Event) {
    number = event.object ?? 0
    label = event.object == nil ? event.label : ""
  }
}

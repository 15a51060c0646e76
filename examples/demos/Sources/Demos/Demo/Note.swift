// A note in the log.

internal import Weir

/// Adds a note to the log.
func note(_ label: String, _ job: Int = 0, value: Int = 0) {
  Trace.note(label, job: UInt64(job), value: value)
}

// A note in the log.

internal import Weir

func note(_ label: String, _ job: Int = 0, value: Int = 0) {
  WeirTrace.note(label, job: UInt64(job), value: value)
}

/// Adds the number of permits of the gate or semaphore of a label to the log, which cannot know it.
func note(permits: Int, of label: String) { note("permits \(label)", value: permits) }

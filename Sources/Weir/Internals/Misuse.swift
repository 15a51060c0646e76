// A programmer's error that Swift code found.

internal import CWeir

/// Says a sentence and traps, as the C library does: one line on standard error,
/// which names the object, what was done and what is right, also in a release
/// build, where a precondition says nothing.
@usableFromInline
func misuse(_ sentence: String) -> Never {
  weir_misuse_report(sentence)
}

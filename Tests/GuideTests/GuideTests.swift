// The root of all tests of the guide: its listings as programs, what the
// documents say about it, and its claims, decided on this machine. They run
// one after the other: some of them look at times.
import Testing

@Suite("Guide", .serialized, .timeLimit(.minutes(5)))
struct GuideTests {}

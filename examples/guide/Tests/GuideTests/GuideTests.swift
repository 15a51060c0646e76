// All tests of the programming guide: its listings as programs, the documents about
// it, and its claims on this machine. They run one after the other, because some of
// them measure times.
import Testing

@Suite("Guide", .serialized, .timeLimit(.minutes(5)))
struct GuideTests {}

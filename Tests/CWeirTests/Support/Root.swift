// The root of all tests of the C library. They run one after the other:
// many of them fill the machine on purpose, and some of them look at things
// the whole process shares. Each has a minute.
import Testing

@Suite("CWeir", .serialized, .timeLimit(.minutes(1)))
struct CWeirTests {}

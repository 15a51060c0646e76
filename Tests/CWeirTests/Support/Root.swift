// The roots of all tests of the C library. Each test has a minute.
import Testing

/// Tests that run one after the other: many of them fill the machine on purpose, and
/// some of them examine what the whole process shares.
@Suite("CWeir", .serialized, .timeLimit(.minutes(1)))
struct CWeirTests {}

/// Tests that run beside others: they use their own objects only, or a process of
/// their own.
@Suite("CWeir, independent", .timeLimit(.minutes(2)))
struct CWeirIndependentTests {}

// The roots of all tests of the C library. Two chains run at the same time, each one
// test after the other, since many tests fill the machine on purpose, or examine what
// the whole process shares. Each test has a thread of its own.
import TestSupport
import Testing

/// The tests of gates, groups, lanes, loops, queues, processes and traces.
@Suite("CWeir", .serialized, .timeLimit(.minutes(10)), .onThreads)
struct CWeirTests {}

/// The tests of the file processor, of storage and of descriptors.
@Suite("CWeir, files", .serialized, .timeLimit(.minutes(10)), .onThreads)
struct CWeirFilesTests {}

/// Tests that run beside all others: they use their own objects only, or a process of
/// their own.
@Suite("CWeir, independent", .timeLimit(.minutes(10)), .onThreads)
struct CWeirIndependentTests {}

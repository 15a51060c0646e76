// Swift tasks whose life is in the log.

internal import Weir

/// A set of Swift tasks. Each has a number, and reports its creation, the start of its work and
/// its end, or that it never starts, on whatever thread it is at.
public final class TracedTasks: Sendable {
  private let subject: TraceSubject

  /// Creates a set with a label.
  public init(label: String) {
    subject = TraceSubject(label: label)
  }

  /// Reports that a task was created.
  public func submit(_ number: Int) { subject.report(.submit, job: UInt64(number)) }

  /// Reports that a task will never start its work.
  public func cancel(_ number: Int) { subject.report(.cancel, job: UInt64(number)) }

  /// Runs the work of a task.
  nonisolated(nonsending)
    public func run<T>(_ number: Int, _ work: () async throws -> T) async rethrows -> T
  {
    subject.report(.start, job: UInt64(number))
    defer { subject.report(.end, job: UInt64(number)) }
    return try await work()
  }
}

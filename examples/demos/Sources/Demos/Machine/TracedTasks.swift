// Swift tasks whose life is in the log.

internal import Weir

/// A set of Swift tasks. Each has a number, and reports its creation, the start of its work and
/// its end, on whatever thread it is at. A task that is suspended has no
/// thread: ``suspended(_:)`` reports it, and ``resume()`` the thread on which it goes on.
final class TracedTasks: Sendable {
  /// The task of which the calling code is a part.
  @TaskLocal private static var current: (tasks: TracedTasks, number: UInt64)?

  private let subject: TraceSubject

  init(label: String) {
    subject = TraceSubject(label: label)
  }

  func submit(_ number: Int) { subject.report(.submit, job: UInt64(number)) }

  nonisolated(nonsending)
    func run<T>(_ number: Int, _ work: () async throws -> T) async rethrows -> T
  {
    subject.report(.start, job: UInt64(number))
    defer { subject.report(.end, job: UInt64(number)) }
    return try await Self.$current.withValue((self, UInt64(number))) { try await work() }
  }

  /// Reports that the current task, if it is in a set, is suspended while a closure awaits.
  nonisolated(nonsending)
    static func suspended<T>(_ wait: () async throws -> T) async rethrows -> T
  {
    // To the recorder it is a wait that blocks no thread; EventCompletion recognises it.
    if let current { current.tasks.subject.report(.wait, job: current.number, lane: 1) }
    defer { resume() }
    return try await wait()
  }

  /// Runs a part that is none of the current task's, such as a timer beside it.
  nonisolated(nonsending)
    static func unreported<T>(_ part: () async throws -> T) async rethrows -> T
  {
    try await $current.withValue(nil) { try await part() }
  }

  /// Reports that the current task, if it is in a set, goes on on the calling thread: after an
  /// await that reports its beginning itself, as that of a gate does.
  static func resume() {
    if let current { current.tasks.subject.report(.acquired, job: current.number) }
  }
}

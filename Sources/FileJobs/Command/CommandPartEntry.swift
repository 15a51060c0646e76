/// The end of one command with its items: the events of a run come from it, and parts record it.
package struct CommandPartEntry: Sendable {
  /// An item that the command did not get.
  struct Omission: Equatable, Sendable {
    /// The index of the item in the invocation.
    let index: Int
    /// The errno value of the reason, or `PlannedFile.changed`.
    let error: Int32
  }

  let invocation: CommandInvocation
  /// The outcome of the last attempt; `nil` if no item was left, and the command was not run.
  var outcome: CommandOutcome?
  var attempts = 0
  /// The start of the last attempt, in seconds since 1970, and its duration.
  var start = 0.0
  var seconds = 0.0
  /// The items that have changed since the plan was made, or are gone.
  var omissions: [Omission] = []
  var output: CommandOutput?
  /// True if a command before this one was ended early, and has no record.
  package var followsGap = false

  var hasFailed: Bool { outcome.map { !$0.isSuccess } ?? false }

  var items: [CommandItem] {
    if omissions.isEmpty { return invocation.items }
    let indices = Set(omissions.map(\.index))
    return invocation.items.indices.filter { !indices.contains($0) }.map { invocation.items[$0] }
  }

  /// Returns the events of the run: first the items that the command did not get.
  package func events(_ template: CommandTemplate) -> [CommandEvent] {
    let all = invocation.items
    var events: [CommandEvent] = omissions.compactMap { omission in
      guard all.indices.contains(omission.index) else { return nil }
      return .unreadable(all[omission.index].bytes, omission.error)
    }
    if let result = result(template) { events.append(.finished(result)) }
    return events
  }

  /// Returns the result of the command; `nil` if it was not run.
  func result(_ template: CommandTemplate) -> CommandResult? {
    guard let outcome else { return nil }
    let (items, number) = (items, invocation.number)
    return CommandResult(
      number: number, items: items, arguments: template.arguments(for: items, number: number),
      outcome: outcome, attempts: attempts, start: start, seconds: seconds, output: output)
  }
}

extension CommandStatistics {
  /// Counts a command, and the items that it did not get.
  mutating func add(_ entry: CommandPartEntry) {
    unreadable += UInt64(entry.omissions.count)
    guard let outcome = entry.outcome else { return }
    commands += 1
    failed += outcome.isSuccess ? 0 : 1
    // A part may have any number.
    retried &+= UInt64(max(0, entry.attempts - 1))
  }
}

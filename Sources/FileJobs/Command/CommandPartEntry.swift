// The end of one command with its items: the events of a run come from it, and parts record it.

internal import Weir

/// The end of one command. The items are not in it: they can be large, many ends wait for their
/// turn, and the processor has the items in the note.
struct CommandConclusion: Sendable {
  /// An item that the command did not get.
  struct Omission: Equatable, Sendable {
    /// The index of the item in the invocation.
    let index: Int
    /// The errno value of the reason, or `PlannedFile.changed`.
    let error: Int32
  }

  let number: UInt64
  /// The outcome of the last attempt; `nil` if no item was left, and the command was not run.
  let outcome: CommandOutcome?
  let attempts: Int
  /// The start of the last attempt, in seconds since 1970.
  let start: Double
  /// The duration of the last attempt in seconds.
  let seconds: Double
  /// The items that have changed since the plan was made, or are gone.
  var omissions: [Omission] = []
  let output: CommandOutput?

  /// True if the command was run and failed.
  var hasFailed: Bool { outcome.map { !$0.isSuccess } ?? false }
}

/// The end of one command, with its items.
package struct CommandPartEntry: Sendable {
  let items: [CommandItem]
  let conclusion: CommandConclusion
  /// True if a command before this one was ended early, and has no record.
  package var followsGap = false

  /// Returns the events of the run: first the items that the command did not get.
  package func events(_ template: CommandTemplate) -> [CommandEvent] {
    var events: [CommandEvent] = conclusion.omissions.compactMap { omission in
      guard items.indices.contains(omission.index) else { return nil }
      return .unreadable(items[omission.index].bytes, omission.error)
    }
    if let result = result(template) { events.append(.finished(result)) }
    return events
  }

  /// Returns the result of the command; `nil` if it was not run.
  func result(_ template: CommandTemplate) -> CommandResult? {
    guard let outcome = conclusion.outcome else { return nil }
    let number = conclusion.number
    let items = CommandConclusion.Omission.remaining(of: items, without: conclusion.omissions)
    return CommandResult(
      number: number, items: items, arguments: template.arguments(for: items, number: number),
      outcome: outcome, attempts: conclusion.attempts, start: conclusion.start,
      seconds: conclusion.seconds, output: conclusion.output)
  }

}

/// The form of a record in the spool.
extension CommandPartEntry {
  /// Returns the record as bytes, which have the output from now on.
  func pack() -> [UInt8] {
    let output = conclusion.output
    return [output == nil ? 0 : 1] + (output?.pack() ?? [])
      + CommandPayload.bytes(of: conclusion, items: items)
  }

  /// Unpacks a record; `nil` if it is malformed.
  init?(packed bytes: UnsafeRawBufferPointer, _ spool: OutputSpool) {
    var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let hasOutput = bytes.first == 1
    let output = hasOutput ? CommandOutput(spool, packed: &rest) : nil
    guard hasOutput == (output != nil),
      case .end(let conclusion, let items) = CommandPayload(rest, output: output)
    else {
      return nil
    }
    self.init(items: items, conclusion: conclusion)
  }
}

extension CommandConclusion.Omission {
  /// Returns the items that a command gets.
  static func remaining(of items: [CommandItem], without omissions: [Self]) -> [CommandItem] {
    if omissions.isEmpty { return items }
    let indices = Set(omissions.map(\.index))
    return items.indices.filter { !indices.contains($0) }.map { items[$0] }
  }
}

extension CommandStatistics {
  /// Counts a command, and the items that it did not get.
  mutating func add(_ conclusion: CommandConclusion) {
    unreadable += UInt64(conclusion.omissions.count)
    guard let outcome = conclusion.outcome else { return }
    commands += 1
    failed += outcome.isSuccess ? 0 : 1
    // A part may have any number.
    retried &+= UInt64(max(0, conclusion.attempts - 1))
  }
}

internal import SystemPackage
internal import Weir

/// A run that repeats the records of the shards of a plan: the events are those of one run over all
/// items. With several items per command, a shard makes groups of its own items, and a group comes
/// in the place of its first item.
///
/// @unchecked Sendable: one thread runs it; the statistics have a lock.
package final class CommandReplay: FileJob, @unchecked Sendable {
  /// The items of the last command of a shard that come later in the plan.
  private struct Rest {
    var count = 0
    /// The sum of the hashes of their names.
    var hash: UInt64 = 0
  }

  private let plan: PlanReader
  private let planName: [UInt8]
  private let parts: [PartReader]
  private let template: CommandTemplate
  private let spool: OutputSpool
  private var rests: [Rest]
  private var ordinal: UInt64 = 0
  private let found = Locked(CommandStatistics())
  private let progress = MergeProgress()

  /// - Parameter plan: A reader that has read no record yet.
  package init(
    _ plan: PlanReader, name: [UInt8], _ parts: [PartReader], _ template: CommandTemplate,
    temporaryDirectory: [UInt8]
  ) {
    self.plan = plan
    planName = name
    self.parts = parts
    self.template = template
    spool = OutputSpool(temporaryDirectory)
    rests = Array(repeating: Rest(), count: parts.count)
  }

  package var control: JobControl { progress.control }

  package var commandStatistics: CommandStatistics { found.with { $0 } }

  /// Delivers all events. Throws `Errno.canceled`, a `Fault`, a `CommandFailure`, or `deliver`'s
  /// error.
  package func run(deliver: (CommandEvent) throws -> Void) throws {
    let header = plan.header
    found.with { ($0.filtered, $0.excluded) = (header.filtered, header.excluded) }
    while let record = try plan.next() {
      for event in try events(record) { try deliver(event) }
      var files = FileStatistics.none
      files.files = commandStatistics.commands
      try progress.show(files)
    }
    for (shard, part) in parts.enumerated() where try part.next() != nil {
      throw Fault(planName, damaged: "the part of shard \(shard) has more commands")
    }
  }

  /// Returns the events in the place of a record of the plan.
  private func events(_ record: PlanEntry) throws -> [CommandEvent] {
    switch record.kind {
    case .file, .named:
      ordinal += 1
      found.with { $0.items += 1 }
      let shard = record.shard ?? 0
      guard parts.indices.contains(shard), let command = try command(of: shard, for: record.path)
      else { throw Fault(planName, damaged: "the part of shard \(shard) has other files") }
      return command
    case .directory: return []
    case .link:
      found.with { $0.links += 1 }
      return []
    case .special(let type):
      found.with { $0.special += 1 }
      return [.special(Array(record.path), type)]
    case .unreadable(let error):
      found.with { $0.unreadable += 1 }
      return [.unreadable(Array(record.path), error.rawValue)]
    }
  }

  /// Returns the events of the command whose first item this one is, none for a later item of a
  /// command; `nil` if the part has something else.
  private func command(
    of shard: Int, for path: UnsafeRawBufferPointer
  ) throws -> [CommandEvent]? {
    if rests[shard].count > 0 {
      rests[shard].count -= 1
      rests[shard].hash &-= NameHash.hash(path)
      return rests[shard].count > 0 || rests[shard].hash == 0 ? [] : nil
    }
    let output = CommandOutput(spool)
    while let record = try parts[shard].next() {
      switch CommandPayload(record.payload, output: output) {
      case .output(let slot):
        guard record.items == 0, output.append(slot: slot) else { return nil }
        if let failure = output.failure {
          throw CommandFailure.spool(spool.path, failure.rawValue)
        }
      case .end(let entry):
        let items = entry.invocation.items
        guard record.items == items.count, entry.invocation.number == ordinal,
          let first = items.first, first.bytes.elementsEqual(path)
        else { return nil }
        found.with { $0.add(entry) }
        rests[shard] = Rest(
          count: items.count - 1,
          hash: items.dropFirst().reduce(0) { sum, item in
            sum &+ item.bytes.withUnsafeBytes { NameHash.hash($0) }
          })
        return entry.events(template)
      case nil: return nil
      }
    }
    return nil
  }
}

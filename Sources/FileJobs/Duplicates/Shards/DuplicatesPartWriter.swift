internal import SystemPackage
package import Weir

/// A recorder of the events of a search on one shard.
///
/// @unchecked Sendable: events come one at a time.
package final class DuplicatesPartWriter: @unchecked Sendable {
  private let writer: PartWriter
  /// The number of files that were not as in the plan.
  private var changed: UInt64 = 0
  private var names: [UInt8] = []

  private static let namesSize = 1 << 16

  package init(_ writer: PartWriter) {
    self.writer = writer
  }

  package func append(_ event: DuplicatesEvent, at position: DuplicatesPosition) throws {
    switch event {
    case .group(let group):
      try append(group, at: position)
    case .result(let result):
      if case .failed(let error as Errno) = result.outcome, error == PlannedFile.changed {
        changed += 1
      }
      var rest: [UInt8] = []
      result.append(to: &rest)
      let isSkip = if case .special = result.outcome { !result.isNamed } else { false }
      try append(.result, Array(result.path), rest, at: position, isSkip ? .success : .unreadable)
    case .failed(let error, let path):
      var rest: [UInt8] = []
      rest.append(littleEndian: error.rawValue)
      try append(.failed, path, rest, at: position)
    case .changed(let path): try append(.changed, path, at: position)
    case .sizeMismatch(let path): try append(.sizeMismatch, path, at: position)
    }
  }

  private func append(
    _ kind: DuplicatesPartKind, _ path: [UInt8], _ rest: [UInt8] = [],
    at position: DuplicatesPosition, _ verdict: PartVerdict = .unreadable
  ) throws {
    let head = DuplicatesPartHead(kind, position, pathCount: path.count)
    try append(head.bytes + path + rest, verdict)
  }

  private func append(
    _ record: [UInt8], items: UInt64 = 0, _ verdict: PartVerdict = .success
  ) throws {
    try writer.append(record, items: Int(items), nameCheck: 0, verdict)
  }

  private func append(_ group: DuplicatesGroup, at position: DuplicatesPosition) throws {
    var position = position
    position.saving = group.saving
    let head = DuplicatesPartHead(.group, position)
    try append(head.bytes + group.head)
    try group.forEachName { name, index, _ in
      if names.isEmpty { names.append(DuplicatesPartKind.names.rawValue) }
      names.append(index == 0 ? 1 : 0)
      names.append(littleEndian: UInt32(name.count))
      names += name
      if names.count >= DuplicatesPartWriter.namesSize { try appendNames() }
    }
    if !names.isEmpty { try appendNames() }
  }

  private func appendNames() throws {
    try append(names)
    names.removeAll(keepingCapacity: true)
  }

  package func finish(
    items: UInt64, _ found: DuplicatesStatistics, _ statistics: FileStatistics
  ) throws {
    var statistics = statistics
    statistics.failed -= min(changed, statistics.failed)
    statistics.changed += changed
    let head = DuplicatesPartHead(.end, DuplicatesPosition(stage: .end, place: 0))
    let object: JSONValue = .object(["found": found.json, "files": statistics.json])
    try append(head.bytes + object.line, items: items)
  }
}

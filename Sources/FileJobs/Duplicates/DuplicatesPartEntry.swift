// The events of a search for duplicates as records of a part.
//
// DESIGN. A process delivers its failures stage by stage, in the order of the input, and then the
// groups. So does a shard, and a merge only compares the positions of the first events of all
// shards. The names of a group follow it in records of their own, since a group can have all names
// of a run, and a merge reads a record as a whole. Numbers are little-endian.

internal import Weir

/// The position of an event in the output of one process.
package struct DuplicatesPosition: Comparable, Sendable {
  package enum Stage: UInt8, Comparable, Sendable {
    case found
    case read
    case readWhole
    case compared
    case groups
    case end

    package static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  package let stage: Stage
  /// The bytes that a group could save; 0 for other events.
  package var saving: UInt64 = 0
  /// The place of the file, or of the first name of a group, in the plan or in the input.
  package let place: UInt64

  package static func < (left: DuplicatesPosition, right: DuplicatesPosition) -> Bool {
    if left.stage != right.stage { return left.stage < right.stage }
    return left.saving == right.saving ? left.place < right.place : left.saving > right.saving
  }
}

enum DuplicatesPartKind: UInt8 {
  /// The result of a file; the path and the recorded result follow the head.
  case result
  /// A file that could not be compared; the path and the errno value follow.
  case failed
  case changed
  case sizeMismatch
  case group
  case names
  case end
}

/// The beginning of every record but those of names.
struct DuplicatesPartHead {
  let kind: DuplicatesPartKind
  let position: DuplicatesPosition
  let pathCount: Int

  static let byteCount = 24

  init(_ kind: DuplicatesPartKind, _ position: DuplicatesPosition, pathCount: Int = 0) {
    self.kind = kind
    self.position = position
    self.pathCount = pathCount
  }

  init?(_ record: UnsafeRawBufferPointer) {
    guard record.count >= DuplicatesPartHead.byteCount,
      let kind = DuplicatesPartKind(rawValue: record[0]),
      let stage = DuplicatesPosition.Stage(rawValue: record[1])
    else { return nil }
    self.kind = kind
    pathCount = Int(record.littleEndian(at: 4) as UInt32)
    position = DuplicatesPosition(
      stage: stage, saving: record.littleEndian(at: 8), place: record.littleEndian(at: 16))
    if pathCount > record.count - DuplicatesPartHead.byteCount { return nil }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [kind.rawValue, position.stage.rawValue, 0, 0]
    bytes.append(littleEndian: UInt32(pathCount))
    bytes.append(littleEndian: position.saving)
    bytes.append(littleEndian: position.place)
    return bytes
  }

  func content(
    of record: UnsafeRawBufferPointer
  ) -> (path: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer) {
    let end = DuplicatesPartHead.byteCount + pathCount
    return (record[DuplicatesPartHead.byteCount..<end].rebased, record[end...].rebased)
  }
}

extension DuplicatesStatistics: JSONNumbers {
  static var recorded: [(String, WritableKeyPath<DuplicatesStatistics, UInt64>)] {
    [
      ("names", \.names), ("small", \.small), ("groups", \.groups), ("duplicates", \.duplicates),
      ("hard_links", \.links), ("saving", \.saving), ("failures", \.failures), ("shared", \.shared),
    ]
  }
}

extension FileStatistics: JSONNumbers {
  static var recorded: [(String, WritableKeyPath<FileStatistics, UInt64>)] {
    [
      ("files", \.files), ("bytes", \.bytes), ("failed", \.failed), ("changed", \.changed),
      ("special", \.special), ("special_named", \.specialNamed), ("unread", \.unread),
    ]
  }
}

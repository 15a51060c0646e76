// Plans made of records in memory, and the files of a directory.

import Foundation
import TestSupport

@testable import FileJobs

/// A record with memory of its own.
struct PlannedEntry: Equatable, CustomStringConvertible {
  var kind = PlanEntry.Kind.file
  var shard: Int?
  var size: UInt64 = 0
  var modified: Int64 = 0
  var path: [UInt8]
  var target: [UInt8] = []

  init(_ path: [UInt8], size: UInt64, modified: Int64 = 0) {
    (self.path, self.size, self.modified) = (path, size, modified)
  }

  init(_ kind: PlanEntry.Kind, _ path: [UInt8], target: [UInt8] = []) {
    (self.kind, self.path, self.target) = (kind, path, target)
  }

  init(_ record: PlanEntry) {
    (kind, shard, size) = (record.kind, record.shard, record.size)
    (modified, path, target) = (record.modified, Array(record.path), Array(record.target))
  }

  var description: String {
    "\(shard ?? -1) \(kind) \(size) \(modified) \(String(decoding: path, as: UTF8.self))"
  }

  func add(to writer: PlanWriter) throws {
    try path.withUnsafeBytes { path in
      try target.withUnsafeBytes { target in
        try writer.add(
          PlanEntry(kind: kind, size: size, modified: modified, path: path, target: target))
      }
    }
  }
}

/// Writes a plan.
func writePlan(_ entries: [PlannedEntry], to path: [UInt8], shards: Int) throws {
  let writer = try PlanWriter(
    path, shards: shards, strategy: .size, root: Array("/srv".utf8), memory: 64 << 20)
  for entry in entries { try entry.add(to: writer) }
  _ = try writer.finish(
    filtered: 3, named: PlanNamedInputs(bytes: 17, hasOther: true, isSingle: false))
}

/// Reads all records of a plan.
func readPlan(_ path: [UInt8]) throws -> (header: PlanHeader, entries: [PlannedEntry]) {
  let reader = try PlanReader(path)
  var entries: [PlannedEntry] = []
  while let record = try reader.next() { entries.append(PlannedEntry(record)) }
  return (reader.header, entries)
}

extension TemporaryDirectory {
  /// The names in the directory, sorted.
  var entries: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: text)) ?? []).sorted()
  }

  /// The bytes of a file; `nil` if there is none.
  func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(text)/\(name)").map { Array($0) }
  }
}

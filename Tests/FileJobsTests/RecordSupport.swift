// Files of records for tests, and their contents.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

/// A record of a file, as a test knows it.
struct Recorded: Equatable {
  var source: Int
  var name: [UInt8]
  var content: UInt8

  /// A stand-in for the digest of the content.
  var digest: [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: Int(content) &+ $0) } }
}

/// Returns records as the lines that a run writes.
func lines(of records: [Recorded]) -> [UInt8] {
  var lines: [UInt8] = []
  var frame = MtreeWriter()
  var source: Int?
  let line = MtreeLine([.sha256])
  for record in records {
    if record.source != source {
      source = record.source
      lines += Array("#weir source \(record.source)\n".utf8)
    }
    record.name.withUnsafeBytes { name in
      frame.append(before: name, to: &lines)
      let written = [UInt8](unsafeUninitializedCapacity: line.capacity(nameCount: name.count)) {
        memory, count in
        count = record.digest.withUnsafeBytes { digest in
          line.write(
            name: name, size: 7, time: FileTime(seconds: 1, nanoseconds: 5), digests: [digest],
            to: UnsafeMutableRawBufferPointer(memory))
        }
      }
      lines += written
    }
  }
  return lines
}

/// Creates and opens a file with some bytes. It is removed with the directory.
func open(_ bytes: [UInt8], as name: String, in directory: TemporaryDirectory) throws -> Int32 {
  try directory.write(bytes, to: name.utf8)
  let descriptor = Glibc.open(directory.text + "/" + name, O_RDWR | O_CLOEXEC)
  try #require(descriptor >= 0)
  return descriptor
}

/// Returns all records of a file.
func records(in descriptor: Int32) throws -> [Recorded] {
  let reader = RecordReader(FileDescriptor(rawValue: descriptor), unreadable: .end)
  var found: [Recorded] = []
  while let file = try reader.next() {
    let digest = PackedRecord.bytes(of: file).withUnsafeBytes {
      PackedRecord($0).digests.digest(.sha256)
    }
    #expect(file.line.size == 7 && file.line.time == FileTime(seconds: 1, nanoseconds: 5))
    found.append(
      Recorded(source: file.source ?? -1, name: Array(file.name), content: try #require(digest)[0]))
  }
  return found
}

/// Returns the names of a random tree below a root, in the order of a walk.
func walk(_ root: String, files: Int, using random: inout SeededGenerator) -> [[UInt8]] {
  var directories = [Array(root.utf8)]
  var taken: Set<[UInt8]> = []
  var names: [[UInt8]] = []
  while names.count < files {
    let parent = directories[Int.random(in: 0..<directories.count, using: &random)]
    let name = Bool.random(using: &random) ? random.name() : plainName(&random)
    let path = parent + [UInt8(ascii: "/")] + name
    guard taken.insert(path).inserted else { continue }
    if Int.random(in: 0..<8, using: &random) == 0 {
      directories.append(path)
    } else {
      names.append(path)
    }
  }
  return names.sorted(by: precedesInWalk)
}

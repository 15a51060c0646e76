// files: what `weir hash` does, by a program that takes its results from an
// AsyncSequence.
//
//     files ALGORITHM TREE [sleep | values]
//
// Writes the lines of `weir hash --algorithm ALGORITHM TREE`, file by file, into
// a buffer that goes out when it is full. `sleep`: the consumer sleeps for a
// millisecond every 100 files. `values`: the consumer makes the line of the values
// of the job.

import FileJobs
import SystemPackage
import Weir

struct Lines: ~Copyable {
  private var buffer: [UInt8] = []

  mutating func append(_ bytes: some Sequence<UInt8>) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    _ = try FileDescriptor.standardOutput.writeAll(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, let algorithm = DigestAlgorithm(arguments[1]) else {
  fatalError("usage: files ALGORITHM TREE [sleep | values]")
}
let source = FileSource.tree(FilePath(arguments[2]))
let sleeps = arguments.last == "sleep"
var lines = Lines()
var count = 0

if arguments.last == "values" {
  for try await file in try HashJob(algorithm).results(of: [source]) {
    try lines.append("\(file.value?.first.hexadecimal ?? "?")  ".utf8)
    try lines.append(file.pathBytes)
    try lines.append("\n".utf8)
  }
} else {
  for try await file in try HashJob(algorithm).results(of: [source]) {
    try lines.append(file.output)
    count += 1
    if sleeps && count % 100 == 0 { try await Task.sleep(for: .milliseconds(1)) }
  }
}
try lines.flush()

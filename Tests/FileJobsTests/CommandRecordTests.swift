// The records of commands in parts, and the walks of a plan.

import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.timeLimit(.minutes(10)))
struct CommandRecordTests {
  private let spool = OutputSpool(Array("/tmp".utf8))

  @Test("every outcome comes back")
  func outcomes() throws {
    let outcomes: [CommandOutcome?] = [
      nil, .ended(.exited(0)), .ended(.exited(255)), .ended(.signaled(15)),
      .timedOut(.exited(1)), .timedOut(.signaled(9)), .notStarted(7), .lost(5),
    ]
    for outcome in outcomes {
      let entry = CommandPartEntry(
        invocation: CommandInvocation(number: 1, items: [CommandItem([])]), outcome: outcome)
      CommandPayload.bytes(of: entry).withUnsafeBytes { bytes in
        guard case .end(let end)? = CommandPayload(bytes, output: CommandOutput(spool)) else {
          Issue.record("no end")
          return
        }
        #expect(end.outcome == outcome)
      }
    }
  }

  @Test("an attempt that continues another one does not copy output without its end")
  func interruptedOutput() throws {
    let directory = try TemporaryDirectory()
    let file = PartFile(in: directory.path, shard: 0, of: 1)
    let header = PartHeader(plan: "p", shard: 0, shards: 1, verb: "run", words: [])
    func append(_ number: UInt64, to writer: PartWriter) throws {
      let output = CommandOutput(spool)
      for _ in 0..<5 {
        [UInt8](repeating: UInt8(number), count: 40_000).withUnsafeBytes {
          output.append(.output, $0)
        }
      }
      try writer.append(
        CommandPartEntry(
          invocation: CommandInvocation(number: number, items: [CommandItem([UInt8(number)])]),
          outcome: .ended(.exited(0)), output: output))
    }
    let first = try PartWriter(file, header, resumes: false)
    try append(1, to: first)
    // The output of the second command, and no end.
    try first.append(
      CommandPayload.bytes(ofSlot: UnsafeRawBufferPointer(start: nil, count: 0)), items: 0,
      nameCheck: 0, .success)
    first.abandon()
    let second = try PartWriter(file, header, resumes: true)
    #expect(second.totals.items == 1 && second.totals.records == 5)
    try append(2, to: second)
    #expect(try second.finish() == .first)
    let reader = try PartReader(file.path)
    var counts: [Int] = []
    while let record = try reader.next() { counts.append(record.items) }
    #expect(counts == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
  }
}

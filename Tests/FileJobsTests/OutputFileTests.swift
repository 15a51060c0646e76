// The output file: its lock, its unfinished records, and that it appears complete or not
// at all.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing

extension OutputFile {
  fileprivate func append(records text: String) throws {
    try Array(text.utf8).withUnsafeBytes { try append(records: $0) }
  }
}

extension TemporaryDirectory {
  fileprivate func string(_ name: String) -> String? {
    content(name).map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutputFileTests {
  private static let header = LedgerHeader(
    version: "1", words: [LedgerHeader.Word("path", "a b".utf8)])

  /// Makes an output with one line.
  private static func finish(
    _ output: OutputFile, keepsRecords: Bool = true, ledger: [UInt8]? = nil
  ) throws {
    try output.beginOutput(with: Array("made\n".utf8), ledger: ledger)
    try output.finish(keepsRecords: keepsRecords)
  }

  private func reason(_ body: () throws -> Void) -> Fault.Reason? {
    do {
      try body()
      return nil
    } catch {
      return (error as? Fault)?.reason
    }
  }

  @Test("the lock is on the file that the name leads to, however often it is replaced")
  func raced() async throws {
    let directory = try TemporaryDirectory()
    let name = directory.path("M")
    // Many runs, in turn and at once: no two ever hold the lock.
    let inside = Shared(0)
    let done = Shared(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await onThread {
            var finished = 0
            while finished < 15 {
              let output = try OutputFile(name)
              do {
                if try output.lock() {
                  _ = try output.resume()
                } else {
                  try output.begin(with: OutputFileTests.header.line)
                }
              } catch let error as Fault {
                guard case .refused = error.reason else { throw error }
                continue
              }
              let others = inside.change { inside in
                inside += 1
                return inside
              }
              #expect(others == 1)
              inside.change { $0 -= 1 }
              if Bool.random() {
                try output.suspend()
              } else {
                try OutputFileTests.finish(output)
              }
              finished += 1
            }
            done.change { $0 += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(done.value == 4)
  }

  @Test("what a crash leaves of the future output is replaced, of every algorithm")
  func leftText() throws {
    let directory = try TemporaryDirectory()
    let text = directory.text + "/M.partial.text"
    func lockError(_ content: String) throws -> Fault.Reason? {
      try directory.write(content, to: "M.partial.text")
      try directory.write("", to: "M.partial")
      return reason { _ = try OutputFile(directory.path("M")).lock() }
    }
    for algorithm in DigestAlgorithm.allCases {
      let digits = String(repeating: "a0", count: algorithm.byteCount)
      for line in ["\(digits)  f\n", "\\\(digits)  f\n", "\(digits)  ", "\(algorithm.tag) (f) = "] {
        #expect(try lockError(line) == nil, "\(algorithm.name): \(line)")
        #expect(access(text, F_OK) != 0)
      }
    }
    for foreign in ["be careful\n", "face lift\n", "add  one\n", "precious\n"] {
      #expect(try lockError(foreign) == .leftText, "\(foreign)")
      #expect(access(text, F_OK) == 0)
    }
  }

  @Test(
    "a file of a run that is removed or replaced ends the run, and the output stays",
    arguments: ["M.partial", "M.partial.text"])
  func replaced(name: String) throws {
    for isReplaced in [false, true] {
      let directory = try TemporaryDirectory()
      try directory.write("old", to: "M")
      let output = try OutputFile(directory.path("M"))
      _ = try output.lock()
      try output.begin(with: Self.header.line)
      try output.beginOutput(with: [], ledger: nil)
      unlink(directory.text + "/" + name)
      if isReplaced { try directory.write("other", to: name) }
      #expect(reason { try output.finish(keepsRecords: true) } == .replaced)
      #expect(directory.string("M") == "old")
      #expect(directory.string(name) == (isReplaced ? "other" : nil))
    }
  }

  @Test("records are written back at the interval, and only after a change")
  func syncs() throws {
    let directory = try TemporaryDirectory()
    let output = try OutputFile(directory.path("M"), interval: 0.001)
    _ = try output.lock()
    try output.begin(with: Self.header.line)
    for expected in 1...4 {
      try output.append(records: "x\n")
      #expect(eventuallyBlocking { output.syncCount >= expected })
    }
    let count = output.syncCount
    try output.suspend()
    #expect(count <= 9)  // not without a change
  }
}

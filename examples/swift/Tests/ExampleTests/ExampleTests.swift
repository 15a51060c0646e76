// Helpers that run the programs of this package, and the test of `starvation`.

import Foundation
import Testing

/// Runs a program of this package, which lies beside the test bundle, or one of the system,
/// and returns its output. It suspends, since a blocked test would hold one of the few
/// threads that all tests share.
func output(
  of program: String, _ arguments: String..., files: [String] = [], input: URL? = nil,
  andErrors: Bool = false,
  status expected: Int32 = 0
) async throws -> String {
  let process = Process()
  process.executableURL =
    program.hasPrefix("/")
    ? URL(filePath: program)
    : Bundle.main.executableURL?.deletingLastPathComponent().appending(component: program)
  process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
  if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
  let printed = FileManager.default.temporaryDirectory
    .appending(component: UUID().uuidString)
  try Data().write(to: printed)
  defer { try? FileManager.default.removeItem(at: printed) }
  process.arguments = arguments + files
  process.standardOutput = try FileHandle(forWritingTo: printed)
  if andErrors { process.standardError = process.standardOutput }
  let ended = AsyncStream<Int32> { stream in
    process.terminationHandler = {
      stream.yield($0.terminationStatus)
      stream.finish()
    }
  }
  try process.run()
  for await status in ended {
    #expect(status == expected)
  }
  return try String(contentsOf: printed, encoding: .utf8)
}

/// The numbers in the line that begins with `name`.
func numbers(of name: String, in table: String) throws -> [Double] {
  let line = try #require(table.split(separator: "\n").first { $0.hasPrefix(name) })
  return line.dropFirst(name.count).split(separator: " ").compactMap { Double($0) }
}

@Test("Lanes reach the limit at once, a semaphore in the block does not", .timeLimit(.minutes(2)))
func starvation() async throws {
  let table = try await output(of: "starvation")
  let lanes = try numbers(of: "lanes", in: table)
  try #require(lanes.count == 3, "time, ratio to the ideal, most at once")
  // Lanes run 16 at once; the time allows for a busy machine.
  #expect(lanes[1] >= 1)
  #expect(lanes[1] < 2)
  #expect(lanes[2] == 16)

  let semaphore = try numbers(of: "semaphore in the block", in: table)
  try #require(semaphore.count == 3)
  #expect(semaphore[1] >= 1)
  #expect(semaphore[2] <= 16)
  // The pool begins with one thread per core, so many cores hide the effect.
  if ProcessInfo.processInfo.activeProcessorCount <= 4 {
    #expect(semaphore[1] > 1.5 * lanes[1])
    #expect(semaphore[2] < 16)
  }
}

// The run of a program of this package.

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

// Runs a command for each line of standard input, which replaces {}; the output of each
// command is printed whole, in the order of the lines, like weir run.
import Glibc
import SystemPackage
import Weir

let words = Array(CommandLine.arguments.dropFirst())
let lines = AsyncStream { readLine() }
let runs = lines.concurrentlyMapped(limit: Lanes.defaultWidth) { line in
  // Two permits for each pipe, until the child has its ends.
  try await DescriptorBudget.withDescriptors(4) {
    try await ChildProcess.run(words.map { $0 == "{}" ? line : $0 })
  }
}
var failures = 0
for try await run in runs {
  try FileDescriptor.standardOutput.writeAll(run.standardOutput)
  try FileDescriptor.standardError.writeAll(run.standardError)
  if !run.terminationStatus.isSuccess { failures += 1 }
}
exit(failures > 0 ? 1 : 0)

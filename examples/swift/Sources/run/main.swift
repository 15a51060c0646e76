// Runs a command for each line of standard input, which replaces {}; the output of each
// command is printed whole, in the order of the lines, like weir run.
import Glibc
import SystemPackage
import Weir

typealias Written = (output: [UInt8], errors: [UInt8])
let words = Array(CommandLine.arguments.dropFirst())
let options = ChildProcess.Options(input: .null, output: .pipe, error: .pipe)
let lines = AsyncStream { readLine() }
let runs = lines.concurrentlyMapped(limit: Lanes.defaultWidth) { line in
  // Two permits for each pipe, until the child has its ends.
  try await DescriptorBudget.withDescriptors(4) {
    let child = try ChildProcess(words.map { $0 == "{}" ? line : $0 }, options)
    let written = OwnedQueue<Written>(label: "written", context: ([], []))
    let ending = try await child.collect { stream, bytes in
      written.sync { written in
        if stream == .output { written.output += bytes } else { written.errors += bytes }
      }
    }
    return (written: await written.sync { $0 }, isSuccess: ending?.isSuccess ?? false)
  }
}
var failures = 0
for try await run in runs {
  try FileDescriptor.standardOutput.writeAll(run.written.output)
  try FileDescriptor.standardError.writeAll(run.written.errors)
  if !run.isSuccess { failures += 1 }
}
exit(failures > 0 ? 1 : 0)

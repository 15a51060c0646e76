// The fuzzers of the parsers that are Swift: FUZZ names the one to run.
//
// With --edges and names of files it checks these once, and prints the edges that they cover.

import CFuzz
import Glibc
import SystemPackage

guard Fuzzer.property != nil else {
  Fuzzer.report("FUZZ has to name a fuzzer: \(Properties.all.keys.sorted())")
  exit(2)
}
if CommandLine.arguments.dropFirst().first == "--edges" {
  for name in CommandLine.arguments.dropFirst(2) {
    guard let bytes = Properties.content(of: name) else { continue }
    bytes.withUnsafeBytes { Fuzzer.check($0) }
    fuzz_cover()
  }
  fuzz_print_edges()
  exit(0)
}
exit(
  fuzz_drive(CommandLine.argc, CommandLine.unsafeArgv) { bytes, count in
    Fuzzer.check(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  })

// The fuzzers of the parsers that are Swift: FUZZ names the one to run.

import CFuzz
import Glibc
import SystemPackage

enum Fuzzer {
  private static let name = getenv("FUZZ").map { String(cString: $0) } ?? ""

  /// The property; `nil` if no fuzzer has the name.
  static let property = Properties.all[name]

  static func report(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll("\(text)\n".utf8)
  }

  /// Checks an input, and ends the program with a message if the property does not hold.
  static func check(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    do {
      try property?(&input)
    } catch {
      report("FINDING \(name): \(error)")
      abort()
    }
  }
}

guard Fuzzer.property != nil else {
  Fuzzer.report("FUZZ has to name a fuzzer: \(Properties.all.keys.sorted())")
  exit(2)
}
exit(
  fuzz_drive(CommandLine.argc, CommandLine.unsafeArgv) { bytes, count in
    Fuzzer.check(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  })

// The fuzzer of this process.

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

// Errors and names in the messages of b3sum.

internal import Glibc
internal import SystemPackage

enum DropInB3SumText {
  /// Returns an error as Rust describes it: `No such file or directory (os error 2)`.
  static func reason(_ error: Errno) -> String {
    let text = strerror(error.rawValue).map { String(cString: $0) } ?? "Unknown error"
    return "\(text) (os error \(error.rawValue))"
  }

  /// Returns a name for a message, with U+FFFD in place of bytes that are not UTF-8.
  static func shown(_ name: UnsafeRawBufferPointer) -> String {
    String(decoding: name, as: UTF8.self)
  }
}

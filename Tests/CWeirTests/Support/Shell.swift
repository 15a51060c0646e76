// Programs that the tests of the C library run, in the locale C.
import CWeir
import Glibc
import TestSupport

enum Shell {
  struct Result {
    let status: Int32
    let output: [UInt8]
    let errors: [UInt8]
    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// Runs a program of the PATH to its end, in the working directory.
  static func run(_ words: [String]) throws -> Result {
    try run(words.map { Array($0.utf8) })
  }

  static func run(_ words: [[UInt8]]) throws -> Result {
    var command = Command(words[0], Array(words.dropFirst()))
    command.locale = "C"
    command.directory = Array(".".utf8)
    command.limit = 300
    let outcome = try command.runBlocking()
    return Result(
      status: outcome.status ?? 128 + (outcome.signal ?? 0), output: outcome.output,
      errors: outcome.errors)
  }

  /// True if there is such a program.
  static func has(_ program: String) -> Bool { path(ofProgram: program) != nil }
}

extension String {
  func trimming() -> String {
    String(self.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

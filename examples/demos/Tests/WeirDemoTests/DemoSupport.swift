// Runs of the built weir-demo, which lies beside the tests.

import TestSupport
import Testing

let packageRoot = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

func weirDemo(_ arguments: String..., in directory: TemporaryDirectory) -> Command {
  weirDemo(arguments.map { Array($0.utf8) }, in: directory)
}

/// A run of weir-demo with arguments as bytes.
func weirDemo(_ arguments: [[UInt8]], in directory: TemporaryDirectory) -> Command {
  var command = Command(weirPath + Array("-demo".utf8), arguments)
  command.directory = directory.path
  return command
}

extension Outcome {
  /// Expects success: status 0 and no message.
  func expectSilence(_ location: SourceLocation = #_sourceLocation) {
    #expect(status == 0 && !wasLate, sourceLocation: location)
    #expect(errorText.isEmpty, sourceLocation: location)
  }
}

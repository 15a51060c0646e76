// Helpers that run the built `weir`.

import Glibc
import TestSupport
import Testing

/// The directory of the repository.
let repositoryRoot = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

extension TemporaryDirectory {
  /// Makes nested directories deeper than the longest path, runs a script in the last one, and
  /// returns its path.
  func makeDeep(_ top: String, _ name: String, levels: Int, _ script: String) async throws
    -> String
  {
    let walk =
      "mkdir \"$1\" && cd \"$1\" && for i in $(seq \"$3\"); do mkdir \"$2\" && cd -P \"$2\"; done"
    let made = try await shell("\(walk) && \(script)", top, name, "\(levels)", in: self).run()
    made.expectSilence()
    return ([top] + Array(repeating: name, count: levels)).joined(separator: "/")
  }
}

extension Outcome {
  /// Expects success: status 0 and no message.
  func expectSilence(_ location: SourceLocation = #_sourceLocation) {
    #expect(status == 0 && !wasLate, sourceLocation: location)
    #expect(errorText.isEmpty, sourceLocation: location)
  }

  /// The lines of the output.
  var lines: [ArraySlice<UInt8>] { output.split(separator: 0x0A) }
}

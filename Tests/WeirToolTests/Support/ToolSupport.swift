// Helpers that run the built `weir`.

import Glibc
import TestSupport
import Testing

/// The directory of the repository.
let repositoryRoot = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

extension Outcome {
  /// Expects success: status 0 and no message.
  func expectSilence(_ location: SourceLocation = #_sourceLocation) {
    #expect(status == 0 && !wasLate, sourceLocation: location)
    #expect(errorText.isEmpty, sourceLocation: location)
  }

  /// The lines of the output.
  var lines: [ArraySlice<UInt8>] { output.split(separator: 0x0A) }
}

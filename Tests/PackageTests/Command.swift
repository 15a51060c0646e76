// Commands as the tests of the package write them: words for env(1), Strings and
// URLs.

import Foundation
import TestSupport

/// A program that failed.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String
}

extension Command {
  // A git hook that runs the tests must not direct git to its own repository, nor
  // `make test` an installation to the place of `make install`.
  private static let notInherited: Set = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
    "PREFIX", "DESTDIR", "LIBDIR", "INCLUDEDIR", "MANDIR", "BINDIR", "DATADIR",
  ]

  /// - Parameters:
  ///   - words: `-u NAME` and `NAME=value` to change the environment, the
  ///     program, its arguments.
  ///   - directory: The working directory.
  init(words: [String], directory: URL) {
    var words = words[...]
    var variables = ProcessInfo.processInfo.environment
    Self.notInherited.forEach { variables[$0] = nil }
    while let word = words.first {
      if word == "-u" {
        variables[words.dropFirst().first ?? ""] = nil
        words.removeFirst(2)
      } else if let equals = word.firstIndex(of: "=") {
        variables[String(word[..<equals])] = String(word[word.index(after: equals)...])
        words.removeFirst()
      } else {
        break
      }
    }
    self.init(Array((words.first ?? "").utf8), words.dropFirst().map { Array($0.utf8) })
    environment = variables.map { "\($0)=\($1)" }
    self.directory = Array(directory.path.utf8)
    // Seconds, which leave time for a build on a busy machine.
    limit = 600
  }

  /// Runs the program and returns its standard output. Throws if it fails.
  func text() async throws -> String {
    let outcome = try await run()
    guard outcome.status == 0 else {
      let words = ([program] + arguments).map { String(decoding: $0, as: UTF8.self) }
      throw CommandFailure(
        description: """
          `\(words.joined(separator: " "))` ended with status \(outcome.status ?? -1)\
          \(outcome.wasLate ? ", killed at its time limit," : "") \
          in \(String(decoding: directory, as: UTF8.self)):
          \(outcome.outputText)\(outcome.errorText)
          """)
    }
    return outcome.outputText
  }
}

extension TemporaryDirectory {
  var url: URL { URL(filePath: text, directoryHint: .isDirectory) }
}

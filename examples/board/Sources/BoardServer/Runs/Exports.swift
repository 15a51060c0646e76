// The files of the last runs of a channel.

import Foundation
import Synchronization

/// The exports of the last five runs of a channel.
final class Exports: Sendable {
  static let names = ["report.html", "run.json"]
  /// The number of runs of a channel.
  static let runLimit = 5
  /// The bytes of a file.
  static let fileLimit = 32 << 20

  private let runs = Mutex<[(run: Int, files: [String: Data])]>([])

  /// A message of a worker with a file.
  struct FileMessage: Codable {
    let name: String
    let text: String
  }

  /// Keeps the file of a message.
  func add(_ message: [UInt8], run: Int) {
    guard let file = try? JSONDecoder().decode(FileMessage.self, from: Data(message)) else {
      return
    }
    add(file.name, Data(file.text.utf8), run: run)
  }

  /// Keeps a file. The files of the oldest run are dropped.
  func add(_ name: String, _ bytes: Data, run: Int) {
    runs.withLock { runs in
      if runs.last?.run != run { runs.append((run, [:])) }
      runs[runs.count - 1].files[name] = bytes
      if runs.count > Exports.runLimit { runs.removeFirst() }
    }
  }

  /// Returns a file; `nil` if it is not kept.
  func file(_ name: String, run: Int) -> Data? {
    runs.withLock { runs in runs.first { $0.run == run }?.files[name] }
  }
}

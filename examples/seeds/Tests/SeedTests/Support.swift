// What several tests use.

import Foundation
import Demos
import Synchronization

/// Collects values from whatever thread they come.
final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func add(_ element: Element) {
    elements.withLock { $0.append(element) }
  }

  var all: [Element] { elements.withLock { $0 } }
}

/// Runs a body that blocks on a thread of its own: the cooperative pool has one
/// thread a core.
func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

struct Printed: Sendable {
  let text: String
  let errors: String
  let status: Int32

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The numbers before and after a word, as in "peak 5 of 5".
  func numbers(_ pattern: Regex<(Substring, Substring, Substring)>) -> (Int, Int)? {
    guard let match = text.firstMatch(of: pattern),
      let first = Int(match.1), let second = Int(match.2)
    else { return nil }
    return (first, second)
  }
}

/// Runs a program of this package, which stands beside the test bundle. Does not
/// block.
func run(_ program: String, _ arguments: [String]) async throws -> Printed {
  let process = Process()
  process.executableURL = Bundle.main.executableURL?
    .deletingLastPathComponent().appending(component: program)
  process.arguments = arguments
  let directory = FileManager.default.temporaryDirectory
    .appending(component: "seeds.\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  let places = ["output", "errors"].map { directory.appending(component: $0) }
  for place in places { try Data().write(to: place) }
  process.standardOutput = try FileHandle(forWritingTo: places[0])
  process.standardError = try FileHandle(forWritingTo: places[1])
  let ended = AsyncStream<Int32> { stream in
    process.terminationHandler = {
      stream.yield($0.terminationStatus)
      stream.finish()
    }
  }
  try process.run()
  var status: Int32 = -1
  for await ending in ended { status = ending }
  if process.isRunning { process.terminate() }  // the test's time is up
  return Printed(
    text: try String(contentsOf: places[0], encoding: .utf8),
    errors: try String(contentsOf: places[1], encoding: .utf8), status: status)
}

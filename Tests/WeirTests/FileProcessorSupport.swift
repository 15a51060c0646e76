// Helpers for the tests of FileProcessor: results that outlive their delivery, and a processor
// that delivers the content of files.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

/// A FileResult, copied.
struct Result: Sendable, Equatable {
  var path: [UInt8]
  var outcome: String
  var output: [UInt8]
  var bytesRead: UInt64
  var isNamed: Bool
  var type: FileWalk.EntryType

  init(_ result: FileResult) {
    path = Array(result.path)
    switch result.outcome {
    case .done: outcome = "done"
    case .special: outcome = "special"
    case .noted: outcome = "noted"
    case .changed: outcome = "changed"
    case .directory: outcome = "directory"
    case .link: outcome = "link"
    case .failed(let error): outcome = (error as? Errno).map { "\($0.rawValue)" } ?? "\(error)"
    }
    output = Array(result.output)
    bytesRead = result.bytesRead
    isNamed = result.isNamed
    type = result.type
  }
}

/// A whole run.
struct Run: Sendable {
  var results: [Result] = []
  /// The output of the batches in order.
  var output: [UInt8] = []
  /// The statistics, after the end of the run.
  var finalFigures: FileStatistics?

  var statistics: FileStatistics {
    guard let finalFigures else { fatalError("the run has not ended") }
    return finalFigures
  }

  /// Path and outcome of each file.
  var paths: [[UInt8]] { results.map(\.path) }
  var names: [String] { results.map { String(decoding: $0.path, as: UTF8.self) } }
  var outcomes: [String] { results.map(\.outcome) }
}

typealias Copier = FileProcessor<Int, Void>

/// A processor whose output is the content of the files.
func makeCopier(
  _ change: (inout FileProcessorOptions) -> Void = { _ in }
) throws -> Copier {
  var options = FileProcessorOptions()
  change(&options)
  return try Copier(options, context: { () throws(Errno) in 0 }) { (file, count) throws(Errno) in
    count += 1
    while let piece = try file.read() { try file.write(piece) }
  }
}

extension FileProcessor {
  /// Runs it and keeps everything. Blocks.
  func collect(_ sources: [FileSource]) throws -> Run {
    let run = Shared(Run())
    let statistics = try self.run(sources) { batch in
      let results = (0..<batch.count).map { Result(batch[$0]) }
      let output = Array(batch.output)
      run.change {
        $0.results += results
        $0.output += output
      }
    }
    run.change { $0.finalFigures = statistics }
    return run.value
  }

  /// Like the form above, on a thread of its own.
  func collecting(_ sources: [FileSource]) async throws -> Run {
    try await onThread { try self.collect(sources) }
  }
}

extension TemporaryDirectory {
  /// A source for an entry of the directory.
  func source(_ name: String) -> FileSource { .path(bytes: path(name)) }
}

/// An error of the test itself.
struct OwnError: Error, Equatable {
  let number: Int
}

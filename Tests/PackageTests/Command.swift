// Running other programs from a test.

import Foundation

/// A program to run to its end.
struct Command {
  /// A program that did not do what it should have.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The program, looked up in PATH, and its arguments.
  let words: [String]
  /// Where it runs.
  let directory: URL
  /// When it is ended by force; a build on a busy machine has to fit.
  var timeLimit: TimeInterval = 600

  // A git hook that runs the tests must not point git to its own repository, nor
  // `make test` an installation to where `make install` would put it.
  private static let notInherited: Set = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
    "PREFIX", "DESTDIR", "LIBDIR", "INCLUDEDIR", "MANDIR", "BINDIR", "DATADIR",
  ]

  /// How it ended, and what it wrote.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs it and returns what it wrote to standard output.
  func run() async throws -> String {
    let outcome = try await outcome()
    guard outcome.status == 0 else {
      throw Failure(
        description: """
          `\(words.joined(separator: " "))` ended with \(outcome.status) in \(directory.path):
          \(outcome.output)\(outcome.errors)
          """)
    }
    return outcome.output
  }

  /// Runs it, however it ends.
  ///
  /// Does not block: the tests share a few threads, one a core. What the
  /// program writes goes to files, so nobody has to read along.
  func outcome() async throws -> Outcome {
    let output = try TemporaryDirectory()
    let standardOutput = output.url.appending(component: "output")
    let standardError = output.url.appending(component: "error")

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.filter {
      !Self.notInherited.contains($0.key)
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.created(standardOutput)
    process.standardError = try Self.created(standardError)

    let status = try await end(of: process)
    return Outcome(
      status: status,
      output: try String(contentsOf: standardOutput, encoding: .utf8),
      errors: try String(contentsOf: standardError, encoding: .utf8))
  }

  private static func created(_ file: URL) throws -> FileHandle {
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }

  private func end(of process: Process) async throws -> Int32 {
    let ended = AsyncStream<Int32> { stream in
      process.terminationHandler = {
        stream.yield($0.terminationStatus)
        stream.finish()
      }
    }
    try process.run()
    let identifier = process.processIdentifier
    let killer = Task {
      try await Task.sleep(for: .seconds(timeLimit))
      // The program and what it started: Foundation gives it a group.
      kill(-identifier, SIGKILL)
    }
    defer { killer.cancel() }
    for await status in ended {
      return status
    }
    throw CancellationError()
  }
}

/// A directory that is removed with everything in it when nobody refers to it.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(component: "weir-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}

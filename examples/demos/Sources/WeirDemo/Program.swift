// The entry point of weir-demo: from the arguments to the exit status.

import Demos
import Glibc
import Weir

@main
enum Program {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      end(with: error)
    }
  }

  private static func run(_ words: [String]) throws {
    guard let name = words.first, name != "help" || words.count > 1 else {
      return try Output.write(Help.list)
    }
    if name == "help" { return try run([words[1], "--help"]) }
    if name == "--version" { return try Output.write(["weir-demo \(WeirVersion.description)"]) }
    if ["-h", "--help"].contains(name) { return try Output.write(Help.overview) }
    if name.hasPrefix("-") {
      throw UsageError("options need the name of a demo; weir-demo lists the demos")
    }
    switch name {
    case "pitfalls": try PitfallsCommand.run(Array(words.dropFirst()))
    default:
      guard let demo = Demo.named(name) else {
        throw UsageError("no demo is called \(name); weir-demo lists the demos")
      }
      do {
        try Session.run(demo, Array(words.dropFirst()))
      } catch let usage as UsageError {
        Output.report("\(usage.message); see weir-demo \(name) --help")
        exit(2)
      }
    }
  }

  static func end(with error: any Error) -> Never {
    switch error {
    case is BrokenPromise: exit(1)
    case let usage as UsageError:
      Output.report("\(usage.message); see weir-demo --help")
    default: Output.report("\(error)")
    }
    exit(2)
  }
}

/// A promise of a demo that did not hold: status 1.
struct BrokenPromise: Error {}

/// A mistake in a command line: status 2.
struct UsageError: Error {
  /// A sentence without a period.
  let message: String
  init(_ message: String) { self.message = message }
}

/// Another error that ends the program with status 2.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  init(file: String, _ error: some Error) { description = "\(file): \(error)" }
}

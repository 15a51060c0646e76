// Runs thousands of short programs, several at once, and compares their results.

import Glibc
import TestSupport
import Testing

/// The standard input of a program.
enum Input: Sendable, CustomStringConvertible {
  case nothing
  case closed
  /// Bytes in a pipe.
  case pipe([UInt8])
  case file([UInt8])

  var connection: Connection {
    switch self {
    case .nothing: .standard
    case .closed: .closed
    case .pipe(let bytes): .bytes(bytes)
    case .file(let path): .file(path, O_RDONLY)
    }
  }

  var description: String {
    switch self {
    case .nothing: "</dev/null"
    case .closed: "<&-"
    case .pipe(let bytes): "printf '\(shown(bytes))' |"
    case .file(let path): "< \(shown(path))"
    }
  }
}

/// The destination of a program's output.
enum Sink: String, Sendable {
  case collected = ""
  case full = ">/dev/full"
  case closed = ">&-"
  /// A pipe without a reader.
  case noReader = "| :"

  var connection: Connection {
    switch self {
    case .collected: .standard
    case .full: .file(Array("/dev/full".utf8), O_WRONLY)
    case .closed: .closed
    case .noReader: .noReader
    }
  }
}

/// A call of a tool, GNU's or weir.
struct Invocation: Sendable, CustomStringConvertible {
  /// The name of the tool: "sha256sum".
  var tool: String
  var arguments: [[UInt8]]
  var input = Input.nothing
  var locale = "C.UTF-8"
  /// Further variables, such as "POSIXLY_CORRECT=1".
  var environment: [String] = []
  /// The directories before the name in argument 0.
  var place = ""
  var output = Sink.collected
  /// The destination of standard error: collected, full or closed.
  var errors = Sink.collected

  init(_ tool: String, _ arguments: [[UInt8]]) {
    (self.tool, self.arguments) = (tool, arguments)
  }

  init(_ tool: String = "sha256sum", _ arguments: String...) {
    self.init(tool, arguments.map { Array($0.utf8) })
  }

  /// A Boolean value that indicates whether the call may request --help or --version, whose
  /// texts differ from GNU's.
  var requestsHelp: Bool {
    arguments.contains { word in
      (3...9).contains(word.count)
        && ["--help", "--version"].contains { $0.utf8.starts(with: word) }
    }
  }

  var description: String {
    let words = [Array((place + tool).utf8)] + arguments
    return
      (["LC_ALL=\(locale)"] + environment + words.map { "'\(shown($0))'" }
      + ["2\(errors.rawValue)", output.rawValue, "\(input)"]).joined(separator: " ")
  }
}

/// Returns bytes as text for a message, with `\xNN` for bytes that are not printable ASCII. A
/// very long text is cut: the seed reproduces it.
func shown(_ bytes: [UInt8]) -> String {
  if bytes.count > 3000 { return "\(shown(Array(bytes.prefix(300))))...(\(bytes.count) bytes)" }
  return bytes.map { byte in
    let isPlain = byte >= 0x20 && byte < 0x7F && byte != 0x5C
    if isPlain { return String(Unicode.Scalar(byte)) }
    return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()
}

/// The result of a call.
struct CallResult: Equatable, Sendable, CustomStringConvertible {
  var status: Int32?
  var signal: Int32?
  var output: [UInt8]
  var errors: [UInt8]

  var description: String {
    "status \(status ?? -1), signal \(signal ?? 0)\n  output: \(shown(output))\n"
      + "  errors: \(shown(errors))"
  }
}

/// A side of the comparison: programs that are called by the names of the tools.
struct Side: Sendable {
  /// Returns the path of a tool's program.
  let program: @Sendable (_ tool: String) -> String
  /// The working directory of the calls.
  let directory: [UInt8]

  /// Runs a call.
  ///
  /// - Parameter merged: True if both outputs go to one pipe, which shows their order.
  func run(_ call: Invocation, merged: Bool = false) throws -> CallResult {
    var command = Command(Array(program(call.tool).utf8), call.arguments)
    command.name = Array((call.place + call.tool).utf8)
    command.directory = directory
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    command.environment = ["LC_ALL=\(call.locale)", "PATH=\(path)"] + call.environment
    command.input = call.input.connection
    command.output = call.output.connection
    command.errors = call.errors.connection
    command.isMerged = merged
    let outcome = try command.runBlocking()
    return CallResult(
      status: outcome.status, signal: outcome.signal, output: outcome.output,
      errors: outcome.errors)
  }
}

/// The two sides in a directory.
struct Sides: Sendable {
  let ours: Side
  let theirs: Side

  init(in directory: TemporaryDirectory) {
    let weir = String(decoding: weirPath, as: UTF8.self)
    ours = Side(program: { _ in weir }, directory: directory.path)
    theirs = Side(program: { "/usr/bin/\($0)" }, directory: directory.path)
  }

  /// Runs a call on both sides. Returns a description of the difference; `nil` if there is
  /// none.
  func difference(_ call: Invocation) throws -> String? {
    let expected = try theirs.run(call)
    let actual = try ours.run(call)
    guard actual == expected else { return "\(call)\n OURS \(actual)\n THEIRS \(expected)" }
    // If both outputs were used, a second run shows their order.
    guard !expected.output.isEmpty && !expected.errors.isEmpty else { return nil }
    let expectedOrder = try theirs.run(call, merged: true)
    let order = try ours.run(call, merged: true)
    guard order == expectedOrder else {
      return "\(call) 2>&1\n OURS \(order)\n THEIRS \(expectedOrder)"
    }
    return nil
  }

  /// Runs many calls, several at once. Returns the differences.
  func differences(_ calls: [Invocation], atOnce: Int = 4) async throws -> [String] {
    let next = Shared(0)
    return try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<atOnce {
        group.addTask {
          try await onThread {
            var found: [String] = []
            while let call = calls.take(next) {
              if let difference = try difference(call) { found.append(difference) }
            }
            return found
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}

extension Array where Element == Invocation {
  /// Returns the next call that no task has taken.
  fileprivate func take(_ next: Shared<Int>) -> Invocation? {
    let index = next.change { next in
      defer { next += 1 }
      return next
    }
    return index < count ? self[index] : nil
  }
}

/// Expects the same results from weir and from GNU's tools. `table` names a table of calls of
/// which `make test` runs a sample.
func compare(
  _ calls: [Invocation], in directory: TemporaryDirectory, table: String? = nil
) async throws {
  let calls = table.map { calls.sampled(oneIn: 3, for: $0) } ?? calls
  let found = try await Sides(in: directory).differences(calls)
  for difference in found.prefix(5) {
    Issue.record("WEIR_TEST_SEED=\(testSeed): \(difference)")
  }
  #expect(found.isEmpty, "\(found.count) of \(calls.count) calls differ")
}

/// A Boolean value that indicates whether the installed tools are those of GNU coreutils 9.1.
let hasGNU91: Bool = {
  let tools = [
    "b2sum", "cksum", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "wc",
  ]
  let are91 = tools.allSatisfy { tool in
    let command = Command(Array("/usr/bin/\(tool)".utf8), [Array("--version".utf8)])
    guard let outcome = try? command.runBlocking() else { return false }
    return outcome.outputText.hasPrefix("\(tool) (GNU coreutils) 9.1\n")
  }
  if !are91 { print("skipped: the tools in /usr/bin are not those of GNU coreutils 9.1") }
  return are91
}()

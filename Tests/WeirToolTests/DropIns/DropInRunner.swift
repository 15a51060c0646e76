// Runs thousands of short programs: several at once, by posix_spawn, with files as their
// outputs, so that no thread feeds or collects them while they run.

import CTestSupport
import Glibc
import TestSupport
import Testing

/// The standard input of a program.
enum Input: Sendable, CustomStringConvertible {
  case nothing
  case closed
  /// Bytes in a pipe: at most its capacity.
  case pipe([UInt8])
  case file([UInt8])

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
  /// The status of waitpid.
  var status: Int32
  var output: [UInt8]
  var errors: [UInt8]

  var description: String {
    "status \(status >> 8), signal \(status & 0x7F)\n  output: \(shown(output))\n"
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
  /// - Parameter merged: True if both outputs go to one file, which shows their order.
  func run(_ call: Invocation, merged: Bool = false) throws -> CallResult {
    let output = try temporaryFile()
    let errors = merged ? output : try temporaryFile()
    defer {
      close(output)
      if !merged { close(errors) }
    }
    let ends = try pipeEnds()
    defer { close(ends[0]) }
    let pid: pid_t
    do {
      defer { close(ends[1]) }
      pid = try spawn(call, output: output, errors: errors, life: ends[1])
    }
    let status = try wait(for: pid, life: ends[0], call)
    return CallResult(
      status: status, output: try content(output), errors: merged ? [] : try content(errors))
  }

  /// Opens a file without a name.
  private func temporaryFile() throws -> Int32 {
    let place = String(decoding: temporaryPlace, as: UTF8.self)
    let file = open(place, Int32(bitPattern: UInt32(O_RDWR)) | tmpfile | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CommandFailure("open") }
    return file
  }

  private func spawn(
    _ call: Invocation, output: Int32, errors: Int32, life: Int32
  ) throws -> pid_t {
    let input = try connect(call.input)
    let sinks = [try connect(call.output, output), try connect(call.errors, errors)]
    defer {
      for number in [input] + sinks where number >= 0 && number != output && number != errors {
        close(number)
      }
    }
    let descriptors = [input, sinks[0], sinks[1], life]
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let environment = ["LC_ALL=\(call.locale)", "PATH=\(path)"] + call.environment
    let words = [Array((call.place + call.tool).utf8)] + call.arguments
    let pid = withCStrings(words) { words in
      withCStrings(environment.map { Array($0.utf8) }) { environment in
        test_call(program(call.tool), words, environment, terminated(directory), descriptors)
      }
    }
    guard pid > 0 else { throw CommandFailure("posix_spawn", -pid) }
    return pid
  }

  private func opened(_ path: [UInt8], _ flags: Int32) throws -> Int32 {
    let file = open(terminated(path), flags | O_CLOEXEC)
    guard file >= 0 else { throw CommandFailure("open") }
    return file
  }

  /// Returns the descriptor of one of the child's outputs; -1 if it is closed.
  private func connect(_ sink: Sink, _ collected: Int32) throws -> Int32 {
    switch sink {
    case .collected: return collected
    case .full: return try opened(Array("/dev/full".utf8), O_WRONLY)
    case .closed: return -1
    case .noReader:
      let ends = try pipeEnds()
      close(ends[0])
      return ends[1]
    }
  }

  /// Returns the descriptor of the child's standard input; -1 if it is closed.
  private func connect(_ input: Input) throws -> Int32 {
    switch input {
    case .nothing: return try opened(Array("/dev/null".utf8), O_RDONLY)
    case .closed: return -1
    case .file(let path): return try opened(path, O_RDONLY)
    case .pipe(let bytes):
      let ends = try pipeEnds()
      defer { close(ends[1]) }
      guard bytes.count <= 1 << 16 else { throw CommandFailure("pipe", EFBIG) }
      try writeAll(bytes, to: ends[1])
      return ends[0]
    }
  }

  private func pipeEnds() throws -> [Int32] {
    var ends: [Int32] = [-1, -1]
    let error = test_pipe(&ends)
    guard error == 0 else { throw CommandFailure("pipe", error) }
    return ends
  }

  private func wait(for pid: pid_t, life: Int32, _ call: Invocation) throws -> Int32 {
    var polled = pollfd(fd: life, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, 50_000) == -1 && errno == EINTR {}
    if polled.revents == 0 { kill(pid, SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) == -1 && errno == EINTR {}
    return status
  }

  private func content(_ file: Int32) throws -> [UInt8] {
    let size = Int(lseek(file, 0, SEEK_END))
    var bytes = [UInt8](repeating: 0, count: size)
    guard pread(file, &bytes, size, 0) == size else { throw CommandFailure("pread") }
    return bytes
  }
}

private let tmpfile: Int32 = 0o20200000  // O_TMPFILE, which Glibc does not export to Swift

struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ call: String, _ error: Int32 = errno) {
    description = "\(call): \(String(cString: strerror(error)))"
  }
}

private func withCStrings<R>(
  _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
) -> R {
  let copies = strings.map { strdup(terminated($0)) }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}

/// The two sides in a directory.
struct Sides: Sendable {
  let ours: Side
  let theirs: Side
  /// Returns the part of a result that is compared.
  private let compared: @Sendable (CallResult) -> CallResult

  init(
    in directory: TemporaryDirectory,
    comparing compared: @escaping @Sendable (CallResult) -> CallResult = { $0 }
  ) {
    self.compared = compared
    let weir = String(decoding: weirPath, as: UTF8.self)
    ours = Side(program: { _ in weir }, directory: directory.path)
    theirs = Side(program: { "/usr/bin/\($0)" }, directory: directory.path)
  }

  /// Runs a call on both sides. Returns a description of the difference; `nil` if there is
  /// none.
  func difference(_ call: Invocation) throws -> String? {
    let expected = compared(try theirs.run(call))
    let actual = compared(try ours.run(call))
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

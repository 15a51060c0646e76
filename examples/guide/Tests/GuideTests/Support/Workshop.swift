// Builds C programs against this repository by the line in their first comment.
import Glibc
import TestSupport

/// The compilers that a user of Weir may have.
enum Compiler: String, CaseIterable, Sendable {
  case toolchain = "the toolchain's clang"
  case gcc = "gcc"

  /// The path of the compiler. If it is not installed, prints that, and `nil`.
  var program: String? {
    let found: String?
    switch self {
    case .toolchain: found = Toolchain.clang
    case .gcc: found = path(ofProgram: "gcc")
    }
    if found == nil { print("skipped: \(rawValue) is not installed") }
    return found
  }
}

enum Toolchain {
  /// Swift's folder with libdispatch and its headers.
  static let resources: String = {
    let info = (try? Command("swift", "-print-target-info").runBlocking())?.outputText ?? ""
    let line = info.split(separator: "\n").first { $0.contains("\"runtimeResourcePath\"") }
    return line?.split(separator: "\"").last { $0.hasPrefix("/") }.map(String.init)
      ?? "/usr/lib/swift"
  }()

  static let clang: String? = {
    let own = resources.dropLast("/lib/swift".count) + "/bin/clang"
    return access(String(own), X_OK) == 0 ? String(own) : path(ofProgram: "clang")
  }()
}

/// A copy of a directory of C programs, which builds and runs them.
final class Workshop: Sendable {
  private let place: TemporaryDirectory
  private let compiler: String
  private let line: String?
  private let built = Shared<Set<String>>([])

  /// - Parameters:
  ///   - sources: The directory of the C files.
  ///   - line: The command, with `NAME` for the program; by default the one in the
  ///     first comment of each file.
  init(_ sources: String, compiler: String, line: String? = nil) throws {
    place = try TemporaryDirectory()
    self.compiler = compiler
    self.line = line
    try sh("cp '\(sources)'/*.c '\(place.text)'")
  }

  /// Compiles a program with its command, but this compiler, and without a warning.
  /// Returns its path.
  func build(_ name: String) throws -> String {
    if built.value.contains(name) { return path(name) }
    let source = try String(in: path("\(name).c"))
    guard let line = line?.replacing("NAME", with: name) ?? compileLine(of: source) else {
      throw Failure(description: "\(name).c has no command in its first comment")
    }
    let flags = try Library.flags()
    let words = line.split(separator: " ", maxSplits: 1)
    let command =
      "'\(compiler)' -Wall -Wextra -Wshadow -Wconversion -Werror "
      + words[1].replacing("$(pkg-config --cflags --libs weir)", with: flags)
    try sh("cd '\(place.text)' && \(command)")
    built.change { $0.insert(name) }
    return path(name)
  }

  /// Compiles and runs a program.
  func run(_ name: String, _ arguments: String..., limit: Double = 30) throws -> Outcome {
    var command = Command(Array(try build(name).utf8), arguments.map { Array($0.utf8) })
    command.limit = limit
    command.directory = place.path
    return try command.runBlocking()
  }

  func path(_ name: String) -> String { place.text + "/\(name)" }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

/// Runs a script that must succeed without a message.
func sh(_ script: String) throws {
  var command = Command("sh", "-c", script)
  command.limit = 200
  let outcome = try command.runBlocking()
  guard outcome.status == 0, outcome.errors.isEmpty else {
    throw Failure(description: "\(script)\n\(outcome.errorText)")
  }
}

/// Returns the command in a program's first comment, on one line.
func compileLine(of source: String) -> String? {
  let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
  let begin = lines.firstIndex { $0.hasPrefix(" *     clang ") || $0.hasPrefix(" *     gcc ") }
  guard var index = begin else { return nil }
  var words: [Substring] = []
  while true {
    words += lines[index].dropFirst(2).split(separator: " ").filter { $0 != "\\" }
    guard lines[index].hasSuffix("\\") else { return words.joined(separator: " ") }
    index += 1
  }
}

/// The library, compiled once from its sources.
enum Library {
  private static let made = Result { try make() }

  /// Returns the compiler's flags, like pkg-config.
  static func flags() throws -> String { try made.get().1 }

  private static func make() throws -> (TemporaryDirectory, String) {
    let place = try TemporaryDirectory()
    let path = place.text
    let clang = Toolchain.clang ?? "clang"
    let root = Repository.root
    try sh(
      "cd '\(path)' && '\(clang)' -std=c11 -O1 -fblocks -I'\(root)/include' "
        + "-I'\(root)/Sources/CWeir' -c $(find '\(root)/Sources/CWeir' -name '*.c') "
        + "&& ar rcs libweir.a *.o")
    let runtime = Toolchain.resources
    return (
      place,
      "-I'\(root)/include' -isystem '\(runtime)' '\(path)/libweir.a' -L'\(runtime)/linux' "
        + "-Wl,-rpath,'\(runtime)/linux' -ldispatch -lBlocksRuntime -lpthread"
    )
  }
}

extension String {
  /// Reads a file.
  init(in path: String) throws {
    let outcome = try Command("cat", path).runBlocking()
    guard outcome.status == 0 else { throw Failure(description: path) }
    self = outcome.outputText
  }
}

extension Outcome {
  /// The lines on standard output.
  var lines: [String] {
    var lines = outputText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// True if the program succeeded in time without a message on standard error.
  var isFine: Bool { status == 0 && errors.isEmpty && !wasLate }

  /// A description for a failed test.
  var story: String {
    "status \(status.map(String.init) ?? "none"), signal \(signal.map(String.init) ?? "none")"
      + (wasLate ? ", too late" : "") + "\n\(outputText)\(errorText)"
  }

  /// True if the program ended with a trap.
  var trapped: Bool { signal == SIGILL || signal == SIGTRAP }
}

// Builds C programs against this repository.
import Glibc
import TestSupport

/// The compilers that a user of Weir may have.
enum Compiler: String, CaseIterable, Sendable {
  case toolchain = "the toolchain's clang"
  case gcc = "gcc"

  /// The compiler with its options. If it is not installed, prints that, and `nil`.
  var command: String? {
    let found =
      switch self {
      case .toolchain: Toolchain.clang.map { "'\($0)' -fblocks -O2" }
      case .gcc: path(ofProgram: "gcc").map { "'\($0)' -O2" }
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
  private let command: String
  private let built = Shared<Set<String>>([])

  /// - Parameters:
  ///   - sources: The directory of the C files.
  ///   - compiler: The compiler, with its options.
  init(_ sources: String, compiler: String) throws {
    place = try TemporaryDirectory()
    command = "\(compiler) -Wall -Wextra -Wshadow -Wconversion -Werror"
    try sh("cp '\(sources)'/*.c '\(place.text)'")
  }

  /// Compiles a program without a warning. Returns its path.
  func build(_ name: String) throws -> String {
    if built.value.contains(name) { return path(name) }
    try sh("cd '\(place.text)' && \(command) -o '\(name)' '\(name).c' \(Library.flags())")
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

internal import Glibc

/// A program that is not installed.
public struct MissingProgram: Error, CustomStringConvertible {
  public let program: String

  public var description: String { "\(program) is not installed" }
}

/// Returns the path of a program, searched for in PATH unless it contains a
/// slash; `nil` if there is none.
public func path(ofProgram program: String) -> String? {
  guard !program.contains("/") else { return access(program, X_OK) == 0 ? program : nil }
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  return path.split(separator: ":").map { "\($0)/\(program)" }
    .first { access($0, X_OK) == 0 }
}

/// True if a test that needs the program is to run: the program is installed,
/// or `make setup` should have installed it. In the second case the test fails
/// with ``MissingProgram``. Otherwise prints that the test is skipped.
public func isInstalled(_ program: String) -> Bool {
  if path(ofProgram: program) != nil || hasSetup && required.contains(program) { return true }
  print("skipped: \(MissingProgram(program: program))")
  return false
}

/// True on the systems where `make setup` installs packages.
private let hasSetup = path(ofProgram: "apt-get") != nil

/// The programs of the packages that support/setup.sh installs, and of those
/// that every Debian system has.
private let required: Set = [
  "b2sum", "b3sum", "bash", "bsdtar", "cc", "find", "gcc", "git", "jdupes", "make", "mandoc",
  "mtree", "pkg-config", "prlimit", "ps", "script", "setpriv", "sha256sum", "unshare", "wc",
  "xxhsum",
]

// `weir demo`: hands over to weir-demo, a program of its own that teaches concurrency. A checksum
// tool does not carry a simulator of thread pools.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC

enum DemoProgram {
  /// Replaces this program by weir-demo if the first argument is `demo`: by the one beside this
  /// program, the one in `../libexec`, or one in PATH. If there is none, writes a message and exits
  /// with status 2. The program calls it first, since an ignored or blocked signal is inherited.
  static func takeOver() {
    let (count, vector) = Arguments.all
    guard count > 1, let word = vector[1], strcmp(word, "demo") == 0 else { return }
    for place in places { _ = execv(place, vector + 1) }
    execvp(name, vector + 1)
    let reason = errno == ENOENT ? "is not installed" : String(cString: strerror(errno))
    Console().report(
      paragraph: "weir-demo \(reason); `make install-demos` in Weir's sources installs it, and "
        + "`make demos` builds it")
    exit(ExitStatus.usage.rawValue)
  }

  /// True if `weir demo` finds a program.
  static var isInstalled: Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let others = path.split(separator: ":").map { Array("\($0)/\(name)".utf8CString) }
    return (places + others).contains { access($0, X_OK) == 0 }
  }

  private static let name = "weir-demo"

  /// The places beside this program.
  private static var places: [[CChar]] {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = kernel_program_path(&path, path.count - 1)
    let folder = path.prefix(max(0, length)).lastIndex(of: CChar(UInt8(ascii: "/"))) ?? 0
    return ["/\(name)", "/../libexec/\(name)"].map { Array(path[..<folder]) + $0.utf8CString }
  }
}

// `weir demo`: hands over to weir-demo, a program of its own that teaches concurrency. A checksum
// tool does not carry a simulator of thread pools.

internal import CFileKernels
internal import WeirLibC

enum DemoProgram {
  /// Replaces this program by weir-demo if the first argument is `demo`: by the one beside this
  /// program, the one in `../libexec`, or one in PATH. If there is none, writes a message and exits
  /// with status 2. The program calls it first, since an ignored or blocked signal is inherited.
  static func takeOver() {
    let (count, vector) = Arguments.all
    guard count > 1, let word = vector[1], strcmp(word, "demo") == 0 else { return }
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = kernel_program_path(&path, path.count - 1)
    let folder = path.prefix(max(0, length)).lastIndex(of: CChar(UInt8(ascii: "/"))) ?? 0
    for place in ["/weir-demo", "/../libexec/weir-demo"] {
      execv(path[..<folder] + place.utf8CString, vector + 1)
    }
    execvp("weir-demo", vector + 1)
    let reason = errno == ENOENT ? "is not installed" : String(cString: strerror(errno))
    Console().report(
      paragraph: "weir-demo \(reason); `make install-demos` in Weir's sources installs it, and "
        + "`make demos` builds it")
    exit(ExitStatus.usage.rawValue)
  }

  private static func execv(
    _ path: some Collection<CChar>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) {
    _ = WeirLibC.execv(Array(path), arguments)
  }
}

// The drop-in name b3sum.
//
// DESIGN. What b3sum 1.2.0 does (Debian 12), this does byte for byte; what that version
// refuses and 1.8 does, this does as 1.8: --tag, --seek, lines in BSD's format and the escape
// `\r` in lines to verify. docs/cli.md lists the differences. Files are read as for the other
// drop-in names. For a long output the lane passes on the root of the file's tree, and the thread
// that delivers computes the output: so any length takes the same memory.

internal import Glibc

enum DropInB3Sum {
  /// Runs the tool and ends the program.
  static func run(_ tool: DropIn) -> Never {
    openClosedDescriptors()
    let standard = StandardDescriptors()
    let streams = DropInStreams(calledAs: Array(tool.name.utf8), standard: standard)
    let options = DropInB3SumOptions(DropInB3SumExit(tool: tool, streams: streams))
    let isSuccess =
      options.isCheck
      ? DropInB3SumCheck(options: options, streams: streams).run(standard)
      : DropInB3SumHash(options: options, streams: streams).run(standard)
    streams.end(status: isSuccess ? 0 : 1)
  }

  /// Opens /dev/null in place of each closed standard descriptor, as programs in Rust do.
  private static func openClosedDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }
}

// The texts of --help and --version, the only output that differs from GNU's.

internal import Weir

extension DropIn {
  /// The text of --version.
  var version: String {
    """
    \(name) (Weir) \(WeirVersion.description)
    Equivalent to \(name) of GNU coreutils 9.1, but uses all cores.

    """
  }

  /// The text of --help.
  var help: String { isCounter ? countHelp : hashHelp }

  private var countHelp: String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
      or:  \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... --files0-from=F
    Count lines, words and bytes on all cores. This is Weir as wc.

    Without FILE, or if FILE is -, read standard input.

      -c, --bytes            Count bytes
      -m, --chars            Count characters
      -l, --lines            Count newlines
          --files0-from=F    Count the files named in F, each name ended by NUL;
                             - is standard input
      -L, --max-line-length  Print the width of the longest line
      -w, --words            Count words

          --help             Print this help
          --version          Print the version

    Options, output, messages and exit status are those of GNU coreutils 9.1.

    """
  }

  private var hashHelp: String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
    Print or verify \(tag) checksums on all cores. This is Weir as \(name).

    Without FILE, or if FILE is -, read standard input.

      -b, --binary          Mark files as read in binary mode
      -c, --check           Verify the checksums listed in the FILEs
          --tag             Write lines in the format of BSD's tools
      -t, --text            Mark files as read in text mode [default]
      -z, --zero            End lines in NUL, and escape no names

    With --check:
          --ignore-missing  Skip files that do not exist
          --quiet           Print no line for files that match
          --status          Print nothing; only set the exit status
          --strict          Fail if a line is improperly formatted
      -w, --warn            Report each improperly formatted line

          --help            Print this help
          --version         Print the version

    Options, output, messages and exit status are those of GNU coreutils 9.1.

    """
  }
}

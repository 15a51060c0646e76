// The two texts that are not GNU's.

internal import Weir

extension DropIn {
  /// What --version says.
  var version: String {
    """
    \(name) (Weir) \(WeirVersion.description)
    It does what \(name) of GNU coreutils 9.1 does, on all cores.

    """
  }

  /// What --help says.
  var help: String { isCounter ? helpOfCounter : helpOfDigest }

  private var helpOfCounter: String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
      or:  \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... --files0-from=F
    Counts lines, words and bytes, on all cores. This is Weir, as wc.

    Without FILE, or where FILE is -, it reads standard input.

      -c, --bytes            bytes
      -m, --chars            characters
      -l, --lines            newlines
          --files0-from=F    count the files whose names stand in F, each ended by
                             a NUL; - is standard input
      -L, --max-line-length  how wide the longest line is
      -w, --words            words

          --help             this text
          --version          which version this is

    Options, output, messages and exit status are those of GNU coreutils 9.1.

    """
  }

  private var helpOfDigest: String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
    Writes or verifies \(tag) checksums, on all cores. This is Weir, as \(name).

    Without FILE, or where FILE is -, it reads standard input.

      -b, --binary          mark the names as read in binary mode
      -c, --check           verify the checksums that stand in the FILEs
          --tag             write lines as BSD's tools do
      -t, --text            mark the names as read in text mode (default)
      -z, --zero            end lines in NUL, and escape nothing

    With --check:
          --ignore-missing  leave out files that are not there
          --quiet           say nothing of files that are well
          --status          say nothing at all; the exit status says it
          --strict          fail also where a line is improperly formatted
      -w, --warn            name the lines that are improperly formatted

          --help            this text
          --version         which version this is

    Options, output, messages and exit status are those of GNU coreutils 9.1.

    """
  }
}

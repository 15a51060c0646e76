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
  var help: String {
    switch work {
    case .wc: countHelp
    case .digest(let name): hashHelp(of: name.uppercased(), modes: DropIn.modes)
    case .b2sum: hashHelp(of: "BLAKE2b", modes: DropIn.modes, options: DropIn.length)
    case .cksum: hashHelp(of: "CRC", modes: DropIn.cksumModes, options: DropIn.length)
    }
  }

  private static let modes = """
      -b, --binary          Mark files as read in binary mode
      -c, --check           Verify the checksums listed in the FILEs
          --tag             Write lines in the format of BSD's tools
      -t, --text            Mark files as read in text mode [default]
    """

  private static let cksumModes = """
      -a, --algorithm=NAME  Use bsd, sysv, crc, md5, sha1, sha224, sha256, sha384,
                            sha512, blake2b or sm3 [default: crc]
      -c, --check           Verify the checksums listed in the FILEs
          --tag             Write lines in the format of BSD's tools [default]
          --untagged        Write lines in the format of md5sum
    """

  private static let length = """
      -l, --length=BITS     Length of BLAKE2b, a multiple of 8 [default: 512]

    """

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

  private func hashHelp(of digest: String, modes: String, options: String = "") -> String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
    Print or verify \(digest) checksums on all cores. This is Weir as \(name).

    Without FILE, or if FILE is -, read standard input.

    \(modes)
    \(options)  -z, --zero            End lines in NUL, and escape no names

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

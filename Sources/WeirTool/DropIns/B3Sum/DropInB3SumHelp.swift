// The text of b3sum --help.

extension DropIn {
  var b3sumHelp: String {
    """
    Usage: \(String(decoding: calledAs, as: UTF8.self)) [OPTION]... [FILE]...
    Print or verify BLAKE3 checksums on all cores. This is Weir as \(name).

    Without FILE, or if FILE is -, read standard input.

      -c, --check              Verify the checksums listed in the FILEs
          --derive-key CONTEXT Derive keys for the context from the FILEs
          --keyed              Hash with a key: the 32 bytes of standard input
      -l, --length LEN         Number of bytes of output [default: 32]
          --no-mmap            Accepted, no effect
          --no-names           Print no names
          --num-threads NUM    Maximum number of threads [default: one per core]
          --quiet              With --check: print no line for files that match
          --raw                Write the output of one FILE as bytes
          --seek SEEK          Offset of the first byte of output [default: 0]
          --tag                Write lines in the format of BSD's tools

      -h, --help               Print this help
      -V, --version            Print the version

    Options, output, messages and exit status are those of b3sum 1.2.0. --tag, --seek
    and lines with a tag are as in b3sum 1.8.

    """
  }
}

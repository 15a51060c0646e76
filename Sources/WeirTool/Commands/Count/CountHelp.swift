// What `weir count --help` says.

extension CountCommand {
  static let helpPage = """
    usage: weir count [OPTION ...] [PATH ...]

    Lines, words and bytes of each file, as wc writes them, and their total where
    there is more than one. Directories are walked, and a big file is counted by all
    cores at once. The order is that of the PATHs and, within a directory, of the
    bytes of the names. What cannot be read is a line on standard error, and the
    rest is counted all the same.

    What is counted (without any of these: -l -w -c)
      -l, --lines            newlines
      -w, --words            words: what can be printed, between blanks
      -m, --chars            characters of the locale
      -c, --bytes            bytes; alone, without reading regular files
      -L, --max-line-length  how many columns the longest line takes

    \(SourceOptions.help)

    How it is written
      -z, --zero             end lines in NUL, and quote no name
          --format FORMAT    text, or json: one object a line (text)

    \(CommonOptions.help)

    Exit status
      0  all well
      2  usage, or nothing could be started or written
      3  something that is there could not be read, or changed while it was read;
         the rest is written, and the total is of that

    Examples
      weir count /srv                       a whole tree
      weir count -l --include '*.swift' .   lines of Swift
      weir count -c --unordered /srv        bytes, by their sizes alone
      git ls-files -z | weir count --files0-from -
      weir count --format json . | jq 'select(.type == "total")'
      LC_ALL=C weir count -w big.txt        words of ASCII, faster
    """
}

// Help.
//
// DESIGN. The texts are written by hand: what a verb is for, its options in the
// order of their use, and examples, in 80 columns. ArgumentParser would make them
// of its declarations, with every option in the usage line and the examples before
// the options. A test sees to it that no option is missing.

internal import ArgumentParser
internal import Weir

/// What `--help` and `weir help` print.
enum HelpPage {
  /// Of the tool as a whole.
  static var overview: String {
    let width = (Verbs.all.map { $0.name.count }.max() ?? 0) + 2
    let verbs = Verbs.all.map { verb in
      let name = verb.name
      let blanks = String(repeating: " ", count: width - name.count)
      var abstract = verb.configuration.abstract
      if abstract.last == "." { abstract.removeLast() }
      let first = abstract.prefix(1).lowercased()
      return "  \(name)\(blanks)\(first)\(abstract.dropFirst())"
    }
    return """
      usage: weir COMMAND [OPTION ...] [PATH ...]

      Puts a million files through a hundred descriptors: whole trees, on all cores,
      within the descriptors that a process may have open, written in a fixed order.

      Commands
      \(verbs.joined(separator: "\n"))

      weir help COMMAND says how each is used; weir --version which weir this is.

      \(status)

      Examples
        weir hash /srv > /tmp/manifest        digests of a tree
        weir check --quiet /tmp/manifest      and their verification
        weir count -l src                     lines, as wc -l writes them
        weir duplicates /srv                  what is there twice
        weir run src -- gzip -k {}            a command for each file
        weir limits /srv                      what this machine allows, and how
                                              it would be read
        weir demo loops                       concurrency to watch
      """
  }

  /// How the tool ends.
  static let status = """
    Exit status
      0  all well
      1  something differs, or a command has failed
      2  usage, or nothing could be started or written
      3  something that is there could not be read, or changed while it was read
      4  nothing of these, but check --audit has found something new, or moved
    """

  /// What `weir help WORD` prints.
  static func text(for words: ArraySlice<RawArgument>) throws(UsageError) -> String {
    guard let word = words.first, word.text != "--help", word.text != "-h" else {
      return overview
    }
    guard let verb = Verbs.named(word.text) else {
      throw UsageError(
        "no help on ", word,
        UsageError.suggestion(for: word.text, among: Verbs.all.map { $0.name }))
    }
    if let extra = words.dropFirst().first {
      throw UsageError("unexpected operand ", extra)
    }
    return verb.helpPage
  }

  /// What to type for help.
  static func command(for verb: (any Verb.Type)?) -> String {
    verb.map { "weir \($0.name) --help" } ?? "weir --help"
  }
}

extension HashCommand {
  static let helpPage = """
    usage: weir hash [OPTION ...] [PATH ...]

    Digests of files and whole trees. Each file is a line with its digest and its
    name, as sha256sum writes it. The order is that of the PATHs and, within a
    directory, of the bytes of the names, however many files are read at once. What
    cannot be read is a line on standard error, and the rest is hashed all the same.

    Which digest
      -a, --algorithm NAME   md5, sha1, sha224, sha256 (if none is named), sha384,
                             sha512, blake2b, xxh64, xxh3 or xxh128; several
                             with commas or by several -a, from one read

    \(SourceOptions.help)

    How it is written
          --tag              BSD lines, ALGORITHM (NAME) = DIGEST; several
                             algorithms are always written so
      -z, --zero             end lines in NUL, and escape no name
          --format FORMAT    text, json: one object a line, or mtree: mtree(5) with
                             type, size, time and digests (text)

    \(OutputOptions.help)

    \(CommonOptions.help)

    Exit status
      0  all well
      1  under --update, a file has rotted
      2  usage, or nothing could be started or written
      3  something that is there could not be read, or changed while it was read;
         the rest is written

    Examples
      weir hash /srv > /tmp/manifest        digests of a tree
      weir check --quiet /tmp/manifest      and their verification
      weir hash --output /tmp/M /srv        a long run; --resume goes on with it
      weir hash --output /tmp/M --update /srv
      weir hash -a xxh128 .                 what xxhsum -c verifies
      weir hash --format mtree -C /srv . > srv.mtree
      weir hash --exclude .git/ --exclude '*.o' src
      git ls-files -z | weir hash --files0-from -
      tar c . | weir hash
    """
}

extension CheckCommand {
  static let helpPage = """
    usage: weir check [OPTION ...] [MANIFEST ...]

    Verifies what manifests say of files: what weir hash, sha256sum, md5sum, b2sum,
    xxhsum, cksum -a and the BSD tools write, and mtree(5). Each line is answered by
    one of its own, NAME: OK or NAME: FAILED, in the order of the manifest, however
    many files are read at once; of mtree(5) also OK (touched), FAILED (edited),
    FAILED (rot) and FAILED (missing). Names are relative to the working directory,
    or to -C. Without MANIFEST, or where it is -, standard input is read.

    What a manifest is
      -a, --algorithm NAME   the digest of lines that do not name theirs; else their
                             length tells: md5, sha1, sha224, sha256, sha384,
                             sha512, and xxh64 for 16 digits
      -z, --zero             its lines end in NUL, and nothing is escaped

    What is said of it
          --quiet            nothing of files that are as they should be
          --status           nothing on standard output: the exit status tells
      -w, --warn             which lines are malformed
          --strict           a malformed line is a difference
          --ignore-missing   nothing of files that are not there
          --format FORMAT    text, or json: one object a line (text)

    \(AuditOptions.help)

    \(CommonOptions.help)

    Exit status
      0  all well
      1  something differs: a file has another digest, is missing, or there was
         nothing to verify
      2  usage, or nothing could be started or written
      3  something could not be verified: it could not be read, changed while it
         was read, or its algorithm is not known; and nothing differs
      4  with --audit, something is new or has moved, and that is all

    Examples
      weir check SHA256SUMS                 a line for each file
      weir check --quiet -C /srv SUMS       what has changed below /srv: /srv/SUMS
      weir check -C /srv - < srv.mtree      and whether it was edited or is rot
      weir check --audit /srv SUMS          and what is new there, or has moved
      weir check -a blake2b B2SUMS          what b2sum wrote
      ssh host weir hash -C /srv . | weir check -C /srv
    """
}

extension RunCommand {
  static let helpPage = """
    usage: weir run [OPTION ...] [PATH ...] -- COMMAND [WORD ...]

    Runs a command for each file, several at once. What each writes comes out whole
    and in the order of the files, however many run at once; a command that fails is
    a line on standard error. There is no shell in between. Directories among the
    PATHs are walked; any other PATH, and what a list has, is handed on as it
    stands, and need not be a file.

    In the words of the command (without any of them, {} is appended)
      {}                     the file; with -n, one word for each
      {/}  {//}              its last component, and what stands before that
      {.}  {/.}              {} and {/} without extension
      {#}                    the number of the command, from 1 on

    How commands are run
      -n, --max-args N       up to N files a command, as far as its arguments go (1)
          --timeout TIME     end what takes longer, by TERM and a second later by
                             KILL: seconds, or 2m, 1h
          --retries N        run again what fails, up to N times (0)
          --halt WHEN        what the first failure does: never, soon (no more are
                             started) or now (and what runs is ended) (never)
          --joblog FILE      write a line for each command that is done
          --resume           do not run again what that FILE has
          --resume-failed    the same, but for what failed
          --ungroup          let commands write straight through
          --format FORMAT    text, or json: objects with outputs and ends (text)

    Which files
      PATH                   a directory, which is walked, or anything else, which
                             is handed on
    \(SourceOptions.listHelp)
          --unordered        write as completed, not in the order of the files

    \(CommonOptions.help(jobs: "commands at once, 1 to \(Lanes.widthMax) (one a core)"))

    Exit status
      0  all commands ended with 0
      1  a command failed, was ended, or could not be started
      2  usage, or the command is not there, or output could not be written
      3  a directory or a list could not be read, and no command failed

    Examples
      weir run /srv -- gzip -k {}           a command a file
      weir run -n 100 src -- wc -l          a command for 100 files
      weir run photos -- convert {} {.}.png
      weir run --files0-from - -- cp {} /mnt/{/} < names
      weir run --joblog L --resume . -- ./encode {}
    """
}

// Words of other tools, and what weir has instead: one table, a row for each answer.

/// The answers to options and commands that weir does not have.
enum ForeignWords {
  private struct Row {
    /// The verbs that give the answer; empty for any, and for the place of the verb `command`.
    let verbs: Set<Substring>
    /// The words without their dashes.
    let words: Set<Substring>
    let answer: String

    init(_ verbs: String, _ words: String, _ answer: String) {
      self.verbs = Set(verbs.split(separator: " "))
      self.words = Set(words.split(separator: " "))
      self.answer = answer
    }
  }

  /// The name of the place before the operands, where a verb is expected.
  static let command = "command"

  /// Returns the answer to a word; `nil` if there is none.
  ///
  /// - Parameter verb: The verb that was asked, or ``command``.
  static func answer(to word: String, of verb: String) -> String? {
    let word = word.drop { $0 == "-" }
    return rows.first { row in
      row.words.contains(word) && (row.verbs.isEmpty || row.verbs.contains(verb[...]))
    }?.answer
  }

  // The first row that has the word counts: those of a verb precede those of all.
  private static let rows = [
    // Commands.
    Row(
      "command",
      "sum sums md5 md5sum sha1 sha1sum sha256 sha256sum sha512sum b2sum b3sum xxhsum cksum",
      "use weir hash"),
    Row(
      "command", "rhash hashdeep md5deep digest checksum create generate index scan add init",
      "use weir hash"),
    Row("command", "record", "use weir hash -o FILE"),
    Row("command", "version", "use weir --version"),
    Row("command", "verify c validate test fsck", "use weir check"),
    Row("command", "scrub", "use weir check --state FILE --oldest-first --max-time TIME"),
    Row("command", "audit", "use weir check --audit DIR MANIFEST"),
    Row("command", "update sync refresh", "use weir hash --update -o FILE"),
    Row("command", "bag bagit", "use weir hash --bagit DIR, and weir check DIR"),
    Row("command", "wc lines words", "use weir count"),
    Row("command", "diff cmp rsync", "use weir compare"),
    Row(
      "command", "dupes duplicate dedupe dedup fdupes jdupes rmlint fclones rdfind group",
      "use weir duplicates"),
    Row("command", "xargs parallel exec each map foreach", "use weir run"),
    Row("command", "shard split partition", "use weir plan"),
    Row("command", "join collect", "use weir merge"),
    Row("command", "ulimit info doctor", "use weir limits"),
    Row(
      "command", "fix repair recover",
      "weir changes no file; weir check names what to restore, weir compare what a copy has"),
    Row("command", "prune forget purge", "use weir hash --update --accept-gone -o FILE"),
    Row(
      "command", "mount backup restore snapshot snapshots copy cp",
      "weir copies nothing; weir compare finds what a copy lacks"),
    Row(
      "command", "list ls find fd", "weir hash --format mtree lists names, types, sizes and times"),

    // Verifying and recording.
    Row("hash", "c check verify", "use weir check"),
    Row("hash", "u skip-existing incremental", "use --update -o FILE"),
    Row(
      "hash",
      """
      md5 sha1 sha224 sha256 sha384 sha512 blake2b blake3 b2 b3 xxh64 xxh128 xxh3 crc32 sm3 sha3-256 \
      sha3-512 sha512-256
      """, "use -a with that name"),
    Row(
      "hash",
      "tiger whirlpool ripemd160 rmd160 gost12-256 gost12-512 ed2k tth aich btih",
      "weir does not compute it; weir help hash lists the names of -a"),
    Row("hash", "keyed derive-key", "weir computes no keyed digests"),
    Row("hash", "ignore-missing status strict w warn", "it is an option of weir check"),
    Row("hash", "skip-ok", "use weir check --quiet"),
    Row("hash", "fast validate completeness-only", "use weir check"),
    Row(
      "hash", "k M X", "use weir duplicates --known MANIFEST, with --unknown for the other files"),
    Row("hash", "W", "use -o FILE"), Row("hash", "f", "use --files-from FILE"),
    Row(
      "hash",
      """
      contact-name contact-email contact-phone source-organization organization-address \
      external-description external-identifier bag-group-identifier bag-count bag-size metadata \
      internal-sender-identifier internal-sender-description bagit-profile-identifier
      """, "use --bag-info FIELD=VALUE"),
    Row("hash", "parent previous since", "use --update, which reads only what has changed"),
    Row(
      "hash", "mode perms owner uid gid",
      "weir records neither; weir compare --owner --mode compares two directories"),
    Row(
      "hash", "comment timestamp host tags", "--report FILE has the host, the times and the command"
    ),
    Row("hash", "b binary t text", "every file is read as bytes, without it"),
    Row("hash", "l length", "use -a blake2b-N, for N bits"),
    Row("hash", "H type hash hash-type", "use -a NAME"),
    Row("hash", "s string", "use printf %s TEXT | weir hash"),
    Row("hash", "audit", "use weir check --audit DIR"),
    Row("hash", "bag bagger", "use --bagit DIR"),
    Row("hash", "save write o0 outfile", "use -o FILE"),
    Row("hash", "force overwrite", "use --replace"),
    Row("hash", "bsd", "use --tag"), Row("hash", "untagged", "use --plain"),
    Row(
      "hash",
      """
      simple sfv printf template base64 base32 hex raw upper uppercase lowercase no-names magnet bt \
      embed-crc brief
      """,
      "weir writes --tag, --plain, --format json and mtree"),
    Row("hash", "mmap no-mmap num-threads processes", "use -j N"),
    Row("hash", "accept-all", "use --accept-rot or --accept-gone"),
    Row("check", "c check verify", "weir check verifies without it"),
    Row("check", "a", "use -a NAME"), Row("check", "k known m", "name the manifest as an operand"),
    Row("check", "x missing", "what is missing is FAILED; --audit DIR names new files too"),
    Row("check", "p preserve strip-components", "use --strip N"),
    Row("check", "b beside-list dir-relative", "use --beside"),
    Row(
      "check", "fix repair",
      "weir changes no file; weir compare --only differs names what to restore"),
    Row("check", "ignore-case i", "use --windows-names for a list of Windows"),
    Row("check", "checkfile C sumfile", "name the manifest as an operand"),
    Row("check", "read-data verify-data download", "contents are read without it"),
    Row("check", "read-data-subset p-new plan-size", "use --max-bytes SIZE, with --state FILE"),
    Row("check", "skip-ok brief", "use --quiet"),
    Row("check", "update", "use weir hash --update -o FILE"),
    Row("check", "accept", "use weir hash --update --accept GLOB -o FILE"),
    Row("check", "md5 sha1 sha256 sha512 blake3", "use -a NAME"),
    Row("check", "limit budget max", "use --max-bytes SIZE or --max-time TIME"),
    Row("check", "older-than age max-age percent", "use --state FILE --oldest-first"),
    Row("check", "fast completeness-only size-only", "use --no-read"),
    Row("check", "bag validate", "name the directory of the bag: weir check BAG"),
    Row("check", "direct-io drop-cache nocache", "use --from-disk"),
    Row("check hash", "skip-missing", "use --ignore-missing with weir check"),

    // Comparing.
    Row("compare", "c checksum content by-content download I ignore-times", "use --read"),
    Row("compare", "q brief rq", "it prints differences alone, without it"),
    Row("compare", "s same report-identical-files", "use --all"),
    Row("compare", "p perms permissions chmod", "use --mode"),
    Row("compare", "output out", "redirect standard output"),
    Row("compare", "o g group chown", "use --owner; for a file redirect standard output"),
    Row("compare", "times t", "times are compared without it; --modify-window N allows N seconds"),
    Row("compare", "size-only", "sizes decide where a time is missing; --read compares contents"),
    Row(
      "compare", "a archive n i itemize-changes",
      "weir compare changes nothing, and prints each difference without it"),
    Row(
      "compare",
      """
      delete existing missing ignore-existing missing-on-dst missing-on-src differ match combined \
      name-only
      """, "use --only b, --only a or --only differs for the names"
    ),
    Row(
      "compare", "w ignore-all-space text ignore-space-change u unified y side-by-side U",
      "weir compares bytes; use diff on the files that it names"),
    Row("compare", "N new-file", "a file on one side alone has a line without it"),
    Row("compare", "no-dereference", "links are compared by their targets without it"),
    Row("compare", "update-only inplace partial whole-file", "weir copies nothing"),
    Row("compare", "strip", "use --strip-a N or --strip-b N"),
    Row("compare", "one-way", "use --only a --only differs"),

    // Counting.
    Row("count", "files by-file", "use --summary, which counts the files"),
    Row("count", "total", "the last line is the total, if there are several files"),
    Row("count", "size s b", "use -c"),

    // Duplicates.
    Row("duplicates", "dry-run", "it changes no file: --action prints a script"),
    Row("duplicates", "d delete", "use --action delete, which prints a script"),
    Row(
      "duplicates", "hardlink hardlinks link L H makehardlinks linkhard",
      "use --action link, which prints a script"),
    Row("duplicates", "B dedupe reflink clone", "use --action reflink, which prints a script"),
    Row(
      "duplicates", "symlink S linksoft",
      "weir replaces copies by hard links or reflinks alone: --action link"),
    Row(
      "duplicates", "n noempty s size minsize G min",
      "use --min-size SIZE; empty files are left out without it"),
    Row("duplicates", "f omitfirst omit-first", "use -z, and skip the first name of each group"),
    Row("duplicates", "m summarize summary-only", "use --summary"),
    Row("duplicates", "sameline 1", "use --format json: a group is a line"),
    Row("duplicates", "Q quick paranoid p b byte-by-byte", "use --verify to compare bytes too"),
    Row("duplicates", "N noprompt prefer priority keep-path", "use --keep WHICH"),
    Row(
      "duplicates", "isolate I cross-roots unique",
      "use --across for groups that span the PATHs, --unknown with --known for files without a copy"
    ),
    Row("duplicates", "cache y hash-db", "use --known MANIFEST"),
    Row("duplicates", "u print-unique", "use --known MANIFEST --unknown"),
    Row(
      "duplicates", "rf-over rf-under o order sort i reverse O param-order",
      "groups that waste the most come first; --keep WHICH chooses the file that stays"),
    Row(
      "duplicates",
      "hash-fn K skip-hash skip-content-hash T partial-only t no-change-check transform",
      "contents are compared as wholes; --verify compares bytes too"),
    Row("duplicates", "match-links D", "use --hard-links"),
    Row("duplicates", "A nohidden no-hidden", "use --exclude '.*'"),
    Row("duplicates", "z zeromatch zero-match", "use --min-size 0"),
    Row("duplicates", "one-fs", "use --one-file-system"),
    Row("duplicates", "a", "use --files-only for files alone"),

    // Running commands.
    Row("run", "P max-procs jobs-count threads", "use -j N"),
    Row("run", "I i replace", "{} stands for the file; --placeholder STR is another word for it"),
    Row("run", "0 null", "use --files0-from -"), Row("run", "a arg-file", "use --files-from FILE"),
    Row("run", "k keep-order", "output is in order without it; --ungroup writes it directly"),
    Row("run", "u line-buffer linebuffer", "use --ungroup"),
    Row("run", "t verbose-commands trace-commands", "use --dry-run to see the commands"),
    Row("run", "r no-run-if-empty", "no file, no command: it is so without it"),
    Row(
      "run", "L max-lines N max-replace-args X m s max-chars",
      "use -n N; the system's limit on arguments holds in any case"),
    Row("run", "group g", "the output of a command stays together without it"),
    Row("run", "tag tagstring results", "use --format json: output and command are objects"),
    Row("run", "pipe block cat", "use -- sh -c 'COMMAND < \"$1\"' sh {}"),
    Row(
      "run", "d delimiter colsep C header link xapply",
      "an item is a line of --files-from, or a name of --files0-from"),
    Row("run", "delay load memfree", "use -j N, and --background"),
    Row("run", "shuf", "use shuf FILE | weir run --files-from - -- COMMAND"),
    Row("run", "q quote", "words are passed as they are: no shell reads them"),
    Row("run", "plus will-cite env tmpdir", "it is not needed: see weir help run"),
    Row("run", "batch-size", "use -n N"), Row("run", "X exec-batch", "use -n N -- COMMAND"),
    Row("run", "l list-details o", "use -- ls -l {}"),
    Row("run", "fail-fast", "use --halt now or --halt soon"),
    Row("run", "log", "use --joblog FILE"), Row("run", "retry-failed", "use --resume-failed"),
    Row("run", "c", "use -- sh -c 'COMMAND' sh {}"),
    Row("run", "x exec bar eta", "put -- before the command; progress is shown on a terminal"),
    Row(
      "run", "sshlogin S slf workdir wd transferfile return trc basefile",
      "use weir plan, and weir run --plan FILE on each machine"),

    // All verbs.
    Row("", "r R recursive recurse", "directories are walked without it"),
    Row(
      "",
      "P max-procs threads workers parallel concurrency checkers transfers multi-thread-streams",
      "use -j N"),
    Row("check compare", "0 null print0", "use -z"),
    Row("", "0 null print0", "use -z for output, --files0-from FILE for a list"),
    Row("", "from0", "use --files0-from FILE"),
    Row("", "T files list input-file from-file files-from-raw", "use --files-from FILE"),
    Row("", "x xdev one-filesystem mount", "use --one-file-system"),
    Row("", "L dereference follow-links follow-symlinks copy-links symbolic-links", "use --follow"),
    Row("", "H hidden no-ignore u I", "hidden and ignored files are read without it"),
    Row(
      "", "e glob g iglob filter match name path regex extension ext-filter type t",
      "use --include GLOB and --exclude GLOB"),
    Row("", "E ignore skip exclude-dir iexclude", "use --exclude GLOB"),
    Row(
      "", "exclude-from include-from filter-from patterns-from exclude-if-present exclude-caches",
      "use --exclude GLOB, once for each pattern"),
    Row(
      "",
      """
      max-size min-size max-filesize exclude-larger-than size S max-age min-age newer \
      changed-within changed-before mtime
      """, "filters are of names; use find ... -print0, and --files0-from - for its list"),
    Row("", "d depth maxdepth max-levels", "use --max-depth N"),
    Row("hash check compare", "q silent s no-messages", "use --quiet"),
    Row(
      "", "q silent s no-messages", "names and verdicts are the output; 2>FILE takes the messages"),
    Row("", "v V", "use --verbose, or --version"),
    Row("plan", "n", "use --shards N"),
    Row("hash", "n", "use --dry-run with --update"), Row("", "n", "it changes no file"),
    Row("", "j", "it follows a verb, as in weir hash -j N"),
    Row("", "json J ndjson", "use --format json"), Row("", "csv xml yaml", "use --format json"),
    Row(
      "", "p bar eta stats percents speed benchmark human-readable",
      "progress is shown on a terminal; --summary prints counts and pace"),
    Row("", "no-progress", "use --progress never"),
    Row("", "i interactive y yes force", "weir asks no questions"),
    Row("", "compression level chunker-params", "weir stores and sends no content"),
    Row(
      "", "sort no-sort unsorted", "output is in the order of the names; --unordered gives that up"),
    Row("", "max-results limit-rate bwlimit", "use head, or -j 1 and --background"),
    Row("", "nice ionice idle low-priority", "use --background"),
    Row(
      "", "log log-file logfile", "use 2>FILE for messages, --report FILE for the result as JSON"),
    Row("", "time", "use --summary"),
    Row(
      "", "memory mem buffer-size B block-size",
      "memory does not grow with the files; there is no size to set"),
    Row("", "C chdir cd", "it follows a verb that reads the data, as in weir hash -C DIR"),
    Row("", "a all", "all files are read without it"),
    Row("", "z compress", "-z is for names that end in NUL"),
    Row("", "color colour no-color", "only weir check has colors: --color WHEN, or NO_COLOR=1"),
    Row("", "c", "use weir check"), Row("", "sum", "use weir hash"),
    Row("", "checksum", "use weir hash, or weir compare --read"),
    Row("", "verify", "use weir check"), Row("", "wc", "use weir count"),
    Row("", "diff", "use weir compare"),
    Row("", "dupes fdupes", "use weir duplicates"), Row("", "xargs", "use weir run"),
  ]
}

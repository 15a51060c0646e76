// Words of other tools, and what weir has instead: one table, a row for each answer.

enum ForeignWords {
  /// The name of the place before the operands, where a verb is expected.
  static let command = "command"

  /// - Parameter verb: The verb that was asked, or ``command``.
  static func answer(to word: String, of verb: String) -> String? {
    let word = word.drop { $0 == "-" }
    var isAsked = false
    for row in table.split(separator: "\n") {
      if row.first == "[" {
        let verbs = row.dropFirst().dropLast().split(separator: " ")
        isAsked = verbs.isEmpty || verbs.contains(verb[...])
        continue
      }
      let parts = row.split(separator: ":", maxSplits: 1)
      if isAsked && parts[0].split(separator: " ").contains(word) {
        return String(parts[1].dropFirst())
      }
    }
    return nil
  }

  /// The words without their dashes, and their answer, below the verbs that give it; the last answers
  /// are those of any verb. The first row that has a word counts.
  private static let table = """
    [command]
    sum sums md5 md5sum sha1 sha1sum sha256 sha256sum sha512sum b2sum b3sum xxhsum cksum rhash \
    hashdeep md5deep digest checksum create generate index scan add init: use weir hash
    record: use weir hash -o FILE
    version: use weir --version
    verify c validate test fsck: use weir check
    scrub: use weir check --state FILE --oldest-first --max-time TIME
    audit: use weir check --audit DIR MANIFEST
    update sync refresh: use weir hash --update -o FILE
    bag bagit: use weir hash --bagit DIR, and weir check DIR
    wc lines words: use weir count
    diff cmp rsync: use weir compare
    dupes duplicate dedupe dedup fdupes jdupes rmlint fclones rdfind group: use weir duplicates
    xargs parallel exec each map foreach: use weir run
    shard split partition: use weir plan
    join collect: use weir merge
    ulimit info doctor: use weir limits
    fix repair recover: weir changes no file; weir check names what to restore, weir compare what \
    a copy has
    prune forget purge: use weir hash --update --accept-gone -o FILE
    mount backup restore snapshot snapshots copy cp: weir copies nothing; weir compare finds what \
    a copy lacks
    list ls find fd: weir hash --format mtree lists names, types, sizes and times
    [hash]
    c check verify: use weir check
    u skip-existing incremental: use --update -o FILE
    md5 sha1 sha224 sha256 sha384 sha512 blake2b blake3 b2 b3 xxh64 xxh128 xxh3 crc32 sm3 sha3-256 \
    sha3-512 sha512-256: use -a with that name
    tiger whirlpool ripemd160 rmd160 gost12-256 gost12-512 ed2k tth aich btih: weir does not \
    compute it; weir help hash lists the names of -a
    keyed derive-key: weir computes no keyed digests
    ignore-missing status strict w warn: it is an option of weir check
    skip-ok: use weir check --quiet
    fast validate completeness-only: use weir check
    k M X: use weir duplicates --known MANIFEST, with --unknown for the other files
    W: use -o FILE
    f: use --files-from FILE
    contact-name contact-email contact-phone source-organization organization-address \
    external-description external-identifier bag-group-identifier bag-count bag-size metadata \
    internal-sender-identifier internal-sender-description bagit-profile-identifier: use \
    --bag-info FIELD=VALUE
    parent previous since: use --update, which reads only what has changed
    mode perms owner uid gid: weir records neither; weir compare --owner --mode compares two \
    directories
    comment timestamp host tags: --report FILE has the host, the times and the command
    b binary t text: every file is read as bytes, without it
    l length: use -a blake2b-N, for N bits
    H type hash hash-type: use -a NAME
    s string: use printf %s TEXT | weir hash
    audit: use weir check --audit DIR
    bag bagger: use --bagit DIR
    save write o0 outfile: use -o FILE
    force overwrite: use --replace
    bsd: use --tag
    untagged: use --plain
    simple sfv printf template base64 base32 hex raw upper uppercase lowercase no-names magnet bt \
    embed-crc brief: weir writes --tag, --plain, --format json and mtree
    mmap no-mmap num-threads processes: use -j N
    accept-all: use --accept-rot or --accept-gone
    n: use --dry-run with --update
    [check]
    c check verify: weir check verifies without it
    a: use -a NAME
    k known m: name the manifest as an operand
    x missing: what is missing is FAILED; --audit DIR names new files too
    p preserve strip-components: use --strip N
    b beside-list dir-relative: use --beside
    fix repair: weir changes no file; weir compare --only differs names what to restore
    ignore-case i: use --windows-names for a list of Windows
    checkfile C sumfile: name the manifest as an operand
    read-data verify-data download: contents are read without it
    read-data-subset p-new plan-size: use --max-bytes SIZE, with --state FILE
    skip-ok brief: use --quiet
    update: use weir hash --update -o FILE
    accept: use weir hash --update --accept GLOB -o FILE
    md5 sha1 sha256 sha512 blake3: use -a NAME
    limit budget max: use --max-bytes SIZE or --max-time TIME
    older-than age max-age percent: use --state FILE --oldest-first
    fast completeness-only size-only: use --no-read
    bag validate: name the directory of the bag: weir check BAG
    direct-io drop-cache nocache: use --from-disk
    [check hash]
    skip-missing: use --ignore-missing with weir check
    [compare]
    c checksum content by-content download I ignore-times: use --read
    q brief rq: it prints differences alone, without it
    s same report-identical-files: use --all
    p perms permissions chmod: use --mode
    output out: redirect standard output
    o g group chown: use --owner; for a file redirect standard output
    times t: times are compared without it; --modify-window N allows N seconds
    size-only: sizes decide where a time is missing; --read compares contents
    a archive n i itemize-changes: weir compare changes nothing, and prints each difference \
    without it
    delete existing missing ignore-existing missing-on-dst missing-on-src differ match combined \
    name-only: use --only b, --only a or --only differs for the names
    w ignore-all-space text ignore-space-change u unified y side-by-side U: weir compares bytes; \
    use diff on the files that it names
    N new-file: a file on one side alone has a line without it
    no-dereference: links are compared by their targets without it
    update-only inplace partial whole-file: weir copies nothing
    strip: use --strip-a N or --strip-b N
    one-way: use --only a --only differs
    [count]
    files by-file: use --summary, which counts the files
    total: the last line is the total, if there are several files
    size s b: use -c
    [duplicates]
    dry-run: it changes no file: --action prints a script
    d delete: use --action delete, which prints a script
    hardlink hardlinks link L H makehardlinks linkhard: use --action link, which prints a script
    B dedupe reflink clone: use --action reflink, which prints a script
    symlink S linksoft: weir replaces copies by hard links or reflinks alone: --action link
    n noempty s size minsize G min: use --min-size SIZE; empty files are left out without it
    f omitfirst omit-first: use -z, and skip the first name of each group
    m summarize summary-only: use --summary
    sameline 1: use --format json: a group is a line
    Q quick paranoid p b byte-by-byte: use --verify to compare bytes too
    N noprompt prefer priority keep-path: use --keep WHICH
    isolate I cross-roots unique: use --across for groups that span the PATHs, --unknown with \
    --known for files without a copy
    cache y hash-db: use --known MANIFEST
    u print-unique: use --known MANIFEST --unknown
    rf-over rf-under o order sort i reverse O param-order: groups that waste the most come first; \
    --keep WHICH chooses the file that stays
    hash-fn K skip-hash skip-content-hash T partial-only t no-change-check transform: contents are \
    compared as wholes; --verify compares bytes too
    match-links D: use --hard-links
    A nohidden no-hidden: use --exclude '.*'
    z zeromatch zero-match: use --min-size 0
    one-fs: use --one-file-system
    a: use --files-only for files alone
    [run]
    P max-procs jobs-count threads: use -j N
    I i replace: {} stands for the file; --placeholder STR is another word for it
    0 null: use --files0-from -
    a arg-file: use --files-from FILE
    k keep-order: output is in order without it; --ungroup writes it directly
    u line-buffer linebuffer: use --ungroup
    t verbose-commands trace-commands: use --dry-run to see the commands
    r no-run-if-empty: no file, no command: it is so without it
    L max-lines N max-replace-args X m s max-chars: use -n N; the system's limit on arguments \
    holds in any case
    group g: the output of a command stays together without it
    tag tagstring results: use --format json: output and command are objects
    pipe block cat: use -- sh -c 'COMMAND < "$1"' sh {}
    d delimiter colsep C header link xapply: an item is a line of --files-from, or a name of \
    --files0-from
    delay load memfree: use -j N, and --background
    shuf: use shuf FILE | weir run --files-from - -- COMMAND
    q quote: words are passed as they are: no shell reads them
    plus will-cite env tmpdir: it is not needed: see weir help run
    batch-size: use -n N
    X exec-batch: use -n N -- COMMAND
    l list-details o: use -- ls -l {}
    fail-fast: use --halt now or --halt soon
    log: use --joblog FILE
    retry-failed: use --resume-failed
    c: use -- sh -c 'COMMAND' sh {}
    x exec bar eta: put -- before the command; progress is shown on a terminal
    sshlogin S slf workdir wd transferfile return trc basefile: use weir plan, and weir run --plan \
    FILE on each machine
    [check compare]
    0 null print0: use -z
    [hash check compare]
    q silent s no-messages: use --quiet
    [plan]
    n: use --shards N
    []
    r R recursive recurse: directories are walked without it
    P max-procs threads workers parallel concurrency checkers transfers multi-thread-streams: use \
    -j N
    0 null print0: use -z for output, --files0-from FILE for a list
    from0: use --files0-from FILE
    T files list input-file from-file files-from-raw: use --files-from FILE
    x xdev one-filesystem mount: use --one-file-system
    L dereference follow-links follow-symlinks copy-links symbolic-links: use --follow
    H hidden no-ignore u I: hidden and ignored files are read without it
    e glob g iglob filter match name path regex extension ext-filter type t: use --include GLOB \
    and --exclude GLOB
    E ignore skip exclude-dir iexclude: use --exclude GLOB
    exclude-from include-from filter-from patterns-from exclude-if-present exclude-caches: use \
    --exclude GLOB, once for each pattern
    max-size min-size max-filesize exclude-larger-than size S max-age min-age newer changed-within \
    changed-before mtime: filters are of names; use find ... -print0, and --files0-from - for its \
    list
    d depth maxdepth max-levels: use --max-depth N
    q silent s no-messages: names and verdicts are the output; 2>FILE takes the messages
    v V: use --verbose, or --version
    n: it changes no file
    j: it follows a verb, as in weir hash -j N
    json J ndjson csv xml yaml: use --format json
    p bar eta stats percents speed benchmark human-readable: progress is shown on a terminal; \
    --summary prints counts and pace
    no-progress: use --progress never
    i interactive y yes force: weir asks no questions
    compression level chunker-params: weir stores and sends no content
    sort no-sort unsorted: output is in the order of the names; --unordered gives that up
    max-results limit-rate bwlimit: use head, or -j 1 and --background
    nice ionice idle low-priority: use --background
    log log-file logfile: use 2>FILE for messages, --report FILE for the result as JSON
    time: use --summary
    memory mem buffer-size B block-size: memory does not grow with the files; there is no size to \
    set
    C chdir cd: it follows a verb that reads the data, as in weir hash -C DIR
    a all: all files are read without it
    z compress: -z is for names that end in NUL
    color colour no-color: only weir check has colors: --color WHEN, or NO_COLOR=1
    c: use weir check
    sum: use weir hash
    checksum: use weir hash, or weir compare --read
    verify: use weir check
    wc: use weir count
    diff: use weir compare
    dupes fdupes: use weir duplicates
    xargs: use weir run
    """
}

// The table of `weir check`.

internal import FileJobs

extension CheckVerb {
  static let page = VerbPage(
    name: "check", abstract: "Verify the files that manifests list",
    usage: "[OPTION ...] [MANIFEST ...]",
    description: """
      Verify the files that manifests list. A MANIFEST is the output of weir hash, sha256sum,
      md5sum, b2sum, b3sum, xxhsum, cksum -a or the BSD tools, or mtree(5); without MANIFEST, or if
      it is -, standard input is read. Each line is answered with NAME: OK or NAME: FAILED, in the
      order of the manifest, however many files are read at once. For mtree(5) the answer may also
      be OK (touched), FAILED (edited), FAILED (rot) or FAILED (missing). Names are relative to the
      working directory, or to -C.
      """,
    statuses: """
      0  Success
      1  Something differs: a file has another digest or is missing, or there was nothing to verify
      2  Usage error, or nothing could be started or written
      3  A file could not be verified (unreadable, changed while it was read, or of an unknown
         algorithm), and nothing differs
      4  --audit found new or moved files, and nothing else
      """,
    examples: """
      weir check SHA256SUMS                 Verify, with a line for each file
      weir check --quiet -C /srv SUMS       Print what changed below /srv: /srv/SUMS
      weir check -C /srv - < srv.mtree      Tell edited files from bit rot
      weir check --audit /srv SUMS          Print also new and moved files
      weir check -a blake2b B2SUMS          Verify the output of b2sum
      ssh host weir hash -C /srv . | weir check -C /srv
      """)

  static let sections = [
    OptionSection<CheckVerb>(
      "Manifest",
      [
        Option(
          "-a, --algorithm NAME", .algorithms, "Digest of lines that name none",
          """
          ; by length this is md5, sha1, sha224, sha256 or blake3 (whichever the file has),
          sha384, sha512, and xxh64 for 16 digits
          """, default: "by length"
        ) { verb, _, algorithms in verb.algorithms += algorithms },
        Option(
          flag: "-z, --zero", \.zero, "Read lines that end with NUL", " and escape no names"),
      ]),
    OptionSection(
      "Output",
      [
        Option(flag: "--quiet", \.quiet, "Print nothing for files that are OK"),
        Option(flag: "--status", \.status, "Print no verdicts; only set the exit status"),
        Option(flag: "-w, --warn", \.warn, "Report each malformed line"),
        Option(
          flag: "--strict", \.strict,
          "Count a malformed line, and a file without a digest, as a difference",
          "; in mtree(5), the line always is one", isBrief: false),
        Option(flag: "--ignore-missing", \.ignoreMissing, "Ignore missing files"),
        Option(
          "--color WHEN", .choice(TerminalWhen.allCases), \.color,
          "Color FAILED and warnings: auto, always or never",
          "; auto is on a terminal, unless NO_COLOR is set", isBrief: false),
        .format(\.format),
      ]),
    OptionSection(
      "Audit",
      [
        Option(
          "--audit DIR", .directory, optional: \.audit, "Report also new and moved files in DIR",
          """
          : walk DIR, and report files that no manifest lists (new) and missing files found under
          another name (moved); without -C, names are relative to DIR
          """, on: .wholeRun)
      ] + WalkOptions.table.map { $0.lifted(by: \.walkOptions) }),
    ShardOptions.section(
      changed: .wholeRun,
      note: """
        With --plan, every shard reads the manifests, whose names have to be in the plan, in its
        order. --audit and --allow-changed do not apply.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]
}

// The table of `weir hash`.

internal import FileJobs

extension HashVerb {
  static let page = VerbPage(
    name: "hash", abstract: "Print digests of files and whole trees, like sha256sum",
    description: """
      Print a line with digest and name for each file, like sha256sum. Directories are walked. The
      order is that of the PATHs and, within a directory, of the bytes of the names, however many
      files are read at once. A file that cannot be read is reported on standard error, and the
      others are hashed.
      """,
    statuses: """
      0  Success
      1  --update found bit rot
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed while it was read; the lines of the others
         are written
      """,
    examples: """
      weir hash /srv > /tmp/manifest        Hash a tree
      weir check --quiet /tmp/manifest      Verify it
      weir hash --output /tmp/M /srv        Write to a file; --resume continues
      weir hash --output /tmp/M --update /srv   Read only what has changed
      weir hash -a xxh128 .                 Write lines for xxhsum -c
      weir hash -a blake3 --plain .         Write lines for b3sum -c
      weir hash --format mtree -C /srv . > srv.mtree
      weir hash --exclude .git/ --exclude '*.o' src
      git ls-files -z | weir hash --files0-from -
      tar c . | weir hash
      """)

  static let sections = [
    OptionSection<HashVerb>(
      "Digest",
      [
        Option(
          "-a, --algorithm NAME", .algorithms, "Digest algorithm",
          """
          : \(UsageError.alternatives(DigestAlgorithm.listed.map(\.name))), or blake2b-N for N bits;
          several are computed from one read with -a NAME,NAME or several -a. All cores hash a big
          file together if blake3 is the only one
          """, default: algorithmDefault.name
        ) { verb, _, algorithms in verb.given += algorithms }
      ]),
    SourceOptions.section(
      "Input (standard input if no PATH and no list is given)",
      path: "A file, a directory to walk, or - for standard input", \.sourceOptions,
      \.walkOptions),
    OptionSection(
      "Format",
      [
        Option(
          flag: "--tag", \.tag, "Write BSD lines: ALGORITHM (NAME) = DIGEST",
          """
          , as always for several algorithms, and for those whose lines look like those of SHA-2 or
          MD5: blake3, sha512-256, sha3, sm3, most of blake2b-N, and xxh3
          """, isBrief: false),
        Option(
          flag: "--plain", \.plain, "Write DIGEST  NAME for these too",
          "; weir check needs -a then, except for blake3", isBrief: false),
        Option(flag: "-z, --zero", \.zero, "End lines with NUL, and escape no names"),
        Option(
          "--format FORMAT", .choice([.text, .json, .mtree]), optional: \.format,
          "Write text, json or mtree",
          """
          : json is an object per line, mtree has the type, size, time and digests of each file, see
          mtree(5)
          """, default: formatDefault.rawValue),
      ]),
    OutputOptions.section,
    ShardOptions.section(resume: nil).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]
}

// The table of `weir duplicates`.

internal import FileJobs

extension DuplicatesVerb {
  static let page = VerbPage(
    name: "duplicates", abstract: "Find groups of files with the same content",
    description: """
      Find groups of files with the same content, and change nothing. The groups that take the most
      room come first. A file with several names (hard links) counts once. A file with a unique size
      is not opened. A large file is read at its beginning and end first, and completely only if
      these agree. The digest is XXH128.

      A group is a heading, a line for each name, and an empty line. A name after "= " is a hard
      link to the file above it.

        # 2 files of 4,096 bytes: 4,096 bytes could be saved
        a/one
        = a/the same file as one
        b/two
      """,
    statuses: """
      0  Success, with or without duplicates
      2  Usage error, or nothing could be started or written
      3  An existing file could not be read, or changed during the run; the groups of the others are
         written
      """,
    examples: """
      weir duplicates ~/Pictures            Find duplicate pictures
      weir duplicates --summary --min-size 1M /srv > /tmp/groups
      weir duplicates --verify a b          Compare to the last byte
      weir duplicates --format json . | jq 'select(.type == "group").saving'
      weir duplicates . | grep -v '^[#=] '  Print groups of names only
      """)

  static let sections = [
    OptionSection<DuplicatesVerb>(
      "Groups",
      [
        Option(
          "--min-size SIZE", .size, \.options.minimumSize, "Skip files smaller than SIZE",
          ", such as 4096, 4K or 10MB; 0 lists empty files too"),
        Option(
          flag: "--verify", \.options.verifies, "Compare files with the same digest byte by byte"),
        Option(
          flag: "--hard-links", \.options.listsLinks,
          "Print also groups of one file with several names"),
      ]),
    SourceOptions.section(
      "Input (the working directory if no PATH and no list is given)",
      path: "Read a file, or walk a directory", unordered: "Write each group as it is found",
      \.sourceOptions, \.walkOptions),
    OptionSection(
      "Format",
      [
        Option(
          flag: "-z, --zero", \.zero, "Print names only, each ended by NUL, as is each group",
          "; escape no names"),
        .format(\.format),
      ]),
    ShardOptions.section(
      resume: ShardOptions.resume("Begin again after an attempt that did not end"),
      changed: .wholeRun,
      note: """
        The plan has to be one by size-class; without a plan, the size of a file decides on its
        shard. --unordered and --allow-changed do not apply.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section().lifted(by: \.commonOptions),
  ]
}

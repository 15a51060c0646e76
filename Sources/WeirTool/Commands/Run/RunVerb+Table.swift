// The table of `weir run`.

internal import FileJobs

extension RunVerb {
  static let page = VerbPage(
    name: "run", abstract: "Run a command for each file, or for several files at once",
    usage: "[OPTION ...] [PATH ...] -- COMMAND [WORD ...]", takesCommand: true,
    description: """
      Run a command for each file, several at once. The output of each command is written as a
      whole, in the order of the files. A command that fails is reported on standard error. No shell
      is involved. A directory among the PATHs is walked; any other PATH, and each item of a list,
      is passed on unchanged and need not be a file.
      """,
    statuses: """
      0  All commands ended with status 0
      1  A command failed, was ended, or could not be started
      2  Usage error, the program was not found, or the output could not be written
      3  A directory or a list could not be read, or a file has changed since the plan was made, and
         no command failed
      """,
    examples: """
      weir run /srv -- gzip -k {}           Run a command for each file
      weir run -n 100 src -- wc -l          Run a command for each 100 files
      weir run photos -- convert {} {.}.png
      weir run --files0-from - -- cp {} /mnt/{/} < names
      weir run --joblog L --resume . -- ./encode {}
      weir run --plan set.plan --shard auto --out parts -- ./encode {}
      """)

  private static let unplanned = "does not apply to a shard of a plan: "

  static let sections = [
    OptionSection<RunVerb>(
      "Placeholders in COMMAND and WORD [default: {} is appended]",
      words: [
        ("{}", "The file; with -n, one word for each"),
        ("{/}  {//}", "Its last component, and the path before it"),
        ("{.}  {/.}", "{} and {/} without the extension"),
        ("{#}", "The number of the command, from 1"),
      ], []),
    OptionSection(
      "Commands",
      [
        Option(
          "-n, --max-args N", .number(1...Int.max), \.options.itemsPerCommand,
          "Pass up to N files to a command",
          ", within the system's limit on arguments"),
        Option(
          "--timeout TIME", .time, optional: \.options.timeout,
          "End commands that take longer than TIME",
          """
          , such as 10 (seconds) or 2m, with all processes of their sessions: by SIGTERM, and after
          another second by SIGKILL
          """),
        Option(
          "--retries N", .number(0...1_000_000), \.options.retries, "Run failed commands again",
          ", up to N times", isBrief: false),
        Option(
          "--halt WHEN", .choice(CommandJobOptions.Halt.allCases), \.options.halt,
          "Stop at a failure: never, soon or now",
          "; soon starts no more commands, now also ends running ones", on: .run),
        Option(
          "--joblog FILE", .outputFile, optional: \.joblog, "Log finished commands in FILE",
          ", a line each, in the columns of GNU parallel",
          on: .refused(unplanned + "the part is the log, and --resume continues it")),
        ShardOptions.resume(
          "Skip commands that the log contains",
          """
          , wherever their files come now, and run the others; with --plan, those of an attempt at
          the shard that did not end
          """
        ).lifted(by: \.shardOptions),
        Option(
          flag: "--resume-failed", \.resumeFailed, "Run also the failed commands of the log again",
          isBrief: false, on: .refused(unplanned + "--resume runs what has no result yet")),
        Option(
          flag: "--ungroup", \.options.isUngrouped, "Let commands write their output directly",
          isBrief: false,
          on: .refused(unplanned + "the part has the output of each command")),
        .format(\.format),
      ]),
    SourceOptions.section(
      "Input", path: "Walk a directory, or pass on anything else",
      on: .refused(unplanned + "weir merge writes in the order of the plan"), \.sourceOptions,
      \.walkOptions),
    ShardOptions.section(
      resume: nil,
      note: """
        A shard of a plan keeps the output of its commands in its part. A command may run twice if
        its machine is lost, also one that had ended: it should be repeatable. Commands find
        WEIR_SHARD=K/N and WEIR_ATTEMPT=N in their environment. With a plan, {#} is the number of
        the file in the whole plan; with -n, a shard groups its own files, and weir merge writes a
        group in the place of its first file. --halt ends a shard without a part; --resume
        continues it.
        """
    ).lifted(by: \.shardOptions),
    CommonOptions.section(jobs: "Number of commands at once", default: "cores")
      .lifted(by: \.commonOptions),
  ]
}

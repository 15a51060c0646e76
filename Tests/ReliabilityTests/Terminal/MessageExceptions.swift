// The messages that no row reaches, each with the reason.

enum MessageExceptions {
  private static let groups: [(reason: String, texts: [String])] = [
    (
      "a lack of threads, processes, memory or temporary space, or a libcrypto without a digest",
      [
        "cannot start: ", "no thread can be started: ", " can be started: ",
        "cannot compute ", "cannot compute digests: ",
      ]
    ),
    (
      "a change by another process at one moment of a run",
      [
        "changed while it was read", ": another attempt was first; this one is dropped",
        " is complete, the rest of the output is not",
      ]
    ),
    (
      "a signal at one moment of a run, or standard input on a terminal",
      [
        "a search cannot be continued; to begin again:",
        "; a second signal ends the process at once",
        " has the records so far; to continue:",
        "the results up to the first unfinished file are kept; to continue:",
        " is not done; to continue:",
        ": reading what you type; Ctrl-D ends the input, Ctrl-C cancels",
      ]
    ),
    (
      "parts and plans with valid checksums that contradict each other; their texts hold numbers "
        + "and names that are quoted at the place that all messages on parts share",
      [
        "a part has a malformed result of a check", " is not one of a check of this plan",
        " lines, and the manifests have ",
        " is not one of a search of this plan", "{\"format\":\"weir part\"",
        "a record is malformed", "the block at byte ", " differs from its checksum",
        "its end is malformed", " items, its end says ", "it answers ",
        "it has more files than its shard ", "it has other files than its shard ",
        "its first line has no end",
        "a record has no valid shard", "its totals differ", " more parts like these",
        ": has parts of a command that this weir cannot merge: ",
        "is a plan or a part, and --output would replace it",
      ]
    ),
    (
      "numbers and words of the program itself, and no foreign bytes",
      [
        "--algorithm takes at most ",
        "two launchers number this process: ",
      ]
    ),
    (
      "not reached yet: the name is quoted in the same expression",
      [
        "cannot read file names from ",
        "; mount their file system, or use -C DIR", "; the plan begins there; use -C DIR",
      ]
    ),
  ]

  /// The reasons by the longest literal of the message.
  static let all = Dictionary(
    groups.flatMap { group in group.texts.map { ($0, group.reason) } },
    uniquingKeysWith: { first, _ in first })
}

// The commands into which faults are injected.

import Glibc
import TestSupport

/// The way in which an output is judged if it differs from that of a run without a fault.
enum OutputShape: Sendable {
  /// Each line is about one file. A line may be missing if a message names its file.
  case lines
  /// Like `lines`, and a file that could not be read has a line that says so.
  case verdicts
  /// Like `lines`, with a total of the lines that are there.
  case counts
  /// Groups of names; a name may be missing if a message names its file.
  case groups
  /// A job log: a line for each command, at most once.
  case log
  /// All or nothing; on standard output a beginning.
  case whole
  /// A binary list: each name is there, or in a message.
  case names
  /// Numbers and sentences, which are others after an error.
  case report
  /// Depends on what the system reports: any text.
  case any
}

/// One command, and the rules for its end.
struct FaultScenario: Sendable {
  var name: String
  var arguments: [String]
  /// The name by which the tool is called; `weir` or a drop-in name.
  var program = "weir"
  /// The commands that make the initial state, each as arguments of weir.
  var setUp: [[String]] = []
  /// Files that are changed after these commands: the first `part` of the lines of `from`.
  var files: [(name: String, from: String, part: Double)] = []
  /// The file that is standard input.
  var input: String?
  var shape: OutputShape = .lines
  /// The output files, with the shape of each.
  var outputs: [String: OutputShape] = [:]
  /// Exit statuses after a fault.
  var failures: Set<Int32> = [2, 3]
  /// Files that a run that failed may leave, as the beginnings of their names.
  var kept: [String] = []
  /// The arguments of the run that goes on after a fault; `nil` for the same ones.
  var again: [String]?

  /// True if a run can be killed at any moment: each output is then the former one or whole, and
  /// `again` completes it.
  var survivesKills = false

  var isShard: Bool { name.hasPrefix("shard of ") }
}

extension FaultScenario {
  private static let plan = words("plan tree --shards 2 -o plan.out")
  private static let sizePlan = words("plan tree --shards 2 --by size-class -o plan.out")
  /// The manifest before an update, which is kept if no records describe it.
  static let former = "manifest.out.old"
  private static let companions = ["manifest.out.partial", "manifest.out.mtree"]

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  private static func shard(_ verb: String, _ number: Int, _ more: String = "") -> [String] {
    let options = "\(verb) --plan plan.out --shard \(number)/2 --out parts"
    let (before, after) = (options, more.isEmpty ? "" : " " + more)
    return words(before + after)
  }

  static let all =
    hashes + manifests + checks + years + counts + commands + shards + dropIns + others

  /// The commands that survive kills.
  static let killed = (all + formers).filter(\.survivesKills)

  private static let hashes: [FaultScenario] = [
    .init(name: "hash", arguments: words("hash tree")),
    .init(
      name: "hash of names",
      arguments: words("hash -a sha256,md5 -j 1 tree/alpha.txt tree/deep/delta.txt missing.txt")),
    .init(
      name: "hash of a list", arguments: words("hash --files-from list.txt -a blake3")
    ),
    .init(
      name: "hash of standard input", arguments: words("hash - --tag"),
      input: "tree/deep/delta.txt", shape: .whole),
    .init(name: "hash as JSON", arguments: words("hash --format json tree")),
    .init(name: "hash as mtree", arguments: words("hash --format mtree tree")),
    .init(
      name: "hash with a trace", arguments: words("hash --trace trace.out tree"),
      outputs: ["trace.out": .any]),
    .init(
      name: "hash with links",
      arguments: words("hash --follow --summary --verbose --exclude golf* links tree")),
  ]

  private static let manifests: [FaultScenario] = [
    .init(
      name: "hash -o", arguments: words("hash -o manifest.out tree"),
      outputs: ["manifest.out": .lines, "manifest.out.mtree": .lines], kept: companions,
      again: words("hash -o manifest.out --resume tree"), survivesKills: true),
    .init(
      name: "hash -o over a file",
      arguments: words("hash --replace -o manifest.out --format mtree tree"),
      setUp: [words("hash -o manifest.out tree")],
      outputs: ["manifest.out": .lines], kept: companions,
      again: words("hash --replace -o manifest.out --format mtree --resume tree"),
      survivesKills: true),
    .init(
      name: "hash -o --resume", arguments: words("hash -o manifest.out --resume tree"),
      setUp: [words("hash -o manifest.out tree")],
      files: [
        ("manifest.out.partial", "manifest.out.mtree", 0.7), ("manifest.out", "", 0),
        ("manifest.out.mtree", "", 0),
      ],
      outputs: ["manifest.out": .lines, "manifest.out.mtree": .lines], kept: companions),
    .init(
      name: "hash -o --update", arguments: words("hash -o manifest.out --update tree"),
      setUp: [words("hash -o manifest.out --exclude golf.txt --exclude delta.txt tree")],
      shape: .any,
      outputs: ["manifest.out": .lines, "manifest.out.mtree": .lines], kept: companions,
      again: words("hash -o manifest.out --update --resume tree"), survivesKills: true),
  ]

  /// Outputs in the place of former ones, and a run that continues two others.
  private static let formers: [FaultScenario] = [
    .init(
      name: "hash -o --update of mtree", arguments: words("hash -o manifest.out --update tree"),
      setUp: [words("hash -o manifest.out --format mtree --exclude golf.txt tree")], shape: .any,
      outputs: ["manifest.out": .lines, former: .lines], kept: companions,
      again: words("hash -o manifest.out --update --resume tree"), survivesKills: true),
    .init(
      name: "hash -o --update without records",
      arguments: words("hash -o manifest.out --update tree"),
      setUp: [words("hash -o manifest.out --exclude golf.txt tree")],
      files: [("manifest.out.mtree", "", 0)], shape: .any,
      outputs: ["manifest.out": .lines, "manifest.out.mtree": .lines, former: .lines],
      kept: companions, again: words("hash -o manifest.out --update --resume tree"),
      survivesKills: true),
    .init(
      name: "hash -o --resume of two runs", arguments: words("hash -o manifest.out --resume tree"),
      setUp: [words("hash -o manifest.out tree")],
      files: [
        ("manifest.out.partial", "manifest.out.mtree", 0.8),
        ("manifest.out.partial.next", "manifest.out.mtree", 0.6), ("manifest.out", "", 0),
        ("manifest.out.mtree", "", 0),
      ],
      outputs: ["manifest.out": .lines, "manifest.out.mtree": .lines], kept: companions,
      survivesKills: true),
    .init(
      name: "merge -o over a file",
      arguments: words("merge --plan plan.out --replace -o all.out parts"),
      setUp: [
        plan, shard("hash", 0), shard("hash", 1), words("merge --plan plan.out -o all.out parts"),
      ],
      files: [("all.out", "all.out", 0.5)], shape: .whole, outputs: ["all.out": .whole],
      survivesKills: true),
  ]

  private static let checks: [FaultScenario] = [
    .init(
      name: "check", arguments: words("check manifest.sums"),
      setUp: [words("hash -o manifest.sums tree")], shape: .verdicts, failures: [1, 2, 3]),
    .init(
      name: "check from a pipe", arguments: words("check --quiet -j 1"),
      setUp: [words("hash -o manifest.sums tree")], input: "manifest.sums", shape: .verdicts,
      failures: [1, 2, 3]),
    .init(
      name: "check of mtree", arguments: words("check manifest.sums"),
      setUp: [words("hash --format mtree -o manifest.sums tree links")], shape: .verdicts,
      failures: [1, 2, 3]),
    .init(
      name: "check --audit", arguments: words("check --audit tree manifest.sums -C ."),
      setUp: [words("hash -o manifest.sums --exclude golf.txt tree")],
      shape: .verdicts, failures: [1, 2, 3, 4]),
    .init(
      name: "check as JSON", arguments: words("check --format json manifest.sums"),
      setUp: [words("hash -a blake3 -o manifest.sums tree")], shape: .verdicts,
      failures: [1, 2, 3]),
  ]

  private static let years: [FaultScenario] = [
    .init(
      name: "compare", arguments: words("compare former.sums manifest.sums"),
      setUp: [
        words("hash -o former.sums --exclude golf.txt tree"), words("hash -o manifest.sums tree"),
      ], shape: .whole, failures: [2]),
    .init(
      name: "compare --read", arguments: words("compare --read tree links"), shape: .any,
      failures: [2]),
    .init(
      name: "check --state", arguments: words("check --state state.out manifest.sums"),
      setUp: [words("hash -o manifest.sums tree")], shape: .verdicts,
      outputs: ["state.out": .any], failures: [1, 2, 3]),
    .init(
      name: "duplicates --known", arguments: words("duplicates --known manifest.sums tree"),
      setUp: [words("hash -o manifest.sums --exclude golf.txt tree")], shape: .groups),
    .init(
      name: "hash with a report", arguments: words("hash --report r.out --metrics m.out tree"),
      outputs: ["r.out": .any, "m.out": .any]),
  ]

  private static let counts: [FaultScenario] = [
    .init(name: "count", arguments: words("count tree"), shape: .counts),
    .init(
      name: "count of a list", arguments: words("count -lc --files0-from list.nul"),
      shape: .counts),
    .init(name: "duplicates", arguments: words("duplicates tree"), shape: .groups),
    .init(
      name: "duplicates --verify",
      arguments: words("duplicates --verify --min-size 0 tree"), shape: .groups),
  ]

  private static let commands: [FaultScenario] = [
    .init(name: "run", arguments: words("run each -- cat {}"), failures: [1, 2, 3]),
    .init(
      name: "run -n --unordered",
      arguments: words("run -n 3 -j 1 --unordered --files-from each.txt -- cat"),
      failures: [1, 2, 3]),
    .init(
      name: "run --ungroup", arguments: words("run --ungroup -j 1 each -- cat {}"),
      failures: [1, 2, 3]),
    .init(
      name: "run --joblog", arguments: words("run --joblog log.out each -- cat {}"),
      outputs: ["log.out": .log], failures: [1, 2, 3], kept: ["log.out"],
      again: words("run --joblog log.out --resume-failed each -- cat {}"), survivesKills: true),
    .init(
      name: "run --resume", arguments: words("run --joblog log.out --resume each -- cat {}"),
      setUp: [words("run -j 1 --joblog log.out each -- cat {}")],
      files: [("log.out", "log.out", 0.5)],
      outputs: ["log.out": .log], failures: [1, 2, 3], kept: ["log.out"],
      again: words("run --joblog log.out --resume-failed each -- cat {}")),
    .init(
      name: "run --timeout --retries",
      arguments: words("run --timeout 30 --retries 1 --format json each -- true {}"),
      shape: .any, failures: [1, 2, 3]),
  ]

  private static let shards: [FaultScenario] = [
    .init(
      name: "plan", arguments: plan, shape: .report, outputs: ["plan.out": .names],
      survivesKills: true),
    .init(
      name: "shard of hash", arguments: shard("hash", 0),
      setUp: [plan, shard("hash", 1)],
      shape: .whole, outputs: ["parts/shard-00000-of-00002.part": .any],
      kept: ["parts/"], again: shard("hash", 0, "--resume"), survivesKills: true),
    .init(
      name: "shard of run", arguments: shard("run", 1, "-- cat {}"),
      setUp: [words("plan each --shards 2 -o plan.out"), shard("run", 0, "-- cat {}")],
      shape: .whole, outputs: ["parts/shard-00001-of-00002.part": .any], failures: [1, 2, 3],
      kept: ["parts/"], again: shard("run", 1, "--resume -- cat {}")),
    .init(
      name: "shard of duplicates", arguments: shard("duplicates", 1),
      setUp: [sizePlan, shard("duplicates", 0)], shape: .whole,
      outputs: ["parts/shard-00001-of-00002.part": .any],
      kept: ["parts/"]),
    .init(
      name: "merge", arguments: words("merge --plan plan.out parts"),
      setUp: [plan, shard("hash", 0), shard("hash", 1)], failures: [2, 3, 4, 5]),
    .init(
      name: "merge -o", arguments: words("merge --plan plan.out -o all.out parts"),
      setUp: [plan, shard("count", 0), shard("count", 1)], shape: .whole,
      outputs: ["all.out": .whole], failures: [2, 3, 4, 5]),
    .init(
      name: "status", arguments: words("status --plan plan.out parts"),
      setUp: [plan, shard("hash", 0), shard("hash", 1)], shape: .report, failures: [2, 3, 4, 5]),
  ]

  private static let dropIns: [FaultScenario] = [
    .init(
      name: "sha256sum",
      arguments: words("tree/alpha.txt tree/deep/delta.txt tree/golf.txt"), program: "sha256sum",
      failures: [1]),
    .init(
      name: "sha256sum -c", arguments: words("-c manifest.sums"),
      program: "sha256sum", setUp: [words("hash -o manifest.sums tree")], shape: .verdicts,
      failures: [1]),
    .init(
      name: "wc", arguments: words("tree/alpha.txt tree/deep/delta.txt"),
      program: "wc", shape: .counts, failures: [1]),
    .init(
      name: "cksum", arguments: [], program: "cksum",
      input: "tree/deep/delta.txt", shape: .whole, failures: [1]),
  ]

  private static let others: [FaultScenario] = [
    .init(name: "limits", arguments: words("limits tree"), shape: .any),
    .init(
      name: "completions", arguments: words("--generate-completion-script bash"),
      shape: .whole),
    .init(name: "help", arguments: words("help hash"), shape: .whole),
  ]
}

// The commands into which faults are injected.

import Glibc
import TestSupport

/// The way in which an output is judged if it differs from that of a run without a fault.
enum OutputShape: String, Sendable {
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

  init(named word: String) {
    guard let shape = OutputShape(rawValue: word) else { preconditionFailure("no shape \(word)") }
    self = shape
  }
}

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
  var failures: Set<Int32> = [2, 3]
  /// Files that a run that failed may leave, as the beginnings of their names.
  var kept: [String] = []
  /// The arguments of the run that goes on after a fault; `nil` for the same ones.
  var again: [String]?

  /// True if a run can be killed at any moment: each output is then the former one or whole, and
  /// `again` completes it.
  var survivesKills = false
  /// True if only kills are tried.
  var isKilledOnly = false

  var isShard: Bool { name.hasPrefix("shard of ") }
}

extension FaultScenario {
  /// The manifest before an update, which is kept if no records describe it.
  static let former = "manifest.out.old"

  /// The scenarios of all faults.
  static let all = scenarios.filter { !$0.isKilledOnly }

  static let killed = scenarios.filter(\.survivesKills)

  /// Reads the rules of a scenario: `KEY WORD...`, separated by semicolons.
  private mutating func take(_ rules: Substring) {
    for rule in rules.split(separator: "; ") {
      let all = rule.split(separator: " ").map(String.init)
      let words = Array(all.dropFirst())
      switch all[0] {
      case "after": setUp.append(words)
      case "then": again = words
      case "cut": files.append((words[0], words[1], Double(words[2]) ?? 0))
      case "remove": for word in words { files.append((word, "", 0)) }
      case "input": input = words[0]
      case "program": program = words[0]
      case "shape": shape = OutputShape(named: words[0])
      case "status": failures = Set(words.compactMap { Int32($0) })
      case "keeps": kept += words
      case "kills": (survivesKills, isKilledOnly) = (true, words == ["only"])
      default: for name in words { outputs[name] = OutputShape(named: all[0]) }
      }
    }
  }

  /// A line `NAME: WORD...` is a command, and those after it, which are indented, are its rules: the
  /// commands before it (`after`), the run that goes on after a fault (`then`), files that are cut to a
  /// part of the lines of another one, statuses after a fault, and the output files by their shapes.
  private static let scenarios: [FaultScenario] = """
    hash: hash tree
    hash of names: hash -a sha256,md5 -j 1 tree/alpha.txt tree/deep/delta.txt missing.txt
    hash of a list: hash --files-from list.txt -a blake3
    hash of standard input: hash - --tag
      input tree/deep/delta.txt; shape whole
    hash as JSON: hash --format json tree
    hash as mtree: hash --format mtree tree
    hash with a trace: hash --trace trace.out tree
      any trace.out
    hash with links: hash --follow --summary --verbose --exclude golf* links tree
    hash with a report: hash --report r.out --metrics m.out tree
      any r.out m.out
    hash -o: hash -o manifest.out tree
      lines manifest.out manifest.out.mtree; keeps manifest.out.partial manifest.out.mtree
      then hash -o manifest.out --resume tree; kills
    hash -o over a file: hash --replace -o manifest.out --format mtree tree
      after hash -o manifest.out tree; lines manifest.out; keeps manifest.out.partial manifest.out.mtree
      then hash --replace -o manifest.out --format mtree --resume tree; kills
    hash -o --resume: hash -o manifest.out --resume tree
      after hash -o manifest.out tree; cut manifest.out.partial manifest.out.mtree 0.7
      remove manifest.out manifest.out.mtree; lines manifest.out manifest.out.mtree
      keeps manifest.out.partial manifest.out.mtree
    hash -o --resume of two runs: hash -o manifest.out --resume tree
      after hash -o manifest.out tree; cut manifest.out.partial manifest.out.mtree 0.8
      cut manifest.out.partial.next manifest.out.mtree 0.6; remove manifest.out manifest.out.mtree
      lines manifest.out manifest.out.mtree; keeps manifest.out.partial manifest.out.mtree; kills only
    hash -o --update: hash -o manifest.out --update tree
      after hash -o manifest.out --exclude golf.txt --exclude delta.txt tree; shape any
      lines manifest.out manifest.out.mtree; keeps manifest.out.partial manifest.out.mtree
      then hash -o manifest.out --update --resume tree; kills
    hash -o --update of mtree: hash -o manifest.out --update tree
      after hash -o manifest.out --format mtree --exclude golf.txt tree; shape any
      lines manifest.out manifest.out.old; keeps manifest.out.partial manifest.out.mtree
      then hash -o manifest.out --update --resume tree; kills only
    hash -o --update without records: hash -o manifest.out --update tree
      after hash -o manifest.out --exclude golf.txt tree; remove manifest.out.mtree; shape any
      lines manifest.out manifest.out.mtree manifest.out.old; keeps manifest.out.partial manifest.out.mtree
      then hash -o manifest.out --update --resume tree; kills only
    check: check manifest.sums
      after hash -o manifest.sums tree; shape verdicts; status 1 2 3
    check from a pipe: check --quiet -j 1
      after hash -o manifest.sums tree; input manifest.sums; shape verdicts; status 1 2 3
    check of mtree: check manifest.sums
      after hash --format mtree -o manifest.sums tree links; shape verdicts; status 1 2 3
    check --audit: check --audit tree manifest.sums -C .
      after hash -o manifest.sums --exclude golf.txt tree; shape verdicts; status 1 2 3 4
    check as JSON: check --format json manifest.sums
      after hash -a blake3 -o manifest.sums tree; shape verdicts; status 1 2 3
    check --state: check --state state.out manifest.sums
      after hash -o manifest.sums tree; shape verdicts; any state.out; status 1 2 3
    compare: compare former.sums manifest.sums
      after hash -o former.sums --exclude golf.txt tree; after hash -o manifest.sums tree; shape whole; status 2
    compare --read: compare --read tree links
      shape any; status 2
    count: count tree
      shape counts
    count of a list: count -lc --files0-from list.nul
      shape counts
    duplicates: duplicates tree
      shape groups
    duplicates --verify: duplicates --verify --min-size 0 tree
      shape groups
    duplicates --known: duplicates --known manifest.sums tree
      after hash -o manifest.sums --exclude golf.txt tree; shape groups
    run: run each -- cat {}
      status 1 2 3
    run -n --unordered: run -n 3 -j 1 --unordered --files-from each.txt -- cat
      status 1 2 3
    run --ungroup: run --ungroup -j 1 each -- cat {}
      status 1 2 3
    run --joblog: run --joblog log.out each -- cat {}
      log log.out; status 1 2 3; keeps log.out; then run --joblog log.out --resume-failed each -- cat {}; kills
    run --resume: run --joblog log.out --resume each -- cat {}
      after run -j 1 --joblog log.out each -- cat {}; cut log.out log.out 0.5; log log.out; status 1 2 3
      keeps log.out; then run --joblog log.out --resume-failed each -- cat {}
    run --timeout --retries: run --timeout 30 --retries 1 --format json each -- true {}
      shape any; status 1 2 3
    plan: plan tree --shards 2 -o plan.out
      shape report; names plan.out; kills
    shard of hash: hash --plan plan.out --shard 0/2 --out parts
      after plan tree --shards 2 -o plan.out; after hash --plan plan.out --shard 1/2 --out parts; shape whole
      any parts/shard-00000-of-00002.part; keeps parts/
      then hash --plan plan.out --shard 0/2 --out parts --resume; kills
    shard of run: run --plan plan.out --shard 1/2 --out parts -- cat {}
      after plan each --shards 2 -o plan.out; after run --plan plan.out --shard 0/2 --out parts -- cat {}
      shape whole; any parts/shard-00001-of-00002.part; status 1 2 3; keeps parts/
      then run --plan plan.out --shard 1/2 --out parts --resume -- cat {}
    shard of duplicates: duplicates --plan plan.out --shard 1/2 --out parts
      after plan tree --shards 2 --by size-class -o plan.out
      after duplicates --plan plan.out --shard 0/2 --out parts
      shape whole; any parts/shard-00001-of-00002.part; keeps parts/
    merge: merge --plan plan.out parts
      after plan tree --shards 2 -o plan.out; after hash --plan plan.out --shard 0/2 --out parts
      after hash --plan plan.out --shard 1/2 --out parts; status 2 3 4 5
    merge -o: merge --plan plan.out -o all.out parts
      after plan tree --shards 2 -o plan.out; after count --plan plan.out --shard 0/2 --out parts
      after count --plan plan.out --shard 1/2 --out parts; shape whole; whole all.out; status 2 3 4 5
    merge -o over a file: merge --plan plan.out --replace -o all.out parts
      after plan tree --shards 2 -o plan.out; after hash --plan plan.out --shard 0/2 --out parts
      after hash --plan plan.out --shard 1/2 --out parts; after merge --plan plan.out -o all.out parts
      cut all.out all.out 0.5; shape whole; whole all.out; kills only
    status: status --plan plan.out parts
      after plan tree --shards 2 -o plan.out; after hash --plan plan.out --shard 0/2 --out parts
      after hash --plan plan.out --shard 1/2 --out parts; shape report; status 2 3 4 5
    sha256sum: tree/alpha.txt tree/deep/delta.txt tree/golf.txt
      program sha256sum; status 1
    sha256sum -c: -c manifest.sums
      program sha256sum; after hash -o manifest.sums tree; shape verdicts; status 1
    wc: tree/alpha.txt tree/deep/delta.txt
      program wc; shape counts; status 1
    cksum:
      program cksum; input tree/deep/delta.txt; shape whole; status 1
    limits: limits tree
      shape any
    completions: --generate-completion-script bash
      shape whole
    help: help hash
      shape whole
    """.split(separator: "\n").reduce(into: []) { scenarios, line in
      if line.hasPrefix(" ") { return scenarios[scenarios.count - 1].take(line.drop { $0 == " " }) }
      let name = line.prefix { $0 != ":" }
      let words = line.dropFirst(name.count + 1).split(separator: " ").map(String.init)
      scenarios.append(FaultScenario(name: String(name), arguments: words))
    }
}

// weir submit: the scripts, run with stubs of the engines.

import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(5)))
struct SubmitTests {
  private static let scripts = ["--slurm", "--parallel", "--aws-batch", "--pbs", "--lsf"]
  private static let shells = ["sh", "bash"].filter(isInstalled)

  private func text(_ word: [UInt8]) -> String { String(decoding: word, as: UTF8.self) }

  /// The image that containers need.
  private func image(_ engine: String) -> [String] {
    ["--aws-batch", "--kubernetes"].contains(engine) ? ["--image", "registry/weir:1"] : []
  }

  /// Returns the calls of a program, as text.
  private func calls(_ calls: [[[UInt8]]], of program: String) -> [[String]] {
    calls.map { $0.map(text) }.filter { $0.first == program }
  }

  // MARK: Names

  /// The words that all shells must pass on: each is one word, whatever is in it.
  private static let nasty = [
    "a b", "it's", "\"", "$(touch x)", "`touch x`", "\\", "\n", "#", "*", "é\u{1}", "{}", "{/}",
    "{#}", "{= $_ =}", "{1}", "%A", "~", "-x", "", "a=b", ";", "&", "!", "\u{1B}[1m", "{", "}",
    // A mark joins the character before it to another one, for Swift and not for a shell.
    "\u{344}", "'\u{344}", "a'\u{301}b", "{\u{301}}", "$\u{301}(x)", "\"\u{301}", "\\\u{301}",
  ].map { Array($0.utf8) }

  @Test("words with any bytes reach weir through the shell", arguments: scripts)
  func nastyWords(engine: String) async throws {
    // A container cannot have bytes that are no text.
    let last = engine == "--aws-batch" ? [] : [[0x66, 0xFF, 0x80] as [UInt8]]
    let plan = Array("p '\"$(x)\n{} é%a$\u{301}.plan".utf8)
    let parts = Array("d `x` {#} \\ 'x'\u{301}".utf8)
    let stage = try SubmitStage(shards: 3, plan: plan, parts: parts)
    let words = words("run", "-n", "2", "--", "echo") + Self.nasty + last
    let result = try await stage.submit([engine, "-o", "m 'a\"s"] + image(engine), words)
    result.expectSilence()
    for shell in Self.shells {
      let found = try await stage.calls(of: result.output, by: shell)
      try check(found, stage, engine, Array(words.dropFirst()), [0, 1, 2], of: 3)
      // The merge of AWS Batch is a comment.
      let merge = found.filter { $0.prefix(2) == TestSupport.words("weir", "merge")[...] }
      #expect(merge.count == (engine == "--aws-batch" ? 0 : 1))
      for call in merge {
        let own = [Array("--plan".utf8), stage.absolute(plan), Array("-o".utf8)]
        let rest = [stage.absolute(Array("m 'a\"s".utf8)), stage.absolute(parts)]
        #expect(Array(call.dropFirst(2)) == own + rest)
      }
    }
  }

  @Test("words by chance reach weir through the shell", arguments: scripts)
  func chance(engine: String) async throws {
    var random = SeededGenerator(for: "submit \(engine)")
    for _ in 0..<8 {
      let stage = try SubmitStage(shards: 2, plan: random.name(), parts: [0x64] + random.name())
      let names = (0..<4).map { _ in random.name() }
        .filter { engine != "--aws-batch" || String(validating: $0, as: UTF8.self) != nil }
      let words = words("run", "--", "echo") + names
      let result = try await stage.submit([engine] + image(engine), words)
      // The parser of arguments takes `=` and a combining mark after it for one character.
      if result.status == 2 && result.errorText.contains("unknown option '--p") { continue }
      if engine == "--aws-batch" && result.status == 2 {
        #expect(result.errorText.contains("not UTF-8"))
        continue
      }
      result.expectSilence()
      let found = try await stage.calls(of: result.output, by: "sh")
      try check(found, stage, engine, Array(words.dropFirst()), [0, 1], of: 2)
    }
  }

  /// Expects that exactly these shards are run, by the launcher's own variables.
  private func check(
    _ calls: [[[UInt8]]], _ stage: SubmitStage, _ engine: String, _ words: [[UInt8]],
    _ expected: [Int], of shards: Int, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var tasks: [(environment: [String: String], words: [[UInt8]])] = []
    // An engine is followed by the weir that it runs.
    var engines: [[String]] = []
    for call in calls {
      let isTask = call[0] == Array("weir".utf8) && call[1] != Array("merge".utf8)
      if !isTask {
        engines.append(call.map(text))
        continue
      }
      let launch = engine == "--parallel" ? [] : try #require(engines.last)
      for environment in environments(launch) { tasks.append((environment, call)) }
    }
    if engine == "--aws-batch" { tasks = try awsTasks(engines, shards) }
    var found: [Int] = []
    for task in tasks {
      let at = try #require(task.words.firstIndex(of: Array("--shard".utf8)))
      let base = task.words.firstIndex(of: Array("--index-base".utf8))
        .flatMap { Int(text(task.words[$0 + 1])) }
      let choice = try Launcher.choose(
        argument: text(task.words[at + 1]), by: nil, indexBase: base, shards: shards,
        environment: task.environment)
      found.append(choice.index)
      // The words before and after the shard.
      let plan = task.words.firstIndex(of: Array("--plan".utf8)).map { task.words[$0 + 1] }
      let out = task.words.firstIndex(of: Array("--out".utf8)).map { task.words[$0 + 1] }
      #expect(plan == stage.absolute(stage.plan), sourceLocation: location)
      #expect(out == stage.absolute(stage.parts), sourceLocation: location)
      #expect(Array(task.words.suffix(words.count)) == words, sourceLocation: location)
      #expect(task.words.contains(Array("--resume".utf8)), sourceLocation: location)
    }
    #expect(found == expected, sourceLocation: location)
  }

  /// Returns the environments in which an engine starts the tasks of a call.
  private func environments(_ call: [String]) -> [[String: String]] {
    func value(after option: String) -> String? {
      call.firstIndex(of: option).map { call[$0 + 1] }
    }
    func indexes(_ list: Substring) -> [Int] {
      list.split(separator: "%")[0].split(separator: ",").flatMap { range -> [Int] in
        let ends = range.split(separator: "-").compactMap { Int($0) }
        return Array((ends.first ?? 0)...(ends.last ?? 0))
      }
    }
    switch call.first {
    case "sbatch":
      let list = call.first { $0.hasPrefix("--array=") }?.dropFirst(8) ?? ""
      return indexes(list).map { ["SLURM_ARRAY_TASK_ID": "\($0)", "SLURM_PROCID": "0"] }
    case "qsub":
      if let shard = value(after: "-v") { return [["WEIR_SHARD": String(shard.dropFirst(11))]] }
      return indexes(value(after: "-J")?[...] ?? "").map { ["PBS_ARRAY_INDEX": "\($0)"] }
    case "bsub":
      let list = value(after: "-J")?.split { "[]".contains($0) }.dropFirst().first ?? ""
      return indexes(list).map { ["LSB_JOBINDEX": "\($0)"] }
    default: return [[:]]
    }
  }

  /// Returns the tasks of AWS Batch: the command of the definition in each environment.
  private func awsTasks(
    _ calls: [[String]], _ shards: Int
  ) throws -> [(environment: [String: String], words: [[UInt8]])] {
    let definition = try #require(
      calls.first { $0.dropFirst(2).first == "register-job-definition" })
    let at = try #require(definition.firstIndex(of: "--container-properties"))
    let object = try JSONSerialization.jsonObject(with: Data(definition[at + 1].utf8))
    let properties = try #require(object as? [String: Any])
    let command = try #require(properties["command"] as? [String]).map { Array($0.utf8) }
    #expect(properties["image"] as? String == "registry/weir:1")
    for volume in try #require(properties["volumes"] as? [[String: Any]]) {
      let system = volume["efsVolumeConfiguration"] as? [String: Any]
      #expect(system?["fileSystemId"] as? String == "fs-00000000")
    }
    let retries = try #require(definition.firstIndex(of: "--retry-strategy"))
    _ = try JSONSerialization.jsonObject(with: Data(definition[retries + 1].utf8))
    var tasks: [(environment: [String: String], words: [[UInt8]])] = []
    for call in calls where call.dropFirst(2).first == "submit-job" {
      if let at = call.firstIndex(of: "--array-properties") {
        let size = Int(call[at + 1].dropFirst(5)) ?? 0
        for index in 0..<size {
          tasks.append(
            (
              [
                "AWS_BATCH_JOB_ARRAY_INDEX": "\(index)", "AWS_BATCH_JOB_ARRAY_SIZE": "\(size)",
              ], command
            ))
        }
      } else {
        let at = try #require(call.firstIndex(of: "--container-overrides"))
        let object = try JSONSerialization.jsonObject(with: Data(call[at + 1].utf8))
        let list = (object as? [String: [[String: String]]])?["environment"]?.first
        tasks.append((["WEIR_SHARD": list?["value"] ?? ""], command))
      }
    }
    return tasks
  }

  // MARK: Shards

  @Test(
    "with --missing, only the shards without a part; the launcher means the same ones",
    arguments: scripts)
  func missing(engine: String) async throws {
    let stage = try SubmitStage(shards: 6)
    for shard in [0, 2, 3] { try stage.makePart(shard, of: 6) }
    try stage.makePart(1, of: 64)  // of another plan
    for options in [["-o", "M"], []] {
      let result = try await stage.submit([engine, "--missing"] + options + image(engine))
      result.expectSilence()
      for shell in Self.shells {
        let found = try await stage.calls(of: result.output, by: shell)
        try check(found, stage, engine, [], [1, 4, 5], of: 6)
        let list: [String]
        switch engine {
        case "--slurm": list = ["--array=1,4-5"]
        case "--pbs": list = ["WEIR_SHARD=1/6", "4-5"]
        case "--lsf": list = ["weir-hash[2,5-6]"]
        default: list = []
        }
        let all = found.flatMap { $0 }.map(text)
        #expect(list.allSatisfy { all.contains($0) }, "\(all)")
        let merges = calls(found, of: "weir").filter { $0[1] == "merge" }
        #expect(merges.count == (options.isEmpty || engine == "--aws-batch" ? 0 : 1))
        #expect(result.outputText.contains("# 3 of 6 shards (1,4-5) of"))
      }
    }
    for shard in [1, 4, 5] { try stage.makePart(shard, of: 6) }
    let result = try await stage.submit([engine, "--missing", "-o", "M"] + image(engine))
    result.expectSilence()
    let found = try await stage.calls(of: result.output, by: "sh")
    #expect(found.map { $0.map(text).prefix(2) } == [["weir", "merge"]])
  }

  @Test("all shards, also of plans with one shard or many", arguments: scripts)
  func counts(engine: String) async throws {
    for shards in [1, 2, 13] {
      let stage = try SubmitStage(shards: shards)
      let result = try await stage.submit([engine] + image(engine), words("count", "-l"))
      result.expectSilence()
      let found = try await stage.calls(of: result.output, by: "sh")
      try check(found, stage, engine, words("-l"), Array(0..<shards), of: shards)
    }
  }

  @Test("the merge of Slurm and PBS waits for any end, that of LSF for all arrays")
  func dependencies() async throws {
    let stage = try SubmitStage(shards: 6)
    try stage.makePart(2, of: 6)
    for (engine, program, option) in [
      ("--slurm", "sbatch", "--dependency=afterany:20"),
      ("--pbs", "qsub", "depend=afterany:20[].server:20[].server"), ("--lsf", "bsub", "ended(20)"),
    ] {
      let result = try await stage.submit([engine, "--missing", "-o", "M", "--concurrent", "2"])
      result.expectSilence()
      let found = try await stage.calls(of: result.output, by: "sh")
      let jobs = calls(found, of: program)
      #expect(jobs.last?.contains(option) == true, "\(jobs)")
      #expect(jobs.dropLast().allSatisfy { $0.contains { $0.hasSuffix("%2") } }, "\(jobs)")
    }
  }

  @Test("LSF gets lists of at most 255 bytes")
  func longLists() throws {
    let odd = (0..<500).map { 2 * $0 + 1 }
    let text = try submission(shards: 1000, chosen: odd).text(for: .lsf)
    let names = text.matches(of: #/-J '(weir-count\[([^\]]*)\]%8)'/#)
    #expect(names.count > 1 && names.allSatisfy { $0.1.utf8.count <= 255 })
    let all = names.flatMap { $0.2.split(separator: ",") }.compactMap { Int($0) }
    #expect(all == odd.map { $0 + 1 })
  }

  @Test("above 1000 shards, Slurm and LSF are told the limit of arrays")
  func limits() throws {
    for (engine, word) in [(SubmitEngine.slurm, "MaxArraySize"), (.lsf, "MAX_JOB_ARRAY_SIZE")] {
      for shards in [1000, 1001] {
        let text = try submission(shards: shards).text(for: engine)
        #expect(text.contains(word) == (shards > 1000))
      }
    }
    let text = try submission(shards: 10_001).text(for: .awsBatch)
    #expect(text.contains("an array has 2 to 10000 children") && !text.contains("array-properties"))
  }

  private func submission(shards: Int, chosen: [Int]? = nil) -> Submission {
    Submission(
      verb: "count", words: ["-l"], plan: "/srv/plan", directory: "/srv/parts",
      output: "/srv/counts", root: "/srv/data", shards: shards,
      chosen: chosen ?? Array(0..<shards), concurrent: 8, hosts: ["a", "b"],
      image: "registry/weir:1", here: "/srv")
  }

  // MARK: Texts

  @Test("the text for an engine", arguments: SubmitEngine.allCases)
  func golden(engine: SubmitEngine) async throws {
    let text = try submission(shards: 64).text(for: engine)
    #expect(text == SubmitTexts.all[engine])
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 || !$0.hasPrefix("#") })
    guard engine != .kubernetes else { return }
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "script")
    for shell in Self.shells {
      try await other(shell, words("-n", "script"), in: directory).run().expectSilence()
    }
  }

  @Test("the job of Kubernetes is YAML with the words and volumes")
  func yaml() async throws {
    let plan = Array("p '\"$(x)\n{} é%a\u{85}.plan".utf8)
    let stage = try SubmitStage(shards: 6, plan: plan)
    let nasty =
      Self.nasty
      + words("$$", "$(JOB_COMPLETION_INDEX)", "$$\u{301}", "yes", "1", "null", "\u{FEFF}")
    let result = try await stage.submit(
      ["--kubernetes", "--image", "registry/weir:1", "--concurrent", "2"],
      words("run", "--", "echo") + nasty)
    result.expectSilence()
    let job = try #require(try BlockYAML.value(of: result.output) as? [String: Any])
    let spec = try #require(job["spec"] as? [String: Any])
    #expect(spec["completionMode"] as? String == "Indexed")
    #expect(spec["completions"] as? Int == 6 && spec["parallelism"] as? Int == 2)
    #expect(spec["backoffLimitPerIndex"] as? Int == 3)
    let template = try #require(spec["template"] as? [String: Any])
    let pod = try #require(template["spec"] as? [String: Any])
    #expect(pod["restartPolicy"] as? String == "Never")
    let container = try #require((pod["containers"] as? [[String: Any]])?.first)
    // Kubernetes makes $ of $$.
    let command = try #require(container["command"] as? [String]).map {
      Array($0.utf8).split(separator: Array("$$".utf8), omittingEmptySubsequences: false)
        .map { text(Array($0)) }.joined(separator: "$")
    }
    let begin = ["weir", "run", "--plan", text(stage.absolute(plan)), "--shard", "auto", "--out"]
    let end = ["--resume", "--", "echo"] + nasty.map(text)
    #expect(command == begin + [text(stage.absolute(stage.parts))] + end)
    let mounts = try #require(container["volumeMounts"] as? [[String: String]])
    let volumes = try #require(pod["volumes"] as? [[String: Any]])
    #expect(mounts.map { $0["mountPath"] } == ["/srv/data", text(stage.directory.path)])
    #expect(volumes.compactMap { $0["name"] as? String } == mounts.compactMap { $0["name"] })
  }

  @Test("a container gets each directory once")
  func mounts() throws {
    for (root, plan, parts, expected) in [
      ("/srv/data", "/srv/p", "/srv/parts", ["/srv"]),
      ("/srv/data", "/srv/data/p", "/srv/data/parts", ["/srv/data"]),
      (
        "/srv/data", "/srv/database/p", "/net/parts/", ["/srv/data", "/srv/database", "/net/parts"]
      ),
      ("/srv/a", "/srv/a/\u{301}x/p", "/srv/a", ["/srv/a"]),
      ("/srv/data", "/p", "/net", nil), ("/", "/srv/p", "/net", nil),
    ] as [(String, String, String, [String]?)] {
      let submission = Submission(
        verb: "hash", words: [], plan: plan, directory: parts, output: nil, root: root,
        shards: 1, chosen: [0], here: "/")
      #expect((try? submission.mounts()) == expected)
    }
  }

  // MARK: Errors

  @Test(
    "a usage error ends with 2 and prints nothing",
    arguments: [
      (
        "--plan P --out D --dry-run -- hash",
        "no engine is given; use --slurm, --parallel, --kubernetes, --aws-batch, --pbs or --lsf"
      ),
      ("--slurm --pbs --dry-run -- hash", "--slurm cannot be combined with --pbs"),
      ("--slurm --plan P --out D -- hash", "submit only prints; add --dry-run"),
      ("--slurm --out D --dry-run -- hash", "no plan is given; use --plan FILE"),
      ("--slurm --plan P --dry-run -- hash", "no directory of parts is given; use --out DIR"),
      (
        "--slurm --plan P --out D --dry-run",
        "no verb is given; use weir submit ... -- hash, or another one"
      ),
      (
        "--slurm --plan P --out D --dry-run -- hsah",
        "the verb of a shard is hash, check, count, duplicates or run, not hsah "
          + "(did you mean hash?)"
      ),
      (
        "--slurm --plan P --out D --dry-run -- limits",
        "the verb of a shard is hash, check, count, duplicates or run, not limits"
      ),
      (
        "--slurm --plan P --out D --dry-run hash",
        "unexpected operand hash; the verb and its options come after --"
      ),
      (
        "--slurm --plan P --out D --dry-run -- hash --sumary",
        "unknown option --sumary (did you mean --summary?)"
      ),
      (
        "--slurm --plan P --out D --dry-run -- hash --shard=1/2",
        "--shard comes from weir submit, and not from the words after --"
      ),
      ("--slurm --hosts a --dry-run -- hash", "--hosts needs --parallel"),
      (
        "--parallel --plan P --out D --hosts a,,b --dry-run -- hash",
        "--hosts takes names such as a,b, not a,,b"
      ),
      ("--pbs --image x --dry-run -- hash", "--image needs --kubernetes or --aws-batch"),
      (
        "--kubernetes --dry-run -- hash",
        "--kubernetes needs --image NAME, an image that contains weir"
      ),
      (
        "--aws-batch --image x --concurrent 3 --dry-run -- hash",
        "--concurrent does not apply to --aws-batch; the compute environment of the queue "
          + "limits the jobs"
      ),
    ])
  func errors(line: String, message: String) async throws {
    let stage = try SubmitStage(shards: 6, plan: Array("P".utf8), parts: Array("D".utf8))
    let words = ["submit"] + line.split(separator: " ").map(String.init)
    let result = try await weir(words.map { Array($0.utf8) }, in: stage.directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText == "weir: \(message); see weir submit --help\n")
  }

  @Test("a plan or a directory that cannot be read is an error with 2")
  func unreadable() async throws {
    let stage = try SubmitStage(shards: 6)
    for (line, message) in [
      ("--plan none --out parts", "none: No such file or directory"),
      ("--plan script --out parts", "script: is not a plan of weir"),
      ("--plan set.plan --out script --missing", "script: Not a directory"),
    ] {
      try stage.directory.write("#!/bin/sh\n", to: "script")
      let options = line.split(separator: " ").map { Array($0.utf8) }
      let result = try await weir(
        words("submit", "--slurm") + options + words("--dry-run", "--", "hash"),
        in: stage.directory
      ).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message)\n")
    }
  }
}

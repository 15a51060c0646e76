// Faults after which a verb once did something wrong, each by itself.

import Glibc
import TestSupport
import Testing

/// A fault that found a defect, and the end that the run has now.
struct FoundFault: Sendable, CustomTestStringConvertible {
  let row: Substring
  let scenario: String
  let fault: Fault
  let status: Int32
  /// The words that a message has to contain, and those that none may contain.
  let says, neverSays: Substring
  let neverPrints: Substring

  var testDescription: String { String(row) }

  private static let errors = [
    "EINTR": EINTR, "EIO": EIO, "EMFILE": EMFILE, "ENOMEM": ENOMEM, "ENOSPC": ENOSPC,
    "ESTALE": ESTALE, "EDQUOT": EDQUOT,
  ]

  init?(_ row: Substring) {
    if row.hasPrefix("#") { return nil }
    self.row = row
    let parts = row.split(separator: " | ", omittingEmptySubsequences: false)
    let words = parts[1].split(separator: " ")
    let (skip, places) = (words[1].count { $0 == "-" }, words.dropFirst(2))
    guard let error = Self.errors[words[1].filter(\.isLetter)], let status = Int32(parts[2]) else {
      preconditionFailure("\(row)")
    }
    scenario = String(parts[0])
    fault = Fault(
      call: String(words[0]), number: skip + 1, form: .error(error),
      isPermanent: words[1].contains("+"), path: String(places.first ?? ""))
    self.status = status
    says = parts.count > 3 ? parts[3] : ""
    neverSays = parts.count > 4 && !parts[4].isEmpty ? parts[4] : "was removed"
    neverPrints = parts.count > 5 ? parts[5] : "no such line"
  }
}

@Suite(.enabled(if: canInterpose()), .timeLimit(.minutes(10)))
struct FaultRegressionTests {
  /// The command; the call, its error (+ for all later calls too, - for each call before it) and
  /// the end of the path of its file; the status; what is said, what never, what is never printed.
  private static let found = """
    # It opened a path again that standard input has not, for ever.
    hash of standard input | read ESTALE+ | 3 | -: Stale file handle
    # A handle that is stale once is opened again.
    hash | read ESTALE delta.txt | 0
    hash | openat ESTALE delta.txt | 0
    # It said that the part is cut or changed, and to remove it.
    merge | pread EIO+ .part | 2 | shard-00000-of-00002.part: Input/output error | remove
    merge | fstat ENOMEM+ .part | 2 | shard-00000-of-00002.part: Cannot allocate memory | remove
    # It said that the ledger differs from its manifest.
    check | read EIO- .mtree | 0 | manifest.sums.mtree: cannot be read | differ
    # It left its temporary file, and did not name the file.
    merge -o | dup2 EMFILE | 2 | all.out:\u{20}
    merge -o | write EDQUOT .tmp | 2 | all.out: Disk quota exceeded
    # All files of a manifest that could not be opened were new.
    check --audit | openat EIO+ manifest.sums | 2 | unlisted files were not looked for |  | : new
    # It said that somebody had replaced the file.
    hash -o | fstat ENOMEM manifest.out.partial | 2 | Cannot allocate memory
    # It did not name the file of the changes.
    hash -o --update | write ENOSPC .partial.text | 2 | manifest.out.partial.text: No space left
    # Two directories that could not be read were the same.
    compare --read | fstatat EIO+---- | 2 | tree: Input/output error
    hash -o --resume | getcwd EIO+ | 2 | Input/output error | other arguments
    # The log had no header, and no later run could read it.
    run --joblog | pread EIO log.out | 2 | log.out: Input/output error
    # The rest of an earlier recording stayed behind the new one.
    hash with a trace | ftruncate ESTALE trace.out | 2 | trace.out: Stale file handle
    # It took the tree for a file that no manifest lists.
    check --audit | fstatat EIO+--- tree | 3 | tree: Input/output error |  | tree: new
    # A signal was an error.
    hash with a trace | close EINTR trace.out | 0
    help | close EINTR ] | 0
    sha256sum | close EINTR ] | 0
    limits | openat EINTR tree | 0
    limits | fstatfs EINTR | 0
    run --resume | flock EINTR | 0
    # The descriptors of the start counted as closed.
    check from a pipe | readdir EIO /fd | 0
    """.split(separator: "\n").compactMap { FoundFault($0) }

  private static func end(of found: FoundFault, _ library: String) throws -> (FaultEnd, FaultEnd) {
    let scenario = try #require(FaultScenario.all.first { $0.name == found.scenario })
    let workspace = try FaultWorkspace(scenario, library: library)
    let baseline = try workspace.baseline()
    var end = try workspace.run(found.fault)
    // A lane that comes late opens a file by other calls.
    for _ in 0..<5 where end.report.hits == 0 {
      workspace.reset()
      end = try workspace.run(found.fault)
    }
    try #require(end.report.hits > 0, "no such call")
    return (end, baseline)
  }

  @Test("what a fault has found stays mended", arguments: found)
  func mended(_ found: FoundFault) async throws {
    let library = try await Compiled.faultLibrary
    try await onThread {
      let (end, baseline) = try Self.end(of: found, library)
      let text = end.outcome.errorText
      #expect(end.outcome.status == found.status && !end.outcome.wasLate, "\(text)")
      #expect(text.contains(found.says) && !text.contains(found.neverSays), "\(text)")
      let lines = end.outcome.outputText.split(separator: "\n")
      #expect(!lines.contains { $0 == found.neverPrints }, "\(lines)")
      if found.status == 0 {
        let isSame = end.outcome.output == baseline.outcome.output
        let scenario = FaultScenario.all.first { $0.name == found.scenario }
        #expect(isSame || scenario?.shape == .any)
      }
      #expect(end.files.keys.allSatisfy { !$0.contains(".tmp.") })
    }
  }

  private func run(_ words: [String], _ fault: Fault) async throws -> FaultEnd {
    let library = try await Compiled.faultLibrary
    let scenario = FaultScenario(name: "run", arguments: ["run", "-j1"] + words)
    return try await onThread { try FaultWorkspace(scenario, library: library).run(fault) }
  }

  @Test(
    "an error of the system fails one command of weir run",
    arguments: [("poll", ENOMEM, ""), ("read", EIO, "pipe:"), ("waitpid", ECHILD, "")])
  func oneCommand(call: String, error: Int32, path: String) async throws {
    let fault = Fault(call: call, number: 2, form: .error(error), path: path)
    let end = try await run(["--joblog", "L", "each", "--", "echo"], fault)
    #expect(end.outcome.status == 1 && end.report.hits == 1)
    let lines = end.outcome.errorLines
    let lost = lines.first.map { String($0.dropFirst(6).prefix { $0 != ":" }) } ?? ""
    let reason = "its output or its status could not be read: \(String(cString: strerror(error)))"
    let failure = "weir: \(lost): echo was ended because \(reason)"
    #expect(lines == [failure, "weir: 4 commands run, 1 failed"])
    let log = String(decoding: end.files["L"] ?? [], as: UTF8.self).split(separator: "\n")
    #expect(log.count == 5 && log.count { $0.contains("\t-1\t0\techo \(lost)") } == 1, "\(log)")
    let others = log.dropFirst().compactMap { $0.split(separator: " ").last }.filter { $0 != lost }
    // The output of the one may be cut.
    #expect(Set(end.outcome.outputText.split(separator: "\n")).isSuperset(of: others))
  }

  @Test(
    "a lack of descriptors in the child is an error after few attempts",
    arguments: [
      ("cat", "weir: cat: cannot be run: ", 2), ("each/{/}", "weir: each/hotel.txt: ", 1),
    ])
  func descriptorsInChild(program: String, beginning: String, status: Int32) async throws {
    let fault = Fault(call: "dup2", number: 1, form: .error(EMFILE), isPermanent: true)
    let end = try await run(["each/hotel.txt", "--", program], fault)
    let message = end.outcome.errorLines.first ?? ""
    #expect(message.hasPrefix(beginning) && message.hasSuffix("or raise ulimit -n"), "\(message)")
    #expect(end.outcome.status == status && !end.outcome.wasLate)
    #expect((1..<200).contains(end.report.hits), "\(end.report.hits) attempts")
  }

  /// The plan and the results of 1,700 files with 32 long digests take more memory than an update has
  /// for each: a part and the rest of both are written. The error of the rest of the results was lost.
  @Test("an update ends with the error of a full disk, whichever part of its files it meets")
  func fullDisk() async throws {
    let directory = try TemporaryDirectory()
    let lengths = stride(from: 512, to: 384, by: -8)
    let algorithms = lengths.map { "-a blake2b-\($0) -a blake3-\($0)" }.joined(separator: " ")
    let script = """
      mkdir t; seq 1700 | while read n; do echo $n >t/$n; done
      $0 hash \(algorithms) -o M t; cp M before; cp M.mtree before.mtree; touch t/*
      for write in 1 2 3 4; do
        rm -f report M.partial; truncate -s \(FaultReport.size) report
        LD_PRELOAD=$1 FAULT_REPORT=$PWD/report FAULT_CALL=write FAULT_PATH=' (deleted)' \\
          FAULT_ERROR=\(ENOSPC) FAULT_NUMBER=$write \\
          $0 hash \(algorithms) -o M --update t >out 2>err
        echo $?; head -n 1 err; cmp M before; cmp M.mtree before.mtree
      done
      $0 hash \(algorithms) -o M --resume t | tail -n 1
      """
    let command = shell(script, try await Compiled.faultLibrary, in: directory)
    let outcome = try await command.run()
    #expect(
      outcome.outputText == String(repeating: "2\nweir: .: No space left on device\n", count: 4)
        + "1,700 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1,700 touched\n",
      "\(outcome.errorText)")
  }

  @Test("only the first of many opens waits long for a full table of descriptors")
  func fullTable() async throws {
    let library = try await Compiled.faultLibrary
    try await onThread {
      let scenario = try #require(FaultScenario.all.first { $0.name == "sha256sum -c" })
      let fault = Fault(
        call: "openat", number: 1, form: .error(ENFILE), isPermanent: true)
      let end = try FaultWorkspace(scenario, library: library).run(fault)
      let waits = end.report.counts["nanosleep"] ?? 0
      // 2000 waits of 5 ms for each lane that waits at the time, then 20 for each file.
      #expect(waits > 1000 && waits < 2 * 2000 + 7 * 20, "\(waits) waits")
      #expect(end.outcome.status == 1)
    }
  }
}

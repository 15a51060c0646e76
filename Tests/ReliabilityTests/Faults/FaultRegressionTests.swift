// Faults after which a verb once did something wrong, each by itself.

import Glibc
import TestSupport
import Testing

/// A fault that found a defect, and the end that the run has now.
struct FoundFault: Sendable, CustomTestStringConvertible {
  let scenario: String
  let call: String
  let error: Int32
  /// The end of the path of the file that the call is about; empty for the first call.
  var path = ""
  /// The number of such calls before the one that fails.
  var skip = 0
  var isPermanent = false
  let status: Int32
  /// The words that a message has to contain.
  var says = ""
  /// The words that no message may contain.
  var neverSays = "was removed"
  /// The line that standard output may not contain.
  var neverPrints = ""

  var testDescription: String { "\(scenario): \(call) \(String(cString: strerror(error)))" }
}

@Suite(.enabled(if: canInterpose()), .timeLimit(.minutes(10)))
struct FaultRegressionTests {
  private static let found: [FoundFault] = [
    // It opened a path again that standard input has not, for ever.
    .init(
      scenario: "hash of standard input", call: "read", error: ESTALE, isPermanent: true, status: 3,
      says: "-: Stale file handle"),
    // A handle that is stale once is opened again.
    .init(scenario: "hash", call: "read", error: ESTALE, path: "delta.txt", status: 0),
    .init(scenario: "hash", call: "openat", error: ESTALE, path: "delta.txt", status: 0),
    // It said that the part is cut or changed, and to remove it.
    .init(
      scenario: "merge", call: "pread", error: EIO, path: ".part", isPermanent: true, status: 2,
      says: "shard-00000-of-00002.part: Input/output error", neverSays: "remove"),
    .init(
      scenario: "merge", call: "fstat", error: ENOMEM, path: ".part", isPermanent: true,
      status: 2,
      says: "shard-00000-of-00002.part: Cannot allocate memory", neverSays: "remove"),
    // It said that the ledger differs from its manifest.
    .init(
      scenario: "check", call: "read", error: EIO, path: ".mtree", skip: 1, status: 0,
      says: "manifest.sums.mtree: cannot be read", neverSays: "differ"),
    // It left its temporary file, and did not name the file.
    .init(scenario: "merge -o", call: "dup2", error: EMFILE, status: 2, says: "all.out: "),
    .init(
      scenario: "merge -o", call: "write", error: EDQUOT, path: ".tmp", status: 2,
      says: "all.out: Disk quota exceeded"),
    // All files of a manifest that could not be opened were new.
    .init(
      scenario: "check --audit", call: "openat", error: EIO, path: "manifest.sums",
      isPermanent: true, status: 2, says: "unlisted files were not looked for", neverPrints: ": new"
    ),
    // It said that somebody had replaced the file.
    .init(
      scenario: "hash -o", call: "fstat", error: ENOMEM, path: "manifest.out.partial",
      status: 2, says: "Cannot allocate memory"),
    // It did not name the file of the changes.
    .init(
      scenario: "hash -o --update", call: "write", error: ENOSPC, path: ".partial.text",
      status: 2, says: "manifest.out.partial.text: No space left on device"),
    // Two directories that could not be read were the same.
    .init(
      scenario: "compare --read", call: "fstatat", error: EIO, skip: 4, isPermanent: true,
      status: 2, says: "tree: Input/output error"),
    .init(
      scenario: "hash -o --resume", call: "getcwd", error: EIO, isPermanent: true, status: 2,
      says: "Input/output error", neverSays: "other arguments"),
    // The log had no header, and no later run could read it.
    .init(
      scenario: "run --joblog", call: "pread", error: EIO, path: "log.out", status: 2,
      says: "log.out: Input/output error"),
    // The rest of an earlier recording stayed behind the new one.
    .init(
      scenario: "hash with a trace", call: "ftruncate", error: ESTALE, path: "trace.out",
      status: 2, says: "trace.out: Stale file handle"),
    // It took the tree for a file that no manifest lists.
    .init(
      scenario: "check --audit", call: "fstatat", error: EIO, path: "tree", skip: 3,
      isPermanent: true, status: 3,
      says: "tree: Input/output error", neverPrints: "tree: new"),
    // A signal was an error.
    .init(
      scenario: "hash with a trace", call: "close", error: EINTR, path: "trace.out",
      status: 0),
    .init(scenario: "help", call: "close", error: EINTR, path: "]", status: 0),
    .init(scenario: "sha256sum", call: "close", error: EINTR, path: "]", status: 0),
    .init(scenario: "limits", call: "openat", error: EINTR, path: "tree", status: 0),
    .init(scenario: "limits", call: "fstatfs", error: EINTR, status: 0),
    .init(scenario: "run --resume", call: "flock", error: EINTR, status: 0),
    // The descriptors of the start counted as closed.
    .init(
      scenario: "check from a pipe", call: "readdir", error: EIO, path: "/fd", status: 0),
  ]

  /// Runs a command with the fault in the first call about its file.
  private static func end(of found: FoundFault, _ library: String) throws -> (FaultEnd, FaultEnd) {
    let scenario = try #require(FaultScenario.all.first { $0.name == found.scenario })
    let workspace = try FaultWorkspace(scenario, library: library)
    let baseline = try workspace.baseline()
    let fault = Fault(
      call: found.call, number: found.skip + 1, form: .error(found.error),
      isPermanent: found.isPermanent, path: found.path)
    var end = try workspace.run(fault)
    // A lane that comes late opens a file by other calls.
    for _ in 0..<5 where end.report.hits == 0 {
      workspace.reset()
      end = try workspace.run(fault)
    }
    try #require(end.report.hits > 0, "no \(found.call) of \(found.path)")
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

  /// Runs commands on the four files of `each`, with a fault.
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

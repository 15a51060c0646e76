// The transcripts in Tests/Transcripts: each command writes what it shows, and ends so.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Transcripts", .timeLimit(.minutes(10 * slowness)))
struct TranscriptTests {
  private static let folder = "\(repositoryRoot)/Tests/Transcripts"

  /// The names of the transcripts that contain WEIR_TEST_TRANSCRIPT; without that of all but those of `make
  /// test-examples`.
  static let names: [String] = {
    let chosen = ProcessInfo.processInfo.environment["WEIR_TEST_TRANSCRIPT"]
    return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
      .filter { name in
        name.hasSuffix(".t") && (chosen.map { name.contains($0) } ?? !name.hasPrefix("package/"))
      }.sorted()
  }()

  /// A directory with the tool as `weir`.
  private static let programs: TemporaryDirectory? = {
    let directory = try? TemporaryDirectory()
    try? directory?.link("weir", to: String(decoding: weirPath, as: UTF8.self))
    return directory
  }()

  @Test("have commands that write what they show", arguments: names)
  func run(name: String) async throws {
    let file = "\(Self.folder)/\(name)"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let transcript = Transcript(text)
    #expect(transcript.faults.isEmpty && !transcript.sections.isEmpty, "\(name)")
    var accepted: [(Transcript.Step, [String])] = []
    for section in transcript.sections {
      for (step, lines, difference) in try await differences(section, of: transcript) {
        accepted.append((step, lines))
        let place = SourceLocation(
          fileID: "Transcripts/\(name)", filePath: file, line: step.line, column: 1)
        Issue.record("\(section.title)\n\(difference)", sourceLocation: place)
      }
    }
    if ProcessInfo.processInfo.environment["WEIR_TEST_ACCEPT"] != nil {
      try accept(accepted, in: text).write(toFile: file, atomically: true, encoding: .utf8)
    }
  }

  /// Runs a section, and returns the steps that wrote something else.
  private func differences(_ section: Transcript.Section, of transcript: Transcript) async throws
    -> [(Transcript.Step, [String], String)]
  {
    for need in transcript.beginning.needs + section.needs {
      guard try await isMet(need) else {
        print("skipped: \"\(section.title)\" needs \(need)")
        return []
      }
    }
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let settings = ["CALLS", "ENDURANCE", "RANDOM_NAMES"].map { "WEIR_TEST_\($0)" }.map { name in
      "\(name)=\(getenv(name).map { String(cString: $0) } ?? "")"
    }
    let beginning = """
      PATH=\(try #require(Self.programs).text):$PATH
      WEIR_TEST_SEED=\(testSeed) \(settings.joined(separator: " "))
      . '\(Self.folder)/helpers.sh'
      built='\(String(decoding: builtWeirPath, as: UTF8.self))' tables=\(runsWholeTables ? "all" : "")
      top=$PWD transcripts='\(Self.folder)'; cd t
      """
    let steps = transcript.beginning.steps + section.steps
    let (results, rest) = try await runInOneShell(
      steps.map(\.command), after: beginning, in: directory)
    var found: [(Transcript.Step, [String], String)] = []
    for (step, results) in zip(steps, results) {
      for fault in faults(of: results.output, step.command) {
        found.append((step, results.lines, "\(fault)\n"))
      }
      if let difference = step.difference(from: results) {
        found.append((step, results.lines, difference))
      }
    }
    if results.count < steps.count {
      let step = steps[results.count]
      let late = rest.wasLate ? "did not end in time" : "ended the shell"
      let end = "\(late): \(rest.outputText.suffix(400)) \(rest.errorText.suffix(400))"
      found.append((step, step.expected, "$ \(step.command)\n\(end)"))
    }
    return found
  }

  /// The answers of ``isMet(_:)`` so far.
  private static let known = Shared<[String: Bool]>([:])

  /// Returns true if the system has what a section needs.
  private func isMet(_ need: String) async throws -> Bool {
    if let known = Self.known.value[need] { return known }
    let isMet = try await tries(need)
    Self.known.change { $0[need] = isMet }
    return isMet
  }

  private func tries(_ need: String) async throws -> Bool {
    switch need {
    case "linux": return getenv("POSIX") == nil
    case "root": return geteuid() == 0
    case "waits": return getenv("WEIR_TEST_WAITS") != nil
    case "unsanitized": return bytesInUse() > 0 && getenv("SANITIZER") == nil
    case "strace": return try await straceWorks()
    default:
      guard let trial = Self.trials[need] else { return isInstalled(need) }
      let directory = try TemporaryDirectory()
      return try await shell(trial, in: directory).run().status == 0
    }
  }

  /// The commands that try what a container may forbid, by the word for it.
  private static let trials = [
    "gnu": "/usr/bin/sha256sum --version | grep -q '(GNU coreutils) 9.1$'",
    "loop": """
    unshare -m sh -c 'truncate -s 1M f && mkfs.ext4 -q -F f && loop=$(losetup -f --show f) ||
      exit; mount $loop /mnt; s=$?; losetup -d $loop; exit $s'
    """,
    "mount": "unshare -m mount -t tmpfs none /mnt",
    "setpriv": """
    [ $(id -u) != 0 ] && command -v setpriv ||
      setpriv --bounding-set=-dac_override --inh-caps=-dac_override true
    """,
    "sizes": """
    f=$(mktemp /dev/shm/weir.XXXXXX) || exit; truncate -s 9223372036854775807 $f
    s=$?; rm $f; exit $s
    """,
  ]

  /// Returns the errors of a trace, or of the objects that a command wrote as JSON, by the schema of its
  /// verb.
  private func faults(of output: [UInt8], _ command: String) -> [String] {
    let isTrace = output.starts(with: "{\"displayTimeUnit\":".utf8)
    guard isTrace || output.starts(with: "{\"type\":".utf8),
      let verb = isTrace ? "trace" : command.firstMatch(of: #/\bweir ([a-z]+) /#)?.output.1,
      let schema = try? Schema(of: String(verb))
    else { return [] }
    return (isTrace ? [output[...]] : output.split(separator: 0x0A)).flatMap { line -> [String] in
      guard let value = try? JSONSerialization.jsonObject(with: Data(line)) else {
        return ["is no JSON: \(String(decoding: line, as: UTF8.self))"]
      }
      return schema.faults(of: value)
    }
  }

  /// Returns the text with other results for some steps.
  private func accept(_ changes: [(Transcript.Step, [String])], in text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (step, results) in changes.sorted(by: { $0.0.line > $1.0.line }) {
      let begin = step.end - 1
      lines.replaceSubrange(
        begin..<begin + step.expected.count, with: results.map { "  " + $0 })
    }
    return lines.joined(separator: "\n")
  }
}

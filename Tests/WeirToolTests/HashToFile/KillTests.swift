// kill -9 of weir hash --output: between any two system calls at the start and the end, and
// at random moments in between. `make test-kill` sets WEIR_TEST_KILLS=200.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)))
struct KillTests {
  private static let kills = getenv("WEIR_TEST_KILLS").flatMap { Int(String(cString: $0)) }

  /// Returns true if a file of records has its first line.
  private func expectSane(
    _ directory: TemporaryDirectory, _ manifests: [[UInt8]?], _ moment: String
  ) {
    // An existing output is complete: the old one or the new one.
    #expect(manifests.contains(directory.content("M")), "\(moment)")
  }

  @Test("at random moments of successive runs: nothing is lost, read twice or incomplete")
  func random() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "kill")
    let kills = Self.kills ?? 10
    let files = Self.kills == nil ? 2000 : 20_000
    try directory.fill("t", files: files, using: &random)
    let expected = try await weir("hash", "t", in: directory).run().output
    // The time of a run, to choose moments within it.
    let begin = ContinuousClock.now
    _ = try await weir("hash", "-o", "M", "t", in: directory).run()
    var duration = begin.duration(to: .now)
    let whole = directory.content("M.mtree")
    directory.removeOutput()
    var (done, chains, longest) = (0, 0, 0)
    while done < kills {
      chains += 1
      directory.removeOutput()
      let old = Bool.random(using: &random) ? Array("old".utf8) : nil
      if let old { try directory.write(old, to: Array("M".utf8)) }
      var recorded: Set<String> = []
      let length = Int.random(in: 1...4, using: &random)
      for link in 0..<length {
        let part = Double.random(in: 0...1.1, using: &random)
        let delay = useconds_t(duration * part / .microseconds(1))
        let command = weir("hash", "-o", "M", "--resume", "t", in: directory)
        let isKilled = try await onThread {
          let child = try Child(command)
          usleep(delay)
          kill(child.pid, SIGKILL)
          return try child.finish(limit: 40).signal == SIGKILL
        }
        expectSane(directory, [old, expected], "link \(link) of chain \(chains)")
        // The time of a run depends on the load of the machine.
        duration = duration * (isKilled ? 1.05 : 0.8)
        guard isKilled else { break }
        done += 1
        longest = max(longest, link + 1)
        let now = directory.recorded()
        // If the output exists, the records may have become M.mtree.
        if directory.content("M") != expected {
          #expect(now.isSuperset(of: recorded), "\(recorded.count) were recorded, now \(now.count)")
          recorded = now
        }
      }
      let isLeft = directory.content("M.partial") != nil
      let known = directory.recorded().count
      let result = try await weir(
        "hash", "-o", "M", "--resume", "--summary", "t", in: directory
      ).run()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(directory.content("M") == expected && directory.content("M.mtree") == whole)
      #expect(directory.names(beginningWith: "M") == ["M", "M.mtree"])
      if isLeft { #expect(readAndKnown(result)?.known == known) }
    }
    if Self.kills != nil {
      print("\(done) kills in \(chains) chains of up to \(longest), of \(files) files")
    }
  }

  @Test(
    "between any two calls that change files: the output is the old one or the new one",
    .enabled("strace has to work", canTrace),
    arguments: kills == nil ? ["--resume"] : ["", "--resume", "--update"])
  func everyCall(option: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b", "c"] { try directory.write(name, to: "t/\(name)") }
    let command =
      words("hash", "-o", "M") + (option.isEmpty ? [] : [Array(option.utf8)]) + words("t")
    // The initial state: an older manifest with records, or a run interrupted twice.
    _ = try await weir(
      command.filter { $0 != Array("--resume".utf8) && $0 != Array("--update".utf8) }, in: directory
    ).run()
    let records = try #require(directory.content("M.mtree"))
    try directory.write("new", to: "t/b")
    let expected = try await weir("hash", "t", in: directory).run().output
    var moments = 0
    for call in ["flock", "ftruncate", "fdatasync", "fsync", "rename", "unlink", "lseek", "write"] {
      for number in 1...60 {
        directory.removeOutput()
        try directory.write("old", to: "M")
        if option != "--resume" { try directory.write(records, to: Array("M.mtree".utf8)) }
        if option == "--resume" {
          let lines = records.split(separator: 0x0A)
          for (name, count) in [
            ("M.partial", lines.count - 1), ("M.partial.next", lines.count - 2),
          ] {
            try directory.write(
              lines.prefix(count).joined(separator: [0x0A]) + [0x0A], to: Array(name.utf8))
          }
        }
        let traced = try await other(
          "strace",
          words("-f", "-o", "/dev/null", "-e", "inject=\(call):signal=SIGKILL:when=\(number)")
            + [weirPath] + command, in: directory
        ).run()
        expectSane(directory, [Array("old".utf8), expected], "\(call) \(number)")
        if traced.status == 0 { break }
        moments += 1
        // The command that a user types after a killed run.
        let again =
          words("hash", "--resume") + command.dropFirst().filter { $0 != Array("--resume".utf8) }
        let result = try await weir(again, in: directory).run()
        #expect(result.status == 0, "\(call) \(number): \(result.errorText)")
        #expect(directory.content("M") == expected, "\(call) \(number)")
        #expect(directory.names(beginningWith: "M") == ["M", "M.mtree"])
      }
    }
    #expect(moments > 12)
    if Self.kills != nil { print("killed at each of \(moments) calls \(option)") }
  }
}

@Sendable private func canTrace() async throws -> Bool {
  guard isInstalled("strace") else { return false }
  let works =
    try await Command(
      "strace", "-f", "-o", "/dev/null", "-e", "inject=sync:signal=SIGKILL:when=1", "true"
    ).run().status == 0
  if !works { print("skipped: strace may not trace here") }
  return works
}

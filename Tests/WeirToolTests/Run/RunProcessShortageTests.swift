// weir run without free processes: it waits for its own commands, fails if none is running,
// and ends at a signal.
//
// The test sets the limit of processes from outside during the run. The limit does not apply
// to root, so the run belongs to another user.

import Foundation
import Glibc
import TestSupport
import Testing

private let user = "64999"

/// A command for another user. The limits of a process of the same user can be set without
/// any privilege.
private func asAnother(_ words: [String]) -> [String] {
  ["setpriv", "--reuid", user, "--clear-groups"] + words
}

extension Command {
  fileprivate init(_ words: [String]) {
    self.init(Array(words[0].utf8), words.dropFirst().map { Array($0.utf8) })
  }
}

/// True if a run can belong to another user here.
private let canBeAnother: Bool = {
  let tool = String(decoding: weirPath, as: UTF8.self)
  let canBeAnother =
    getuid() == 0 && isInstalled("setpriv") && isInstalled("prlimit")
    && (try? Command(asAnother(["test", "-x", tool])).runBlocking().status) == 0
  if !canBeAnother { print("skipped: a run cannot belong to another user here") }
  return canBeAnother
}()

@Suite(.enabled(if: canBeAnother), .serialized, .timeLimit(.minutes(10)))
struct RunProcessShortageTests {
  private static let refused =
    "Resource temporarily unavailable; use a smaller -j or raise ulimit -u"
  private static let heldUp =
    "weir: commands wait because no process can be started: \(refused)"

  /// Sets the limit of a process to no more processes, or to any number.
  private func allow(_ isAllowed: Bool, _ child: Child) {
    let words =
      ["prlimit", "--pid", "\(child.pid)", "--nproc=\(isAllowed ? 1000 : 1):"]
    let command = Command(asAnother(words))
    #expect((try? command.runBlocking())?.status == 0)
  }

  /// A run of commands, each of which reports its start and waits for permission to end.
  private func begin(
    _ options: [String], _ items: [String], in directory: TemporaryDirectory
  ) throws -> Child {
    chmod(directory.text, 0o777)
    for item in items {
      try directory.makeFIFO("go\(item)")
      chmod(directory.text + "/go\(item)", 0o666)
    }
    let script = ": > began$1; read -r x < go$1; echo $1"
    let words =
      [String(decoding: weirPath, as: UTF8.self), "run"] + options + items
      + ["--", "sh", "-c", script, "sh", "{}"]
    var command = Command(asAnother(words))
    command.directory = directory.path
    return try Child(command)
  }

  private func awaitBeginning(of item: String, in directory: TemporaryDirectory) {
    #expect(eventuallyBlocking { directory.content("began\(item)") != nil })
  }

  private func letGo(_ item: String, in directory: TemporaryDirectory) {
    // The run may not have reached that point yet.
    var gate: Int32 = -1
    let isAwaited = eventuallyBlocking {
      gate = open(directory.text + "/go\(item)", O_WRONLY | O_NONBLOCK)
      return gate >= 0
    }
    #expect(isAwaited, "nobody waits for \(item)")
    _ = write(gate, "x\n", 2)
    close(gate)
  }

  private func seen(_ text: String) -> (_ output: [UInt8], _ errors: [UInt8]) -> Bool {
    { _, errors in String(decoding: errors, as: UTF8.self).contains(text) }
  }

  @Test("a command waits for another one to end, and that is reported once")
  func waits() async throws {
    let directory = try TemporaryDirectory()
    let result = try await onThread {
      let child = try begin(["-j2"], ["1", "2", "3", "4"], in: directory)
      awaitBeginning(of: "1", in: directory)
      awaitBeginning(of: "2", in: directory)
      allow(false, child)
      letGo("1", in: directory)
      #expect(child.collect(until: seen(Self.heldUp)))
      // Longer than it would wait without a running command.
      usleep(4_500_000)
      allow(true, child)
      for item in ["2", "3", "4"] { letGo(item, in: directory) }
      return try child.finish()
    }
    #expect(result.status == 0 && result.outputText == "1\n2\n3\n4\n")
    #expect(result.errorLines == [Self.heldUp])
  }

  @Test("if no command is running, one that cannot be started fails, and the run continues")
  func givesUp() async throws {
    let directory = try TemporaryDirectory()
    let failure = "weir: 2: sh could not be started: \(Self.refused)"
    let result = try await onThread {
      let child = try begin(["-j1"], ["1", "2", "3"], in: directory)
      awaitBeginning(of: "1", in: directory)
      allow(false, child)
      letGo("1", in: directory)
      #expect(child.collect(until: seen(failure)))
      allow(true, child)
      letGo("3", in: directory)
      return try child.finish()
    }
    #expect(result.status == 1 && result.outputText == "1\n3\n")
    #expect(result.errorLines == [Self.heldUp, failure, "weir: 3 commands run, 1 failed"])
  }

  @Test("a signal ends the run, even without a free thread", arguments: [1, 2])
  func interrupted(lanes: Int) async throws {
    let directory = try TemporaryDirectory()
    let result = try await onThread {
      let child = try begin(["-j\(lanes)"], ["1", "2", "3", "4"], in: directory)
      awaitBeginning(of: "1", in: directory)
      if lanes > 1 { awaitBeginning(of: "2", in: directory) }
      allow(false, child)
      letGo("1", in: directory)
      #expect(child.collect(until: seen(Self.heldUp)))
      kill(child.pid, SIGINT)
      return try child.finish()
    }
    #expect(result.signal == SIGINT && !result.wasLate, "\(result.errorText)")
    #expect(result.outputText == "1\n")
  }
}

// Child processes: their arguments, their output and their ending.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(2)))
struct ChildProcessTests {
  /// What a child has written, by stream.
  struct Written: Equatable {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var ending: ChildProcess.Ending?
  }

  static func collect(
    _ arguments: [[UInt8]], _ options: ChildProcess.Options
  ) throws -> Written {
    let child = try ChildProcess(arguments, options)
    var written = Written()
    written.ending = try child.collect { stream, bytes in
      if stream == .output { written.output += bytes } else { written.error += bytes }
    }
    return written
  }

  static let piped = ChildProcess.Options(input: .null, output: .pipe, error: .pipe)

  static func shell(_ script: String, _ arguments: [[UInt8]] = []) throws -> Written {
    try collect(["sh", "-c", script, "sh"].map { Array($0.utf8) } + arguments, piped)
  }

  @Test("arguments arrive as the bytes that they are")
  func arguments() async throws {
    try await onThread {
      var random = SeededGenerator(for: "arguments")
      let words = (0..<50).map { _ in
        random.bytes(Int.random(in: 0...40, using: &random)).filter { $0 != 0 }
      }
      let written = try Self.shell("printf '%s\\0' \"$@\"", words)
      #expect(written.output == words.flatMap { $0 + [0] })
      #expect(written.ending == .exited(0))
      #expect(throws: Errno.invalidArgument) { try ChildProcess([[0x74, 0]]) }
      #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess(["weir-no-such"]) }
    }
  }

  /// A reader of one stream after the other would wait forever.
  @Test("both streams are read at once, each in its order and to its end")
  func bothStreams() async throws {
    try await onThread {
      let size = 3_000_000
      let written = try Self.shell(
        "head -c \(size) /dev/zero >&2; head -c \(size) /dev/zero; echo end; echo bad >&2; exit 3")
      #expect(written.output.count == size + 4 && written.output.suffix(4) == Array("end\n".utf8))
      #expect(written.error.count == size + 4 && written.error.suffix(4) == Array("bad\n".utf8))
      #expect(written.ending == .exited(3))
    }
  }

  @Test("the ending is reported, however often it is requested")
  func endings() async throws {
    try await onThread {
      let seven = try ChildProcess(["sh", "-c", "exit 7"])
      #expect(try seven.wait() == .exited(7))
      #expect(try seven.wait() == .exited(7))
      #expect(!seven.state(of: "Z"))
      let sleeper = try ChildProcess(["sleep", "1000"])
      sleeper.send(SIGTERM)
      #expect(try sleeper.wait() == .signaled(SIGTERM))
      // Nobody gets this one.
      sleeper.send(SIGKILL)
      #expect(ChildProcess.Ending.exited(0).isSuccess && !ChildProcess.Ending.signaled(1).isSuccess)
    }
    let other = try ChildProcess(["true"])
    #expect(try await other.wait() == .exited(0))
  }

  @Test("a deadline ends a collection, which can be continued")
  func deadline() async throws {
    try await onThread {
      let child = try ChildProcess(
        ["sh", "-c", "trap 'echo caught; exit 4' TERM; echo ready; while :; do sleep 0.01; done"],
        Self.piped)
      var said: [UInt8] = []
      while !said.elementsEqual("ready\n".utf8) {
        #expect(try child.collect(until: .now() + 0.05) { _, bytes in said += bytes } == nil)
      }
      child.send(SIGTERM)
      #expect(try child.collect { _, bytes in said += bytes } == .exited(4))
      #expect(said.elementsEqual("ready\ncaught\n".utf8))
    }
  }

  /// Tested with and without a deadline, with and without pipes.
  @Test("a child that closes its output and runs on is waited for")
  func closedOutput() async throws {
    try await onThread {
      for deadline: DispatchTime in [.distantFuture, .now() + 60] {
        let child = try ChildProcess(
          ["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 5"], Self.piped)
        #expect(try child.collect(until: deadline) { _, _ in } == .exited(5))
        let plain = try ChildProcess(["sh", "-c", "sleep 0.1; exit 6"])
        #expect(try plain.collect(until: deadline) { _, _ in } == .exited(6))
      }
    }
  }

  /// The process writes after its parent has ended, and then holds the pipe in silence.
  @Test("the output of a process that outlives the child is read until it is silent")
  func leftBehind() async throws {
    try await onThread {
      let written = try Self.shell("(sleep 0.3; echo late; exec sleep 1000) & echo $!; exit 0")
      let lines = String(decoding: written.output, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 2 && lines.last == "late" && written.ending == .exited(0))
      if let process = lines.first.flatMap({ Int32($0) }) {
        #expect(kill(process, SIGKILL) == 0, "it was left alone")
      }
    }
  }

  @Test("a whole group is signalled, and ended with its leader")
  func group() async throws {
    try await onThread {
      var options = Self.piped
      options.leadsGroup = true
      // Its child does not hear the signal.
      let child = try ChildProcess(
        ["sh", "-c", "(trap '' TERM; exec sleep 1000) & echo $!; wait"], options)
      var said: [UInt8] = []
      while said.last != 0x0A {
        #expect(try child.collect(until: .now() + 0.05) { _, bytes in said += bytes } == nil)
      }
      let other = Int32(String(decoding: said.dropLast(), as: UTF8.self)) ?? 0
      #expect(getpgid(other) == child.id)
      child.endGroupWithIt()
      child.send(SIGTERM)
      #expect(try child.collect { _, _ in } == .signaled(SIGTERM))
      // A zombie of init's, for a moment, or gone.
      #expect(ChildProcess.isGone(other), "\(other) is there")
    }
  }

  @Test("the working directory, the environment and the descriptors of a child")
  func settings() async throws {
    try await onThread {
      let directory = try TemporaryDirectory()
      try directory.write("from a file".utf8, to: "in".utf8)
      let path = FilePath(String(decoding: directory.path, as: UTF8.self))
      let input = try FileDescriptor.open(path.appending("in"), .readOnly)
      let output = try FileDescriptor.open(
        path.appending("out"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
      let child = try ChildProcess(
        ["/bin/sh", "-c", "cat; pwd; echo $A"],
        ChildProcess.Options(
          input: .descriptor(input), output: .descriptor(output), error: .null, directory: path,
          environment: [Array("A=b".utf8)]))
      #expect(try child.wait() == .exited(0))
      try input.close()
      try output.close()
      let said = String(decoding: directory.content("out") ?? [], as: UTF8.self)
      #expect(said.hasPrefix("from a file/") && said.hasSuffix("\nb\n"), "\(said)")
    }
  }

  @Test("dropped children leave no descriptors and, once they have ended, no zombies")
  func dropped() async throws {
    await #expect(processExitsWith: .success) {
      let before = TestSupport.names(inDirectory: "/proc/self/fd").count
      for _ in 0..<50 {
        let child = try ChildProcess(["true"], Self.piped)
        while !child.state(of: "Z") { usleep(100) }
      }
      // The process has threads of others, which may have one more or less by now.
      #expect(TestSupport.names(inDirectory: "/proc/self/fd").count < before + 25)
      #expect(waitpid(-1, nil, WNOHANG) == -1)
    }
  }
}

extension ChildProcess {
  /// True if the system reports this state of the process.
  fileprivate func state(of letter: Character) -> Bool { Self.state(of: id) == letter }

  fileprivate static func isGone(_ id: Int32) -> Bool {
    for _ in 0..<5000 {
      if kill(id, 0) != 0 || state(of: id) == "Z" { return true }
      usleep(1000)
    }
    return false
  }

  private static func state(of id: Int32) -> Character? {
    let stat = contents(ofFile: Array("/proc/\(id)/stat".utf8)) ?? []
    return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first
  }
}

// Child processes: their arguments, their output and their ending.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct ChildProcessTests {
  /// What a child has written, by stream.
  struct Written: Equatable {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var ending: ChildProcess.TerminationStatus?
  }

  static func collect(
    _ arguments: [String], _ options: ChildProcess.Options
  ) throws -> Written {
    let child = try ChildProcess(arguments, options)
    var written = Written()
    written.ending = try child.collect {
      written.output += $0
    } error: {
      written.error += $0
    }
    return written
  }

  static let piped = ChildProcess.Options(input: nil, output: .pipe, error: .pipe)

  static func shell(_ script: String, _ arguments: [[UInt8]] = []) throws -> Written {
    var options = piped
    options.arguments = arguments
    return try collect(["sh", "-c", script, "sh"], options)
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
      #expect(throws: Errno.invalidArgument) { try ChildProcess(["t\0"]) }
      #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess(["weir-no-such"]) }
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
      #expect(
        ChildProcess.TerminationStatus.exited(0).isSuccess
          && !ChildProcess.TerminationStatus.signaled(1).isSuccess)
    }
    let other = try await ChildProcess(["true"])
    #expect(try await other.wait() == .exited(0))
  }

  @Test(
    "a deadline ends a collection, of a thread or a task, which can be continued",
    arguments: [true, false])
  func deadline(blocks: Bool) async throws {
    let child = try await ChildProcess(
      ["sh", "-c", "trap 'echo caught; exit 4' TERM; echo ready; while :; do sleep 0.01; done"],
      Self.piped)
    let said = Shared<[UInt8]>([])
    let take: @Sendable (UnsafeRawBufferPointer) -> Void = {
      let bytes = Array($0)
      said.change { $0 += bytes }
    }
    func collect(_ timeout: Duration?) async throws -> ChildProcess.TerminationStatus? {
      if blocks { return try await onThread { try child.collect(timeout: timeout, output: take) } }
      return try await child.collect(timeout: timeout, output: take)
    }
    while said.value != Array("ready\n".utf8) {
      #expect(try await collect(.milliseconds(50)) == nil)
    }
    child.send(SIGTERM)
    #expect(try await collect(nil) == .exited(4))
    #expect(said.value == Array("ready\ncaught\n".utf8))
  }

  /// Tested with and without a deadline, with and without pipes.
  @Test("a child that closes its output and runs on is waited for")
  func closedOutput() async throws {
    try await onThread {
      for timeout: Duration? in [nil, .seconds(60)] {
        let child = try ChildProcess(
          ["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 5"], Self.piped)
        #expect(try child.collect(timeout: timeout) { _ in } == .exited(5))
        let plain = try ChildProcess(["sh", "-c", "sleep 0.1; exit 6"])
        #expect(try plain.collect(timeout: timeout) { _ in } == .exited(6))
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
        #expect(try child.collect(timeout: .milliseconds(50)) { said += $0 } == nil)
      }
      let other = Int32(String(decoding: said.dropLast(), as: UTF8.self)) ?? 0
      #expect(getpgid(other) == child.processIdentifier)
      child.killGroupAtEnd()
      child.send(SIGTERM)
      #expect(try child.collect { _ in } == .signaled(SIGTERM))
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
          input: input, output: .descriptor(output), error: .null, workingDirectory: path,
          environment: [Array("A=b".utf8)]))
      #expect(try child.wait() == .exited(0))
      try input.close()
      try output.close()
      let said = String(decoding: directory.content("out") ?? [], as: UTF8.self)
      #expect(said.hasPrefix("from a file/") && said.hasSuffix("\nb\n"), "\(said)")
    }
  }

  @Test("released children leave no descriptors and no zombies, and are reported")
  func dropped() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let before = TestSupport.names(inDirectory: "/proc/self/fd").count
      for _ in 0..<20 {
        let child = try await ChildProcess(["true"], ChildProcessTests.piped)
        while !child.state(of: "Z") { await Task.yield() }
      }
      // The process has threads of others, which may have one more or less by now.
      #expect(TestSupport.names(inDirectory: "/proc/self/fd").count < before + 15)
      #expect(waitpid(-1, nil, WNOHANG) == -1)
      // These run on for a while.
      for _ in 0..<20 { _ = try await ChildProcess(["sleep", "0.1"]) }
      #expect(hasChildren())
      #expect(await eventually { !hasChildren() })
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "\n").count == 40, "\(text)")
    let sentence =
      #"weir: warning: the program "sleep" was started, and its ChildProcess was released "#
      + "without a wait; call run, wait or collect"
    #expect(text.contains(sentence + "\n"))
  }

  @Test(
    "a wait ends for a child that has more output than its pipe holds", arguments: [true, false])
  func unreadOutput(isHeld: Bool) async throws {
    // The second form leaves a process that writes to the pipe without end.
    let rest = isHeld ? "yes & echo $! >&2" : ":"
    let child = try await ChildProcess(
      ["sh", "-c", "head -c 1000000 /dev/zero; \(rest); exit 3"],
      ChildProcess.Options(
        input: nil, output: .pipe, error: isHeld ? .null : .pipe, leadsGroup: true))
    if isHeld { child.killGroupAtEnd() }
    #expect(try await child.wait() == .exited(3))
  }

  // MARK: Running to the end

  @Test(
    "a program runs to its end, with its input, output and status", arguments: [0, 1, 5_000_000])
  func run(count: Int) async throws {
    var random = SeededGenerator(for: "run \(count)")
    let input = random.bytes(count)
    let script = ["sh", "-c", "tee /dev/stderr; exit 3"]
    let result = try await ChildProcess.run(script, input: input)
    #expect(result.terminationStatus == .exited(3))
    #expect(result.standardOutput == input && result.standardError == input)
    let blocking = try await onThread { try ChildProcess.run(script, input: input) }
    #expect(blocking.terminationStatus == .exited(3))
    #expect(blocking.standardOutput == input && blocking.standardError == input)
    let empty = try await ChildProcess.run(["cat"])
    #expect(empty.terminationStatus.isSuccess && empty.standardOutput.isEmpty)
    let root = try await ChildProcess.run(["pwd"], ChildProcess.Options(workingDirectory: "/"))
    #expect(root.standardOutput == Array("/\n".utf8))
    await #expect(throws: Errno.noSuchFileOrDirectory) {
      try await ChildProcess.run(["weir-no-such"])
    }
  }

  /// Writes its process id and that of a child, which ignores SIGTERM, to a file. The program
  /// ignores it too if `isStubborn`.
  private static func program(_ file: FilePath, isStubborn: Bool) -> [String] {
    let note = "echo $$ $! >\(file).new; mv \(file).new \(file); wait"
    return [
      "sh", "-c",
      isStubborn
        ? "trap '' TERM; sleep 1000 & \(note)" : "(trap '' TERM; exec sleep 1000) & \(note)",
    ]
  }

  /// The processes in the file.
  private static func processes(_ directory: TemporaryDirectory) async -> [Int32] {
    _ = await eventually { directory.content("ids") != nil }
    return String(decoding: directory.content("ids") ?? [], as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
  }

  @Test(
    "a program and its group are ended when the time is over, by a clock of the caller",
    arguments: [true, false])
  func timeIsOver(isStubborn: Bool) async throws {
    let directory = try TemporaryDirectory()
    let file = FilePath(String(decoding: directory.path, as: UTF8.self)).appending("ids")
    let clock = ManualClock()
    let task = Task {
      let program = Self.program(file, isStubborn: isStubborn)
      return try await ChildProcess.run(program, timeout: .seconds(3600), clock: clock)
    }
    let processes = await Self.processes(directory)
    #expect(await eventually { clock.sleepers == 1 } && processes.count == 2)
    clock.advance(by: .seconds(3600))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.childResult?.terminationStatus == .signaled(isStubborn ? SIGKILL : SIGTERM))
    #expect(error?.duration == .seconds(3600))
    #expect(try await onThread { processes.allSatisfy { ChildProcess.isGone($0) } })
    try await onThread {
      let error = #expect(throws: TimeoutError.self) {
        let script = ["sh", "-c", "echo half; exec sleep 1000"]
        _ = try ChildProcess.run(script, timeout: .milliseconds(500))
      }
      #expect(error.map { "\($0)" } == "\"sh\" did not end within 0.5 seconds")
      #expect(error?.childResult?.standardOutput == Array("half\n".utf8))
    }
  }

  @Test("cancelling the task ends the program and its group, and waits for it")
  func cancelled() async throws {
    let directory = try TemporaryDirectory()
    let file = FilePath(String(decoding: directory.path, as: UTF8.self)).appending("ids")
    let task = Task { try await ChildProcess.run(Self.program(file, isStubborn: true)) }
    let processes = await Self.processes(directory)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(processes.count == 2)
    // Reaped, not a zombie.
    #expect(processes.first.map { kill($0, 0) } == -1)
    #expect(try await onThread { processes.allSatisfy { ChildProcess.isGone($0) } })
  }
}

/// True if this process has children, also zombies.
private func hasChildren() -> Bool {
  var info = siginfo_t()
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0
}

extension ChildProcess {
  /// True if the system reports this state of the process.
  fileprivate func state(of letter: Character) -> Bool {
    Self.state(of: processIdentifier) == letter
  }

  fileprivate static func isGone(_ id: Int32) -> Bool {
    eventuallyBlocking { kill(id, 0) != 0 || state(of: id) == "Z" }
  }

  private static func state(of id: Int32) -> Character? {
    let stat = contents(ofFile: Array("/proc/\(id)/stat".utf8)) ?? []
    return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first
  }
}

// Child processes: their settings, their output and their ending, for threads and for tasks.
// (Tests/CLibrary has how they are started.)

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct ChildProcessTests {
  static let piped = ChildProcess.Options(input: nil, output: .pipe, error: .pipe)

  @Test("arguments as bytes, the directory, the environment and the descriptors of a child")
  func settings() async throws {
    try await onThread {
      let directory = try TemporaryDirectory()
      try directory.write("from a file".utf8, to: "in".utf8)
      let path = FilePath(directory.text)
      let input = try FileDescriptor.open(path.appending("in"), .readOnly)
      let output = try FileDescriptor.open(
        path.appending("out"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
      var options = ChildProcess.Options(
        input: input, output: .descriptor(output), error: .null, workingDirectory: path,
        environment: [Array("A=b".utf8)])
      options.arguments = [[0xFF, 0x0A], [], Array("'x".utf8)]
      let script = "cat; pwd; printf '%s|' $A \"$@\""
      let child = try ChildProcess(["/bin/sh", "-c", script, "sh"], options)
      #expect(try child.wait() == .exited(0))
      try input.close()
      try output.close()
      let said = directory.content("out") ?? []
      #expect(said.starts(with: Array("from a file".utf8) + directory.path + [0x0A]))
      #expect(said.suffix(9) == Array("b|".utf8) + [0xFF, 0x0A, 0x7C, 0x7C] + Array("'x|".utf8))
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
      #expect(state(of: seven.processIdentifier) != "Z")
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

  /// Tested for threads with and without a deadline and pipes, and for several tasks.
  @Test("a child that closes its output and runs on is waited for")
  func closedOutput() async throws {
    try await onThread {
      for timeout: Duration? in [nil, .seconds(60)] {
        for options in [Self.piped, ChildProcess.Options()] {
          let child = try ChildProcess(["sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 5"], options)
          #expect(try child.collect(timeout: timeout) { _ in } == .exited(5))
        }
      }
    }
    let child = try await ChildProcess(
      ["sh", "-c", "exec >&- 2>&-; read line; exit 5"],
      ChildProcess.Options(output: .pipe, error: .pipe))
    let waits = (0..<5).map { _ in Task { try await child.wait() } }
    let plain = try await ChildProcess(["true"], Self.piped)
    #expect(try await plain.wait() == .exited(0))
    child.send(SIGTERM)
    for wait in waits {
      let ending = try await wait.value
      #expect(ending == .signaled(SIGTERM) || ending == .exited(5))
    }
  }

  /// The process writes after its parent has ended, and then holds the pipe in silence.
  @Test("the output of a process that outlives the child is read until it is silent")
  func leftBehind() async throws {
    try await onThread {
      // A zombie has the state Z.
      let script =
        "(while read -r _ _ s _ </proc/$$/stat && [ $s != Z ]; do :; done 2>/dev/null; "
        + "echo late; exec sleep 1000) & "
        + "echo $!; exit 0"
      let child = try ChildProcess(["sh", "-c", script], Self.piped)
      var output: [UInt8] = []
      #expect(try child.collect { output += $0 } == .exited(0))
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 2 && lines.last == "late")
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
      #expect(isGone(other), "\(other) is there")
    }
  }

  @Test("released children leave no descriptors and no zombies, and are reported")
  func dropped() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let before = names(inDirectory: "/proc/self/fd").count
      for _ in 0..<20 {
        let child = try await ChildProcess(["true"], ChildProcessTests.piped)
        while state(of: child.processIdentifier) != "Z" { await Task.yield() }
      }
      // The process has threads of others, which may have one more or less by now.
      #expect(names(inDirectory: "/proc/self/fd").count < before + 15)
      #expect(waitpid(-1, nil, WNOHANG) == -1)
      // These run on while there is a file.
      let directory = try TemporaryDirectory()
      try directory.write("", to: "on")
      let loop = ["sh", "-c", "while [ -e \"$0\" ]; do sleep 0.01; done", directory.text + "/on"]
      for _ in 0..<20 { _ = try await ChildProcess(loop) }
      #expect(hasChildren())
      unlink(directory.text + "/on")
      #expect(await eventually { !hasChildren() })
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "\n").count == 40, "\(text)")
    let sentence =
      #"weir: warning: the program "sh" was started, and its ChildProcess was released "#
      + "without a wait; call run, wait or collect"
    #expect(text.contains(sentence + "\n"))
  }

  @Test("children of tasks hold no threads, and leave no descriptors and no zombies")
  func threads() async throws {
    await #expect(processExitsWith: .success) {
      // The watcher begins.
      _ = try await ChildProcess.run(["true"])
      let files = names(inDirectory: "/proc/self/fd").count
      var children: [ChildProcess] = []
      for _ in 0..<200 {
        children.append(try await ChildProcess(["sleep", "1000"], ChildProcessTests.piped))
      }
      let waits = children.map { child in Task { try await child.wait() } }
      let runs = (0..<100).map { _ in
        Task { try await ChildProcess.run(["sleep", "1000"], timeout: .seconds(3600)) }
      }
      // This one is watched after those.
      _ = try await ChildProcess.run(["true"])
      let threads = names(inDirectory: "/proc/self/task").count
      #expect(threads < 50, "\(threads) threads")
      for child in children { child.send(SIGTERM) }
      for run in runs { run.cancel() }
      for wait in waits { #expect(try await wait.value == .signaled(SIGTERM)) }
      for run in runs { await #expect(throws: CancellationError.self) { try await run.value } }
      #expect(waitpid(-1, nil, WNOHANG) == -1)
      let left = names(inDirectory: "/proc/self/fd").count
      #expect(left <= files, "\(left) files, \(files) before")
    }
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

  @Test("a closure gets the output in order, in the task that collects")
  func collecting() async throws {
    let size = 3_000_000
    let script =
      "head -c \(size) /dev/zero >&2; head -c \(size) /dev/zero; echo end; echo bad >&2; exit 3"
    let child = try await ChildProcess(["sh", "-c", script], Self.piped)
    let (output, error) = (Shared<[UInt8]>([]), Shared<[UInt8]>([]))
    let collect = { @MainActor in
      try await child.collect {
        MainActor.assertIsolated()
        let bytes = Array($0)
        output.change { $0 += bytes }
      } error: {
        let bytes = Array($0)
        error.change { $0 += bytes }
      }
    }
    #expect(try await collect() == .exited(3))
    #expect(output.value.count == size + 4 && output.value.suffix(4) == Array("end\n".utf8))
    #expect(error.value.count == size + 4 && error.value.suffix(4) == Array("bad\n".utf8))
    #expect(try await child.collect { _ in } == .exited(3))
  }

  // MARK: Running to the end

  @Test(
    "a program runs to its end, with its input, output and status", arguments: [0, 1, 5_000_000])
  func run(count: Int) async throws {
    var random = SeededGenerator(for: "run \(count)")
    let input = random.bytes(count)
    let script = ["sh", "-c", "tee /dev/stderr; exit 3"]
    for result in [
      try await ChildProcess.run(script, input: input),
      try await onThread { try ChildProcess.run(script, input: input) },
    ] {
      #expect(result.terminationStatus == .exited(3) && !result.hasTimedOut)
      #expect(result.standardOutput == input && result.standardError == input)
    }
    let root = try await ChildProcess.run(["pwd"], ChildProcess.Options(workingDirectory: "/"))
    #expect(root.terminationStatus.isSuccess && root.standardOutput == Array("/\n".utf8))
    await #expect(throws: Errno.noSuchFileOrDirectory) {
      try await ChildProcess.run(["weir-no-such"])
    }
  }

  /// Writes its process id and that of a child, which ignores SIGTERM, to a file. The program
  /// ignores it too if `isStubborn`.
  private static func program(_ directory: TemporaryDirectory, isStubborn: Bool) -> [String] {
    let file = directory.text + "/ids"
    let note = "echo $$ $! >\(file).new; mv \(file).new \(file); wait"
    return [
      "sh", "-c",
      isStubborn
        ? "trap '' TERM; sleep 1000 & \(note)" : "(trap '' TERM; exec sleep 1000) & \(note)",
    ]
  }

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
    let clock = ManualClock()
    let task = Task {
      let program = Self.program(directory, isStubborn: isStubborn)
      return try await ChildProcess.run(program, timeout: .seconds(3600), clock: clock)
    }
    let processes = await Self.processes(directory)
    #expect(await eventually { clock.sleepers == 1 } && processes.count == 2)
    clock.advance(by: .seconds(3600))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.childResult?.terminationStatus == .signaled(isStubborn ? SIGKILL : SIGTERM))
    #expect(error?.duration == .seconds(3600))
    #expect(try await onThread { processes.allSatisfy { isGone($0) } })
  }

  /// Before the trap is set, the signal ends the shell; one that is late for its trap is killed.
  @Test(
    "a program that caught SIGTERM at the end of its time says so", arguments: [true, false])
  func timedOut(blocks: Bool) async throws {
    let script = ["sh", "-c", "trap 'exit 0' TERM; echo half; while :; do sleep 0.01; done"]
    let error = await #expect(throws: TimeoutError.self) {
      if blocks {
        try await onThread { _ = try ChildProcess.run(script, timeout: .milliseconds(500)) }
      } else {
        _ = try await ChildProcess.run(script, timeout: .milliseconds(500))
      }
    }
    #expect(error.map { "\($0)" } == "\"sh\" did not end within 0.5 seconds")
    let result = try #require(error?.childResult)
    #expect(result.hasTimedOut && [[], Array("half\n".utf8)].contains(result.standardOutput))
    #expect(
      [.exited(0), .signaled(SIGTERM), .signaled(SIGKILL)].contains(result.terminationStatus))
  }

  @Test("cancelling the task ends the program and its group, and waits for it")
  func cancelled() async throws {
    let directory = try TemporaryDirectory()
    let task = Task { try await ChildProcess.run(Self.program(directory, isStubborn: true)) }
    let processes = await Self.processes(directory)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(processes.count == 2)
    // Reaped, not a zombie.
    #expect(processes.first.map { kill($0, 0) } == -1)
    #expect(try await onThread { processes.allSatisfy { isGone($0) } })
  }

  @Test("a program may write up to the limit, to both outputs together")
  func outputLimit() async throws {
    let script = ["sh", "-c", "head -c 100000 /dev/zero; head -c 50000 /dev/zero >&2"]
    let result = try await ChildProcess.run(script, outputLimit: 150_000)
    #expect(result.standardOutput.count == 100_000 && result.standardError.count == 50_000)
    for limit in [149_999, 1, 0, -1] {
      let error = await #expect(throws: ChildProcess.OutputLimitError.self) {
        try await ChildProcess.run(script, outputLimit: limit)
      }
      let result = try #require(error?.result)
      #expect(result.standardOutput.count + result.standardError.count == max(limit, 0))
      #expect(!result.hasTimedOut)
      #expect(error.map { "\($0)" } == "\"sh\" wrote more than \(limit) bytes")
    }
    // This one writes without an end.
    let error = await #expect(throws: ChildProcess.OutputLimitError.self) {
      try await onThread { _ = try ChildProcess.run(["yes"], outputLimit: 10_000) }
    }
    #expect(error?.result.standardOutput.count == 10_000)
    #expect(error?.result.terminationStatus == .signaled(SIGTERM))
  }
}

private func hasChildren() -> Bool {
  var info = siginfo_t()
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0
}

private func isGone(_ id: Int32) -> Bool {
  eventuallyBlocking { kill(id, 0) != 0 || state(of: id) == "Z" }
}

private func state(of id: Int32) -> Character? {
  let stat = contents(ofFile: Array("/proc/\(id)/stat".utf8)) ?? []
  return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first
}

/// What measures real waits runs in `make test-waits`.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChildTimeTests {
  @Test("a thousand children are ended at their time-out of a second")
  func thousand() async throws {
    await #expect(processExitsWith: .success) {
      try DescriptorBudget.raiseLimit()
      let begin = ContinuousClock.now
      let ended = try await (0..<1000).mapConcurrently(limit: 1000) { _ in
        await #expect(throws: TimeoutError.self) {
          try await ChildProcess.run(["sleep", "1000"], timeout: .seconds(1))
        } != nil
      }
      #expect(ended.allSatisfy { $0 })
      // 1.3 s on two idle cores.
      let duration = ContinuousClock.now - begin
      #expect(duration < .seconds(2), "\(duration)")
      #expect(waitpid(-1, nil, WNOHANG) == -1)
    }
  }
}

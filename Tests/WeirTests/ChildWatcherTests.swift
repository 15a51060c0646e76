// Children of tasks, which one thread waits for.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct ChildWatcherTests {
  @Test("children hold no threads, and leave no descriptors and no zombies")
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

  @Test("a closure gets the output in order, in the task that collects")
  func collecting() async throws {
    let size = 3_000_000
    let child = try await ChildProcess(
      [
        "sh", "-c",
        "head -c \(size) /dev/zero >&2; head -c \(size) /dev/zero; echo end; echo bad >&2; exit 3",
      ], ChildProcessTests.piped)
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

  @Test("several tasks wait for one child, which closes its output and runs on")
  func severalWaits() async throws {
    let child = try await ChildProcess(
      ["sh", "-c", "exec >&- 2>&-; read line; exit 5"],
      ChildProcess.Options(output: .pipe, error: .pipe))
    let waits = (0..<5).map { _ in Task { try await child.wait() } }
    let plain = try await ChildProcess(["true"], ChildProcessTests.piped)
    #expect(try await plain.wait() == .exited(0))
    child.send(SIGTERM)
    for wait in waits {
      let ending = try await wait.value
      #expect(ending == .signaled(SIGTERM) || ending == .exited(5))
    }
  }

  @Test(
    "a program that caught SIGTERM at the end of its time says so", arguments: [true, false])
  func timedOut(blocks: Bool) async throws {
    let script = ["sh", "-c", "trap 'exit 0' TERM; echo half; while :; do sleep 0.01; done"]
    let error = await #expect(throws: TimeoutError.self) {
      if blocks {
        try await onThread { _ = try ChildProcess.run(script, timeout: .milliseconds(200)) }
      } else {
        _ = try await ChildProcess.run(script, timeout: .milliseconds(200))
      }
    }
    // Before the trap is set, the signal ends the shell.
    let result = try #require(error?.childResult)
    #expect(result.hasTimedOut)
    #expect([.exited(0), .signaled(SIGTERM)].contains(result.terminationStatus))
    #expect(try await !ChildProcess.run(["true"]).hasTimedOut)
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

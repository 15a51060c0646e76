// The guide's claims, tested on this machine. docs/gcd-on-linux.md names the test of
// each claim; a program of examples/guide shows the others.
import Dispatch
import Glibc
import TestSupport
import Testing

extension GuideTests {
  @Suite struct ClaimTests {
    // MARK: Locks, semaphores and the kernel

    /// Runs on a thread that may make no system call.
    @Test(arguments: ["mutex", "posix-semaphore", "semaphore", "sync"])
    func whatIsFreeNeedsNoKernel(what: String) async throws {
      guard let outcome = try await withoutTheKernel(what) else { return }
      #expect(outcome.lines == ["no kernel call"], "\(outcome.story)")
    }

    @Test(arguments: ["mutex-taken", "semaphore-empty", "async"])
    func whoMustWaitOrWakeCallsTheKernel(what: String) async throws {
      guard let outcome = try await withoutTheKernel(what) else { return }
      #expect(outcome.signal == 9 && !outcome.wasLate, "\(outcome.story)")
    }

    @Test func aTryTakesNoWakeup() async throws {
      // The woken thread may always be the first to run, if the core is busy: so five tries.
      for _ in 0..<5 {
        let line = try await claim("wakeups").lines.first ?? ""
        let found = numbers(in: line)
        try #require(found.count == 3, "\(line)")
        #expect(found[0] == 0)
        if found[1] > 0 { return }
      }
      Issue.record("no wait with the present time took a wakeup")
    }

    // MARK: Threads

    @Test func aHundredSerialQueuesAreAHundredThreads() async throws {
      #expect(try await claim("threads", "many").lines == ["100 at once"])
    }

    @Test func serialQueuesStopAt255Threads() async throws {
      #expect(try await claim("threads", "ceiling").lines == ["255 at once"])
    }

    /// Serial queues get their threads at once. A global queue gets one more thread
    /// than cores per second.
    @Test func theGlobalPoolGrowsSlowly() async throws {
      var line = ""
      // On a busy machine a new thread may wait as long as the pool: one calm run is enough.
      for _ in 0..<5 {
        line = try await claim("threads", "growth").lines.first ?? ""
        let times = Array(numbers(in: line).suffix(2))
        try #require(times.count == 2, "\(line)")
        if 5 * times[1] < times[0] { return }
      }
      Issue.record("\(line)")
    }

    @Test func aQueueAtRestHasNoThread() async throws {
      let line = try await claim("threads", "idle").lines.first ?? ""
      let read = numbers(in: line)
      try #require(read.count == 3, "\(line)")
      #expect(read[0] == 1000 && read[1] == 1 && read[2] < 1024, "\(line)")
    }

    /// With one core, so that tasks report in the order of their start, except after
    /// an interruption. Any other order has hundreds of steps back.
    @Test func aConcurrentQueueStartsInOrder() async throws {
      let line = try await claim("threads", "order").lines.first ?? ""
      #expect((numbers(in: line).first ?? 1000) < 50, "\(line)")
    }

    @Test func anyThreadMaySubmit() async throws {
      #expect(try await claim("threads", "submit").lines == ["40000 counted"])
    }

    @Test func threadsAreNotNamedForTheQueue() async throws {
      let outcome = try await claim("threads", "names")
      #expect(outcome.lines.count == 1 && !outcome.outputText.contains("my.queue"))
    }

    @Test func withoutPrivilegeHighIsDefault() async throws {
      #expect(try await claim("priorities").lines == ["0 0 2 10 ", "the same queue"])
    }

    // MARK: Objects

    @Test func aFinalizerNeedsAContext() async throws {
      let lines = try await claim("objects", "finalizers").lines
      #expect(lines == ["with a context 1000, without 0"])
    }

    @Test func aFinalizerRunsLaterOnTheTarget() async throws {
      let lines = try await claim("objects", "late").lines
      #expect(lines == ["after the release 0, after the resume 1"])
    }

    @Test func sharedQueuesIgnoreAContext() async throws {
      let lines = try await claim("objects", "global").lines
      #expect(lines == ["main ignores it, global ignores it"])
    }

    @Test func aSourceHoldsItsQueue() async throws {
      #expect(try await claim("objects", "source").lines == ["before 0, after 1"])
    }

    // MARK: The main queue, the current queue, fork

    @Test func theMainQueueWaitsToBeDrained() async throws {
      #expect(try await claim("main_queue", "undrained").lines == ["0 ran"])
    }

    @Test func onAThreadOfOnesOwnTheCurrentQueueIsADefaultOne() async throws {
      let lines = try await claim("main_queue", "thread").lines
      #expect(lines.first?.hasPrefix("com.apple.root.default-qos") == true, "\(lines)")
    }

    @Test func aChildOfAProcessWithoutTasksCanUseQueues() async throws {
      #expect(try await claim("main_queue", "unused").lines == ["1 ran"])
    }

    // MARK: Sources

    @Test(arguments: ["signal-default", "signal-ignored", "signal-blocked"])
    func aSignalSourceSeesTheSignal(what: String) async throws {
      #expect(try await claim("sources", what).lines == ["seen"])
    }

    @Test func theEventLoopTakesThreeDescriptors() async throws {
      #expect(try await claim("sources", "descriptors").lines == ["serial 0, global 3"])
    }

    /// The library has no source types for processes and files.
    @Test func processesAndFilesCannotBeWatched() {
      func has(_ type: String) -> Bool {
        dlsym(nil, "_dispatch_source_type_\(type)") != nil
      }
      #expect(has("signal") && !has("proc") && !has("vnode"))
    }

    // MARK: Mistakes

    @Test(arguments: [
      "sync-to-own-serial-queue", "apply-to-own-serial-queue", "leave-without-enter",
      "release-of-a-semaphore-in-use", "resume-without-suspend", "release-of-a-suspended-queue",
    ])
    func aMistakeTrapsWithoutAWord(mistake: String) async throws {
      let outcome = try await claim("traps", mistake, isToEndWell: false)
      #expect(outcome.trapped && !outcome.wasLate, "\(outcome.story)")
      #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.story)")
    }

    @Test(arguments: ["sync-to-own-concurrent-queue", "release-of-an-entered-group"])
    func whatIsNoMistakeOnLinux(what: String) async throws {
      #expect(try await claim("traps", what).lines == ["nothing came of it"])
    }
  }
}

/// Runs a program of Claims.
private func claim(
  _ program: String, _ argument: String = "", isToEndWell: Bool = true
) async throws -> Outcome {
  try await onThread {
    let outcome = try Claims.workshop().run(program, argument)
    if isToEndWell { #expect(outcome.isFine, "\(outcome.story)") }
    return outcome
  }
}

/// `nil` if the system has no strict seccomp mode.
private func withoutTheKernel(_ what: String) async throws -> Outcome? {
  let outcome = try await claim("kernel", what, isToEndWell: false)
  guard outcome.status == 77 else { return outcome }
  print("skipped: this system has no strict seccomp mode")
  return nil
}

private enum Claims {
  private static let made = Shared<Workshop?>(nil)

  static func workshop() throws -> Workshop {
    if let there = made.value { return there }
    let clang = try #require(Toolchain.clang)
    let new = try Workshop(Repository.claims, compiler: "'\(clang)' -O1")
    made.change { $0 = new }
    return new
  }
}

// The descriptor budget, and runs that stay within it.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DescriptorBudgetTests {
  @Test("the limit is that of the system, and the budget at most half of it")
  func statistics() {
    #expect(DescriptorBudget.limit == Int(getdtablesize()))
    #expect((1...max(1, DescriptorBudget.limit / 2)).contains(DescriptorBudget.total))
    let usage = DescriptorBudget.gate.statistics
    #expect(usage.inUse <= usage.peak && usage.peak <= DescriptorBudget.total)
  }

  // ---- descriptors that Weir does not open ----

  @Test("permits are held during the body, in both forms, and released afterwards")
  func withDescriptors() async {
    await #expect(processExitsWith: .success) {
      try DescriptorBudget.setTotal(5)
      #expect(DescriptorBudget.total == 5 && DescriptorBudget.gate.permits == 5)
      try await DescriptorBudget.withDescriptors(3) {
        #expect(DescriptorBudget.gate.statistics.inUse == 3)
        await Task.yield()
        // Who waits suspends, and can be cancelled.
        let waiting = Task {
          try await DescriptorBudget.withDescriptors(4) { Issue.record("there were 2") }
        }
        while DescriptorBudget.gate.statistics.waiting == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: TimeoutError.self) {
          try await DescriptorBudget.withDescriptors(3, timeout: .zero) {}
        }
      }
      await #expect(throws: GateError.tooMany) {
        try await DescriptorBudget.withDescriptors(6) {}
      }
      do { try await DescriptorBudget.withDescriptors(8) {} } catch {
        #expect(
          "\(error)" == "the descriptor budget has 5 permits; 8 were requested; "
            + "raise ulimit -n or ask for fewer")
      }
      await #expect(throws: OwnError(number: 1)) {
        try await DescriptorBudget.withDescriptors(5) { throw OwnError(number: 1) }
      }
      try await onThread {
        let inUse = try DescriptorBudget.withDescriptors(4) {
          DescriptorBudget.gate.statistics.inUse
        }
        #expect(inUse == 4)
        #expect(throws: GateError.tooMany) { try DescriptorBudget.withDescriptors(6) {} }
      }
      #expect(DescriptorBudget.gate.statistics.inUse == 0)
      #expect(DescriptorBudget.gate.statistics.peak == 5)
      #expect(throws: Errno.invalidArgument) { try DescriptorBudget.setTotal(0) }
      #expect(throws: Errno.invalidArgument) { try DescriptorBudget.setTotal(-1) }
    }
  }

  @Test("the limit can be raised, and the budget with it")
  func raising() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 64, rlim_max: 200)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let before = DescriptorBudget.total
      try DescriptorBudget.raiseLimit()
      #expect(DescriptorBudget.limit == 200)
      // Half of the difference, less what the process has opened meanwhile: libdispatch opens a
      // few descriptors when it first needs them.
      let after = DescriptorBudget.total
      #expect((before + 60...before + 68).contains(after))
      try DescriptorBudget.raiseLimit()
      #expect(DescriptorBudget.total == after)
    }
  }

  @Test("opening is retried if descriptors are short, and only then")
  func retrying() async {
    await #expect(processExitsWith: .success) {
      try await onThread {
        var calls = 0
        let got = try DescriptorBudget.withDescriptors(2) {
          try DescriptorBudget.retrying { () throws(Errno) -> Int in
            calls += 1
            if calls < 4 { throw calls == 1 ? .interrupted : .tooManyOpenFiles }
            return calls
          }
        }
        #expect(got == 4 && DescriptorBudget.total < DescriptorBudget.limit / 2)
        calls = 0
        #expect(throws: Errno.permissionDenied) {
          try DescriptorBudget.retrying { () throws(Errno) in
            calls += 1
            throw .permissionDenied
          }
        }
        #expect(calls == 1)
      }
    }
  }

  @Test("opening can be retried in a task, which can be cancelled")
  func retryingInTasks() async {
    await #expect(processExitsWith: .success) {
      let calls = Shared(0)
      let got = try await DescriptorBudget.withDescriptors(2) {
        try await DescriptorBudget.retrying { () async throws(Errno) -> Int in
          await Task.yield()
          let call = calls.next()
          if call < 4 { throw call == 1 ? .interrupted : .tooManyOpenFilesInSystem }
          return call
        }
      }
      #expect(got == 4 && DescriptorBudget.total < DescriptorBudget.limit / 2)
      calls.change { $0 = 0 }
      await #expect(throws: Errno.permissionDenied) {
        try await DescriptorBudget.retrying { () async throws(Errno) in
          calls.change { $0 += 1 }
          throw .permissionDenied
        }
      }
      #expect(calls.value == 1)
      // More tasks than the pool has threads.
      let short = (0..<20).map { _ in
        Task {
          try await DescriptorBudget.retrying { () async throws(Errno) in
            calls.change { $0 += 1 }
            throw .tooManyOpenFiles
          }
        }
      }
      while calls.value < 60 { await Task.yield() }
      for task in short { task.cancel() }
      for task in short {
        await #expect(throws: Errno.tooManyOpenFiles) { try await task.value }
      }
      #expect(calls.value < 20 * 2000)
    }
  }
}

// The descriptor budget, and work that stays within it.

import CWeir
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DescriptorBudgetTests {
  @Test("permits are held during the body, in both forms, and released afterwards")
  func withDescriptors() async {
    await #expect(processExitsWith: .success) {
      #expect(DescriptorBudget.limit == Int(getdtablesize()))
      #expect((1...max(1, DescriptorBudget.limit / 2)).contains(DescriptorBudget.total))
      #expect(weir_descriptor_set_budget(5) == 0)
      #expect(DescriptorBudget.total == 5 && DescriptorBudget.gate.permits == 5)
      try await DescriptorBudget.withDescriptors(3) {
        #expect(DescriptorBudget.gate.statistics.inUse == 3)
        await Task.yield()
        // A waiting task suspends, and can be cancelled.
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
      let error = await #expect(throws: GateError.tooMany) {
        try await DescriptorBudget.withDescriptors(8) {}
      }
      #expect(
        error.map { "\($0)" } == "the descriptor budget has 5 permits; 8 were requested; "
          + "raise ulimit -n or ask for fewer")
      await #expect(throws: Bad(number: 1)) {
        try await DescriptorBudget.withDescriptors(5) { throw Bad(number: 1) }
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
    }
  }

  @Test("the limit can be raised, and the budget with it")
  func raising() async {
    await #expect(processExitsWith: .success) {
      // Those that this process has from its parent do not count.
      let open = rlim_t(names(inDirectory: "/proc/self/fd").count)
      var limit = rlimit(rlim_cur: 2 * open + 64, rlim_max: 2 * open + 200)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let before = DescriptorBudget.total
      try DescriptorBudget.raiseLimit()
      #expect(DescriptorBudget.limit == Int(limit.rlim_max))
      // Half of the difference, 68, less what the process has opened meanwhile: libdispatch opens
      // several descriptors when it first needs them.
      let after = DescriptorBudget.total
      #expect((before + 34...before + 100).contains(after), "\(before), then \(after)")
      try DescriptorBudget.raiseLimit()
      #expect(DescriptorBudget.total == after)
    }
  }

  @Test("opening is retried if descriptors are short, and only then, by threads and by tasks")
  func retrying() async {
    await #expect(processExitsWith: .success) {
      let calls = Shared(0)
      let open: @Sendable () throws(Errno) -> Int = { () throws(Errno) in
        let call = calls.next()
        if call < 4 {
          throw [.interrupted, .tooManyOpenFiles, .tooManyOpenFilesInSystem][call - 1]
        }
        if call > 4 { throw .permissionDenied }
        return call
      }
      let ofTask = try await DescriptorBudget.withDescriptors(2) {
        try await DescriptorBudget.retrying { () async throws(Errno) -> Int in
          await Task.yield()
          return try open()
        }
      }
      #expect(ofTask == 4 && DescriptorBudget.total < DescriptorBudget.limit / 2)
      await #expect(throws: Errno.permissionDenied) {
        try await DescriptorBudget.retrying { () async throws(Errno) in _ = try open() }
      }
      #expect(calls.value == 5)
      // The shortage has left one permit.
      #expect(weir_descriptor_set_budget(2) == 0)
      calls.change { $0 = 0 }
      try await onThread {
        let ofThread = try DescriptorBudget.withDescriptors(2) {
          try DescriptorBudget.retrying { () throws(Errno) -> Int in try open() }
        }
        #expect(ofThread == 4 && DescriptorBudget.total == 1)
        #expect(throws: Errno.permissionDenied) {
          try DescriptorBudget.retrying { () throws(Errno) in _ = try open() }
        }
        #expect(calls.value == 5)
      }
      // More tasks than the pool has threads, which can be cancelled.
      let short = (0..<20).map { _ in
        Task {
          try await DescriptorBudget.retrying { () async throws(Errno) in
            calls.next()
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

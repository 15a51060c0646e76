// The descriptor budget, and that a run keeps to it.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(2)))
struct DescriptorBudgetTests {
  @Test("the limit is the system's, and the budget at most half of it")
  func figures() {
    #expect(DescriptorBudget.limit == Int(getdtablesize()))
    #expect((1...max(1, DescriptorBudget.limit / 2)).contains(DescriptorBudget.total))
    let usage = DescriptorBudget.usage
    #expect(usage.inUse <= usage.peak && usage.peak <= DescriptorBudget.total)
  }

  @Test("the budget counts what is open already")
  func countsOpen() async {
    // In a process of its own: there is one budget a process.
    await #expect(processExitsWith: .success) {
      for _ in 0..<30 { _ = open("/dev/null", O_RDONLY) }
      let numbers = 0..<min(getdtablesize(), 100_000)
      let before = numbers.count { fcntl($0, F_GETFD) >= 0 }
      let total = DescriptorBudget.total
      let after = numbers.count { fcntl($0, F_GETFD) >= 0 }
      // Other threads of this process may have opened and closed some meanwhile.
      let most = Int(getdtablesize()) / 2 - 30
      let least = Int(getdtablesize()) / 2 - max(before, after) - 4
      #expect(before >= 30 && total <= most && total >= least)
    }
  }

  @Test("a run never holds more than the budget, and gives all of it back")
  func keepsToIt() async {
    await #expect(processExitsWith: .success) {
      alarm(40)
      var limit = rlimit(rlim_cur: 40, rlim_max: 40)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try await runWithinBudget()
    }
  }
}

/// Reads many files with many lanes, looking at the budget from each job.
private func runWithinBudget() async throws {
  let directory = try TemporaryDirectory()
  for number in 0..<200 { try directory.write("x", to: "f\(number)") }
  var options = FileProcessorOptions()
  options.jobs = 50
  options.filesPerStride = 1
  let total = DescriptorBudget.total
  let processor = try FileProcessor<Int>(
    options, context: { () throws(Errno) in 0 }
  ) { (_, _) throws(Errno) in
    let usage = DescriptorBudget.usage
    if usage.inUse < 1 || usage.inUse > total || usage.peak > total { throw .ioError }
  }
  let run = try await processor.collecting([.path(bytes: directory.path)])
  #expect(run.figures.files == 200 && run.figures.failed == 0)
  #expect(run.figures.descriptorsPeak <= total)
  #expect(DescriptorBudget.usage.inUse == 0)
}

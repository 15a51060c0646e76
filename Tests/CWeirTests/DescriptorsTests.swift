// weir/descriptors.h: the budget is half of the limit, less the open descriptors, and at least 1.
// It is computed once a process, so each case has its own.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct DescriptorsTests {
    /// In a C program, because the process of a test opens files meanwhile.
    @Test func theBudgetIsHalfOfTheLimitLessTheOpenDescriptors() throws {
      let compiler = Compiler("clang", "c", ["-std=c11", "-fblocks"])
      guard compiler.isInstalled else { return }
      let place = Tree()
      let file = place.file("budget.c", Array(budgetProgram.utf8))
      let program = place.root / "budget"
      let built = try compiler.build([file], dispatch: false, to: program)
      #expect(built.status == 0, "\(built.errorText)")
      for limit in [8, 16, 24, 64, 256, 1024] {
        for more in [0, 3, 30] {
          let said = try Shell.run([program.shown, "\(limit)", "\(more)"])
          let numbers = said.text.split(separator: " ").compactMap { Int($0) }
          #expect(numbers.count == 5 && numbers[0] == limit, "\(said.text)\(said.errorText)")
          #expect(numbers.count == 5 && numbers[1] >= more)
          #expect(numbers.count == 5 && numbers[2] == max(1, limit / 2 - numbers[1]))
          #expect(numbers.count == 5 && numbers[3] == numbers[2] && numbers[4] == numbers[1])
        }
      }
    }

    @Test func theGateHasAsManyPermits() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(100))
        let gate = Gate(raw: weir_descriptor_gate())
        let budget = weir_descriptor_budget()
        #expect(gate.stats.permits == budget)
        #expect(gate.attempt(budget) == 0 && gate.attempt(1) == EAGAIN)
        #expect(gate.wait(budget + 1) == EINVAL)
        gate.signal(budget)
      }
    }

    /// The permits in use when an open failed did not fit; one less does. Simultaneous failures
    /// count as one.
    @Test func theBudgetShrinksToTheNumberThatFitsAndGrowsBack() async {
      await #expect(processExitsWith: .success) {
        #expect(weir_descriptor_set_budget(64) == 0 && weir_descriptor_budget() == 64)
        let gate = Gate(raw: weir_descriptor_gate())
        #expect(gate.attempt(10) == 0)
        for attempt in 1...5 {
          errno = ERANGE
          #expect(weir_descriptor_retry(attempt % 2 == 0 ? EMFILE : ENFILE, attempt))
          #expect(errno == ERANGE && gate.stats.permits == 9)
        }
        gate.signal(10)
        #expect(gate.attempt(10) == EINVAL && gate.attempt(9) == 0)
        #expect(weir_descriptor_retry(EMFILE, 1) && gate.stats.permits == 8)
        gate.signal(9)
        /* With nothing out it is not the budget that is too large. */
        #expect(weir_descriptor_retry(EMFILE, 1) && gate.stats.permits == 8)
        var seen: [Int] = []
        let grown = eventually {
          /* By whoever succeeds, and by whoever asks. */
          #expect(!weir_descriptor_retry(0, 1))
          let budget = weir_descriptor_budget()
          if budget != seen.last { seen.append(budget) }
          return budget == 64
        }
        #expect(grown && seen == seen.sorted() && seen.count > 4, "\(seen)")
        #expect(!weir_descriptor_retry(0, 1) && weir_descriptor_budget() == 64)
      }
    }

    /// No callback runs with a lock held: a decision may wait for another thread that asks for the
    /// same permits.
    @Test func decisionsAreDeliveredWithoutTheLock() async {
      await #expect(processExitsWith: .success) {
        #expect(weir_descriptor_set_budget(8) == 0)
        let gate = Gate(raw: weir_descriptor_gate()), came = Latch(1), decided = Latch(1)
        #expect(gate.attempt(1) == 0)
        let error = weir_gate_request(
          gate.raw, 8,
          { result in
            #expect(result == EINVAL)
            startThread {
              #expect(weir_descriptor_set_budget(5) == 0)
              came.arrive()
            }
            #expect(came.wait())
            decided.arrive()
          }, nil)
        #expect(error == 0 && weir_descriptor_set_budget(4) == 0)
        #expect(decided.wait() && gate.stats.permits == 5)
        gate.signal(1)
      }
    }

    @Test func onlyAShortageIsTriedAgain() async {
      await #expect(processExitsWith: .success) {
        #expect(weir_descriptor_retry(EINTR, 1) && weir_descriptor_retry(EINTR, 1_000_000))
        for error in [ENOENT, EACCES, EIO, ENOMEM] { #expect(!weir_descriptor_retry(error, 1)) }
        #expect(!weir_descriptor_retry(EMFILE, 2001) && !weir_descriptor_retry(ENFILE, Int.max))
        #expect(weir_descriptor_set_budget(0) == EINVAL)
        #expect(weir_descriptor_set_budget(1_048_577) == EINVAL)
      }
    }

    /// No descriptor is free while files are processed, until the budget has shrunk: no file is
    /// lost.
    @Test func theFileProcessorSurvivesAShortage() async {
      await #expect(processExitsWith: .success) {
        let tree = Tree()
        for number in 0..<300 { tree.file("\(number)", [1]) }
        settleDescriptors()
        let limit = Int(openDescriptorNumbers().max() ?? 2) + 24
        #expect(setDescriptorLimit(limit))
        #expect(weir_descriptor_set_budget(12) == 0)
        let count = Locked(0), begun = Latch(1), ended = Latch(1)
        let processor = Processor(jobs: 4, batchSize: 5) { file in
          let number = count.with { count -> Int in
            count += 1
            return count
          }
          if number == 20 {
            startThread {
              // What is open stays open, and its numbers are the lowest.
              #expect(setDescriptorLimit(3))
              begun.arrive()
              // Soon: libdispatch traps if it has no descriptor to examine its threads by, each second.
              while weir_descriptor_budget() == 12 { sched_yield() }
              #expect(setDescriptorLimit(limit))
              ended.arrive()
            }
          }
          if number >= 20 { #expect(begun.wait()) }
          return file.summarize()
        }
        #expect(processor.run(tree.root) == 0)
        #expect(processor.results.count == 300 && processor.results.allSatisfy(\.isDone))
        #expect(ended.wait())
      }
    }

    @Test(.enabled(if: hardDescriptorLimit() > 2_200_000))
    func theBudgetHasABound() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(2_200_000))
        #expect(weir_descriptor_budget() == 1_048_576)
      }
    }
  }
}

/// Prints the limit, the number of open descriptors, the budget, the permits of the gate, and the
/// number of open descriptors again.
private let budgetProgram = """
  #include <fcntl.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <sys/resource.h>
  #include <unistd.h>
  #include <weir.h>
  static int count(void) {
      int open = 0;
      for (int i = 0; i < 2000; i++) open += fcntl(i, F_GETFD) != -1;
      return open;
  }
  int main(int argc, char **argv) {
      if (argc != 3) return 2;
      for (int more = atoi(argv[2]); more > 0; more--) if (dup(0) < 0) return 3;
      struct rlimit limits;
      if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return 4;
      limits.rlim_cur = (rlim_t)atoi(argv[1]);
      if (setrlimit(RLIMIT_NOFILE, &limits) != 0) return 5;
      int open = count();
      weir_gate_stats_t stats;
      size_t limit = weir_descriptor_limit(), budget = weir_descriptor_budget();
      weir_gate_stats(weir_descriptor_gate(), &stats, sizeof stats);
      printf("%zu %d %zu %zu %d ", limit, open, budget, stats.permits, count());
      return 0;
  }

  """

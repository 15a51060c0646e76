// The concurrent loop: the same work in blocks of several lengths, who ran what,
// and what it took.

import ArgumentParser
import Console
import Demos

@main
struct Loops: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A loop, plain and concurrent, with strides.",
    discussion: "Before you look: where is the best stride? Where with --steps 400?")

  @Option(parsing: .unconditional, help: "How many iterations there are: 64 to 10000000.")
  var iterations = 400_000

  @Option(
    parsing: .unconditional,
    help: "How much work an iteration is, in steps of a nanosecond or so: 1 to 10000.")
  var steps = 20

  func validate() throws {
    if !(64...10_000_000).contains(iterations) {
      throw ValidationError("There can be 64 to 10000000 iterations, not \(iterations).")
    }
    if !(1...10_000).contains(steps) {
      throw ValidationError("An iteration can be 1 to 10000 steps, not \(steps).")
    }
  }

  func run() {
    let width = 50
    print("\(iterations) iterations of \(steps) steps. A digit is the thread that ran the first")
    print("of \(iterations / width) of them; 1 is the thread that called. The best of 3 runs.\n")
    print("".column(10), "  blocks      ms ", "who")
    let runs = LoopForm.all.map { form in
      let run = best(of: 3, form)
      let who = (0..<width).map { digit(run.threads[$0 * iterations / width]) }.joined()
      print(
        form.name.column(10), "\(run.blocks)".atRight(8), (run.seconds * 1000).inSeconds.atRight(7),
        "", who)
      return run
    }
    print("\n\(verdict(runs))")
  }

  /// The quickest of some runs.
  private func best(of rounds: Int, _ form: LoopForm) -> LoopRun {
    let loop = Loop(iterations: iterations, steps: steps)
    return (1..<rounds).reduce(loop.run(form)) { best, _ in
      let run = loop.run(form)
      return run.seconds < best.seconds ? run : best
    }
  }

  private func digit(_ thread: Int) -> String {
    String(thread, radix: 36)
  }

  private func verdict(_ runs: [LoopRun]) -> String {
    let sums = Set(runs.map(\.sum)).count == 1 ? "one sum" : "DIFFERENT SUMS"
    let sorted = runs.sorted { $0.seconds < $1.seconds }
    let (first, last) = (sorted[0], sorted[sorted.count - 1])
    let ratio = (last.seconds / first.seconds).inSeconds
    return "\(runs.count) ways, \(sums); \(first.form.name) was the fastest, "
      + "\(last.form.name) took \(ratio) times as long"
  }
}

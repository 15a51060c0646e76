// The loop: in whatever form, every iteration is run, and the sum is the same.

import Demos
import Testing

@Suite struct LoopTests {
  @Test(arguments: 0..<5)
  func everyForm(round: UInt64) async {
    var random = SeededGenerator(seed: testSeed &+ round)
    let loop = Loop(
      iterations: Int.random(in: 1...5000, using: &random),
      steps: Int.random(in: 1...20, using: &random))
    let runs = await onThread { LoopForm.all.map { loop.run($0) } }
    for run in runs {
      #expect(run.sum == runs[0].sum)
      #expect(run.threads.count == loop.iterations)
      #expect(run.threads.allSatisfy { $0 >= 1 }, "somebody ran it")
      #expect(run.threads.min() == 1 || run.form != .plain)
      switch run.form {
      case .plain:
        #expect(run.blocks == 1 && run.threadCount == 1)
      case .automatic:
        #expect((1...loop.iterations).contains(run.blocks))
      case .stride(let stride):
        #expect(run.blocks == (loop.iterations + stride - 1) / stride)
        for begin in stride...loop.iterations + stride where begin % stride == 0 {
          let block = run.threads[(begin - stride)..<min(begin, loop.iterations)]
          #expect(Set(block).count <= 1, "one thread a block")
        }
      }
    }
  }

  /// The guide's own example.
  @Test func aStrideOfFourOverAHundred() async {
    let run = await onThread { Loop(iterations: 100, steps: 1).run(.stride(4)) }
    #expect(run.blocks == 25)
  }
}

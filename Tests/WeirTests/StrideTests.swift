// Stride: automatic or a number, also from a literal, and never 0.

import Testing
import Weir

@Suite struct StrideTests {
  @Test("a literal is a fixed stride")
  func literal() {
    let stride: Stride = 64
    #expect(stride == .fixed(64))
    #expect(stride != .fixed(63))
    #expect(stride != .automatic)
    #expect(Set([stride, .fixed(64), .automatic, .automatic]).count == 2)
  }

  @Test("the description of a stride")
  func description() {
    #expect(
      "\(Stride.automatic) \(Stride.fixed(1)) \(Stride.fixed(.max))" == "automatic 1 \(Int.max)")
  }

  @Test("a stride below 1 is misuse, also in a release build")
  func tooSmall() async throws {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      print(Stride.fixed(0))
    }
    #expect(try says("a stride of 0 iterations", #require(zero)))
    let literal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      concurrentLoopOfAnything(stride: -3)
    }
    #expect(try says("a stride of -3 iterations", #require(literal)))
  }

  private func says(_ text: String, _ result: ExitTest.Result) -> Bool {
    String(decoding: result.standardErrorContent, as: UTF8.self).contains(text)
  }
}

private func concurrentLoopOfAnything(stride: Stride) {
  concurrentLoop(0..<10, stride: stride) { _ in }
}

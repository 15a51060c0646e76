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
  func tooSmall() async {
    await expectMisuse("a stride of -3 iterations") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let stride: Stride = -3
        print(stride)
      }
    }
  }
}

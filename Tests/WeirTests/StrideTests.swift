// Stride: automatic or a number, also from a literal, and never 0.

import Testing
import Weir

@Suite struct StrideTests {
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

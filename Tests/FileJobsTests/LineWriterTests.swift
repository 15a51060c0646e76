// Numbers that LineWriter writes.

import TestSupport
import Testing

@testable import FileJobs

struct LineWriterTests {
  @Test("a number of any length is written with its digits only")
  func numbers() {
    var random = SeededGenerator(for: "numbers")
    var numbers: [UInt64] = [0, .max]
    for shift in 0..<64 {
      numbers += [1 << shift, UInt64.random(in: 0...(1 << shift), using: &random)]
    }
    for power in 0..<20 {
      let ten = (0..<power).reduce(UInt64(1)) { number, _ in number * 10 }
      numbers += [ten - 1, ten]
    }
    withUnsafeTemporaryAllocation(byteCount: 40, alignment: 1) { memory in
      for number in numbers {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        var line = LineWriter(memory)
        line.append(UInt8(ascii: "<"))
        line.append(number)
        line.append(UInt8(ascii: ">"))
        #expect(Array(memory.prefix(line.count)) == Array("<\(number)>".utf8))
        #expect(memory.dropFirst(line.count).allSatisfy { $0 == 0 })
      }
    }
  }
}

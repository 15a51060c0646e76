// Digits and the bytes that they stand for: any length, any place, either case.

import CFileKernels
import TestSupport
import Testing

struct HexadecimalTests {
  private static let digits = Array("0123456789abcdefABCDEF".utf8)

  /// What stands for a digit in Swift's own eyes, which go byte by byte.
  private func worth(_ digit: UInt8) -> UInt8? {
    HexadecimalTests.digits.contains(digit)
      ? UInt8(String(UnicodeScalar(digit)), radix: 16) : nil
  }

  @Test("of all bytes the digits alone are digits, wherever in a block they stand")
  func everyByte() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<40 {
        var text = [UInt8](repeating: UInt8(ascii: "f"), count: 40)
        text[place] = byte
        let expected = worth(byte) == nil ? place : 40
        #expect(kernel_digit_count(text, 40) == expected, "\(byte) at \(place)")
        // What lies behind the length does not count.
        #expect(kernel_digit_count(text, place) == place)
      }
    }
  }

  @Test("bytes become digits and digits bytes, of every length, also over themselves")
  func roundTrip() throws {
    var random = SeededGenerator(for: "digits")
    for count in 0...70 {
      for _ in 0..<20 {
        let bytes = random.bytes(count)
        var text = [CChar](repeating: 1, count: 2 * count + 1)
        kernel_hexadecimal(&text, bytes, count)
        let digits = text.dropLast().map { UInt8(bitPattern: $0) }
        let expected = bytes.flatMap { byte in
          let text = String(byte, radix: 16)
          return Array((text.utf8.count < 2 ? "0" + text : text).utf8)
        }
        #expect(digits == expected && text.last == 1)
        var mixed = digits.map { digit in
          digit >= UInt8(ascii: "a") && Bool.random(using: &random) ? digit - 32 : digit
        }
        #expect(kernel_digit_count(mixed, mixed.count) == mixed.count)
        let behind = Array(mixed[count...])
        mixed.withUnsafeMutableBufferPointer { memory in
          if let start = memory.baseAddress { kernel_bytes(start, start, count) }
        }
        #expect(Array(mixed[..<count]) == bytes && Array(mixed[count...]) == behind)
      }
    }
  }
}

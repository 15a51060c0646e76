// Hexadecimal digits: of any length, at any offset, in either case.

import CFileKernels
import TestSupport
import Testing

struct HexadecimalTests {
  private static let digits = Array("0123456789abcdefABCDEF".utf8)

  /// Returns the value of a digit by Swift's own rules.
  private func value(_ digit: UInt8) -> UInt8? {
    HexadecimalTests.digits.contains(digit)
      ? UInt8(String(UnicodeScalar(digit)), radix: 16) : nil
  }

  @Test("digits are counted up to the first other byte, at every offset of a block")
  func everyByte() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<40 {
        var text = [UInt8](repeating: UInt8(ascii: "f"), count: 40)
        text[place] = byte
        let expected = value(byte) == nil ? place : 40
        #expect(kernel_digit_count(text, 40) == expected, "\(byte) at \(place)")
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
        #expect(kernel_lower_digit_count(text, 40) == (isUpper ? place : expected), "\(byte)")
        // Bytes after the length do not count.
        #expect(kernel_digit_count(text, place) == place)
      }
    }
  }

  @Test("bytes of every length survive encoding and decoding, also in place")
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
        let rest = Array(mixed[count...])
        mixed.withUnsafeMutableBufferPointer { memory in
          if let start = memory.baseAddress { kernel_bytes(start, start, count) }
        }
        #expect(Array(mixed[..<count]) == bytes && Array(mixed[count...]) == rest)
      }
    }
  }
}

internal import WeirLibC

/// A time in whole seconds since 1970, as text in UTC: `2026-11-27T01:30:05Z`.
package enum UTCTime {
  static let count = 20

  package static var now: UInt32 { UInt32(clamping: time(nil)) }

  package static func text(_ seconds: UInt32) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    return String(unsafeUninitializedCapacity: count + 1) { memory in
      memory.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
      }
    }
  }

  /// Returns the date of a time: `2026-11-27`.
  package static func date(_ seconds: UInt32) -> String { String(text(seconds).prefix(10)) }

  /// Reads a time; `nil` if the bytes are none, or not a time after 1970.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count == count else { return nil }
    func number(_ range: Range<Int>) -> Int32 {
      bytes[range].reduce(0) { $0 * 10 + Int32($1) - 48 }
    }
    var parts = tm()
    parts.tm_year = number(0..<4) - 1900
    parts.tm_mon = number(5..<7) - 1
    parts.tm_mday = number(8..<10)
    parts.tm_hour = number(11..<13)
    parts.tm_min = number(14..<16)
    parts.tm_sec = number(17..<19)
    guard let seconds = UInt32(exactly: timegm(&parts)), seconds > 0 else { return nil }
    // Other bytes than digits, and a date that there is not, give another text.
    return UTCTime.text(seconds).utf8.elementsEqual(bytes) ? seconds : nil
  }
}

// Times as text for people and programs: `2026-11-27T01:30:05Z`.

internal import WeirLibC

/// A time in whole seconds since 1970, as text in UTC.
package enum UTCTime {
  /// The number of bytes of a time.
  static let count = 20

  private static let pattern = Array("dddd-dd-ddTdd:dd:ddZ".utf8)

  /// The present time.
  package static var now: UInt32 { UInt32(clamping: time(nil)) }

  /// Returns the text of a time.
  package static func text(_ seconds: UInt32) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    func digits(_ number: Int32, _ count: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let date = [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1), digits(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits($0) }
    return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))Z"
  }

  /// Reads a time; `nil` if the bytes are none, or not a time after 1970.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count == count else { return nil }
    for (byte, form) in zip(bytes, pattern) {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard form == UInt8(ascii: "d") ? isDigit : byte == form else { return nil }
    }
    func number(_ range: Range<Int>) -> Int32 {
      bytes[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    }
    var parts = tm()
    parts.tm_year = number(0..<4) - 1900
    parts.tm_mon = number(5..<7) - 1
    parts.tm_mday = number(8..<10)
    parts.tm_hour = number(11..<13)
    parts.tm_min = number(14..<16)
    parts.tm_sec = number(17..<19)
    guard let seconds = UInt32(exactly: timegm(&parts)), seconds > 0 else { return nil }
    // timegm corrects a date that there is not, such as the 30th of February.
    return UTCTime.text(seconds).utf8.elementsEqual(bytes) ? seconds : nil
  }
}

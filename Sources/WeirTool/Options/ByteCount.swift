// Numbers of bytes as people type them.

/// Reads `4096`, `4K`, `4KiB` and `4kB`: what coreutils read.
enum ByteCount {
  /// How many bytes that are; `nil` where it is no such number, or too large.
  static func parse(_ text: String) -> UInt64? {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard let number = UInt64(String(text.prefix(digits.count))),
      let unit = unit(String(text.dropFirst(digits.count)))
    else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    return isTooLarge || product > UInt64(Int64.max) ? nil : product
  }

  /// `K` and `KiB` are 1024, `kB` is 1000, and so on.
  private static func unit(_ suffix: String) -> UInt64? {
    guard let letter = suffix.first else { return 1 }
    guard let power = "kmgtp".firstIndex(of: Character(letter.lowercased())) else { return nil }
    let base: UInt64
    switch suffix.dropFirst() {
    case "", "iB": base = 1024
    case "B": base = 1000
    default: return nil
    }
    let exponent = "kmgtp".distance(from: "kmgtp".startIndex, to: power) + 1
    return (0..<exponent).reduce(1) { product, _ in product * base }
  }
}

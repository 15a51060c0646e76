// Numbers in texts of people and pages.

extension Double {
  /// Creates a number from digits, a sign, a point and an exponent; `nil` for any other text.
  ///
  /// `init(_:)` also takes words and hexadecimal numbers, and stops at a zero byte.
  ///
  ///     Double(decimal: "2.5")  // 2.5
  ///     Double(decimal: "nan")  // nil
  ///
  /// - Complexity: O(*n*) for *n* bytes. Blocks: no.
  public init?(decimal text: String) {
    guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
    self.init(text)
  }
}

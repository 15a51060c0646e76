// The installed b3sum, with which called as b3sum weir is compared.

import TestSupport
import Testing

/// A Boolean value that indicates whether the installed b3sum is version 1.2.0.
let hasB3Sum12: Bool = {
  let command = Command(Array("/usr/bin/b3sum".utf8), [Array("--version".utf8)])
  let is12 = (try? command.runBlocking())?.outputText == "b3sum 1.2.0\n"
  if !is12 { print("skipped: /usr/bin/b3sum is not b3sum 1.2.0") }
  return is12
}()

/// Expects the same results from weir and from the installed b3sum: both outputs, their order,
/// and the exit status.
///
/// - Parameter hasSeveralErrors: True if a command line may be invalid for several reasons. The
///   installed program reports any one of them, and the messages are not compared.
func compareB3Sum(
  _ calls: [Invocation], in directory: TemporaryDirectory, hasSeveralErrors: Bool = false,
  _ location: SourceLocation = #_sourceLocation
) async throws {
  let sides = Sides(in: directory) { $0.withoutUsage(andMessage: hasSeveralErrors) }
  let found = try await sides.differences(calls)
  for difference in found.prefix(5) {
    Issue.record("WEIR_TEST_SEED=\(testSeed): \(difference)", sourceLocation: location)
  }
  #expect(found.isEmpty, "\(found.count) of \(calls.count) calls differ", sourceLocation: location)
}

extension CallResult {
  /// The result without what follows the message of a usage error: weir points to --help, and
  /// the installed program prints a usage line before that.
  fileprivate func withoutUsage(andMessage: Bool) -> CallResult {
    let text = String(decoding: errors, as: UTF8.self)
    let start = "error: "
    guard text.hasPrefix(start) else { return self }
    let ends = andMessage ? [] : ["\n\nFor more information", "\n\nUSAGE", "\n\tDid you mean"]
    let first = ends.compactMap { text.firstRange(of: $0)?.lowerBound }.min()
    var result = self
    result.errors = Array((first.map { text[..<$0] } ?? start[...]).utf8)
    return result
  }
}
